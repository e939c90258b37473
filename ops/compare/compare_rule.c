// SPDX-License-Identifier: Apache-2.0
/* Comparisons, and SELECT by their results. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_compare(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_compare *a = attrs;

	if (a->kind >= NNPROG_COMPARE_COUNT || a->reserved)
		return nnprog_refuse(err, "compare kind %u, reserved %u", a->kind, a->reserved);
	return 0;
}

static int infer_compare(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&in[1], type, "second input", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], NNPROG_BOOL8, "output", err);
	if (!ret && nnprog_is_quant8(type))
		ret = nnprog_need_scale(&in[0], "first input", err);
	if (!ret && nnprog_is_quant8(type))
		ret = nnprog_need_scale(&in[1], "second input", err);
	if (ret)
		return ret;
	if (nnprog_broadcast(&in[0].shape, &in[1].shape, &out[0].shape))
		return nnprog_refuse(err, "shapes do not broadcast");
	return nnprog_check_size(&out[0].shape, NNPROG_BOOL8, err);
}

static int infer_select(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_shape shape = in[0].shape;
	uint32_t type = in[1].dtype;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&in[2], type, "second choice", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "output", err);
	if (!ret)
		ret = nnprog_need_requant(&in[1], &out[0], "first choice", err);
	if (!ret)
		ret = nnprog_need_requant(&in[2], &out[0], "second choice", err);
	if (ret)
		return ret;
	if (nnprog_shape_merge(&shape, &in[1].shape) || nnprog_shape_merge(&shape, &in[2].shape))
		return nnprog_refuse(err, "condition and choices differ in shape");
	out[0].shape = shape;
	return nnprog_check_size(&shape, type, err);
}

#define NNPROG_FAMILY_COMPARE
#include "nnprog_described.h"

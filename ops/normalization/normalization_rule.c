// SPDX-License-Identifier: Apache-2.0
/* Descriptors of L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION and INSTANCE_NORMALIZATION. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

/** Same shape and type; an axis inside the rank. */
static int infer_along(int32_t wanted, const struct nnprog_operand *in, struct nnprog_operand *out,
		       struct nnprog_error *err)
{
	uint32_t axis;
	int ret = nnprog_need_type(out, in->dtype, "output", err);

	if (!ret && nnprog_rank_known(in))
		ret = nnprog_resolve_axis(wanted, in->shape.rank, &axis, err);
	if (ret)
		return ret;
	out->shape = in->shape;
	return nnprog_check_size(&out->shape, out->dtype, err);
}

static int check_l2_normalization(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	if (a->pack)
		return nnprog_refuse(err, "pack %u", a->pack);
	return 0;
}

static int infer_l2_normalization(const void *attrs, const struct nnprog_operand *in,
				  uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				  struct nnprog_error *err)
{
	const struct nnprog_attr_axis *a = attrs;

	(void)num_in;
	(void)num_out;
	if (nnprog_is_quant8(in[0].dtype)) {
		int ret = nnprog_need_scale(&in[0], "input", err);

		if (ret)
			return ret;
		if (out[0].num_scales || out[0].scale != 1.0f / 128 ||
		    out[0].zero_point != (in[0].dtype == NNPROG_UINT8 ? 128 : 0))
			return nnprog_refuse(err, "output: scale is not 1/128, or zero point %d",
					     out[0].zero_point);
	}
	return infer_along(a->axis, &in[0], &out[0], err);
}

static int check_lrn(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_lrn *a = attrs;

	if (a->radius > INT32_MAX || a->reserved)
		return nnprog_refuse(err, "radius %u, reserved %u", a->radius, a->reserved);
	return 0;
}

static int infer_lrn(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_lrn *a = attrs;

	(void)num_in;
	(void)num_out;
	return infer_along(a->axis, &in[0], &out[0], err);
}

static int check_instance_normalization(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_instance_normalization *a = attrs;

	if (a->reserved)
		return nnprog_refuse(err, "reserved attribute is not 0");
	return 0;
}

static int infer_instance_normalization(const void *attrs, const struct nnprog_operand *in,
					uint32_t num_in, struct nnprog_operand *out,
					uint32_t num_out, struct nnprog_error *err)
{
	int ret = nnprog_need_rank(&in[0], 4, "input", err);

	(void)attrs;
	(void)num_in;
	(void)num_out;
	if (ret)
		return ret;
	ret = infer_along(0, &in[0], &out[0], err);
	if (!ret && !nnprog_rank_known(&in[0]))
		out[0].shape = nnprog_unknown_shape(4);
	return ret;
}

#define NNPROG_FAMILY_NORMALIZATION
#include "nnprog_described.h"

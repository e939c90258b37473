// SPDX-License-Identifier: Apache-2.0
/* Functions of one element. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_unary(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_unary *a = attrs;

	if (a->kind >= NNPROG_UNARY_COUNT)
		return nnprog_refuse(err, "unary kind %u", a->kind);
	if (a->kind == NNPROG_UNARY_ELU ? !isfinite(a->alpha) : a->alpha != 0)
		return nnprog_refuse(err, "alpha %g", (double)a->alpha);
	return 0;
}

/** What each function takes; FLOAT32 and FLOAT16 but for LOGICAL_NOT. */
static uint32_t unary_types(uint32_t kind)
{
	switch (kind) {
	case NNPROG_UNARY_RELU:
	case NNPROG_UNARY_RELU1:
	case NNPROG_UNARY_RELU6:
	case NNPROG_UNARY_LOGISTIC:
	case NNPROG_UNARY_TANH:
	case NNPROG_UNARY_HARD_SWISH:
	case NNPROG_UNARY_RSQRT:
		return TYPES_FLOAT | TYPES_QUANT8;
	case NNPROG_UNARY_ABS:
	case NNPROG_UNARY_NEG:
		return TYPES_FLOAT | TYPE(INT32);
	case NNPROG_UNARY_LOGICAL_NOT:
		return TYPE(BOOL8);
	default:
		return TYPES_FLOAT;
	}
}

static int infer_unary(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		       struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_unary *a = attrs;
	uint32_t type = in[0].dtype;
	int ret;

	(void)num_in;
	(void)num_out;
	if (!(unary_types(a->kind) & (1u << type)))
		return nnprog_refuse(err, "unary kind %u does not take %s", a->kind,
				     nnprog_dtype_name(type));
	ret = nnprog_need_type(&out[0], type, "output", err);
	if (ret)
		return ret;
	if (nnprog_is_quant8(type)) {
		ret = nnprog_need_scale(&in[0], "input", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "output", err);
		if (ret)
			return ret;
	}
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, type, err);
}

static enum nnprog_empty unary_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_unary *a = attrs;

	(void)rank;
	(void)input;
	switch (a->kind) {
	case NNPROG_UNARY_RELU:
	case NNPROG_UNARY_RELU1:
	case NNPROG_UNARY_RELU6:
	case NNPROG_UNARY_LOGISTIC:
	case NNPROG_UNARY_TANH:
	case NNPROG_UNARY_HARD_SWISH:
		return NNPROG_EMPTY_RUNS;
	default:
		return NNPROG_EMPTY_FAILS;
	}
}

#define NNPROG_FAMILY_UNARY
#include "nnprog_described.h"

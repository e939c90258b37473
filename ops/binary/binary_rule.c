// SPDX-License-Identifier: Apache-2.0
/* ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU and the logical operations of two inputs. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_binary(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_binary *a = attrs;

	if (a->kind >= NNPROG_BINARY_COUNT)
		return nnprog_refuse(err, "binary kind %u", a->kind);
	if (a->kind > NNPROG_BINARY_DIV && a->activation != NNPROG_ACT_NONE)
		return nnprog_refuse(err, "binary kind %u with activation %u", a->kind,
				     a->activation);
	return nnprog_check_activation(a->activation, err);
}

static uint32_t binary_types(uint32_t kind)
{
	switch (kind) {
	case NNPROG_BINARY_DIV:
		return TYPES_FLOAT | TYPE(INT32);
	case NNPROG_BINARY_POW:
		return TYPES_FLOAT;
	case NNPROG_BINARY_PRELU:
		return TYPES_FLOAT | TYPES_QUANT8;
	case NNPROG_BINARY_AND:
	case NNPROG_BINARY_OR:
		return TYPE(BOOL8);
	default:
		return TYPES_FLOAT | TYPES_QUANT8 | TYPE(INT32);
	}
}

/**
 * The multipliers that a function of 8-bit tensors takes: of the inputs' steps, or of their
 * product's.
 */
static int binary_multipliers(uint32_t kind, const struct nnprog_operand *in,
			      const struct nnprog_operand *out, struct nnprog_error *err)
{
	int ret = nnprog_need_scale(&in[0], "first input", err);

	if (!ret)
		ret = nnprog_need_scale(&in[1], "second input", err);
	if (!ret)
		ret = nnprog_need_scale(out, "output", err);
	if (!ret && kind != NNPROG_BINARY_MUL)
		ret = nnprog_check_multiplier((double)in[0].scale / out->scale, err);
	if (ret)
		return ret;
	if (kind == NNPROG_BINARY_MUL || kind == NNPROG_BINARY_PRELU)
		return nnprog_check_multiplier((double)in[0].scale * in[1].scale / out->scale, err);
	return nnprog_check_multiplier((double)in[1].scale / out->scale, err);
}

static int infer_binary(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_binary *a = attrs;
	uint32_t type = in[0].dtype;
	int ret;

	(void)num_in;
	(void)num_out;
	if (!(binary_types(a->kind) & (1u << type)))
		return nnprog_refuse(err, "binary kind %u does not take %s", a->kind,
				     nnprog_dtype_name(type));
	ret = nnprog_need_type(&in[1], type, "second input", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "output", err);
	if (ret)
		return ret;
	if (type == NNPROG_INT32 && a->activation != NNPROG_ACT_NONE)
		return nnprog_refuse(err, "activation on int32");
	if (nnprog_is_quant8(type)) {
		ret = binary_multipliers(a->kind, in, &out[0], err);
		if (ret)
			return ret;
	}
	if (nnprog_broadcast(&in[0].shape, &in[1].shape, &out[0].shape))
		return nnprog_refuse(err, "shapes do not broadcast");
	return nnprog_check_size(&out[0].shape, type, err);
}

static enum nnprog_empty binary_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_binary *a = attrs;

	(void)rank;
	(void)input;
	switch (a->kind) {
	case NNPROG_BINARY_ADD:
	case NNPROG_BINARY_SUB:
	case NNPROG_BINARY_MUL:
	case NNPROG_BINARY_DIV:
		return NNPROG_EMPTY_RUNS;
	case NNPROG_BINARY_MAXIMUM:
	case NNPROG_BINARY_MINIMUM:
	case NNPROG_BINARY_POW:
		return NNPROG_EMPTY_BAD_DATA;
	default:
		return NNPROG_EMPTY_FAILS;
	}
}

#define NNPROG_FAMILY_BINARY
#include "nnprog_described.h"

// SPDX-License-Identifier: Apache-2.0
/* Descriptors of BINARY, UNARY, SOFTMAX and CONVERT. */
#include <math.h>

#include "ops_desc.h"

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

static int check_softmax(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_softmax *a = attrs;

	if (!(a->beta > 0) || !isfinite(a->beta))
		return nnprog_refuse(err, "beta %g is not above 0", (double)a->beta);
	if (a->log > 1 || a->reserved)
		return nnprog_refuse(err, "log %u, reserved %u", a->log, a->reserved);
	return 0;
}

static int infer_softmax(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_softmax *a = attrs;
	uint32_t axis;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&out[0], in[0].dtype, "output", err);
	if (ret)
		return ret;
	if (nnprog_is_quant8(in[0].dtype)) {
		if (a->log)
			return nnprog_refuse(err, "LOG_SOFTMAX takes floats only");
		ret = nnprog_need_scale(&in[0], "input", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "output", err);
		if (ret)
			return ret;
	}
	if (nnprog_rank_known(&in[0])) {
		ret = nnprog_resolve_axis(a->axis, in[0].shape.rank, &axis, err);
		if (ret)
			return ret;
	}
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, in[0].dtype, err);
}

static int check_convert(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_convert *a = attrs;

	if (a->kind >= NNPROG_CONVERT_COUNT || a->reserved)
		return nnprog_refuse(err, "convert kind %u, reserved %u", a->kind, a->reserved);
	return 0;
}

/**
 * CONVERT REAL takes floats, and integers that have real values: quantized ones, and plain INT32,
 * which counts as scale 1. Types without (BOOL8, UINT32, unquantized 8 and 16 bits) only to
 * themselves.
 */
static bool has_real_value(const struct nnprog_operand *op)
{
	switch (op->dtype) {
	case NNPROG_FLOAT32:
	case NNPROG_FLOAT16:
	case NNPROG_INT32:
		return true;
	case NNPROG_UINT8:
	case NNPROG_INT8:
	case NNPROG_INT16:
	case NNPROG_UINT16:
		return op->num_scales || op->scale > 0;
	default:
		return false;
	}
}

static int infer_convert(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_convert *a = attrs;

	(void)num_in;
	(void)num_out;
	if (out[0].dtype >= NNPROG_DTYPE_COUNT)
		return nnprog_refuse(err, "output: type %u", out[0].dtype);
	if (a->kind == NNPROG_CONVERT_RELABEL && in[0].dtype != out[0].dtype)
		return nnprog_refuse(err, "output: type %s, not %s",
				     nnprog_dtype_name(out[0].dtype),
				     nnprog_dtype_name(in[0].dtype));
	if (a->kind == NNPROG_CONVERT_REAL) {
		bool same = in[0].dtype == out[0].dtype && nnprog_same_quant(&in[0], &out[0]);

		if (!same && (!has_real_value(&in[0]) || !has_real_value(&out[0])))
			return nnprog_refuse(err, "no real values to convert from %s to %s",
					     nnprog_dtype_name(in[0].dtype),
					     nnprog_dtype_name(out[0].dtype));
		if (out[0].num_scales)
			return nnprog_refuse(err, "output: scales per channel");
		if (in[0].num_scales) {
			if (!in[0].scales || in[0].zero_point)
				return nnprog_refuse(err,
						     "input: scales or zero point per channel");
			if (nnprog_rank_known(&in[0]) &&
			    (in[0].channel_dim >= in[0].shape.rank ||
			     nnprog_dims_differ(in[0].shape.dims[in[0].channel_dim],
						in[0].num_scales)))
				return nnprog_refuse(err, "input: channel dimension %u",
						     in[0].channel_dim);
		}
	}
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, out[0].dtype, err);
}

const struct nnprog_op_desc nnprog_op_binary = {
	.opcode = NNPROG_OP_BINARY,
	.name = "BINARY",
	.min_inputs = 2,
	.max_inputs = 2,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_binary),
	.types = TYPES_FLOAT | TYPES_QUANT8 | TYPE(INT32) | TYPE(BOOL8),
	.check_attrs = check_binary,
	.infer = infer_binary,
};

const struct nnprog_op_desc nnprog_op_unary = {
	.opcode = NNPROG_OP_UNARY,
	.name = "UNARY",
	.min_inputs = 1,
	.max_inputs = 1,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_unary),
	.types = TYPES_FLOAT | TYPES_QUANT8 | TYPE(INT32) | TYPE(BOOL8),
	.check_attrs = check_unary,
	.infer = infer_unary,
};

const struct nnprog_op_desc nnprog_op_softmax = {
	.opcode = NNPROG_OP_SOFTMAX,
	.name = "SOFTMAX",
	.min_inputs = 1,
	.max_inputs = 1,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_softmax),
	.types = TYPES_FLOAT | TYPES_QUANT8,
	.check_attrs = check_softmax,
	.infer = infer_softmax,
};

const struct nnprog_op_desc nnprog_op_convert = {
	.opcode = NNPROG_OP_CONVERT,
	.name = "CONVERT",
	.min_inputs = 1,
	.max_inputs = 1,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_convert),
	.types = TYPES_ALL,
	.check_attrs = check_convert,
	.infer = infer_convert,
};

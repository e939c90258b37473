// SPDX-License-Identifier: Apache-2.0
/* Conversions between types and quantizations. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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

static enum nnprog_empty convert_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_convert *a = attrs;

	(void)rank;
	(void)input;
	return a->kind == NNPROG_CONVERT_CAST ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_RUNS;
}

#define NNPROG_FAMILY_CONVERT
#include "nnprog_described.h"

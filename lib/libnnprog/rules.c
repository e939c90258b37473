// SPDX-License-Identifier: Apache-2.0
/* Refusals, and the checks that descriptors share. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "rules.h"
#include "verify.h"

int nnprog_refuse(struct nnprog_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->offset = 0;
	err->subgraph = UINT32_MAX;
	err->operation = UINT32_MAX;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

int nnprog_too_large(struct nnprog_error *err)
{
	nnprog_refuse(err, "shape is too large");
	return -EOVERFLOW;
}

int nnprog_refuse_at(struct nnprog_error *err, uint64_t offset, uint32_t subgraph,
		     uint32_t operation, const char *format, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->offset = offset;
	err->subgraph = subgraph;
	err->operation = operation;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -EINVAL;
}

const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode)
{
	return opcode < NNPROG_OP_COUNT ? nnprog_descriptors[opcode] : NULL;
}

bool nnprog_is_quant8(uint32_t dtype)
{
	return dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
}

bool nnprog_same_quant(const struct nnprog_operand *a, const struct nnprog_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point && !a->num_scales &&
	       !b->num_scales;
}

int nnprog_need_scale(const struct nnprog_operand *op, const char *what, struct nnprog_error *err)
{
	if (op->num_scales || !(op->scale > 0) || !isfinite(op->scale))
		return nnprog_refuse(err, "%s: needs one scale above 0", what);
	return 0;
}

int nnprog_need_type(const struct nnprog_operand *op, uint32_t dtype, const char *what,
		     struct nnprog_error *err)
{
	if (op->dtype != dtype)
		return nnprog_refuse(err, "%s: type %s where %s is needed", what,
				     nnprog_dtype_name(op->dtype), nnprog_dtype_name(dtype));
	return 0;
}

int nnprog_need_same(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     struct nnprog_error *err)
{
	int ret = nnprog_need_type(out, in->dtype, "output", err);

	if (ret)
		return ret;
	if (nnprog_is_quant8(in->dtype) && !in->num_scales && !nnprog_same_quant(in, out))
		return nnprog_refuse(err, "output: quantization differs from the input's");
	return 0;
}

int nnprog_need_requant(const struct nnprog_operand *in, const struct nnprog_operand *out,
			const char *what, struct nnprog_error *err)
{
	int ret;

	if (!nnprog_is_quant8(in->dtype))
		return 0;
	ret = nnprog_need_scale(in, what, err);
	if (!ret)
		ret = nnprog_need_scale(out, "output", err);
	return ret ? ret : nnprog_check_multiplier((double)in->scale / out->scale, err);
}

int nnprog_need_vector(const struct nnprog_operand *op, uint32_t *n, const char *what,
		       struct nnprog_error *err)
{
	int ret = nnprog_need_rank(op, 1, what, err);
	uint32_t have;

	if (ret)
		return ret;
	have = nnprog_dim(op, 0);
	if (nnprog_dims_differ(have, *n))
		return nnprog_refuse(err, "%s: %u elements where %u are needed", what, have, *n);
	if (!nnprog_dim_known(*n))
		*n = have;
	return 0;
}

int nnprog_need_values(const struct nnprog_operand *op, const char *what, struct nnprog_error *err)
{
	int ret = nnprog_need_type(op, NNPROG_INT32, what, err);

	if (ret)
		return ret;
	if (op->data && !nnprog_shape_complete(&op->shape))
		return nnprog_refuse(err, "%s: contents without a shape", what);
	return 0;
}

int nnprog_need_rank(const struct nnprog_operand *op, uint32_t rank, const char *what,
		     struct nnprog_error *err)
{
	if (nnprog_rank_known(op) && op->shape.rank != rank)
		return nnprog_refuse(err, "%s: rank %u where %u is needed", what, op->shape.rank,
				     rank);
	return 0;
}

struct nnprog_shape nnprog_unknown_shape(uint32_t rank)
{
	struct nnprog_shape shape = { .rank = rank };

	for (uint32_t i = 0; rank <= NNPROG_MAX_RANK && i < rank; i++)
		shape.dims[i] = NNPROG_DIM_UNKNOWN;
	return shape;
}

int nnprog_check_size(const struct nnprog_shape *shape, uint32_t dtype, struct nnprog_error *err)
{
	uint64_t bytes;

	if (nnprog_shape_complete(shape) && nnprog_shape_bytes(shape, dtype, &bytes))
		return nnprog_too_large(err);
	return 0;
}

int nnprog_resolve_axis(int32_t axis, uint32_t rank, uint32_t *out, struct nnprog_error *err)
{
	int64_t a = axis < 0 ? (int64_t)axis + rank : axis;

	if (a < 0 || a >= rank)
		return nnprog_refuse(err, "axis %d outside rank %u", axis, rank);
	*out = (uint32_t)a;
	return 0;
}

int nnprog_check_multiplier(double multiplier, struct nnprog_error *err)
{
	if (!(multiplier > 0) || !isfinite((float)multiplier))
		return nnprog_refuse(err, "scales give no usable multiplier");
	return 0;
}

int nnprog_check_activation(uint32_t activation, struct nnprog_error *err)
{
	if (activation >= NNPROG_ACT_COUNT)
		return nnprog_refuse(err, "activation %u is not 0 to 3", activation);
	return 0;
}

int nnprog_no_attrs(const void *attrs, struct nnprog_error *err)
{
	(void)attrs;
	(void)err;
	return 0;
}

/* INT64 is for extensions, whose own rules take or refuse it, and for what hands operands on. */
static bool takes_int64(const struct nnprog_op_desc *desc)
{
	return desc->opcode == NNPROG_OP_EXTENSION || desc->hands_on;
}

static int refuse_type(const struct nnprog_op_desc *desc, const char *what, uint32_t i,
		       uint32_t dtype, struct nnprog_error *err)
{
	return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "%s: %s %u of type %s",
				desc->name, what, i, nnprog_dtype_name(dtype));
}

int nnprog_check_operation(const struct nnprog_op_desc *desc, const struct nnprog_operand *in,
			   uint32_t num_in, const struct nnprog_operand *out, uint32_t num_out,
			   struct nnprog_error *err)
{
	const uint32_t types = takes_int64(desc) ? (1u << NNPROG_DTYPE_END) - 1 : TYPES_ALL;

	uint64_t elements;

	if (num_in < desc->min_inputs || num_in > desc->max_inputs || num_in > NNPROG_MAX_OPERANDS)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "%s: %u inputs",
					desc->name, num_in);
	if (num_out < desc->min_outputs || num_out > desc->max_outputs)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "%s: %u outputs",
					desc->name, num_out);
	for (uint32_t i = 0; i < num_in; i++) {
		if (in[i].omitted) {
			if (!nnprog_input_optional(desc, i))
				return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
							"%s: input %u must not be omitted",
							desc->name, i);
			continue;
		}
		if (!((i ? types : desc->types) & 1u << in[i].dtype))
			return refuse_type(desc, "input", i, in[i].dtype, err);
		if (i >= 32 || !(desc->value_inputs & 1u << i))
			continue;
		if (in[i].dtype != NNPROG_INT32 && desc->opcode != NNPROG_OP_EXTENSION)
			return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
						"%s: input %u of type %s, not INT32", desc->name, i,
						nnprog_dtype_name(in[i].dtype));
		if (!nnprog_shape_elements(&in[i].shape, &elements) && elements > NNPROG_MAX_VALUES)
			return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
						"%s: input %u has more than %u values", desc->name,
						i, NNPROG_MAX_VALUES);
	}
	for (uint32_t i = 0; i < num_out; i++)
		if (!out[i].omitted && !(types & 1u << out[i].dtype))
			return refuse_type(desc, "output", i, out[i].dtype, err);
	return 0;
}

/* ---- operations of multiply-adds: CONV_2D and its relatives, FULLY_CONNECTED ---- */

/*
 * The kernels take the bias in steps of
 * s_in * s_filter, so a bias with another scale is refused; a per-channel bias has scale 0.
 */
int nnprog_check_mac(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     uint32_t channel_dim, struct nnprog_error *err)
{
	const struct nnprog_operand *filter = &in[1], *bias = &in[2];
	uint32_t type = in[0].dtype;
	float product;
	int ret = nnprog_need_type(out, type, "output", err);

	if (ret)
		return ret;
	if (!nnprog_is_quant8(type)) {
		if ((1u << type) & ~TYPES_FLOAT)
			return nnprog_refuse(err, "input: type %s", nnprog_dtype_name(type));
		ret = nnprog_need_type(filter, type, "filter", err);
		return ret ? ret : nnprog_need_type(bias, type, "bias", err);
	}
	ret = nnprog_need_type(bias, NNPROG_INT32, "bias", err);
	if (!ret)
		ret = nnprog_need_scale(&in[0], "input", err);
	if (!ret)
		ret = nnprog_need_scale(out, "output", err);
	if (ret)
		return ret;
	if (!nnprog_is_quant8(filter->dtype))
		return nnprog_refuse(err, "filter: type %s", nnprog_dtype_name(filter->dtype));
	if (bias->zero_point || bias->num_scales)
		return nnprog_refuse(err, "bias: zero point or scales per channel");
	if (!filter->num_scales) {
		ret = nnprog_need_scale(filter, "filter", err);
		if (ret)
			return ret;
		product = in[0].scale * filter->scale;
		if (!(fabsf(bias->scale - product) <= 1e-6f * fminf(bias->scale, product)))
			return nnprog_refuse(err, "bias: scale %g where input and filter give %g",
					     (double)bias->scale, (double)product);
		return nnprog_check_multiplier((double)in[0].scale * filter->scale / out->scale,
					       err);
	}
	if (filter->dtype != NNPROG_INT8 || filter->channel_dim != channel_dim ||
	    filter->zero_point)
		return nnprog_refuse(err, "filter: type, channel dimension %u or zero point %d",
				     filter->channel_dim, filter->zero_point);
	if (bias->scale != 0)
		return nnprog_refuse(err, "bias: scale must be 0 with a per-channel filter");
	if (!filter->scales)
		return nnprog_refuse(err, "filter: no scales");
	if (nnprog_dims_differ(nnprog_dim(filter, channel_dim), filter->num_scales))
		return nnprog_refuse(err, "filter: %u scales", filter->num_scales);
	for (uint32_t c = 0; c < filter->num_scales; c++) {
		ret = nnprog_check_multiplier((double)in[0].scale * filter->scales[c] / out->scale,
					      err);
		if (ret)
			return ret;
	}
	return 0;
}

int nnprog_check_mac_ranks(const struct nnprog_operand *in, struct nnprog_error *err)
{
	int ret = nnprog_need_rank(&in[0], 4, "input", err);

	if (!ret)
		ret = nnprog_need_rank(&in[1], 4, "filter", err);
	if (!ret)
		ret = nnprog_need_rank(&in[2], 1, "bias", err);
	return ret;
}

int nnprog_mac_channels(uint32_t from_filter, const struct nnprog_operand *bias, uint32_t *channels,
			struct nnprog_error *err)
{
	uint32_t from_bias = nnprog_dim(bias, 0);

	if (nnprog_dims_differ(from_filter, from_bias))
		return nnprog_refuse(err, "bias: %u elements where %u are needed", from_bias,
				     from_filter);
	*channels = nnprog_dim_known(from_filter) ? from_filter : from_bias;
	if (!*channels)
		return nnprog_refuse(err, "no output channels");
	return 0;
}

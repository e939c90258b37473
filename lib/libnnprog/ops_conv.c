// SPDX-License-Identifier: Apache-2.0
/* Descriptors of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED. */
#include <math.h>

#include "ops_desc.h"

#define TYPES_MAC (TYPES_FLOAT | TYPES_QUANT8)

static int check_conv(const struct nnprog_attr_conv2d *a, struct nnprog_error *err)
{
	if (a->padding >= NNPROG_PAD_COUNT)
		return nnprog_refuse(err, "padding code %u", a->padding);
	if (a->padding != NNPROG_PAD_EXPLICIT &&
	    (a->pad_left || a->pad_right || a->pad_top || a->pad_bottom))
		return nnprog_refuse(err, "padding sizes without explicit padding");
	if (!a->stride_w || !a->stride_h)
		return nnprog_refuse(err, "stride is 0");
	if (!a->dilation_w || !a->dilation_h)
		return nnprog_refuse(err, "dilation is 0");
	return nnprog_check_activation(a->activation, err);
}

static int check_conv2d(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_conv2d *a = attrs;

	if (!a->groups || a->multiplier > 1)
		return nnprog_refuse(err, "groups %u, multiplier %u", a->groups, a->multiplier);
	return check_conv(a, err);
}

static int check_depthwise(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_conv2d *a = attrs;

	if (a->groups || !a->multiplier)
		return nnprog_refuse(err, "groups %u, multiplier %u", a->groups, a->multiplier);
	return check_conv(a, err);
}

/*
 * The kernels take the bias in steps of
 * s_in * s_filter, so a bias that says otherwise is refused; per channel it carries no scale.
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
		return nnprog_refuse(err, "bias: a scale beside a filter with scales per channel");
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

static int infer_extents(const struct nnprog_attr_conv2d *a, const struct nnprog_operand *in,
			 struct nnprog_shape *shape, struct nnprog_error *err)
{
	uint32_t h = nnprog_dim(&in[0], 1), w = nnprog_dim(&in[0], 2);
	uint32_t fh = nnprog_dim(&in[1], 1), fw = nnprog_dim(&in[1], 2);
	uint32_t head, tail;

	if (!h || !w || !fh || !fw || !nnprog_dim(&in[0], 3))
		return nnprog_refuse(err, "only the batch may be 0");
	if (nnprog_dim_known(fh)) {
		uint64_t effective = (uint64_t)(fh - 1) * a->dilation_h + 1;

		if (a->pad_top >= effective || a->pad_bottom >= effective)
			return nnprog_refuse(err, "padding %u, %u is not below the filter's height",
					     a->pad_top, a->pad_bottom);
		if (nnprog_dim_known(h) &&
		    nnprog_window(h, fh, a->stride_h, a->dilation_h, a->padding, a->pad_top,
				  a->pad_bottom, &shape->dims[1], &head, &tail))
			return nnprog_refuse(err, "filter is higher than the image");
	}
	if (nnprog_dim_known(fw)) {
		uint64_t effective = (uint64_t)(fw - 1) * a->dilation_w + 1;

		if (a->pad_left >= effective || a->pad_right >= effective)
			return nnprog_refuse(err, "padding %u, %u is not below the filter's width",
					     a->pad_left, a->pad_right);
		if (nnprog_dim_known(w) &&
		    nnprog_window(w, fw, a->stride_w, a->dilation_w, a->padding, a->pad_left,
				  a->pad_right, &shape->dims[2], &head, &tail))
			return nnprog_refuse(err, "filter is wider than the image");
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

static int infer_conv2d(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_conv2d *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t cin, depth, cout;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_check_mac_ranks(in, err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 0, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 0), &in[2], &cout, err);
	if (ret)
		return ret;
	shape->dims[3] = cout;
	cin = nnprog_dim(&in[0], 3);
	depth = nnprog_dim(&in[1], 3);
	if (!depth)
		return nnprog_refuse(err, "filter: no input channels");
	if (nnprog_dim_known(cin) && nnprog_dim_known(depth) && cin != (uint64_t)depth * a->groups)
		return nnprog_refuse(err, "filter: %u channels in %u groups for %u input channels",
				     depth, a->groups, cin);
	if (nnprog_dim_known(cout) && cout % a->groups)
		return nnprog_refuse(err, "%u output channels in %u groups", cout, a->groups);
	ret = infer_extents(a, in, shape, err);
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

static int infer_depthwise(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_conv2d *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t cin, cout;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_check_mac_ranks(in, err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 3, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 3), &in[2], &cout, err);
	if (ret)
		return ret;
	if (nnprog_dims_differ(nnprog_dim(&in[1], 0), 1))
		return nnprog_refuse(err, "filter: first dimension is not 1");
	cin = nnprog_dim(&in[0], 3);
	if (nnprog_dim_known(cin)) {
		uint64_t channels = (uint64_t)cin * a->multiplier;

		if (channels >= NNPROG_DIM_UNKNOWN)
			return nnprog_too_large(err);
		if (nnprog_dim_known(cout) && cout != channels)
			return nnprog_refuse(err, "%u output channels from %u by multiplier %u",
					     cout, cin, a->multiplier);
		cout = (uint32_t)channels;
	}
	shape->dims[3] = cout;
	ret = infer_extents(a, in, shape, err);
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

static int check_fully_connected(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_act *a = attrs;

	if (a->reserved)
		return nnprog_refuse(err, "reserved attribute is not 0");
	return nnprog_check_activation(a->activation, err);
}

static int infer_fully_connected(const void *attrs, const struct nnprog_operand *in,
				 uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				 struct nnprog_error *err)
{
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t depth, units;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	if (!in[0].shape.rank)
		return nnprog_refuse(err, "input: a scalar");
	ret = nnprog_need_rank(&in[1], 2, "weights", err);
	if (!ret)
		ret = nnprog_need_rank(&in[2], 1, "bias", err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 0, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(2);
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 0), &in[2], &units, err);
	if (ret)
		return ret;
	shape->dims[1] = units;
	depth = nnprog_dim(&in[1], 1);
	if (!depth)
		return nnprog_refuse(err, "weights: no inputs");
	if (nnprog_dim_known(depth) && nnprog_shape_complete(&in[0].shape)) {
		uint64_t elements;

		if (nnprog_shape_elements(&in[0].shape, &elements))
			return nnprog_too_large(err);
		if (elements % depth)
			return nnprog_refuse(err, "input: %llu elements in rows of %u",
					     (unsigned long long)elements, depth);
		if (elements / depth >= NNPROG_DIM_UNKNOWN)
			return nnprog_too_large(err);
		shape->dims[0] = (uint32_t)(elements / depth);
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

const struct nnprog_op_desc nnprog_op_conv2d = {
	.opcode = NNPROG_OP_CONV_2D,
	.name = "CONV_2D",
	.min_inputs = 3,
	.max_inputs = 3,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_conv2d),
	.types = TYPES_MAC,
	.check_attrs = check_conv2d,
	.infer = infer_conv2d,
};

const struct nnprog_op_desc nnprog_op_depthwise = {
	.opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
	.name = "DEPTHWISE_CONV_2D",
	.min_inputs = 3,
	.max_inputs = 3,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_conv2d),
	.types = TYPES_MAC,
	.check_attrs = check_depthwise,
	.infer = infer_depthwise,
};

const struct nnprog_op_desc nnprog_op_fully_connected = {
	.opcode = NNPROG_OP_FULLY_CONNECTED,
	.name = "FULLY_CONNECTED",
	.min_inputs = 3,
	.max_inputs = 3,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_act),
	.types = TYPES_MAC,
	.check_attrs = check_fully_connected,
	.infer = infer_fully_connected,
};

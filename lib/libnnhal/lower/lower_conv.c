// SPDX-License-Identifier: Apache-2.0
/* CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D. */
#include "context.h"

/* Optional tail at input @i: layout, then for @dilated dilations of width and height. */
static int tail(struct lower *l, uint32_t i, struct nnprog_attr_conv2d *a, bool *nchw)
{
	int ret = 0;

	a->dilation_w = a->dilation_h = 1;
	*nchw = false;
	if (l->op->num_inputs > i)
		ret = lower_bool(l, i, nchw);
	if (!ret && l->op->num_inputs > i + 1) {
		ret = lower_uint(l, i + 1, 1, &a->dilation_w);
		if (!ret)
			ret = lower_uint(l, i + 2, 1, &a->dilation_h);
	}
	return ret;
}

/* @extra: depth multiplier or groups, between strides and activation; NULL: none. */
static int convolution(struct lower *l, uint32_t opcode, struct nnprog_attr_conv2d *a, uint32_t *extra)
{
	struct lower_padding padding;
	uint32_t in[3], out, i, k;
	bool nchw;
	int ret;

	ret = lower_paddings(l, 3, &padding, &i);
	if (ret)
		return ret;
	i += 3;
	a->padding = padding.mode;
	a->pad_left = padding.left;
	a->pad_right = padding.right;
	a->pad_top = padding.top;
	a->pad_bottom = padding.bottom;
	ret = lower_uint(l, i++, 1, &a->stride_w);
	if (!ret)
		ret = lower_uint(l, i++, 1, &a->stride_h);
	if (!ret && extra)
		ret = lower_uint(l, i++, 1, extra);
	if (!ret)
		ret = lower_activation(l, i++, &a->activation);
	if (!ret)
		ret = tail(l, i, a, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	for (k = 1; !ret && k < 3; k++)
		ret = lower_in(l, k, &in[k]);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, LOWER_NONE, &out);
	return ret ? ret : lower_emit(l, opcode, a, sizeof(*a), in, 3, &out, 1);
}

int lower_conv2d(struct lower *l)
{
	struct nnprog_attr_conv2d a = { .groups = 1 };

	return convolution(l, NNPROG_OP_CONV_2D, &a, NULL);
}

int lower_grouped(struct lower *l)
{
	struct nnprog_attr_conv2d a = { 0 };

	return convolution(l, NNPROG_OP_CONV_2D, &a, &a.groups);
}

int lower_depthwise(struct lower *l)
{
	struct nnprog_attr_conv2d a = { 0 };

	return convolution(l, NNPROG_OP_DEPTHWISE_CONV_2D, &a, &a.multiplier);
}

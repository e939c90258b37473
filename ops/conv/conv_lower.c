// SPDX-License-Identifier: Apache-2.0
/* CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

/* Ten inputs are explicit paddings, or the implicit form with layout and dilation. */
static bool conv2d_explicit(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op)
{
	return op->num_inputs >= 11 || (op->num_inputs == 10 && lower_input_is_int32(g, op, 7));
}

static bool depthwise_explicit(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op)
{
	return op->num_inputs >= 12 || (op->num_inputs == 11 && lower_input_is_int32(g, op, 8));
}

static bool grouped_explicit(const struct nnmodel_operation *op)
{
	return op->num_inputs == 12;
}

static bool transpose_explicit(const struct nnmodel_operation *op)
{
	return op->num_inputs == 11;
}

static uint32_t conv2d_activation(const struct nnmodel_subgraph *g,
				  const struct nnmodel_operation *op)
{
	return conv2d_explicit(g, op) ? 9 : 6;
}

static uint32_t depthwise_activation(const struct nnmodel_subgraph *g,
				     const struct nnmodel_operation *op)
{
	return depthwise_explicit(g, op) ? 10 : 7;
}

static uint32_t grouped_activation(const struct nnmodel_subgraph *g,
				   const struct nnmodel_operation *op)
{
	(void)g;
	return grouped_explicit(op) ? 10 : 7;
}

static uint32_t transpose_activation(const struct nnmodel_subgraph *g,
				     const struct nnmodel_operation *op)
{
	(void)g;
	return transpose_explicit(op) ? 9 : 7;
}

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
static int convolution(struct lower *l, uint32_t opcode, bool explicit,
		       struct nnprog_attr_conv2d *a, uint32_t *extra)
{
	struct lower_padding padding;
	uint32_t in[3], out, i, k;
	bool nchw;
	int ret;

	ret = lower_paddings(l, explicit, 3, &padding, &i);
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

static int lower_conv2d(struct lower *l)
{
	struct nnprog_attr_conv2d a = { .groups = 1 };

	return convolution(l, NNPROG_OP_CONV_2D, conv2d_explicit(l->graph, l->op), &a, NULL);
}

static int lower_grouped(struct lower *l)
{
	struct nnprog_attr_conv2d a = { .multiplier = 1 };

	return convolution(l, NNPROG_OP_CONV_2D, grouped_explicit(l->op), &a, &a.groups);
}

static int lower_depthwise(struct lower *l)
{
	struct nnprog_attr_conv2d a = { 0 };

	return convolution(l, NNPROG_OP_DEPTHWISE_CONV_2D, depthwise_explicit(l->graph, l->op), &a,
			   &a.multiplier);
}

/* Input 3 of the implicit form as the device wants it: in [N,H,W,C], whether a constant or not. */
static int output_shape(struct lower *l, bool nchw, uint32_t *tensor)
{
	static const int32_t to_nhwc[4] = { 0, 2, 3, 1 };
	const struct nnprog_attr_axis a = { .axis = 0 };
	struct nnprog_operand op;
	uint32_t in[2];
	int ret;

	ret = lower_in(l, 3, &in[0]);
	if (ret || !nchw) {
		*tensor = in[0];
		return ret;
	}
	op = lower_get(l, in[0]);
	ret = lower_const_ints(l, to_nhwc, 4, &in[1]);
	if (ret)
		return ret;
	op.data = NULL;
	op.shape = (struct nnprog_shape){ .rank = 1, .dims = { 4 } };
	ret = lower_temp(l, &op, tensor);
	return ret ? ret : lower_emit(l, NNPROG_OP_GATHER, &a, sizeof(a), in, 2, tensor, 1);
}

static int lower_transpose_conv(struct lower *l)
{
	struct nnprog_attr_transpose_conv a = { 0 };
	const bool explicit = transpose_explicit(l->op);
	struct lower_padding padding;
	uint32_t in[4], out, i, k;
	bool nchw = false;
	int ret;

	if (explicit) {
		/* paddings at the end may be negative: they enlarge the output */
		uint32_t left, top;

		ret = lower_uint(l, 3, 0, &left);
		if (!ret)
			ret = lower_int32(l, 4, &a.pad_right);
		if (!ret)
			ret = lower_uint(l, 5, 0, &top);
		if (!ret)
			ret = lower_int32(l, 6, &a.pad_bottom);
		if (ret)
			return ret;
		a.padding = NNPROG_PAD_EXPLICIT;
		a.pad_left = (int32_t)left;
		a.pad_top = (int32_t)top;
		i = 7;
	} else {
		ret = lower_paddings(l, false, 4, &padding, &i);
		if (ret)
			return ret;
		a.padding = padding.mode;
		i = 5;
	}
	ret = lower_uint(l, i++, 1, &a.stride_w);
	if (!ret)
		ret = lower_uint(l, i++, 1, &a.stride_h);
	if (!ret)
		ret = lower_activation(l, i++, &a.activation);
	if (!ret)
		ret = lower_bool(l, i, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	for (k = 1; !ret && k < 3; k++)
		ret = lower_in(l, k, &in[k]);
	/* VALID does not use the output shape, but NNAPI requires it */
	if (!ret && !explicit)
		ret = lower_given(l, 3);
	if (!ret)
		ret = a.padding == NNPROG_PAD_SAME ? output_shape(l, nchw, &in[3])
						   : lower_omitted(l, &in[3]);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, LOWER_NONE, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_TRANSPOSE_CONV_2D, &a, sizeof(a), in, 4, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_CONV_2D, .lower = lower_conv2d, .activation_input = conv2d_activation },
	{ .opcode = NNMODEL_DEPTHWISE_CONV_2D,
	  .lower = lower_depthwise,
	  .activation_input = depthwise_activation },
	{ .opcode = NNMODEL_GROUPED_CONV_2D,
	  .lower = lower_grouped,
	  .activation_input = grouped_activation },
	{ .opcode = NNMODEL_TRANSPOSE_CONV_2D,
	  .lower = lower_transpose_conv,
	  .activation_input = transpose_activation },
};
LOWER_FAMILY(conv, rows);

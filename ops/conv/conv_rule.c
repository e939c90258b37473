// SPDX-License-Identifier: Apache-2.0
/* Convolutions. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

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
		return nnprog_refuse(
			err,
			"filter: %u channels do not divide into %u groups for %u input channels",
			depth, a->groups, cin);
	if (nnprog_dim_known(cout) && cout % a->groups)
		return nnprog_refuse(err, "%u output channels do not divide into %u groups", cout,
				     a->groups);
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

static int check_transpose_conv(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_transpose_conv *a = attrs;

	if (a->padding >= NNPROG_PAD_COUNT)
		return nnprog_refuse(err, "padding code %u", a->padding);
	if (a->padding != NNPROG_PAD_EXPLICIT &&
	    (a->pad_left || a->pad_right || a->pad_top || a->pad_bottom))
		return nnprog_refuse(err, "padding sizes without explicit padding");
	if (a->pad_left < 0 || a->pad_top < 0)
		return nnprog_refuse(err, "padding left %d, top %d", a->pad_left, a->pad_top);
	if (!a->stride_w || !a->stride_h)
		return nnprog_refuse(err, "stride is 0");
	return nnprog_check_activation(a->activation, err);
}

/** Height or width of the output, where all that it depends on is known. */
static int output_extent(const struct nnprog_attr_transpose_conv *a,
			 const struct nnprog_operand *in, uint32_t dim, const int32_t *wanted,
			 uint32_t *extent, struct nnprog_error *err)
{
	uint32_t n = nnprog_dim(&in[0], dim), filter = nnprog_dim(&in[1], dim);
	bool same = a->padding == NNPROG_PAD_SAME, height = dim == 1;
	int64_t head;

	if (same && wanted && wanted[dim] < 1)
		return nnprog_refuse(err, "output shape: %d", wanted[dim]);
	if (!nnprog_dim_known(n) || !nnprog_dim_known(filter) || (same && !wanted))
		return 0;
	if (nnprog_transpose_window(n, filter, height ? a->stride_h : a->stride_w, a->padding,
				    same ? (uint32_t)wanted[dim] : 0,
				    height ? a->pad_top : a->pad_left,
				    height ? a->pad_bottom : a->pad_right, extent, &head))
		return nnprog_refuse(err, "%s of the output is below 1",
				     height ? "height" : "width");
	return 0;
}

static int infer_transpose_conv(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
				struct nnprog_operand *out, uint32_t num_out,
				struct nnprog_error *err)
{
	const struct nnprog_attr_transpose_conv *a = attrs;
	bool by_shape = num_in > 3 && !in[3].omitted;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t cout, four = 4;
	int ret;

	(void)num_out;
	ret = nnprog_check_mac_ranks(in, err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 0, err);
	if (ret)
		return ret;
	if (by_shape) {
		ret = nnprog_need_values(&in[3], "output shape", err);
		if (!ret)
			ret = nnprog_need_vector(&in[3], &four, "output shape", err);
		if (ret)
			return ret;
	} else if (a->padding == NNPROG_PAD_SAME) {
		return nnprog_refuse(err, "SAME padding without an output shape");
	}
	for (uint32_t i = 1; i < 4; i++) {
		if (!nnprog_dim(&in[0], i) || !nnprog_dim(&in[1], i))
			return nnprog_refuse(err, "only the batch may be 0");
	}
	if (nnprog_dims_differ(nnprog_dim(&in[0], 3), nnprog_dim(&in[1], 3)))
		return nnprog_refuse(err, "filter: %u channels for %u input channels",
				     nnprog_dim(&in[1], 3), nnprog_dim(&in[0], 3));
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 0), &in[2], &cout, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	shape->dims[3] = cout;
	for (uint32_t i = 1; i <= 2 && !ret; i++)
		ret = output_extent(a, in, i, by_shape ? in[3].data : NULL, &shape->dims[i], err);
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

static enum nnprog_empty conv2d_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_conv2d *a = attrs;

	(void)rank;
	(void)input;
	return a->multiplier ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_RUNS;
}

#define NNPROG_FAMILY_CONV
#include "nnprog_described.h"

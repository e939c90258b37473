// SPDX-License-Identifier: Apache-2.0
/* POOL_2D. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_pool2d(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_pool2d *a = attrs;

	if (a->kind >= NNPROG_POOL_COUNT || a->reserved)
		return nnprog_refuse(err, "pool kind %u, reserved %u", a->kind, a->reserved);
	if (a->padding >= NNPROG_PAD_COUNT)
		return nnprog_refuse(err, "padding code %u", a->padding);
	if (a->padding != NNPROG_PAD_EXPLICIT &&
	    (a->pad_left || a->pad_right || a->pad_top || a->pad_bottom))
		return nnprog_refuse(err, "padding sizes without explicit padding");
	if (!a->stride_w || !a->stride_h || !a->filter_w || !a->filter_h)
		return nnprog_refuse(err, "stride or filter is 0");
	if (a->padding == NNPROG_PAD_EXPLICIT &&
	    (a->pad_left >= a->filter_w || a->pad_right >= a->filter_w ||
	     a->pad_top >= a->filter_h || a->pad_bottom >= a->filter_h))
		return nnprog_refuse(err, "padding is not below the filter's size");
	return nnprog_check_activation(a->activation, err);
}

static int infer_pool2d(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_pool2d *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t h, w, head, tail;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_rank(&in[0], 4, "input", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], in[0].dtype, "output", err);
	if (ret)
		return ret;
	if (nnprog_is_quant8(in[0].dtype)) {
		if (a->kind == NNPROG_POOL_L2)
			return nnprog_refuse(err, "L2 pooling takes floats only");
		ret = nnprog_need_scale(&in[0], "input", err);
		if (ret)
			return ret;
		if (!nnprog_same_quant(&in[0], &out[0]))
			return nnprog_refuse(err, "output: quantization differs from the input's");
	}
	h = nnprog_dim(&in[0], 1);
	w = nnprog_dim(&in[0], 2);
	if (!h || !w || !nnprog_dim(&in[0], 3))
		return nnprog_refuse(err, "only the batch may be 0");
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	shape->dims[3] = nnprog_dim(&in[0], 3);
	if (nnprog_dim_known(h) &&
	    nnprog_window(h, a->filter_h, a->stride_h, 1, a->padding, a->pad_top, a->pad_bottom,
			  &shape->dims[1], &head, &tail))
		return nnprog_refuse(err, "filter is higher than the image");
	if (nnprog_dim_known(w) &&
	    nnprog_window(w, a->filter_w, a->stride_w, 1, a->padding, a->pad_left, a->pad_right,
			  &shape->dims[2], &head, &tail))
		return nnprog_refuse(err, "filter is wider than the image");
	return nnprog_check_size(shape, out[0].dtype, err);
}

#define NNPROG_FAMILY_POOL
#include "nnprog_described.h"

// SPDX-License-Identifier: Apache-2.0
/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* Inputs 1 and 2 are width and height, as sizes or as scales; the device takes height first. */
static int resize_extents(struct lower *l, struct nnprog_attr_resize *a, uint32_t *size)
{
	uint32_t w, h;
	int ret;

	if (lower_operand(l, 1)->type == NNMODEL_INT32) {
		ret = lower_uint(l, 1, 1, &w);
		if (!ret)
			ret = lower_uint(l, 2, 1, &h);
		return ret ? ret
			   : lower_const_ints(l, (int32_t[]){ (int32_t)h, (int32_t)w }, 2, size);
	}
	ret = lower_float(l, 1, &a->scale_w);
	if (!ret)
		ret = lower_float(l, 2, &a->scale_h);
	return ret ? ret : lower_omitted(l, size);
}

static int lower_resize(struct lower *l)
{
	struct nnprog_attr_resize a = { .kind = l->row->kind };
	bool nchw = false, align = false, half_pixel = false;
	const uint32_t n = l->op->num_inputs;
	uint32_t in[2], out;
	int ret = 0;

	if (n > 3)
		ret = lower_bool(l, 3, &nchw);
	if (!ret && n > 4)
		ret = lower_bool(l, 4, &align);
	if (!ret && n > 5)
		ret = lower_bool(l, 5, &half_pixel);
	if (ret)
		return ret;
	if (align && half_pixel)
		return lower_refuse(l, l->op->inputs[5],
				    "align_corners together with half_pixel_centers");
	a.align_corners = align;
	a.half_pixel_centers = half_pixel;
	ret = resize_extents(l, &a, &in[1]);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, in[0], &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_RESIZE, &a, sizeof(a), in, 2, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_RESIZE_BILINEAR, .lower = lower_resize, .kind = NNPROG_RESIZE_BILINEAR },
	{ .opcode = NNMODEL_RESIZE_NEAREST_NEIGHBOR,
	  .lower = lower_resize,
	  .kind = NNPROG_RESIZE_NEAREST },
};
LOWER_FAMILY(resize, rows);

// SPDX-License-Identifier: Apache-2.0
/* RESIZE. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_resize(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_resize *a = attrs;

	if (a->kind >= NNPROG_RESIZE_COUNT || a->reserved)
		return nnprog_refuse(err, "resize kind %u, reserved %u", a->kind, a->reserved);
	if (a->align_corners > 1 || a->half_pixel_centers > 1)
		return nnprog_refuse(err, "align_corners or half_pixel_centers is neither 0 nor 1");
	if (a->align_corners && a->half_pixel_centers)
		return nnprog_refuse(err, "align_corners together with half_pixel_centers");
	return 0;
}

/** floor(in * scale), at least 1. */
static int scaled_extent(uint32_t in, float scale, uint32_t *out, struct nnprog_error *err)
{
	float extent = floorf((float)in * scale);

	if (!(extent >= 1))
		return nnprog_refuse(err, "extent %u times %g is less than 1", in, (double)scale);
	if (extent > (float)NNPROG_MAX_TENSOR_SIZE)
		return nnprog_too_large(err);
	*out = (uint32_t)extent;
	return 0;
}

static int infer_resize(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_resize *a = attrs;
	struct nnprog_shape *shape = &out[0].shape;
	bool by_size = num_in > 1 && !in[1].omitted;
	uint32_t h, w;
	int ret;

	(void)num_out;
	ret = nnprog_need_rank(&in[0], 4, "input", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], in[0].dtype, "output", err);
	if (ret)
		return ret;
	if (nnprog_is_quant8(in[0].dtype) && !nnprog_same_quant(&in[0], &out[0]))
		return nnprog_refuse(err, "output: quantization differs from the input's");
	h = nnprog_dim(&in[0], 1);
	w = nnprog_dim(&in[0], 2);
	if (!h || !w || !nnprog_dim(&in[0], 3))
		return nnprog_refuse(err, "only the batch may be 0");
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	shape->dims[3] = nnprog_dim(&in[0], 3);
	if (by_size) {
		ret = nnprog_need_values(&in[1], "size", err);
		if (!ret)
			ret = nnprog_need_rank(&in[1], 1, "size", err);
		if (ret)
			return ret;
		if (nnprog_dims_differ(nnprog_dim(&in[1], 0), 2))
			return nnprog_refuse(err, "size: not two elements");
		if (in[1].data) {
			const int32_t *size = in[1].data;

			if (size[0] <= 0 || size[1] <= 0)
				return nnprog_refuse(err, "size %d, %d", size[0], size[1]);
			shape->dims[1] = (uint32_t)size[0];
			shape->dims[2] = (uint32_t)size[1];
		}
	} else {
		if (!(a->scale_h > 0) || !(a->scale_w > 0) || !isfinite(a->scale_h) ||
		    !isfinite(a->scale_w))
			return nnprog_refuse(err, "neither a size nor scales above 0");
		if (nnprog_dim_known(h))
			ret = scaled_extent(h, a->scale_h, &shape->dims[1], err);
		if (!ret && nnprog_dim_known(w))
			ret = scaled_extent(w, a->scale_w, &shape->dims[2], err);
		if (ret)
			return ret;
	}
	return nnprog_check_size(shape, out[0].dtype, err);
}

#define NNPROG_FAMILY_RESIZE
#include "nnprog_described.h"

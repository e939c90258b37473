// SPDX-License-Identifier: Apache-2.0
/* Descriptors of ROI_ALIGN, ROI_POOLING and HEATMAP_MAX_KEYPOINT. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static bool roi_positive(float x)
{
	return x > 0 && isfinite(x);
}

static int check_roi(const struct nnprog_attr_roi *a, struct nnprog_error *err)
{
	if (!a->height || !a->width || a->height > INT32_MAX || a->width > INT32_MAX)
		return nnprog_refuse(err, "output of %u x %u", a->height, a->width);
	if (!roi_positive(a->height_ratio) || !roi_positive(a->width_ratio))
		return nnprog_refuse(err, "ratios %g, %g", (double)a->height_ratio,
				     (double)a->width_ratio);
	return 0;
}

static int check_roi_align(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_roi *a = attrs;

	if (a->height_samples > INT32_MAX || a->width_samples > INT32_MAX)
		return nnprog_refuse(err, "samples %u, %u", a->height_samples, a->width_samples);
	return check_roi(a, err);
}

static int check_roi_pooling(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_roi *a = attrs;

	if (a->height_samples || a->width_samples)
		return nnprog_refuse(err, "samples %u, %u", a->height_samples, a->width_samples);
	return check_roi(a, err);
}

/** What ALIGN and POOLING have in common; only the former may have no regions. */
static int infer_roi(const struct nnprog_attr_roi *a, const struct nnprog_operand *in,
		     struct nnprog_operand *out, bool empty, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	struct nnprog_extents e;
	int ret;

	nnprog_extents_init(&e);
	ret = nnprog_match(&in[0], "NHWC", &e, "input", err);
	if (!ret)
		ret = nnprog_need_coordinates(&in[1], type, "rois", err);
	if (!ret)
		ret = nnprog_match(&in[1], "R4", &e, "rois", err);
	if (!ret)
		ret = nnprog_match_type(&in[2], NNPROG_INT32, "R", &e, "batch", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "output", err);
	if (!ret && nnprog_is_quant8(type)) {
		ret = nnprog_need_scale(&in[0], "input", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "output", err);
	}
	if (!ret)
		ret = nnprog_nonzero(&e, empty ? "HWC" : "NHWCR", err);
	if (ret)
		return ret;
	*nnprog_extent(&e, 'Y') = a->height;
	*nnprog_extent(&e, 'X') = a->width;
	out[0].shape = nnprog_pattern(&e, "RYXC");
	return nnprog_check_size(&out[0].shape, type, err);
}

static int infer_roi_align(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_roi *a = attrs;
	int ret = infer_roi(a, in, out, true, err);

	(void)num_in;
	(void)num_out;
	if (!ret && nnprog_is_quant8(in[0].dtype) && a->height_samples && a->width_samples) {
		double samples = (double)a->height_samples * a->width_samples;
		double m = (double)in[0].scale / (255.0 * (double)out[0].scale * samples);

		/*
		 * NNAPI's reference cannot express greater ones; adaptive ones are known to the run
		 */
		if (!(m < 1))
			ret = nnprog_refuse(err, "output: scale is too small for the input's");
	}
	return ret;
}

static int infer_roi_pooling(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	int ret = infer_roi(attrs, in, out, false, err);

	(void)num_in;
	(void)num_out;
	if (!ret && nnprog_is_quant8(in[0].dtype) && !nnprog_same_quant(&in[0], &out[0]))
		ret = nnprog_refuse(err, "output: quantization differs from the input's");
	return ret;
}

static int infer_heatmap(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	struct nnprog_extents e;
	int ret;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	nnprog_extents_init(&e);
	ret = nnprog_match(&in[0], "BSSK", &e, "heatmap", err);
	if (!ret)
		ret = nnprog_need_coordinates(&in[1], type, "boxes", err);
	if (!ret)
		ret = nnprog_match(&in[1], "B4", &e, "boxes", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "scores", err);
	if (!ret && nnprog_is_quant8(type)) {
		ret = nnprog_need_scale(&in[0], "heatmap", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "scores", err);
	}
	if (!ret)
		ret = nnprog_need_coordinates(&out[1], type, "keypoints", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "BK", err);
	if (!ret && nnprog_dim_known(*nnprog_extent(&e, 'S')) && *nnprog_extent(&e, 'S') < 2)
		ret = nnprog_refuse(err, "heatmap: extent %u is below 2", *nnprog_extent(&e, 'S'));
	if (ret)
		return ret;
	out[0].shape = nnprog_pattern(&e, "BK");
	out[1].shape = nnprog_pattern(&e, "BK2");
	return nnprog_check_size(&out[1].shape, out[1].dtype, err);
}

#define NNPROG_FAMILY_ROI
#include "nnprog_described.h"

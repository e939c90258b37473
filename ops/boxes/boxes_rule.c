// SPDX-License-Identifier: Apache-2.0
/*
 * Descriptors of the operations on boxes: AXIS_ALIGNED_BBOX_TRANSFORM, BOX_WITH_NMS_LIMIT,
 * GENERATE_PROPOSALS, DETECTION_POSTPROCESSING.
 */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static bool boxes_positive(float x)
{
	return x > 0 && isfinite(x);
}

/** Set 'D' = 4 * 'K', or learn 'K' from 'D'. 0 or -errno. */
static int four_times(struct nnprog_extents *e, const char *what, struct nnprog_error *err)
{
	uint32_t d = *nnprog_extent(e, 'D'), product;
	int ret;

	if (nnprog_dim_known(d) && d % 4)
		return nnprog_refuse(err, "%s: extent %u is no multiple of 4", what, d);
	if (nnprog_dim_known(d))
		return nnprog_learn(e, 'K', d / 4, what, err);
	ret = nnprog_product(*nnprog_extent(e, 'K'), 4, &product, err);
	return ret ? ret : nnprog_learn(e, 'D', product, what, err);
}

static int need_quant8(const struct nnprog_operand *op, uint32_t type, const char *what,
		       struct nnprog_error *err)
{
	return nnprog_is_quant8(type) ? nnprog_need_scale(op, what, err) : 0;
}

/* ---- AXIS_ALIGNED_BBOX_TRANSFORM ---- */

static int infer_bbox_transform(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
				struct nnprog_operand *out, uint32_t num_out,
				struct nnprog_error *err)
{
	/* beside UINT16 the deltas have a type of their own */
	bool quantized = in[0].dtype == NNPROG_UINT16;
	uint32_t type = in[1].dtype;
	struct nnprog_extents e;
	int ret = 0;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	if (quantized != nnprog_is_quant8(type) || (!quantized && type != in[0].dtype))
		return nnprog_refuse(err, "deltas: type %s", nnprog_dtype_name(type));
	nnprog_extents_init(&e);
	ret = nnprog_need_coordinates(&in[0], type, "rois", err);
	if (!ret)
		ret = nnprog_match(&in[0], "R4", &e, "rois", err);
	if (!ret)
		ret = nnprog_match(&in[1], "RD", &e, "deltas", err);
	if (!ret)
		ret = need_quant8(&in[1], type, "deltas", err);
	if (!ret)
		ret = four_times(&e, "deltas", err);
	if (!ret)
		ret = nnprog_match_type(&in[2], NNPROG_INT32, "R", &e, "batch", err);
	if (!ret)
		ret = nnprog_need_coordinates(&in[3], type, "image info", err);
	if (!ret)
		ret = nnprog_match(&in[3], "N2", &e, "image info", err);
	if (!ret)
		ret = nnprog_need_coordinates(&out[0], type, "output", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "DN", err);
	out[0].shape = nnprog_pattern(&e, "RD");
	return ret ? ret : nnprog_check_size(&out[0].shape, out[0].dtype, err);
}

/* ---- BOX_WITH_NMS_LIMIT ---- */

static int check_box_nms(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_box_nms *a = attrs;

	if (a->kernel > 2)
		return nnprog_refuse(err, "kernel %u is not 0 to 2", a->kernel);
	if (isnan(a->score_threshold) || isnan(a->iou_threshold) || isnan(a->sigma) ||
	    isnan(a->nms_score_threshold))
		return nnprog_refuse(err, "a threshold is NaN");
	return 0;
}

static int box_nms_operands(const struct nnprog_operand *in, struct nnprog_operand *out,
			    struct nnprog_extents *e, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	int ret;

	nnprog_extents_init(e);
	ret = nnprog_match(&in[0], "RK", e, "scores", err);
	if (!ret)
		ret = need_quant8(&in[0], type, "scores", err);
	if (!ret)
		ret = nnprog_need_coordinates(&in[1], type, "rois", err);
	if (!ret)
		ret = nnprog_match(&in[1], "RD", e, "rois", err);
	if (!ret)
		ret = four_times(e, "rois", err);
	if (!ret)
		ret = nnprog_match_type(&in[2], NNPROG_INT32, "R", e, "batch", err);
	if (!ret && nnprog_dim_known(*nnprog_extent(e, 'K')) && *nnprog_extent(e, 'K') < 2)
		ret = nnprog_refuse(err, "scores: %u classes", *nnprog_extent(e, 'K'));
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "scores out", err);
	if (!ret && nnprog_is_quant8(type) && !nnprog_same_quant(&in[0], &out[0]))
		ret = nnprog_refuse(err, "scores out: quantization differs from the input's");
	if (!ret)
		ret = nnprog_need_coordinates(&out[1], type, "rois out", err);
	if (!ret)
		ret = nnprog_need_type(&out[2], NNPROG_INT32, "classes", err);
	if (!ret)
		ret = nnprog_need_type(&out[3], NNPROG_INT32, "batch out", err);
	return ret;
}

/** Shapes of outputs whose extent is 'n' in "n", "n4", "n"... */
static void run_shapes(struct nnprog_operand *out, uint32_t num_out, uint32_t n)
{
	for (uint32_t i = 0; i < num_out; i++) {
		out[i].shape = (struct nnprog_shape){ .rank = 1, .dims = { n } };
		if (i == 1)
			out[i].shape = (struct nnprog_shape){ .rank = 2, .dims = { n, 4 } };
	}
}

static int infer_box_nms(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_extents e;
	int ret = box_nms_operands(in, out, &e, err);

	(void)attrs;
	(void)num_in;
	run_shapes(out, num_out, NNPROG_DIM_UNKNOWN);
	return ret;
}

/** Each output of @n boxes, or as many as fit the limits, is a tensor. */
static int bound_shapes(struct nnprog_operand *out, uint32_t num_out, uint64_t n,
			struct nnprog_error *err)
{
	if (n > NNPROG_MAX_TENSOR_SIZE / 16)
		return nnprog_too_large(err);
	run_shapes(out, num_out, (uint32_t)n);
	return 0;
}

static int bound_box_nms(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_box_nms *a = attrs;
	struct nnprog_extents e;
	int ret = box_nms_operands(in, out, &e, err);
	uint64_t rois, classes, each;

	(void)num_in;
	if (ret)
		return ret;
	rois = *nnprog_extent(&e, 'R');
	classes = *nnprog_extent(&e, 'K');
	if (!nnprog_dim_known((uint32_t)rois) || !nnprog_dim_known((uint32_t)classes))
		return nnprog_refuse(err, "a shape is incomplete");
	/* a batch may be of one region */
	each = classes - 1;
	if (a->max_detections >= 0 && (uint32_t)a->max_detections < each)
		each = (uint32_t)a->max_detections;
	return bound_shapes(out, num_out, rois * each, err);
}

/* ---- GENERATE_PROPOSALS ---- */

static int check_proposals(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_proposals *a = attrs;

	if (!boxes_positive(a->height_stride) || !boxes_positive(a->width_stride))
		return nnprog_refuse(err, "strides %g, %g", (double)a->height_stride,
				     (double)a->width_stride);
	if (isnan(a->iou_threshold) || isnan(a->min_size))
		return nnprog_refuse(err, "a threshold is NaN");
	return 0;
}

static int proposals_operands(const struct nnprog_operand *in, struct nnprog_operand *out,
			      struct nnprog_extents *e, struct nnprog_error *err)
{
	uint32_t type = in[0].dtype;
	bool quantized = nnprog_is_quant8(type);
	int ret;

	nnprog_extents_init(e);
	ret = nnprog_match(&in[0], "NHWK", e, "scores", err);
	if (!ret)
		ret = need_quant8(&in[0], type, "scores", err);
	if (!ret)
		ret = nnprog_match_type(&in[1], type, "NHWD", e, "deltas", err);
	if (!ret)
		ret = need_quant8(&in[1], type, "deltas", err);
	if (!ret)
		ret = four_times(e, "deltas", err);
	if (!ret)
		ret = nnprog_match_type(&in[2], quantized ? NNPROG_INT16 : type, "K4", e, "anchors",
					err);
	if (!ret && quantized && (in[2].scale != 0.125f || in[2].zero_point || in[2].num_scales))
		ret = nnprog_refuse(err, "anchors: needs steps of 1/8");
	if (!ret)
		ret = nnprog_need_coordinates(&in[3], type, "image info", err);
	if (!ret)
		ret = nnprog_match(&in[3], "N2", e, "image info", err);
	if (!ret)
		ret = nnprog_nonzero(e, "NHWK", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], type, "scores out", err);
	if (!ret)
		ret = need_quant8(&out[0], type, "scores out", err);
	if (!ret)
		ret = nnprog_need_coordinates(&out[1], type, "rois out", err);
	return ret ? ret : nnprog_need_type(&out[2], NNPROG_INT32, "batch out", err);
}

static int infer_proposals(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	struct nnprog_extents e;
	int ret = proposals_operands(in, out, &e, err);

	(void)attrs;
	(void)num_in;
	run_shapes(out, num_out, NNPROG_DIM_UNKNOWN);
	return ret;
}

static int bound_proposals(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_proposals *a = attrs;
	struct nnprog_extents e;
	int ret = proposals_operands(in, out, &e, err);
	struct nnprog_shape each;
	uint64_t n;

	(void)num_in;
	if (ret)
		return ret;
	each = nnprog_pattern(&e, "HWK");
	if (!nnprog_dim_known(*nnprog_extent(&e, 'N')) || !nnprog_shape_complete(&each))
		return nnprog_refuse(err, "a shape is incomplete");
	if (nnprog_shape_elements(&each, &n))
		return nnprog_too_large(err);
	if (a->pre_nms_max > 0 && (uint32_t)a->pre_nms_max < n)
		n = (uint32_t)a->pre_nms_max;
	if (a->post_nms_max > 0 && (uint32_t)a->post_nms_max < n)
		n = (uint32_t)a->post_nms_max;
	return bound_shapes(out, num_out, n * *nnprog_extent(&e, 'N'), err);
}

/* ---- DETECTION_POSTPROCESSING ---- */

static int check_detection(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_detection *a = attrs;

	if (!boxes_positive(a->scale_y) || !boxes_positive(a->scale_x) ||
	    !boxes_positive(a->scale_h) || !boxes_positive(a->scale_w))
		return nnprog_refuse(err, "scales %g, %g, %g, %g", (double)a->scale_y,
				     (double)a->scale_x, (double)a->scale_h, (double)a->scale_w);
	if (!(a->score_threshold >= 0) || !(a->iou_threshold >= 0))
		return nnprog_refuse(err, "thresholds %g, %g", (double)a->score_threshold,
				     (double)a->iou_threshold);
	if (a->regular_nms > 1 || a->background_in_label > 1 || a->reserved)
		return nnprog_refuse(err, "regular_nms %u, background_in_label %u, reserved %u",
				     a->regular_nms, a->background_in_label, a->reserved);
	if (!a->max_detections || a->max_detections > INT32_MAX)
		return nnprog_refuse(err, "max_detections %u", a->max_detections);
	if (a->regular_nms && (!a->detections_per_class || a->detections_per_class > INT32_MAX))
		return nnprog_refuse(err, "detections_per_class %u", a->detections_per_class);
	if (!a->regular_nms && (!a->max_classes || a->max_classes > INT32_MAX))
		return nnprog_refuse(err, "max_classes %u", a->max_classes);
	return 0;
}

static int infer_detection(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			   struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	static const char *const patterns[] = { "BD", "BD4", "BD", "B" };
	const struct nnprog_attr_detection *a = attrs;
	uint32_t type = in[0].dtype;
	struct nnprog_extents e;
	int ret;

	(void)num_in;
	nnprog_extents_init(&e);
	ret = nnprog_match(&in[0], "BAK", &e, "scores", err);
	if (!ret)
		ret = nnprog_match_type(&in[1], type, "BAL", &e, "deltas", err);
	if (!ret)
		ret = nnprog_match_type(&in[2], type, "A4", &e, "anchors", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "BAKL", err);
	if (!ret && nnprog_dim_known(*nnprog_extent(&e, 'K')) && *nnprog_extent(&e, 'K') < 2)
		ret = nnprog_refuse(err, "scores: %u classes", *nnprog_extent(&e, 'K'));
	if (!ret && nnprog_dim_known(*nnprog_extent(&e, 'L')) && *nnprog_extent(&e, 'L') < 4)
		ret = nnprog_refuse(err, "deltas: extent %u is below 4", *nnprog_extent(&e, 'L'));
	/* the fast form gives every detection several classes */
	if (!ret)
		ret = nnprog_product(a->max_detections, a->regular_nms ? 1 : a->max_classes,
				     nnprog_extent(&e, 'D'), err);
	for (uint32_t i = 0; i < num_out && !ret; i++) {
		ret = nnprog_need_type(&out[i], i < 2 ? type : NNPROG_INT32, "output", err);
		out[i].shape = nnprog_pattern(&e, patterns[i]);
		if (!ret)
			ret = nnprog_check_size(&out[i].shape, out[i].dtype, err);
	}
	return ret;
}

#define NNPROG_FAMILY_BOXES
#include "nnprog_described.h"

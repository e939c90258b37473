// SPDX-License-Identifier: Apache-2.0
/* Bounding boxes: transformation, suppression, proposals, detection. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_bbox_transform(struct lower *l)
{
	uint32_t in[4], out, i;
	int ret = 0;

	for (i = 0; !ret && i < 4; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_boxes(l, 0, &out);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM, NULL, 0, in, 4, &out, 1);
}

static int lower_box_nms(struct lower *l)
{
	struct nnprog_attr_box_nms a = { 0 };
	uint32_t in[3], out[4], i;
	int ret;

	ret = lower_float(l, 3, &a.score_threshold);
	if (!ret)
		ret = lower_int32(l, 4, &a.max_detections);
	if (!ret)
		ret = lower_uint(l, 5, 0, &a.kernel);
	if (!ret && a.kernel > 2)
		ret = lower_refuse(l, l->op->inputs[5], "kernel (operand %u) is %u, must be 0 to 2",
				   l->op->inputs[5], a.kernel);
	if (!ret)
		ret = lower_floats(l, 6, 3,
				   (float *const[]){ &a.iou_threshold, &a.sigma,
						     &a.nms_score_threshold });
	for (i = 0; !ret && i < 3; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out[0]);
	if (!ret)
		ret = lower_out_boxes(l, 1, &out[1]);
	for (i = 2; !ret && i < 4; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_BOX_WITH_NMS_LIMIT, &a, sizeof(a), in, 3, out, 4);
}

static int lower_proposals(struct lower *l)
{
	struct nnprog_attr_proposals a = { 0 };
	bool nchw = false;
	uint32_t in[4], out[3], i;
	int ret;

	ret = lower_floats(l, 4, 2, (float *const[]){ &a.height_stride, &a.width_stride });
	if (!ret)
		ret = lower_int32(l, 6, &a.pre_nms_max);
	if (!ret)
		ret = lower_int32(l, 7, &a.post_nms_max);
	if (!ret)
		ret = lower_floats(l, 8, 2, (float *const[]){ &a.iou_threshold, &a.min_size });
	if (!ret)
		ret = lower_bool(l, 10, &nchw);
	for (i = 0; !ret && i < 4; i++)
		ret = i < 2 ? lower_in_image(l, i, nchw, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out[0]);
	if (!ret)
		ret = lower_out_boxes(l, 1, &out[1]);
	if (!ret)
		ret = lower_out(l, 2, &out[2]);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_GENERATE_PROPOSALS, &a, sizeof(a), in, 4, out, 3);
}

static int lower_detection(struct lower *l)
{
	struct nnprog_attr_detection a = { 0 };
	bool regular = false, background = false;
	uint32_t in[3], out[4], i;
	int ret;

	ret = lower_floats(l, 3, 4,
			   (float *const[]){ &a.scale_y, &a.scale_x, &a.scale_h, &a.scale_w });
	if (!ret)
		ret = lower_bool(l, 7, &regular);
	if (!ret)
		ret = lower_uint(l, 8, 1, &a.max_detections);
	/* each mode ignores one of the numbers; NNAPI requires both */
	if (!ret)
		ret = lower_given(l, regular ? 9 : 10);
	if (!ret)
		ret = regular ? lower_uint(l, 10, 1, &a.detections_per_class)
			      : lower_uint(l, 9, 1, &a.max_classes);
	if (!ret)
		ret = lower_floats(l, 11, 2,
				   (float *const[]){ &a.score_threshold, &a.iou_threshold });
	if (!ret)
		ret = lower_bool(l, 13, &background);
	a.regular_nms = regular;
	a.background_in_label = background;
	for (i = 0; !ret && i < 3; i++)
		ret = lower_in(l, i, &in[i]);
	for (i = 0; !ret && i < 4; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_DETECTION_POSTPROCESSING, &a, sizeof(a), in, 3, out,
				4);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM, .lower = lower_bbox_transform },
	{ .opcode = NNMODEL_BOX_WITH_NMS_LIMIT, .lower = lower_box_nms },
	{ .opcode = NNMODEL_GENERATE_PROPOSALS, .lower = lower_proposals },
	{ .opcode = NNMODEL_DETECTION_POSTPROCESSING, .lower = lower_detection },
};
LOWER_FAMILY(boxes, rows);

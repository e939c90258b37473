// SPDX-License-Identifier: Apache-2.0
/* Bounding boxes: transformation, suppression, proposals, detection. */
#include "nnmodel_rows.h"

/* rois, deltas, batch, image info */
static const struct nnmodel_sig_form transform_forms[] = {
	{ 3, "01I0", "0" },
};
/*
 * scores, rois, batch; score threshold, most detections; kernel, IoU threshold, sigma, score
 * threshold of the suppression. Out: scores, rois, classes, batch
 */
static const struct nnmodel_sig_form box_nms_forms[] = {
	{ 3, "01Ifiifff", "01II" },
};
/*
 * scores, deltas, anchors, image info; strides of height, width; most boxes before and after
 * suppression; IoU threshold, least size, NCHW. Out: scores, rois, batch
 */
static const struct nnmodel_sig_form proposals_forms[] = {
	{ 3, "0012ffiiffb", "02I" },
};
/*
 * scores, deltas, anchors; scales of y, x, h, w; regular suppression; most detections, classes of a
 * detection, detections of a class; thresholds of score, IoU; whether labels count the background.
 * Out: scores, rois, classes, number
 */
static const struct nnmodel_sig_form detection_forms[] = {
	{ 3, "000ffffbiiiffb", "00II" },
};

static const struct nnmodel_sig_combo map_and_boxes[] = {
	{ 3, { F32, F32 } },
	{ 3, { F16, F16 } },
	{ 3, { Q8, Q16A } },
	{ 4, { Q8S, Q16A } },
};
static const struct nnmodel_sig_combo rois_and_deltas[] = {
	{ 3, { F32, F32 } },
	{ 3, { F16, F16 } },
	{ 3, { Q16A, Q8 } },
	{ 4, { Q16A, Q8S } },
};
static const struct nnmodel_sig_combo proposals[] = {
	{ 3, { F32, F32, F32 } },
	{ 3, { F16, F16, F16 } },
	{ 3, { Q8, Q16S, Q16A } },
	{ 4, { Q8S, Q16S, Q16A } },
};
static const struct nnmodel_sig_combo real[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(AXIS_ALIGNED_BBOX_TRANSFORM, 3, rois_and_deltas, transform_forms, NULL, NULL),
	NNMODEL_SIG(BOX_WITH_NMS_LIMIT, 3, map_and_boxes, box_nms_forms, NULL, NULL),
	NNMODEL_SIG(GENERATE_PROPOSALS, 3, proposals, proposals_forms, NULL, NULL),
	NNMODEL_SIG(DETECTION_POSTPROCESSING, 3, real, detection_forms, NULL, NULL),
};
NNMODEL_FAMILY(boxes, sigs);

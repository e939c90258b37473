// SPDX-License-Identifier: Apache-2.0
/* Regions of interest and key points. */
#include "nnmodel_rows.h"

/*
 * map, rois, batch; output height, width; ratios of height, width; (samples of height, width;) NCHW
 */
static const struct nnmodel_sig_form roi_align_forms[] = {
	{ 3, "01Iiiffiib", "0" },
};
static const struct nnmodel_sig_form roi_pooling_forms[] = {
	{ 3, "01Iiiffb", "0" },
};
/* heat map, boxes, NCHW; scores, key points */
static const struct nnmodel_sig_form heatmap_forms[] = {
	{ 3, "01b", "01" },
};

static const struct nnmodel_sig_combo map_and_boxes[] = {
	{ 3, { F32, F32 } },
	{ 3, { F16, F16 } },
	{ 3, { Q8, Q16A } },
	{ 4, { Q8S, Q16A } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(ROI_ALIGN, 3, map_and_boxes, roi_align_forms, "4", NULL),
	NNMODEL_SIG(ROI_POOLING, 3, map_and_boxes, roi_pooling_forms, "4", NULL),
	NNMODEL_SIG(HEATMAP_MAX_KEYPOINT, 3, map_and_boxes, heatmap_forms, "4", NULL),
};
NNMODEL_FAMILY(roi, sigs);

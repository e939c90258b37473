// SPDX-License-Identifier: Apache-2.0
/* Regions, key points and boxes. Coordinates beside 8 bits are in steps of 1/8. */
#include "probes.h"

#define REAL "F32 F16"
#define PAIRS "F32,F32 F16,F16 Q8,Q16A Q8S,Q16A"

static const struct probe_row rows[] = {
	{ NNMODEL_ROI_ALIGN, PAIRS, "0:1x4x4x2 1:3x4@0.125 I:3 i=2 i=3 f=2 f=2 i=4 i=4 b=0",
	  "0:3x2x3x2" },
	{ NNMODEL_ROI_POOLING, PAIRS, "0:1x4x4x2 1:3x4@0.125 I:3 i=2 i=3 f=2 f=2 b=0",
	  "0:3x2x3x2" },
	{ NNMODEL_HEATMAP_MAX_KEYPOINT, PAIRS, "0:1x4x4x2 1:1x4@0.125 b=0", "0:1x2 1:1x2x2@0.125" },
	{ NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM, "F32,F32 F16,F16 Q16A,Q8 Q16A,Q8S",
	  "0:3x4@0.125 1:3x8 I:3 0:1x2@0.125", "0:3x8@0.125" },
	{ NNMODEL_BOX_WITH_NMS_LIMIT, PAIRS,
	  "0:3x2 1:3x8@0.125 I:3 f=0.1 i=-1 i=0 f=0.5 f=0.5 f=0.1", "0:0 1:0x4@0.125 I:0 I:0" },
	{ NNMODEL_GENERATE_PROPOSALS, "F32,F32,F32 F16,F16,F16 Q8,Q16S,Q16A Q8S,Q16S,Q16A",
	  "0:1x4x4x2 0:1x4x4x8 1:2x4@0.125 2:1x2@0.125 f=4 f=4 i=-1 i=10 f=0.5 f=1 b=0",
	  "0:0 2:0x4@0.125 I:0" },
	{ NNMODEL_DETECTION_POSTPROCESSING, REAL,
	  "0:1x6x3 0:1x6x4 0:6x4 f=10 f=10 f=5 f=5 b=1 i=3 i=0 i=2 f=0 f=0.5 b=0",
	  "0:1x3 0:1x3x4 I:1x3 I:1" },
};
const struct probe_table probes_boxes = PROBE_TABLE(rows);

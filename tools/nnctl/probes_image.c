// SPDX-License-Identifier: Apache-2.0
/* Convolution, pooling, resizing. */
#include "probes.h"

#define FLOATS "F32,F32,F32,F32 F16,F16,F16,F16"
#define QUANT "Q8,Q8,I32,Q8 Q8S,Q8S,I32,Q8S"
#define PER_CHANNEL "Q8,QPC,I32,Q8 Q8S,QPC,I32,Q8S"
#define REAL_QUANT "F32 F16 Q8 Q8S"

/* filter and bias of @n channels; the bias counts in steps of input times filter */
#define CONV(op, filter, n, rest, out)                                                          \
	{ NNMODEL_##op, FLOATS, "0:1x4x4x2 1:" filter " 2:" n " " rest, "3:" out },             \
	{                                                                                       \
		NNMODEL_##op, QUANT, "0:1x4x4x2@0.5,3 1:" filter "@0.25,7 2:" n "@0.125 " rest, \
			"3:" out                                                                \
	}

static const struct probe_row rows[] = {
	CONV(CONV_2D, "3x2x2x2", "3", "i=1 i=1 i=1 i=0", "1x4x4x3"),
	{ NNMODEL_CONV_2D, PER_CHANNEL, "0:1x4x4x2 1:3x2x2x2/0 2:3 i=1 i=1 i=1 i=0", "3:1x4x4x3" },
	CONV(DEPTHWISE_CONV_2D, "1x2x2x4", "4", "i=1 i=1 i=1 i=2 i=0", "1x4x4x4"),
	{ NNMODEL_DEPTHWISE_CONV_2D, PER_CHANNEL, "0:1x4x4x2 1:1x2x2x4/3 2:4 i=1 i=1 i=1 i=2 i=0",
	  "3:1x4x4x4" },
	CONV(GROUPED_CONV_2D, "2x2x2x1", "2", "i=1 i=1 i=1 i=2 i=0 b=0", "1x4x4x2"),
	{ NNMODEL_GROUPED_CONV_2D, PER_CHANNEL, "0:1x4x4x2 1:2x2x2x1/0 2:2 i=1 i=1 i=1 i=2 i=0 b=0",
	  "3:1x4x4x2" },
	CONV(TRANSPOSE_CONV_2D, "3x2x2x2", "3", "I:4=1,8,8,3 i=1 i=2 i=2 i=0 b=0", "1x8x8x3"),
	{ NNMODEL_TRANSPOSE_CONV_2D, PER_CHANNEL,
	  "0:1x4x4x2 1:3x2x2x2/0 2:3 I:4=1,8,8,3 i=1 i=2 i=2 i=0 b=0", "3:1x8x8x3" },

	{ NNMODEL_AVERAGE_POOL_2D, REAL_QUANT, "0:1x4x4x2 i=2 i=2 i=2 i=2 i=2 i=0", "0:1x2x2x2" },
	{ NNMODEL_MAX_POOL_2D, REAL_QUANT, "0:1x4x4x2 i=2 i=2 i=2 i=2 i=2 i=0", "0:1x2x2x2" },
	{ NNMODEL_L2_POOL_2D, "F32 F16", "0:1x4x4x2 i=2 i=2 i=2 i=2 i=2 i=0", "0:1x2x2x2" },

	{ NNMODEL_RESIZE_BILINEAR, REAL_QUANT, "0:1x4x4x2 i=8 i=6", "0:1x6x8x2" },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, REAL_QUANT, "0:1x4x4x2 i=8 i=6 b=0", "0:1x6x8x2" },
};
const struct probe_table probes_image = PROBE_TABLE(rows);

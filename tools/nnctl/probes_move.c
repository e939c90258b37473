// SPDX-License-Identifier: Apache-2.0
/* Operations that move, look up and repeat elements. */
#include "probes.h"

#define REAL_QUANT "F32 F16 Q8 Q8S"
#define NUMBERS "F32 F16 I32 Q8 Q8S"

static const struct probe_row rows[] = {
	{ NNMODEL_RESHAPE, NUMBERS, "0:2x3 I:2=3,2", "0:3x2" },
	{ NNMODEL_SQUEEZE, REAL_QUANT, "0:2x1x3 I:1=1", "0:2x3" },
	{ NNMODEL_EXPAND_DIMS, NUMBERS, "0:2x3 i=1", "0:2x1x3" },
	{ NNMODEL_TRANSPOSE, REAL_QUANT, "0:2x3 I:2=1,0", "0:3x2" },
	{ NNMODEL_CONCATENATION, REAL_QUANT, "0:2x3 0:2x1 i=1", "0:2x4" },
	{ NNMODEL_PACK, NUMBERS, "i=1 0:2x3 0:2x3", "0:2x2x3" },
	{ NNMODEL_SPLIT, NUMBERS, "0:4x3 i=0 i=2", "0:2x3 0:2x3" },
	{ NNMODEL_PAD, REAL_QUANT, "0:2x3@0.5,3 I:2x2=1,0,0,2", "0:3x5@0.5,3" },
	{ NNMODEL_PAD_V2, REAL_QUANT, "0:2x3 I:2x2=1,0,0,2 p=1", "0:3x5" },
	{ NNMODEL_MIRROR_PAD, NUMBERS, "0:2x3 I:2x2=1,1,2,0 i=0", "0:4x5" },
	{ NNMODEL_REVERSE, NUMBERS, "0:2x3 I:1=1", "0:2x3" },
	{ NNMODEL_SLICE, NUMBERS, "0:2x3 I:2=1,0 I:2=1,-1", "0:1x3" },
	{ NNMODEL_STRIDED_SLICE, REAL_QUANT, "0:4x3 I:2=0,0 I:2=4,2 I:2=2,1 i=0 i=0 i=0", "0:2x2" },
	{ NNMODEL_GATHER, NUMBERS, "0:5x3 i=0 I:2=2,2", "0:2x3" },
	{ NNMODEL_TILE, NUMBERS, "0:2x3 I:2=2,1", "0:4x3" },
	{ NNMODEL_EMBEDDING_LOOKUP, NUMBERS, "I:2 0:3x4", "0:2x4" },
	{ NNMODEL_HASHTABLE_LOOKUP, "F32,Q8 I32,Q8 Q8,Q8", "I:2 I:3 0:3x4", "0:2x4 1:2@1" },
	{ NNMODEL_DEPTH_TO_SPACE, REAL_QUANT, "0:1x2x2x4 i=2", "0:1x4x4x1" },
	{ NNMODEL_SPACE_TO_DEPTH, REAL_QUANT, "0:1x4x4x1 i=2", "0:1x2x2x4" },
	{ NNMODEL_BATCH_TO_SPACE_ND, REAL_QUANT, "0:4x2x2x1 I:2=2,2", "0:1x4x4x1" },
	{ NNMODEL_SPACE_TO_BATCH_ND, REAL_QUANT, "0:1x4x4x1 I:2=2,2 I:2x2=0,0,0,0", "0:4x2x2x1" },
	{ NNMODEL_CHANNEL_SHUFFLE, REAL_QUANT, "0:2x6 i=3 i=1", "0:2x6" },
	/* compressed rows of a 2 by 3 matrix */
	{ NNMODEL_DENSIFY, "F32 F16 I32 Q8 Q8S Q8Y Q16S Q16A B8",
	  "0:4 I:2=0,1 ~I I:2=0,1 I:2=2,3 ~I ~I I:3=0,2,4 I:4=0,2,1,2", "0:2x3" },
};
const struct probe_table probes_move = PROBE_TABLE(rows);

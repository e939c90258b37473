// SPDX-License-Identifier: Apache-2.0
#include "probes/nnctl_probes.h"

#define REAL "F32 F16"
#define REAL_QUANT "F32 F16 Q8 Q8S"
#define NUMBERS "F32 F16 I32 Q8 Q8S"
#define COMPARED "B8,B8 F32,B8 F16,B8 I32,B8 Q8,B8 Q8S,B8"

/* one operand; the result keeps the quantization */
#define UNARY(op, types)                                          \
	{                                                         \
		NNMODEL_##op, types, "0:2x3@0.5,3", "0:2x3@0.5,3" \
	}
#define COMPARE(op)                                                       \
	{                                                                 \
		NNMODEL_##op, COMPARED, "0:2x3@0.5,3 0:3@0.25,7", "1:2x3" \
	}
#define PAIR(op, types)                                   \
	{                                                 \
		NNMODEL_##op, types, "0:2x3 0:3", "0:2x3" \
	}
#define REDUCE(op, types)                                                   \
	{                                                                   \
		NNMODEL_##op, types, "0:2x3@0.5,3 I:1=1 b=1", "0:2x1@0.5,3" \
	}
#define TO(t) "F32," t " F16," t " I32," t " Q8," t

#define FLOATS "F32,F32,F32,F32 F16,F16,F16,F16"
#define QUANT "Q8,Q8,I32,Q8 Q8S,Q8S,I32,Q8S"
#define PER_CHANNEL "Q8,QPC,I32,Q8 Q8S,QPC,I32,Q8S"

/* filter and bias of @n channels; the bias counts in steps of input times filter */
#define CONV(op, filter, n, rest, out)                                                          \
	{ NNMODEL_##op, FLOATS, "0:1x4x4x2 1:" filter " 2:" n " " rest, "3:" out },             \
	{                                                                                       \
		NNMODEL_##op, QUANT, "0:1x4x4x2@0.5,3 1:" filter "@0.25,7 2:" n "@0.125 " rest, \
			"3:" out                                                                \
	}

#define NONE4 "~0 ~0 ~0 ~0"
#define RNN_CELL "0:4x5 0:4x4 0:4 0:2x4"
/* weights of input and recurrence i f c o, no peepholes, biases, no projection */
#define LSTM_CELL "0:4x5 0:4x5 0:4x5 0:4x5 0:4x4 0:4x4 0:4x4 0:4x4 ~0 ~0 ~0 0:4 0:4 0:4 0:4 ~0 ~0"
#define STATES "0:2x4 0:2x4"
/* tanh, no clips */
#define PARAMETERS "i=4 f=0 f=0"

#define PAIRS "F32,F32 F16,F16 Q8,Q16A Q8S,Q16A"

static const struct probe_row rows[] = {
	/* Element-wise operations, comparison, conversion, reduction, normalization, products. */
	{ NNMODEL_ADD, NUMBERS, "0:2x3 0:3 i=0", "0:2x3" },
	{ NNMODEL_SUB, NUMBERS, "0:2x3 0:3 i=0", "0:2x3" },
	{ NNMODEL_MUL, NUMBERS, "0:2x3 0:3 i=0", "0:2x3" },
	{ NNMODEL_DIV, REAL " I32", "0:2x3 0:3 i=0", "0:2x3" },

	UNARY(RELU, REAL_QUANT),
	UNARY(RELU1, REAL_QUANT),
	UNARY(RELU6, REAL_QUANT),
	UNARY(HARD_SWISH, REAL_QUANT),
	UNARY(RSQRT, REAL_QUANT),
	UNARY(ABS, REAL " I32"),
	UNARY(NEG, REAL " I32"),
	UNARY(FLOOR, REAL),
	UNARY(EXP, REAL),
	UNARY(LOG, REAL),
	UNARY(SIN, REAL),
	UNARY(SQRT, REAL),
	UNARY(LOGICAL_NOT, "B8"),
	{ NNMODEL_ELU, REAL, "0:2x3 f=1", "0:2x3" },
	{ NNMODEL_LOGISTIC, REAL " Q8", "0:2x3@0.5,3", "0:2x3@0.00390625,0" },
	{ NNMODEL_LOGISTIC, "Q8S", "0:2x3@0.5,3", "0:2x3@0.00390625,-128" },
	{ NNMODEL_TANH, REAL " Q8", "0:2x3@0.5,3", "0:2x3@0.0078125,128" },
	{ NNMODEL_TANH, "Q8S", "0:2x3@0.5,3", "0:2x3@0.0078125,0" },

	COMPARE(EQUAL),
	COMPARE(NOT_EQUAL),
	COMPARE(GREATER),
	COMPARE(GREATER_EQUAL),
	COMPARE(LESS),
	COMPARE(LESS_EQUAL),
	PAIR(LOGICAL_AND, "B8"),
	PAIR(LOGICAL_OR, "B8"),
	PAIR(MAXIMUM, NUMBERS),
	PAIR(MINIMUM, NUMBERS),
	PAIR(POW, REAL),
	PAIR(PRELU, REAL_QUANT),
	{ NNMODEL_SELECT, "F32,B8 F16,B8 I32,B8 Q8,B8 Q8S,B8", "1:2x3 0:2x3 0:2x3", "0:2x3" },

	{ NNMODEL_CAST,
	  TO("F32") " " TO("F16") " " TO("I32") " " TO(
		  "Q8") " B8,B8 Q16A,Q16A Q16S,Q16S Q8S,Q8S Q8Y,Q8Y",
	  "0:2x3", "1:2x3" },
	{ NNMODEL_QUANTIZE, "F32,Q8 F32,Q8S F16,Q8 F16,Q8S", "0:2x3", "1:2x3@0.1,3" },
	{ NNMODEL_DEQUANTIZE, "Q8,F32 Q8,F16 Q8S,F32 Q8S,F16 Q8Y,F32 Q8Y,F16 QPC,F32 QPC,F16",
	  "0:2x3/1", "1:2x3" },
	{ NNMODEL_FILL, "F32,f32 F16,f16 I32,i32", "I:2=2,3 1=1", "0:2x3" },
	{ NNMODEL_RANK, "F32 F16 I32 Q8 Q8S Q8Y QPC Q16S Q16A B8", "0:2x3", "i" },

	{ NNMODEL_MEAN, REAL_QUANT, "0:2x3@0.5,3 I:1=1 i=1", "0:2x1@0.5,3" },
	REDUCE(REDUCE_ALL, "B8"),
	REDUCE(REDUCE_ANY, "B8"),
	REDUCE(REDUCE_MAX, REAL_QUANT),
	REDUCE(REDUCE_MIN, REAL_QUANT),
	REDUCE(REDUCE_PROD, REAL),
	REDUCE(REDUCE_SUM, REAL),
	{ NNMODEL_ARGMAX, NUMBERS, "0:2x3 i=1", "I:2" },
	{ NNMODEL_ARGMIN, NUMBERS, "0:2x3 i=1", "I:2" },
	{ NNMODEL_TOPK_V2, NUMBERS, "0:2x3@0.5,3 i=2", "0:2x2@0.5,3 I:2x2" },

	{ NNMODEL_SOFTMAX, REAL " Q8", "0:2x3@0.5,3 f=1", "0:2x3@0.00390625,0" },
	{ NNMODEL_SOFTMAX, "Q8S", "0:2x3@0.5,3 f=1", "0:2x3@0.00390625,-128" },
	{ NNMODEL_LOG_SOFTMAX, REAL, "0:2x3 f=1 i=1", "0:2x3" },
	{ NNMODEL_L2_NORMALIZATION, REAL " Q8", "0:2x3@0.5,3 i=1", "0:2x3@0.0078125,128" },
	{ NNMODEL_L2_NORMALIZATION, "Q8S", "0:2x3@0.5,3 i=1", "0:2x3@0.0078125,0" },
	{ NNMODEL_LOCAL_RESPONSE_NORMALIZATION, REAL, "0:1x2x2x3 i=1 f=1 f=1 f=0.5", "0:1x2x2x3" },
	{ NNMODEL_INSTANCE_NORMALIZATION, REAL, "0:1x2x2x3 f=1 f=0 f=0.1 b=0", "0:1x2x2x3" },

	{ NNMODEL_FULLY_CONNECTED, "F32,F32,F32,F32 F16,F16,F16,F16", "0:2x3 1:4x3 2:4 i=0",
	  "3:2x4" },
	{ NNMODEL_FULLY_CONNECTED, "Q8,Q8,I32,Q8 Q8S,Q8S,I32,Q8S",
	  "0:2x3@0.5,1 1:4x3@0.5,2 2:4@0.25 i=0", "3:2x4" },
	{ NNMODEL_BATCH_MATMUL, REAL " I32 Q8S", "0:2x3x4 0:2x5x4 b=0 b=1", "0:2x3x5" },

	{ NNMODEL_LSH_PROJECTION, "F32,F32 F32,I32 F32,Q8 F32,F16 F16,F32 F16,I32 F16,Q8 F16,F16",
	  "0:4x2 1:3x2 ~0 i=3", "I:4" },
	{ NNMODEL_RANDOM_MULTINOMIAL, REAL, "0:2x3 i=5 I:2=1,2", "I:2x5" },

	/* Operations that move, look up and repeat elements. */
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

	/* Convolution, pooling, resizing. */
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

	/* Recurrent operations: cells of 4 units with 5 inputs, a batch of 2, sequences of 3 steps.
	 */
	{ NNMODEL_RNN, REAL, "0:2x5 " RNN_CELL " i=4", "0:2x4 0:2x4" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, REAL, "0:3x2x5 " RNN_CELL " i=4 i=1", "0:3x2x4" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, REAL,
	  "0:3x2x5 " RNN_CELL " " RNN_CELL " ~0 ~0 ~0 i=4 b=1 b=1", "0:3x2x8" },
	{ NNMODEL_SVDF, REAL, "0:2x5 0:4x5 0:4x3 0:2 0:2x12 i=2 i=0", "0:2x12 0:2x2" },
	{ NNMODEL_LSTM, REAL, "0:2x5 " LSTM_CELL " " STATES " " PARAMETERS,
	  "0:2x16 0:2x4 0:2x4 0:2x4" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, REAL,
	  "0:3x2x5 " LSTM_CELL " " STATES " " PARAMETERS " b=1 " NONE4, "0:3x2x4" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, REAL,
	  "0:3x2x5 " LSTM_CELL " " LSTM_CELL " " STATES " " STATES " ~0 " NONE4 " " NONE4
	  " " PARAMETERS " b=1 b=1 " NONE4 " " NONE4,
	  "0:3x2x8" },
	/* input gate coupled to the forget gate */
	{ NNMODEL_QUANTIZED_LSTM, "Q8S,Q8Y,Q16S,I32",
	  "0:2x5 ~1 1:4x5 1:4x5 1:4x5 ~1 1:4x4 1:4x4 1:4x4 ~2 ~2 ~2 ~3 3:4 3:4 3:4 ~1 ~3 0:2x4@0.0078125,3 "
	  "2:2x4@0.000030517578125 ~2 ~2 ~2 ~2 f=0 f=0 f=0.000244140625 f=0.000244140625 f=0.000244140625 "
	  "f=0.000244140625 i=0 f=0.01",
	  "0:2x4@0.0078125,3 2:2x4@0.000030517578125 0:2x4@0.0078125,3" },
	{ NNMODEL_QUANTIZED_16BIT_LSTM, "Q8,Q16S,I32",
	  "0:2x5@0.0078125,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x5@0.01,128 0:4x4@0.01,128 "
	  "0:4x4@0.01,128 0:4x4@0.01,128 0:4x4@0.01,128 2:4@0.000078125 2:4@0.000078125 2:4@0.000078125 "
	  "2:4@0.000078125 1:2x4@0.00048828125 0:2x4@0.0078125,128",
	  "1:2x4@0.00048828125 0:2x4@0.0078125,128" },

	/* Regions, key points and boxes; coordinates beside 8 bits are in steps of 1/8. */
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

const struct probe_table probe_rows = { rows, sizeof(rows) / sizeof(rows[0]) };

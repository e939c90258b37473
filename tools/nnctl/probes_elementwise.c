// SPDX-License-Identifier: Apache-2.0
/* Element-wise operations, comparison, conversion, reduction, normalization, products. */
#include "probes.h"

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

static const struct probe_row rows[] = {
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
};
const struct probe_table probes_elementwise = PROBE_TABLE(rows);

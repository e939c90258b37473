// SPDX-License-Identifier: Apache-2.0
/*
 * Valid operations: comparison, slicing, space and depth, normalization, recurrence, boxes, the
 * rest.
 */
#include "model_op_cases.h"

/* the parts of recurrent operations; @t tensor type */
#define RNN_CELL(t) t ":4x5 " t ":4x4 " t ":4 " t ":2x4"
#define LSTM_CELL(t)                                                                              \
	t ":4x5 " t ":4x5 " t ":4x5 " t ":4x5 " t ":4x4 " t ":4x4 " t ":4x4 " t ":4x4 ~" t " ~" t \
	  " ~" t " " t ":4 " t ":4 " t ":4 " t ":4 ~" t " ~" t
#define NONE4(t) "~" t " ~" t " ~" t " ~" t
#define STATES(t) t ":2x4 " t ":2x4"
#define LSTM(t, s) t ":2x5 " LSTM_CELL(t) " " STATES(t) " i " s " " s
#define BIDIRECTIONAL_LSTM(t, s)                                                                \
	t ":3x2x5 " LSTM_CELL(t) " " LSTM_CELL(t) " " STATES(t) " " STATES(t) " ~" t " " NONE4( \
		t) " " NONE4(t) " i " s " " s " b b " NONE4(t) " " NONE4(t)
#define BIDIRECTIONAL_RNN(t) t ":3x2x5 " RNN_CELL(t) " " RNN_CELL(t) " ~" t " ~" t " ~" t " i b b"
#define QUANTIZED_LSTM                                                                         \
	"Q8S:2x5 ~Q8Y Q8Y:4x5 Q8Y:4x5 Q8Y:4x5 ~Q8Y Q8Y:4x4 Q8Y:4x4 Q8Y:4x4 ~Q16S ~Q16S ~Q16S " \
	"~I I:4 I:4 I:4 ~Q8Y ~I Q8S:2x4 Q16S:2x4 ~Q16S ~Q16S ~Q16S ~Q16S f f f f f f i f"
#define QUANTIZED_16BIT_LSTM                                                              \
	"Q8:2x5 Q8:4x5 Q8:4x5 Q8:4x5 Q8:4x5 Q8:4x4 Q8:4x4 Q8:4x4 Q8:4x4 I:4 I:4 I:4 I:4 " \
	"Q16S:2x4 Q8:2x4"

static const struct op_case more[] = {
/* comparison, logic, selection */
#define COMPARE(op)                                                                \
	{ NNMODEL_##op, "B8:2x3 B8:3", "B8:2x3", 3, "", "", false, "" },           \
		{ NNMODEL_##op, "F32:2x3 F32:3", "B8:2x3", 3, "", "", false, "" }, \
		{ NNMODEL_##op, "F16:2x3 F16:3", "B8:2x3", 3, "", "", false, "" }, \
		{ NNMODEL_##op, "I32:2x3 I32:3", "B8:2x3", 3, "", "", false, "" }, \
		{ NNMODEL_##op, "Q8:2x3 Q8:3", "B8:2x3", 3, "", "", false, "" },   \
	{                                                                          \
		NNMODEL_##op, "Q8S:2x3 Q8S:3", "B8:2x3", 4, "", "", false, ""      \
	}
	COMPARE(EQUAL),
	COMPARE(NOT_EQUAL),
	COMPARE(GREATER),
	COMPARE(GREATER_EQUAL),
	COMPARE(LESS),
	COMPARE(LESS_EQUAL),
#define PAIR(op, t, level)                                                         \
	{                                                                          \
		NNMODEL_##op, t ":2x3 " t ":3", t ":2x3", level, "", "", false, "" \
	}
	PAIR(LOGICAL_AND, "B8", 3),
	PAIR(LOGICAL_OR, "B8", 3),
	PAIR(MAXIMUM, "F32", 3),
	PAIR(MAXIMUM, "F16", 3),
	PAIR(MAXIMUM, "I32", 3),
	PAIR(MAXIMUM, "Q8", 3),
	PAIR(MAXIMUM, "Q8S", 4),
	PAIR(MINIMUM, "F32", 3),
	PAIR(MINIMUM, "Q8S", 4),
	PAIR(POW, "F32", 3),
	PAIR(POW, "F16", 3),
	PAIR(PRELU, "F32", 3),
	PAIR(PRELU, "F16", 3),
	PAIR(PRELU, "Q8", 3),
	PAIR(PRELU, "Q8S", 4),
	{ NNMODEL_SELECT, "B8:2x3 F32:2x3 F32:2x3", "F32:2x3", 3, "", "", false, "" },
	{ NNMODEL_SELECT, "B8:2x3 I32:2x3 I32:2x3", "I32:2x3", 3, "", "", false, "" },
	{ NNMODEL_SELECT, "B8:2x3 Q8S:2x3 Q8S:2x3", "Q8S:2x3", 4, "", "", false, "" },

	/* parts, lookups, repetition */
	{ NNMODEL_SLICE, "F32:2x3 I:2 I:2", "F32:2x2", 3, "", "", false, "" },
	{ NNMODEL_SLICE, "I32:2x3 I:2 I:2", "I32:2x2", 3, "", "", false, "" },
	{ NNMODEL_SLICE, "Q8S:2x3 I:2 I:2", "Q8S:2x2", 4, "", "", false, "" },
	{ NNMODEL_STRIDED_SLICE, "F32:2x3 I:2 I:2 I:2 i i i", "F32:2x2", 2, "", "", false, "0" },
	{ NNMODEL_STRIDED_SLICE, "F16:2x3 I:2 I:2 I:2 i i i", "F16:2x2", 3, "", "", false, "0" },
	{ NNMODEL_STRIDED_SLICE, "Q8S:2x3 I:2 I:2 I:2 i i i", "Q8S:2x2", 4, "", "", false, "0" },
	{ NNMODEL_SPLIT, "F32:2x3 i i", "F32:1x3 F32:1x3", 3, "", "3 4", false, "" },
	{ NNMODEL_SPLIT, "Q8S:2x3 i i", "Q8S:2x3", 4, "", "", false, "" },
	{ NNMODEL_GATHER, "F16:2x3 i I:1x2", "F16:2x1x2", 3, "", "", false, "" },
	{ NNMODEL_GATHER, "Q8S:2x3 i I:2", "Q8S:2x2", 4, "", "", false, "" },
	{ NNMODEL_TILE, "Q8:2x3 I:2", "Q8:4x6", 3, "", "", false, "" },
	{ NNMODEL_TILE, "Q8S:2x3 I:2", "Q8S:4x6", 4, "", "", false, "" },
	{ NNMODEL_TOPK_V2, "I32:2x3 i", "I32:2x1 I:2x1", 3, "", "", false, "" },
	{ NNMODEL_TOPK_V2, "Q8S:2x3 i", "Q8S:2x1 I:2x1", 4, "", "", false, "" },
	{ NNMODEL_MIRROR_PAD, "F32:2x3 I:2x2 i", "F32:4x5", 7, "", "", false, "01" },
	{ NNMODEL_MIRROR_PAD, "Q8:2x3@0.25,7 I:2x2 i", "Q8:4x5@0.25,7", 7, "", "", false, "01" },
	{ NNMODEL_REVERSE, "I32:2x3 I:1", "I32:2x3", 7, "", "", false, "01" },
	{ NNMODEL_REVERSE, "Q8S:2x3@0.25,7 I:1", "Q8S:2x3@0.25,7", 7, "", "", false, "01" },
	{ NNMODEL_EMBEDDING_LOOKUP, "I:2 F32:3x4", "F32:2x4", 1, "", "", false, "" },
	{ NNMODEL_EMBEDDING_LOOKUP, "I:2 I32:3x4", "I32:2x4", 3, "", "", false, "" },
	{ NNMODEL_EMBEDDING_LOOKUP, "I:2 Q8:3x4", "Q8:2x4", 3, "", "", false, "" },
	{ NNMODEL_EMBEDDING_LOOKUP, "I:2 F16:3x4", "F16:2x4", 4, "", "", false, "" },
	{ NNMODEL_EMBEDDING_LOOKUP, "I:2 Q8S:3x4", "Q8S:2x4", 4, "", "", false, "" },
	{ NNMODEL_HASHTABLE_LOOKUP, "I:2 I:3 F32:3x4", "F32:2x4 Q8:2@1", 1, "", "", false, "" },
	{ NNMODEL_HASHTABLE_LOOKUP, "I:2 I:3 I32:3", "I32:2 Q8:2@1", 1, "", "", false, "" },
	{ NNMODEL_HASHTABLE_LOOKUP, "I:2 I:3 Q8:3x4", "Q8:2x4 Q8:2@1", 1, "", "", false, "" },

	/* space, depth, batch, channels */
	{ NNMODEL_DEPTH_TO_SPACE, "F32:1x2x2x4 i", "F32:1x4x4x1", 1, "", "", false, "0" },
	{ NNMODEL_DEPTH_TO_SPACE, "Q8:1x2x2x4 i b", "Q8:1x4x4x1", 3, "", "2", false, "0" },
	{ NNMODEL_SPACE_TO_DEPTH, "Q8:1x4x4x1 i", "Q8:1x2x2x4", 1, "", "", false, "0" },
	{ NNMODEL_SPACE_TO_DEPTH, "Q8S:1x4x4x1 i b", "Q8S:1x2x2x4", 4, "", "2", false, "0" },
	{ NNMODEL_BATCH_TO_SPACE_ND, "F32:4x2x2x1 I:2", "F32:1x4x4x1", 2, "", "", false, "0" },
	{ NNMODEL_BATCH_TO_SPACE_ND, "F16:4x2x2x1 I:2 b", "F16:1x4x4x1", 3, "", "2", false, "0" },
	{ NNMODEL_SPACE_TO_BATCH_ND, "Q8:1x4x4x1 I:2 I:2x2", "Q8:4x2x2x1", 2, "", "", false, "0" },
	{ NNMODEL_SPACE_TO_BATCH_ND, "Q8:1x4x4x1@0.5,1 I:2 I:2x2", "Q8:4x2x2x1@0.5,1", 3, "", "",
	  false, "0" },
	{ NNMODEL_SPACE_TO_BATCH_ND, "F32:1x4x4x1 I:2 I:2x2 b", "F32:4x2x2x1", 3, "", "3", false,
	  "0" },
	{ NNMODEL_CHANNEL_SHUFFLE, "F32:2x6 i i", "F32:2x6", 3, "", "", false, "0" },
	{ NNMODEL_CHANNEL_SHUFFLE, "Q8S:2x6 i i", "Q8S:2x6", 4, "", "", false, "0" },

	/* normalization, products, convolution */
	{ NNMODEL_L2_NORMALIZATION, "F32:" IMAGE, "F32:" IMAGE, 1, "", "", true, "0" },
	{ NNMODEL_L2_NORMALIZATION, "F32:2x3", "F32:2x3", 3, "", "", true, "0" },
	{ NNMODEL_L2_NORMALIZATION, "Q8:" IMAGE " i", "Q8:" IMAGE, 3, "", "1", false, "0" },
	{ NNMODEL_L2_NORMALIZATION, "Q8S:" IMAGE " i", "Q8S:" IMAGE, 4, "", "1", false, "0" },
	{ NNMODEL_LOCAL_RESPONSE_NORMALIZATION, "F32:" IMAGE " i f f f", "F32:" IMAGE, 1, "", "",
	  true, "0" },
	{ NNMODEL_LOCAL_RESPONSE_NORMALIZATION, "F32:2x3 i f f f", "F32:2x3", 3, "", "", true,
	  "0" },
	{ NNMODEL_LOCAL_RESPONSE_NORMALIZATION, "F16:" IMAGE " i f16 f16 f16 i", "F16:" IMAGE, 3,
	  "", "5", false, "0" },
	{ NNMODEL_INSTANCE_NORMALIZATION, "F32:" IMAGE " f f f b", "F32:" IMAGE, 3, "", "", false,
	  "0" },
	{ NNMODEL_INSTANCE_NORMALIZATION, "F16:" IMAGE " f16 f16 f16 b", "F16:" IMAGE, 3, "", "",
	  false, "0" },
	{ NNMODEL_BATCH_MATMUL, "F32:2x3 F32:3x4 b b", "F32:2x4", 6, "", "", false, "" },
	{ NNMODEL_BATCH_MATMUL, "I32:2x3 I32:3x4 b b", "I32:2x4", 6, "", "", false, "" },
	{ NNMODEL_BATCH_MATMUL, "Q8S:2x3 Q8S:3x4 b b", "Q8S:2x4", 6, "", "", false, "" },
	{ NNMODEL_TRANSPOSE_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 I:4 i i i i b", "F32:1x8x8x3",
	  3, "", "", false, "" },
	{ NNMODEL_TRANSPOSE_CONV_2D, "F16:" IMAGE " F16:3x2x2x2 F16:3 i i i i i i i b",
	  "F16:1x8x8x3", 3, "", "", false, "" },
	{ NNMODEL_TRANSPOSE_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2 I32:3 I:4 i i i i b", "Q8:1x8x8x3",
	  3, FILTERS, "", false, "" },
	{ NNMODEL_TRANSPOSE_CONV_2D, "Q8S:" IMAGE " Q8S:3x2x2x2 I32:3 i i i i i i i b",
	  "Q8S:1x8x8x3", 4, FILTERS_SIGNED, "", false, "" },

	/* recurrence */
	{ NNMODEL_RNN, "F32:2x5 " RNN_CELL("F32") " i", "F32:2x4 F32:2x4", 1, "", "", false, "" },
	{ NNMODEL_RNN, "F16:2x5 " RNN_CELL("F16") " i", "F16:2x4 F16:2x4", 3, "", "", false, "" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, "F32:3x2x5 " RNN_CELL("F32") " i i", "F32:3x2x4", 3,
	  "", "", false, "" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, "F32:3x2x5 " RNN_CELL("F32") " i i",
	  "F32:3x2x4 F32:2x4", 4, "", "7 8", false, "" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_RNN("F32"), "F32:3x2x8", 3, "", "",
	  false, "" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_RNN("F16"), "F16:3x2x4 F16:3x2x4", 3,
	  "", "15 16", false, "" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_RNN("F32"), "F32:3x2x8 F32:2x4 F32:2x4",
	  4, "", "15 16 17", false, "" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_RNN("F32"),
	  "F32:3x2x4 F32:3x2x4 F32:2x4 F32:2x4", 4, "", "15 16 17 18", false, "" },
	{ NNMODEL_SVDF, "F32:2x5 F32:4x5 F32:4x3 F32:2 F32:2x12 i i", "F32:2x12 F32:2x2", 1, "", "",
	  false, "" },
	{ NNMODEL_SVDF, "F16:2x5 F16:4x5 F16:4x3 ~F16 F16:2x12 i i", "F16:2x12 F16:2x2", 3, "", "",
	  false, "" },
	{ NNMODEL_LSTM, LSTM("F32", "f"), "F32:2x16 F32:2x4 F32:2x4 F32:2x4", 1, "", "", false,
	  "" },
	{ NNMODEL_LSTM, LSTM("F32", "f") " " NONE4("F32"), "F32:2x16 F32:2x4 F32:2x4 F32:2x4", 3,
	  "", "", false, "" },
	{ NNMODEL_LSTM, LSTM("F16", "f16"), "F16:2x16 F16:2x4 F16:2x4 F16:2x4", 3, "", "", false,
	  "" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_LSTM("F32", "f"), "F32:3x2x8", 3, "",
	  "", false, "0" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_LSTM("F32", "f"),
	  "F32:3x2x4 F32:3x2x4", 3, "", "61 62", false, "0" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_LSTM("F16", "f16"),
	  "F16:3x2x8 F16:2x4 F16:2x4 F16:2x4 F16:2x4", 4, "", "", false, "0" },
	{ NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_LSTM("F32", "f"),
	  "F32:3x2x4 F32:3x2x4 F32:2x4 F32:2x4 F32:2x4 F32:2x4", 4, "", "61 62 63 64 65 66", false,
	  "0" },
	{ NNMODEL_QUANTIZED_LSTM, QUANTIZED_LSTM, "Q8S:2x4 Q16S:2x4 Q8S:2x4", 4, "", "", false,
	  "" },
	{ NNMODEL_QUANTIZED_16BIT_LSTM, QUANTIZED_16BIT_LSTM, "Q16S:2x4 Q8:2x4", 3, "", "", false,
	  "" },

	/* regions, key points, boxes */
	{ NNMODEL_ROI_ALIGN, "F32:" IMAGE " F32:3x4 I:3 i i f f i i b", "F32:3x2x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_ROI_ALIGN, "F16:" IMAGE " F16:3x4 I:3 i i f16 f16 i i b", "F16:3x2x2x2", 3, "",
	  "", false, "0" },
	{ NNMODEL_ROI_ALIGN, "Q8:" IMAGE " Q16A:3x4 I:3 i i f f i i b", "Q8:3x2x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_ROI_ALIGN, "Q8S:" IMAGE " Q16A:3x4 I:3 i i f f i i b", "Q8S:3x2x2x2", 4, "", "",
	  false, "0" },
	{ NNMODEL_ROI_POOLING, "F32:" IMAGE " F32:3x4 I:3 i i f f b", "F32:3x2x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_ROI_POOLING, "Q8S:" IMAGE " Q16A:3x4 I:3 i i f f b", "Q8S:3x2x2x2", 4, "", "",
	  false, "0" },
	{ NNMODEL_HEATMAP_MAX_KEYPOINT, "F32:1x4x4x2 F32:1x4 b", "F32:1x2 F32:1x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_HEATMAP_MAX_KEYPOINT, "F16:1x4x4x2 F16:1x4 b", "F16:1x2 F16:1x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_HEATMAP_MAX_KEYPOINT, "Q8:1x4x4x2 Q16A:1x4 b", "Q8:1x2 Q16A:1x2x2", 3, "", "",
	  false, "0" },
	{ NNMODEL_HEATMAP_MAX_KEYPOINT, "Q8S:1x4x4x2 Q16A:1x4 b", "Q8S:1x2 Q16A:1x2x2", 4, "", "",
	  false, "0" },
	{ NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM, "F32:3x4 F32:3x8 I:3 F32:1x2", "F32:3x8", 3, "", "",
	  false, "" },
	{ NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM, "Q16A:3x4 Q8:3x8 I:3 Q16A:1x2", "Q16A:3x8", 3,
	  "1:Q8,Q8S", "", false, "" },
	{ NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM, "Q16A:3x4 Q8S:3x8 I:3 Q16A:1x2", "Q16A:3x8", 4,
	  "1:Q8,Q8S", "", false, "" },
	{ NNMODEL_BOX_WITH_NMS_LIMIT, "F32:3x2 F32:3x8 I:3 f i i f f f", "F32:0 F32:0x4 I:0 I:0", 3,
	  "", "", false, "" },
	{ NNMODEL_BOX_WITH_NMS_LIMIT, "F16:3x2 F16:3x8 I:3 f16 i i f16 f16 f16",
	  "F16:0 F16:0x4 I:0 I:0", 3, "", "", false, "" },
	{ NNMODEL_BOX_WITH_NMS_LIMIT, "Q8S:3x2 Q16A:3x8 I:3 f i i f f f", "Q8S:0 Q16A:0x4 I:0 I:0",
	  4, "", "", false, "" },
	{ NNMODEL_GENERATE_PROPOSALS, "F32:1x4x4x2 F32:1x4x4x8 F32:2x4 F32:1x2 f f i i f f b",
	  "F32:0 F32:0x4 I:0", 3, "", "", false, "" },
	{ NNMODEL_GENERATE_PROPOSALS, "Q8:1x4x4x2 Q8:1x4x4x8 Q16S:2x4 Q16A:1x2 f f i i f f b",
	  "Q8:0 Q16A:0x4 I:0", 3, "", "", false, "" },
	{ NNMODEL_GENERATE_PROPOSALS, "Q8S:1x4x4x2 Q8S:1x4x4x8 Q16S:2x4 Q16A:1x2 f f i i f f b",
	  "Q8S:0 Q16A:0x4 I:0", 4, "", "", false, "" },
	{ NNMODEL_DETECTION_POSTPROCESSING, "F32:1x6x3 F32:1x6x4 F32:6x4 f f f f b i i i f f b",
	  "F32:1x3 F32:1x3x4 I:1x3 I:1", 3, "", "", false, "" },
	{ NNMODEL_DETECTION_POSTPROCESSING,
	  "F16:1x6x3 F16:1x6x4 F16:6x4 f16 f16 f16 f16 b i i i f16 f16 b",
	  "F16:1x3 F16:1x3x4 I:1x3 I:1", 3, "", "", false, "" },

	/* and the rest */
	{ NNMODEL_FILL, "I:2 f", "F32:2x3", 4, "", "", false, "0" },
	{ NNMODEL_FILL, "I:2 f16", "F16:2x3", 4, "", "", false, "0" },
	{ NNMODEL_FILL, "I:2 i", "I32:2x3", 4, "", "", false, "0" },
#define ANY_TENSOR "0:F32,F16,I32,Q8,Q16S,B8,QPC,Q16A,Q8Y,Q8S"
	{ NNMODEL_RANK, "F32:2x3", "i", 4, ANY_TENSOR, "", false, "" },
	{ NNMODEL_RANK, "QPC:2x3", "i", 4, ANY_TENSOR, "", false, "" },
	{ NNMODEL_LSH_PROJECTION, "F32:4x2 I32:3x2 F32:3 i", "I:8", 1, "1:F32,F16,I32,Q8", "",
	  false, "" },
	{ NNMODEL_LSH_PROJECTION, "F32:4x2 F16:3x2 F32:3 i", "I:8", 3, "1:F32,F16,I32,Q8", "",
	  false, "" },
	{ NNMODEL_LSH_PROJECTION, "F16:4x2 Q8:3x2 ~F16 i", "I:4", 3, "1:F32,F16,I32,Q8", "", false,
	  "" },
	{ NNMODEL_RANDOM_MULTINOMIAL, "F32:2x3 i I:2", "I:2x5", 3, "0:F32,F16", "", false, "" },
	{ NNMODEL_DENSIFY, "F32:4 I:2 ~I I:2 I:2 ~I ~I I:3 I:4", "F32:2x3", 8, "", "", false,
	  "01234" },
	{ NNMODEL_DENSIFY, "Q8Y:4 I:2 ~I I:2 I:2 ~I ~I I:3 I:4", "Q8Y:2x3", 8, "", "", false,
	  "0123" },
	{ NNMODEL_DENSIFY, "B8:4 I:1 ~I I:1 I:1 I:3 I:4", "B8:6", 8, "", "", false, "" },
};
const struct op_cases op_cases_more = OP_CASES(more);

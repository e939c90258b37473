// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <stddef.h>

/* By the number of the operator; 0: it has none, or none that a translation reads. */
static const uint8_t types[] = {
	[0] = 11, /* ADD */
	[1] = 5, /* AVERAGE_POOL_2D */
	[2] = 10, /* CONCATENATION */
	[3] = 1, /* CONV_2D */
	[4] = 2, /* DEPTHWISE_CONV_2D */
	[5] = 94, /* DEPTH_TO_SPACE */
	[9] = 8, /* FULLY_CONNECTED */
	[11] = 12, /* L2_NORMALIZATION */
	[12] = 5, /* L2_POOL_2D */
	[13] = 13, /* LOCAL_RESPONSE_NORMALIZATION */
	[16] = 14, /* LSTM */
	[17] = 5, /* MAX_POOL_2D */
	[18] = 21, /* MUL */
	[22] = 17, /* RESHAPE */
	[23] = 15, /* RESIZE_BILINEAR */
	[24] = 7, /* RNN */
	[25] = 9, /* SOFTMAX */
	[26] = 19, /* SPACE_TO_DEPTH */
	[27] = 6, /* SVDF */
	[35] = 31, /* UNIDIRECTIONAL_SEQUENCE_RNN */
	[36] = 23, /* GATHER */
	[40] = 27, /* MEAN */
	[41] = 28, /* SUB */
	[42] = 29, /* DIV */
	[43] = 30, /* SQUEEZE */
	[44] = 71, /* UNIDIRECTIONAL_SEQUENCE_LSTM */
	[45] = 32, /* STRIDED_SLICE */
	[46] = 70, /* BIDIRECTIONAL_SEQUENCE_RNN */
	[49] = 35, /* SPLIT */
	[52] = 69, /* BIDIRECTIONAL_SEQUENCE_LSTM */
	[53] = 37, /* CAST */
	[56] = 40, /* ARG_MAX */
	[67] = 49, /* TRANSPOSE_CONV */
	[74] = 27, /* SUM */
	[77] = 55, /* SHAPE */
	[79] = 57, /* ARG_MIN */
	[81] = 27, /* REDUCE_PROD */
	[82] = 27, /* REDUCE_MAX */
	[83] = 59, /* PACK */
	[85] = 61, /* ONE_HOT */
	[88] = 64, /* UNPACK */
	[89] = 27, /* REDUCE_MIN */
	[91] = 27, /* REDUCE_ANY */
	[97] = 74, /* RESIZE_NEAREST_NEIGHBOR */
	[98] = 75, /* LEAKY_RELU */
	[100] = 77, /* MIRROR_PAD */
	[102] = 79, /* SPLIT_V */
	[112] = 87, /* REVERSE_SEQUENCE */
	[118] = 92, /* IF */
	[119] = 93, /* WHILE */
	[126] = 101, /* BATCH_MATMUL */
	[128] = 102, /* CUMSUM */
	[129] = 103, /* CALL_ONCE */
	[140] = 27, /* REDUCE_ALL */
	[142] = 111, /* VAR_HANDLE */
	[143] = 112, /* READ_VARIABLE */
	[144] = 113, /* ASSIGN_VARIABLE */
	[150] = 116, /* GELU */
};

uint8_t tflite_options_type(int opcode)
{
	return opcode >= 0 && (size_t)opcode < sizeof(types) ? types[opcode] : 0;
}

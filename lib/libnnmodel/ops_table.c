// SPDX-License-Identifier: Apache-2.0
/*
 * All operations: names of every code, and their rows. A family adds its table to families[].
 */
#include <stdio.h>

#include "signature.h"

static const struct nnmodel_sig_family *const families[] = {
	&nnmodel_family_binary, &nnmodel_family_unary,	 &nnmodel_family_conv,
	&nnmodel_family_pool,	&nnmodel_family_shape,	 &nnmodel_family_reduce,
	&nnmodel_family_resize, &nnmodel_family_convert, &nnmodel_family_softmax,
	&nnmodel_family_fc,	&nnmodel_family_lstm,	 &nnmodel_family_compare,
	&nnmodel_family_slice,	&nnmodel_family_space,	 &nnmodel_family_norm,
	&nnmodel_family_rnn,	&nnmodel_family_detect,	 &nnmodel_family_misc,
};

static const char *const names[NNMODEL_OPCODE_COUNT] = {
#define NAME(op) [NNMODEL_##op] = #op
	NAME(ADD),
	NAME(AVERAGE_POOL_2D),
	NAME(CONCATENATION),
	NAME(CONV_2D),
	NAME(DEPTHWISE_CONV_2D),
	NAME(DEPTH_TO_SPACE),
	NAME(DEQUANTIZE),
	NAME(EMBEDDING_LOOKUP),
	NAME(FLOOR),
	NAME(FULLY_CONNECTED),
	NAME(HASHTABLE_LOOKUP),
	NAME(L2_NORMALIZATION),
	NAME(L2_POOL_2D),
	NAME(LOCAL_RESPONSE_NORMALIZATION),
	NAME(LOGISTIC),
	NAME(LSH_PROJECTION),
	NAME(LSTM),
	NAME(MAX_POOL_2D),
	NAME(MUL),
	NAME(RELU),
	NAME(RELU1),
	NAME(RELU6),
	NAME(RESHAPE),
	NAME(RESIZE_BILINEAR),
	NAME(RNN),
	NAME(SOFTMAX),
	NAME(SPACE_TO_DEPTH),
	NAME(SVDF),
	NAME(TANH),
	NAME(BATCH_TO_SPACE_ND),
	NAME(DIV),
	NAME(MEAN),
	NAME(PAD),
	NAME(SPACE_TO_BATCH_ND),
	NAME(SQUEEZE),
	NAME(STRIDED_SLICE),
	NAME(SUB),
	NAME(TRANSPOSE),
	NAME(ABS),
	NAME(ARGMAX),
	NAME(ARGMIN),
	NAME(AXIS_ALIGNED_BBOX_TRANSFORM),
	NAME(BIDIRECTIONAL_SEQUENCE_LSTM),
	NAME(BIDIRECTIONAL_SEQUENCE_RNN),
	NAME(BOX_WITH_NMS_LIMIT),
	NAME(CAST),
	NAME(CHANNEL_SHUFFLE),
	NAME(DETECTION_POSTPROCESSING),
	NAME(EQUAL),
	NAME(EXP),
	NAME(EXPAND_DIMS),
	NAME(GATHER),
	NAME(GENERATE_PROPOSALS),
	NAME(GREATER),
	NAME(GREATER_EQUAL),
	NAME(GROUPED_CONV_2D),
	NAME(HEATMAP_MAX_KEYPOINT),
	NAME(INSTANCE_NORMALIZATION),
	NAME(LESS),
	NAME(LESS_EQUAL),
	NAME(LOG),
	NAME(LOGICAL_AND),
	NAME(LOGICAL_NOT),
	NAME(LOGICAL_OR),
	NAME(LOG_SOFTMAX),
	NAME(MAXIMUM),
	NAME(MINIMUM),
	NAME(NEG),
	NAME(NOT_EQUAL),
	NAME(PAD_V2),
	NAME(POW),
	NAME(PRELU),
	NAME(QUANTIZE),
	NAME(QUANTIZED_16BIT_LSTM),
	NAME(RANDOM_MULTINOMIAL),
	NAME(REDUCE_ALL),
	NAME(REDUCE_ANY),
	NAME(REDUCE_MAX),
	NAME(REDUCE_MIN),
	NAME(REDUCE_PROD),
	NAME(REDUCE_SUM),
	NAME(ROI_ALIGN),
	NAME(ROI_POOLING),
	NAME(RSQRT),
	NAME(SELECT),
	NAME(SIN),
	NAME(SLICE),
	NAME(SPLIT),
	NAME(SQRT),
	NAME(TILE),
	NAME(TOPK_V2),
	NAME(TRANSPOSE_CONV_2D),
	NAME(UNIDIRECTIONAL_SEQUENCE_LSTM),
	NAME(UNIDIRECTIONAL_SEQUENCE_RNN),
	NAME(RESIZE_NEAREST_NEIGHBOR),
	NAME(QUANTIZED_LSTM),
	NAME(IF),
	NAME(WHILE),
	NAME(ELU),
	NAME(HARD_SWISH),
	NAME(FILL),
	NAME(RANK),
	NAME(BATCH_MATMUL),
	NAME(PACK),
	NAME(MIRROR_PAD),
	NAME(REVERSE),
#undef NAME
};

const char *nnmodel_operation_name(uint32_t opcode)
{
	static _Thread_local char text[48];

	if (opcode < NNMODEL_OPCODE_COUNT)
		return names[opcode];
	if (opcode == NNMODEL_DENSIFY)
		return "DENSIFY";
	if (opcode > NNMODEL_TYPE_BASE_MAX)
		snprintf(text, sizeof(text), "extension operation %u:%u", opcode >> 16,
			 opcode & 0xffff);
	else
		snprintf(text, sizeof(text), "operation code %u", opcode);
	return text;
}

const struct nnmodel_op_row *nnmodel_op_find(uint32_t opcode)
{
	uint32_t f, i;

	for (f = 0; f < NNMODEL_ARRAY_SIZE(families); f++)
		for (i = 0; i < families[f]->num; i++)
			if (families[f]->sigs[i].row.opcode == opcode)
				return &families[f]->sigs[i].row;
	for (i = 0; i < NNMODEL_ARRAY_SIZE(nnmodel_control_rows); i++)
		if (nnmodel_control_rows[i].opcode == opcode)
			return &nnmodel_control_rows[i];
	return NULL;
}

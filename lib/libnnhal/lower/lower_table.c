// SPDX-License-Identifier: Apache-2.0
/* Every NNAPI operation that is lowered, and by whom. */
#include "context.h"

static const struct lower_row table[NNMODEL_OPCODE_COUNT] = {
	[NNMODEL_CONV_2D] = { lower_conv2d, 0 },
	[NNMODEL_DEPTHWISE_CONV_2D] = { lower_depthwise, 0 },
	[NNMODEL_GROUPED_CONV_2D] = { lower_grouped, 0 },
	[NNMODEL_TRANSPOSE_CONV_2D] = { lower_transpose_conv, 0 },
	[NNMODEL_FULLY_CONNECTED] = { lower_fully_connected, 0 },

	[NNMODEL_AVERAGE_POOL_2D] = { lower_pool, NNPROG_POOL_AVERAGE },
	[NNMODEL_MAX_POOL_2D] = { lower_pool, NNPROG_POOL_MAX },
	[NNMODEL_L2_POOL_2D] = { lower_pool, NNPROG_POOL_L2 },

	[NNMODEL_ADD] = { lower_binary, NNPROG_BINARY_ADD },
	[NNMODEL_SUB] = { lower_binary, NNPROG_BINARY_SUB },
	[NNMODEL_MUL] = { lower_binary, NNPROG_BINARY_MUL },
	[NNMODEL_DIV] = { lower_binary, NNPROG_BINARY_DIV },

	[NNMODEL_MAXIMUM] = { lower_pair, NNPROG_BINARY_MAXIMUM },
	[NNMODEL_MINIMUM] = { lower_pair, NNPROG_BINARY_MINIMUM },
	[NNMODEL_POW] = { lower_pair, NNPROG_BINARY_POW },
	[NNMODEL_PRELU] = { lower_pair, NNPROG_BINARY_PRELU },
	[NNMODEL_LOGICAL_AND] = { lower_pair, NNPROG_BINARY_AND },
	[NNMODEL_LOGICAL_OR] = { lower_pair, NNPROG_BINARY_OR },
	[NNMODEL_EQUAL] = { lower_compare, NNPROG_COMPARE_EQUAL },
	[NNMODEL_NOT_EQUAL] = { lower_compare, NNPROG_COMPARE_NOT_EQUAL },
	[NNMODEL_GREATER] = { lower_compare, NNPROG_COMPARE_GREATER },
	[NNMODEL_GREATER_EQUAL] = { lower_compare, NNPROG_COMPARE_GREATER_EQUAL },
	[NNMODEL_LESS] = { lower_compare, NNPROG_COMPARE_LESS },
	[NNMODEL_LESS_EQUAL] = { lower_compare, NNPROG_COMPARE_LESS_EQUAL },
	[NNMODEL_SELECT] = { lower_select, 0 },

	[NNMODEL_RELU] = { lower_unary, NNPROG_UNARY_RELU },
	[NNMODEL_RELU1] = { lower_unary, NNPROG_UNARY_RELU1 },
	[NNMODEL_RELU6] = { lower_unary, NNPROG_UNARY_RELU6 },
	[NNMODEL_LOGISTIC] = { lower_unary, NNPROG_UNARY_LOGISTIC },
	[NNMODEL_TANH] = { lower_unary, NNPROG_UNARY_TANH },
	[NNMODEL_ELU] = { lower_unary, NNPROG_UNARY_ELU },
	[NNMODEL_HARD_SWISH] = { lower_unary, NNPROG_UNARY_HARD_SWISH },
	[NNMODEL_ABS] = { lower_unary, NNPROG_UNARY_ABS },
	[NNMODEL_NEG] = { lower_unary, NNPROG_UNARY_NEG },
	[NNMODEL_FLOOR] = { lower_unary, NNPROG_UNARY_FLOOR },
	[NNMODEL_EXP] = { lower_unary, NNPROG_UNARY_EXP },
	[NNMODEL_LOG] = { lower_unary, NNPROG_UNARY_LOG },
	[NNMODEL_SIN] = { lower_unary, NNPROG_UNARY_SIN },
	[NNMODEL_SQRT] = { lower_unary, NNPROG_UNARY_SQRT },
	[NNMODEL_RSQRT] = { lower_unary, NNPROG_UNARY_RSQRT },
	[NNMODEL_LOGICAL_NOT] = { lower_unary, NNPROG_UNARY_LOGICAL_NOT },

	[NNMODEL_RESHAPE] = { lower_reshape, 0 },
	[NNMODEL_SQUEEZE] = { lower_squeeze, 0 },
	[NNMODEL_EXPAND_DIMS] = { lower_expand_dims, 0 },
	[NNMODEL_TRANSPOSE] = { lower_transpose, 0 },
	[NNMODEL_CONCATENATION] = { lower_concatenation, 0 },
	[NNMODEL_PACK] = { lower_pack, 0 },
	[NNMODEL_PAD] = { lower_pad, 0 },
	[NNMODEL_PAD_V2] = { lower_pad, 0 },

	[NNMODEL_SLICE] = { lower_slice, 0 },
	[NNMODEL_STRIDED_SLICE] = { lower_strided_slice, 0 },
	[NNMODEL_SPLIT] = { lower_split, 0 },
	[NNMODEL_GATHER] = { lower_gather, 0 },
	[NNMODEL_TILE] = { lower_tile, 0 },
	[NNMODEL_REVERSE] = { lower_reverse, 0 },
	[NNMODEL_MIRROR_PAD] = { lower_mirror_pad, 0 },
	[NNMODEL_TOPK_V2] = { lower_topk, 0 },
	[NNMODEL_EMBEDDING_LOOKUP] = { lower_embedding_lookup, 0 },
	[NNMODEL_HASHTABLE_LOOKUP] = { lower_hashtable_lookup, 0 },

	[NNMODEL_SPACE_TO_DEPTH] = { lower_space_depth, 1 },
	[NNMODEL_DEPTH_TO_SPACE] = { lower_space_depth, 0 },
	[NNMODEL_SPACE_TO_BATCH_ND] = { lower_space_batch, 1 },
	[NNMODEL_BATCH_TO_SPACE_ND] = { lower_space_batch, 0 },
	[NNMODEL_CHANNEL_SHUFFLE] = { lower_channel_shuffle, 0 },

	[NNMODEL_MEAN] = { lower_reduce, NNPROG_REDUCE_MEAN },
	[NNMODEL_REDUCE_SUM] = { lower_reduce, NNPROG_REDUCE_SUM },
	[NNMODEL_REDUCE_PROD] = { lower_reduce, NNPROG_REDUCE_PROD },
	[NNMODEL_REDUCE_MAX] = { lower_reduce, NNPROG_REDUCE_MAX },
	[NNMODEL_REDUCE_MIN] = { lower_reduce, NNPROG_REDUCE_MIN },
	[NNMODEL_REDUCE_ALL] = { lower_reduce, NNPROG_REDUCE_ALL },
	[NNMODEL_REDUCE_ANY] = { lower_reduce, NNPROG_REDUCE_ANY },
	[NNMODEL_ARGMAX] = { lower_arg_minmax, 0 },
	[NNMODEL_ARGMIN] = { lower_arg_minmax, 1 },

	[NNMODEL_RESIZE_BILINEAR] = { lower_resize, NNPROG_RESIZE_BILINEAR },
	[NNMODEL_RESIZE_NEAREST_NEIGHBOR] = { lower_resize, NNPROG_RESIZE_NEAREST },

	[NNMODEL_QUANTIZE] = { lower_convert, NNPROG_CONVERT_REAL },
	[NNMODEL_DEQUANTIZE] = { lower_convert, NNPROG_CONVERT_REAL },
	[NNMODEL_CAST] = { lower_convert, NNPROG_CONVERT_CAST },

	[NNMODEL_SOFTMAX] = { lower_softmax, 0 },
	[NNMODEL_LOG_SOFTMAX] = { lower_softmax, 1 },

	[NNMODEL_L2_NORMALIZATION] = { lower_l2_normalization, 0 },
	[NNMODEL_LOCAL_RESPONSE_NORMALIZATION] = { lower_lrn, 0 },
	[NNMODEL_INSTANCE_NORMALIZATION] = { lower_instance_normalization, 0 },
	[NNMODEL_BATCH_MATMUL] = { lower_batch_matmul, 0 },

	[NNMODEL_LSTM] = { lower_lstm, 0 },
	[NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM] = { lower_sequence_lstm, 0 },
	[NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM] = { lower_bidirectional_lstm, 0 },
	[NNMODEL_QUANTIZED_LSTM] = { lower_quantized_lstm, 0 },
	[NNMODEL_QUANTIZED_16BIT_LSTM] = { lower_quantized_16bit_lstm, 0 },
	[NNMODEL_RNN] = { lower_rnn, 0 },
	[NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN] = { lower_sequence_rnn, 0 },
	[NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN] = { lower_bidirectional_rnn, 0 },
	[NNMODEL_SVDF] = { lower_svdf, 0 },

	[NNMODEL_ROI_ALIGN] = { lower_roi, 0 },
	[NNMODEL_ROI_POOLING] = { lower_roi, 0 },
	[NNMODEL_HEATMAP_MAX_KEYPOINT] = { lower_heatmap, 0 },
	[NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM] = { lower_bbox_transform, 0 },
	[NNMODEL_BOX_WITH_NMS_LIMIT] = { lower_box_nms, 0 },
	[NNMODEL_GENERATE_PROPOSALS] = { lower_proposals, 0 },
	[NNMODEL_DETECTION_POSTPROCESSING] = { lower_detection, 0 },

	[NNMODEL_FILL] = { lower_fill, 0 },
	[NNMODEL_RANK] = { lower_rank, 0 },
	[NNMODEL_LSH_PROJECTION] = { lower_lsh_projection, 0 },
	[NNMODEL_RANDOM_MULTINOMIAL] = { lower_multinomial, 0 },

	[NNMODEL_IF] = { lower_if, 0 },
	[NNMODEL_WHILE] = { lower_while, 0 },
};

const struct lower_row *lower_find(uint32_t opcode)
{
	static const struct lower_row densify = { lower_densify, 0 };

	if (opcode == NNMODEL_DENSIFY)
		return &densify;
	return opcode < NNMODEL_OPCODE_COUNT && table[opcode].lower ? &table[opcode] : NULL;
}

// SPDX-License-Identifier: Apache-2.0
/* The operations and extensions that this firmware has: a line each. */
#include <string.h>

#include "nnprog_opcode.h"
#include "nnfw_ops.h"

const struct nnfw_op *const nnfw_op_table[NNPROG_OP_COUNT] = {
	[NNPROG_OP_CONV_2D] = &nnfw_op_conv2d,
	[NNPROG_OP_DEPTHWISE_CONV_2D] = &nnfw_op_depthwise,
	[NNPROG_OP_FULLY_CONNECTED] = &nnfw_op_fully_connected,
	[NNPROG_OP_POOL_2D] = &nnfw_op_pool2d,
	[NNPROG_OP_BINARY] = &nnfw_op_binary,
	[NNPROG_OP_UNARY] = &nnfw_op_unary,
	[NNPROG_OP_SOFTMAX] = &nnfw_op_softmax,
	[NNPROG_OP_RESHAPE] = &nnfw_op_reshape,
	[NNPROG_OP_CONCATENATION] = &nnfw_op_concat,
	[NNPROG_OP_PAD] = &nnfw_op_pad,
	[NNPROG_OP_REDUCE] = &nnfw_op_reduce,
	[NNPROG_OP_RESIZE] = &nnfw_op_resize,
	[NNPROG_OP_CONVERT] = &nnfw_op_convert,
	[NNPROG_OP_TRANSPOSE] = &nnfw_op_transpose,
	[NNPROG_OP_ARG_MINMAX] = &nnfw_op_arg_minmax,
	[NNPROG_OP_SEQUENCE_LSTM] = &nnfw_op_lstm,
	[NNPROG_OP_COMPARE] = &nnfw_op_compare,
	[NNPROG_OP_SELECT] = &nnfw_op_select,
	[NNPROG_OP_SQUEEZE] = &nnfw_op_squeeze,
	[NNPROG_OP_EXPAND_DIMS] = &nnfw_op_expand_dims,
	[NNPROG_OP_SLICE] = &nnfw_op_slice,
	[NNPROG_OP_STRIDED_SLICE] = &nnfw_op_strided_slice,
	[NNPROG_OP_SPLIT] = &nnfw_op_split,
	[NNPROG_OP_GATHER] = &nnfw_op_gather,
	[NNPROG_OP_HASHTABLE_LOOKUP] = &nnfw_op_hashtable_lookup,
	[NNPROG_OP_TILE] = &nnfw_op_tile,
	[NNPROG_OP_MIRROR_PAD] = &nnfw_op_mirror_pad,
	[NNPROG_OP_REVERSE] = &nnfw_op_reverse,
	[NNPROG_OP_SPACE_DEPTH] = &nnfw_op_space_depth,
	[NNPROG_OP_SPACE_BATCH] = &nnfw_op_space_batch,
	[NNPROG_OP_CHANNEL_SHUFFLE] = &nnfw_op_channel_shuffle,
	[NNPROG_OP_TOPK] = &nnfw_op_topk,
	[NNPROG_OP_FILL] = &nnfw_op_fill,
	[NNPROG_OP_RANK] = &nnfw_op_rank,
	[NNPROG_OP_L2_NORMALIZATION] = &nnfw_op_l2_normalization,
	[NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION] = &nnfw_op_lrn,
	[NNPROG_OP_INSTANCE_NORMALIZATION] = &nnfw_op_instance_normalization,
	[NNPROG_OP_BATCH_MATMUL] = &nnfw_op_batch_matmul,
	[NNPROG_OP_TRANSPOSE_CONV_2D] = &nnfw_op_transpose_conv,
	[NNPROG_OP_SEQUENCE_RNN] = &nnfw_op_rnn,
	[NNPROG_OP_SVDF] = &nnfw_op_svdf,
	[NNPROG_OP_QUANTIZED_LSTM] = &nnfw_op_quantized_lstm,
	[NNPROG_OP_QUANTIZED_16BIT_LSTM] = &nnfw_op_quantized_16bit_lstm,
	[NNPROG_OP_ROI_ALIGN] = &nnfw_op_roi_align,
	[NNPROG_OP_ROI_POOLING] = &nnfw_op_roi_pooling,
	[NNPROG_OP_HEATMAP_MAX_KEYPOINT] = &nnfw_op_heatmap,
	[NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM] = &nnfw_op_bbox_transform,
	[NNPROG_OP_BOX_WITH_NMS_LIMIT] = &nnfw_op_box_nms,
	[NNPROG_OP_GENERATE_PROPOSALS] = &nnfw_op_proposals,
	[NNPROG_OP_DETECTION_POSTPROCESSING] = &nnfw_op_detection,
	[NNPROG_OP_LSH_PROJECTION] = &nnfw_op_lsh_projection,
	[NNPROG_OP_RANDOM_MULTINOMIAL] = &nnfw_op_random_multinomial,
	[NNPROG_OP_DENSIFY] = &nnfw_op_densify,
	[NNPROG_OP_IF] = &nnfw_op_if,
	[NNPROG_OP_WHILE] = &nnfw_op_while,
};

const struct nnfw_extension *const nnfw_extensions[] = { &nnfw_extension_fibonacci, NULL };

const struct nnfw_extension_op *nnfw_extension_find(const char *name, uint32_t operation)
{
	for (const struct nnfw_extension *const *ext = nnfw_extensions; *ext; ext++) {
		if (strcmp((*ext)->name, name))
			continue;
		for (uint32_t i = 0; i < (*ext)->num_ops; i++)
			if ((*ext)->ops[i].operation == operation)
				return &(*ext)->ops[i];
	}
	return NULL;
}

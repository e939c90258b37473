// SPDX-License-Identifier: Apache-2.0
/* The table of descriptors. */
#include "rules.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static const struct nnprog_op_desc *const table[NNPROG_OP_COUNT] = {
	[NNPROG_OP_CONV_2D] = &nnprog_op_conv2d,
	[NNPROG_OP_DEPTHWISE_CONV_2D] = &nnprog_op_depthwise,
	[NNPROG_OP_FULLY_CONNECTED] = &nnprog_op_fully_connected,
	[NNPROG_OP_POOL_2D] = &nnprog_op_pool2d,
	[NNPROG_OP_BINARY] = &nnprog_op_binary,
	[NNPROG_OP_UNARY] = &nnprog_op_unary,
	[NNPROG_OP_SOFTMAX] = &nnprog_op_softmax,
	[NNPROG_OP_RESHAPE] = &nnprog_op_reshape,
	[NNPROG_OP_CONCATENATION] = &nnprog_op_concat,
	[NNPROG_OP_PAD] = &nnprog_op_pad,
	[NNPROG_OP_REDUCE] = &nnprog_op_reduce,
	[NNPROG_OP_RESIZE] = &nnprog_op_resize,
	[NNPROG_OP_CONVERT] = &nnprog_op_convert,
	[NNPROG_OP_TRANSPOSE] = &nnprog_op_transpose,
	[NNPROG_OP_ARG_MINMAX] = &nnprog_op_arg_minmax,
	[NNPROG_OP_SEQUENCE_LSTM] = &nnprog_op_lstm,
	[NNPROG_OP_COMPARE] = &nnprog_op_compare,
	[NNPROG_OP_SELECT] = &nnprog_op_select,
	[NNPROG_OP_SQUEEZE] = &nnprog_op_squeeze,
	[NNPROG_OP_EXPAND_DIMS] = &nnprog_op_expand_dims,
	[NNPROG_OP_SLICE] = &nnprog_op_slice,
	[NNPROG_OP_STRIDED_SLICE] = &nnprog_op_strided_slice,
	[NNPROG_OP_SPLIT] = &nnprog_op_split,
	[NNPROG_OP_GATHER] = &nnprog_op_gather,
	[NNPROG_OP_HASHTABLE_LOOKUP] = &nnprog_op_hashtable_lookup,
	[NNPROG_OP_TILE] = &nnprog_op_tile,
	[NNPROG_OP_MIRROR_PAD] = &nnprog_op_mirror_pad,
	[NNPROG_OP_REVERSE] = &nnprog_op_reverse,
	[NNPROG_OP_SPACE_DEPTH] = &nnprog_op_space_depth,
	[NNPROG_OP_SPACE_BATCH] = &nnprog_op_space_batch,
	[NNPROG_OP_CHANNEL_SHUFFLE] = &nnprog_op_channel_shuffle,
	[NNPROG_OP_TOPK] = &nnprog_op_topk,
	[NNPROG_OP_FILL] = &nnprog_op_fill,
	[NNPROG_OP_RANK] = &nnprog_op_rank,
	[NNPROG_OP_L2_NORMALIZATION] = &nnprog_op_l2_normalization,
	[NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION] = &nnprog_op_lrn,
	[NNPROG_OP_INSTANCE_NORMALIZATION] = &nnprog_op_instance_normalization,
	[NNPROG_OP_BATCH_MATMUL] = &nnprog_op_batch_matmul,
	[NNPROG_OP_TRANSPOSE_CONV_2D] = &nnprog_op_transpose_conv,
	[NNPROG_OP_SEQUENCE_RNN] = &nnprog_op_rnn,
	[NNPROG_OP_SVDF] = &nnprog_op_svdf,
	[NNPROG_OP_QUANTIZED_LSTM] = &nnprog_op_quantized_lstm,
	[NNPROG_OP_QUANTIZED_16BIT_LSTM] = &nnprog_op_quantized_16bit_lstm,
	[NNPROG_OP_ROI_ALIGN] = &nnprog_op_roi_align,
	[NNPROG_OP_ROI_POOLING] = &nnprog_op_roi_pooling,
	[NNPROG_OP_HEATMAP_MAX_KEYPOINT] = &nnprog_op_heatmap,
	[NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM] = &nnprog_op_bbox_transform,
	[NNPROG_OP_BOX_WITH_NMS_LIMIT] = &nnprog_op_box_nms,
	[NNPROG_OP_GENERATE_PROPOSALS] = &nnprog_op_proposals,
	[NNPROG_OP_DETECTION_POSTPROCESSING] = &nnprog_op_detection,
	[NNPROG_OP_LSH_PROJECTION] = &nnprog_op_lsh_projection,
	[NNPROG_OP_RANDOM_MULTINOMIAL] = &nnprog_op_random_multinomial,
	[NNPROG_OP_DENSIFY] = &nnprog_op_densify,
	[NNPROG_OP_IF] = &nnprog_op_if,
	[NNPROG_OP_WHILE] = &nnprog_op_while,
};

const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode)
{
	return opcode < NNPROG_OP_COUNT ? table[opcode] : NULL;
}

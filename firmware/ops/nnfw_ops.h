/* SPDX-License-Identifier: Apache-2.0 */
/* The operations and extensions that this firmware has. */
#ifndef NNFW_OPS_H
#define NNFW_OPS_H

#include "nnprog_opcode.h"
#include "nnfw_op.h"

/** Indexed by opcode, NULL where the firmware lacks the operation. */
extern const struct nnfw_op *const nnfw_op_table[NNPROG_OP_COUNT];

/** Ends with NULL. */
extern const struct nnfw_extension *const nnfw_extensions[];
/** NULL: no such extension, or no such operation in it. */
const struct nnfw_extension_op *nnfw_extension_find(const char *name, uint32_t operation);

/* Of the families' files. */
extern const struct nnfw_op nnfw_op_conv2d, nnfw_op_depthwise, nnfw_op_fully_connected,
	nnfw_op_pool2d, nnfw_op_binary, nnfw_op_unary, nnfw_op_softmax, nnfw_op_reshape,
	nnfw_op_concat, nnfw_op_pad, nnfw_op_reduce, nnfw_op_resize, nnfw_op_convert,
	nnfw_op_transpose, nnfw_op_arg_minmax, nnfw_op_lstm, nnfw_op_if, nnfw_op_while, nnfw_op_rnn,
	nnfw_op_svdf, nnfw_op_quantized_lstm, nnfw_op_quantized_16bit_lstm, nnfw_op_roi_align,
	nnfw_op_roi_pooling, nnfw_op_heatmap, nnfw_op_bbox_transform, nnfw_op_box_nms,
	nnfw_op_proposals, nnfw_op_detection, nnfw_op_lsh_projection, nnfw_op_random_multinomial,
	nnfw_op_densify;

extern const struct nnfw_op nnfw_op_compare, nnfw_op_select, nnfw_op_squeeze, nnfw_op_expand_dims,
	nnfw_op_slice, nnfw_op_strided_slice, nnfw_op_split, nnfw_op_gather,
	nnfw_op_hashtable_lookup, nnfw_op_tile, nnfw_op_mirror_pad, nnfw_op_reverse,
	nnfw_op_space_depth, nnfw_op_space_batch, nnfw_op_channel_shuffle, nnfw_op_topk,
	nnfw_op_fill, nnfw_op_rank, nnfw_op_l2_normalization, nnfw_op_lrn,
	nnfw_op_instance_normalization, nnfw_op_batch_matmul, nnfw_op_transpose_conv;
extern const struct nnfw_extension nnfw_extension_fibonacci;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of ops/, for the table in descriptors.c. Private to libnnprog. */
#ifndef NNPROG_DESCRIPTORS_H
#define NNPROG_DESCRIPTORS_H

#include "nnprog_desc.h"

extern const struct nnprog_op_desc nnprog_op_conv2d, nnprog_op_depthwise, nnprog_op_fully_connected,
	nnprog_op_pool2d, nnprog_op_binary, nnprog_op_unary, nnprog_op_softmax, nnprog_op_reshape,
	nnprog_op_concat, nnprog_op_pad, nnprog_op_reduce, nnprog_op_resize, nnprog_op_convert,
	nnprog_op_transpose, nnprog_op_arg_minmax, nnprog_op_lstm, nnprog_op_if, nnprog_op_while,
	nnprog_op_compare, nnprog_op_select, nnprog_op_squeeze, nnprog_op_rnn, nnprog_op_svdf,
	nnprog_op_quantized_lstm, nnprog_op_quantized_16bit_lstm, nnprog_op_roi_align,
	nnprog_op_roi_pooling, nnprog_op_heatmap, nnprog_op_bbox_transform, nnprog_op_box_nms,
	nnprog_op_proposals, nnprog_op_detection, nnprog_op_lsh_projection,
	nnprog_op_random_multinomial, nnprog_op_densify, nnprog_op_expand_dims, nnprog_op_slice,
	nnprog_op_strided_slice, nnprog_op_split, nnprog_op_gather, nnprog_op_hashtable_lookup,
	nnprog_op_tile, nnprog_op_mirror_pad, nnprog_op_reverse, nnprog_op_space_depth,
	nnprog_op_space_batch, nnprog_op_channel_shuffle, nnprog_op_topk, nnprog_op_fill,
	nnprog_op_rank, nnprog_op_l2_normalization, nnprog_op_lrn, nnprog_op_instance_normalization,
	nnprog_op_batch_matmul, nnprog_op_transpose_conv;

#endif

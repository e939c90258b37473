/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of TensorFlow Lite's builtin operators in memory (lite/c/builtin_op_data.h), as far
 * as builtin_options.c reads them. Enumerations are ints. As tflite_abi.h.
 */
#ifndef TFLITE_PARAMS_H
#define TFLITE_PARAMS_H

#include <stdbool.h>

/* TfLitePadding; the schema begins at 0 with SAME */
enum { TFL_PADDING_UNKNOWN, TFL_PADDING_SAME, TFL_PADDING_VALID };
/* TfLiteMirrorPaddingMode; the schema begins at 0 with REFLECT */
enum { TFL_MIRROR_UNKNOWN, TFL_MIRROR_REFLECT, TFL_MIRROR_SYMMETRIC };

struct tfl_conv_params {
	int padding, stride_width, stride_height, activation;
	int dilation_width_factor, dilation_height_factor;
};

struct tfl_depthwise_conv_params {
	int padding, stride_width, stride_height, depth_multiplier, activation;
	int dilation_width_factor, dilation_height_factor;
};

struct tfl_transpose_conv_params {
	int padding, stride_width, stride_height;
	int activation; /* of version 4 */
};

struct tfl_pool_params {
	int padding, stride_width, stride_height, filter_width, filter_height, activation;
	struct {
		int width, height, width_offset, height_offset;
	} computed;
};

struct tfl_fully_connected_params {
	int activation, weights_format;
	bool keep_num_dims, asymmetric_quantize_inputs;
};

/* ADD, SUB, MUL, DIV, L2_NORMALIZATION and RNN begin with it */
struct tfl_activation_params {
	int activation;
};

struct tfl_concatenation_params {
	int axis, activation;
};

struct tfl_local_response_params {
	int radius;
	float bias, alpha, beta;
};

struct tfl_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	int kernel_type;
	bool asymmetric_quantize_inputs;
};

struct tfl_sequence_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	bool time_major, asymmetric_quantize_inputs, diagonal_recurrent_tensors;
};

struct tfl_bidirectional_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	bool merge_outputs, time_major, asymmetric_quantize_inputs;
};

struct tfl_sequence_rnn_params {
	bool time_major;
	int activation;
	bool asymmetric_quantize_inputs;
};

struct tfl_bidirectional_rnn_params {
	bool time_major;
	int activation;
	bool merge_outputs, asymmetric_quantize_inputs;
};

struct tfl_svdf_params {
	int rank, activation;
	bool asymmetric_quantize_inputs;
};

struct tfl_softmax_params {
	float beta;
};

struct tfl_leaky_relu_params {
	float alpha;
};

/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR */
struct tfl_resize_params {
	bool align_corners, half_pixel_centers;
};

/* DEPTH_TO_SPACE, SPACE_TO_DEPTH */
struct tfl_block_params {
	int block_size;
};

struct tfl_gather_params {
	int axis, batch_dims;
};

/* MEAN, SUM, REDUCE_* */
struct tfl_reducer_params {
	bool keep_dims;
};

struct tfl_strided_slice_params {
	int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
	bool offset; /* of version 8 */
};

struct tfl_pack_params {
	int values_count, axis;
};

struct tfl_unpack_params {
	int num, axis;
};

struct tfl_one_hot_params {
	int axis;
};

struct tfl_mirror_pad_params {
	int mode;
};

struct tfl_reverse_sequence_params {
	int seq_dim, batch_dim;
};

/* IF: then, else; WHILE: condition, body */
struct tfl_subgraphs_params {
	int first, second;
};

struct tfl_batch_matmul_params {
	bool adj_x, adj_y, asymmetric_quantize_inputs;
};

struct tfl_cumsum_params {
	bool exclusive, reverse;
};

struct tfl_gelu_params {
	bool approximate;
};

#endif

// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include <string.h>

#include "tflite_abi.h"

#define ROW(opcode_, field_, struct_, member, kind_)                                            \
	{                                                                                       \
		.opcode = opcode_, .field = field_, .offset = offsetof(struct struct_, member), \
		.kind = BUILTIN_##kind_, .version = 1                                           \
	}
#define SINCE(version_, opcode_, field_, struct_, member, kind_)                                \
	{                                                                                       \
		.opcode = opcode_, .field = field_, .offset = offsetof(struct struct_, member), \
		.kind = BUILTIN_##kind_, .version = version_                                    \
	}

#define POOL(opcode)                                                 \
	ROW(opcode, 0, tfl_pool_params, padding, FROM_1),            \
		ROW(opcode, 1, tfl_pool_params, stride_width, INT),  \
		ROW(opcode, 2, tfl_pool_params, stride_height, INT), \
		ROW(opcode, 3, tfl_pool_params, filter_width, INT),  \
		ROW(opcode, 4, tfl_pool_params, filter_height, INT), \
		ROW(opcode, 5, tfl_pool_params, activation, CODE)

/* A row per field that libnnimport reads. */
const struct builtin_option builtin_options[] = {
	ROW(0, 0, tfl_activation_params, activation, CODE), /* ADD */
	POOL(1), /* AVERAGE_POOL_2D */
	ROW(2, 0, tfl_concatenation_params, axis, INT), /* CONCATENATION */
	ROW(2, 1, tfl_concatenation_params, activation, CODE),
	ROW(3, 0, tfl_conv_params, padding, FROM_1), /* CONV_2D */
	ROW(3, 1, tfl_conv_params, stride_width, INT),
	ROW(3, 2, tfl_conv_params, stride_height, INT),
	ROW(3, 3, tfl_conv_params, activation, CODE),
	ROW(3, 4, tfl_conv_params, dilation_width_factor, INT),
	ROW(3, 5, tfl_conv_params, dilation_height_factor, INT),
	ROW(4, 0, tfl_depthwise_conv_params, padding, FROM_1), /* DEPTHWISE_CONV_2D */
	ROW(4, 1, tfl_depthwise_conv_params, stride_width, INT),
	ROW(4, 2, tfl_depthwise_conv_params, stride_height, INT),
	ROW(4, 3, tfl_depthwise_conv_params, depth_multiplier, INT),
	ROW(4, 4, tfl_depthwise_conv_params, activation, CODE),
	ROW(4, 5, tfl_depthwise_conv_params, dilation_width_factor, INT),
	ROW(4, 6, tfl_depthwise_conv_params, dilation_height_factor, INT),
	ROW(5, 0, tfl_block_params, block_size, INT), /* DEPTH_TO_SPACE */
	ROW(9, 0, tfl_fully_connected_params, activation, CODE), /* FULLY_CONNECTED */
	ROW(9, 1, tfl_fully_connected_params, weights_format, CODE),
	ROW(11, 0, tfl_activation_params, activation, CODE), /* L2_NORMALIZATION */
	POOL(12), /* L2_POOL_2D */
	ROW(13, 0, tfl_local_response_params, radius, INT), /* LOCAL_RESPONSE_NORMALIZATION */
	ROW(13, 1, tfl_local_response_params, bias, FLOAT),
	ROW(13, 2, tfl_local_response_params, alpha, FLOAT),
	ROW(13, 3, tfl_local_response_params, beta, FLOAT),
	ROW(16, 0, tfl_lstm_params, activation, CODE), /* LSTM */
	ROW(16, 1, tfl_lstm_params, cell_clip, FLOAT),
	ROW(16, 2, tfl_lstm_params, proj_clip, FLOAT),
	SINCE(2, 16, 3, tfl_lstm_params, kernel_type, CODE),
	POOL(17), /* MAX_POOL_2D */
	ROW(18, 0, tfl_activation_params, activation, CODE), /* MUL */
	ROW(23, 2, tfl_resize_params, align_corners, BOOL), /* RESIZE_BILINEAR */
	ROW(23, 3, tfl_resize_params, half_pixel_centers, BOOL),
	ROW(24, 0, tfl_activation_params, activation, CODE), /* RNN */
	ROW(25, 0, tfl_softmax_params, beta, FLOAT), /* SOFTMAX */
	ROW(26, 0, tfl_block_params, block_size, INT), /* SPACE_TO_DEPTH */
	ROW(27, 0, tfl_svdf_params, rank, INT), /* SVDF */
	ROW(27, 1, tfl_svdf_params, activation, CODE),
	ROW(35, 0, tfl_sequence_rnn_params, time_major, BOOL), /* UNIDIRECTIONAL_SEQUENCE_RNN */
	ROW(35, 1, tfl_sequence_rnn_params, activation, CODE),
	ROW(36, 0, tfl_gather_params, axis, INT), /* GATHER */
	ROW(36, 1, tfl_gather_params, batch_dims, INT),
	ROW(40, 0, tfl_reducer_params, keep_dims, BOOL), /* MEAN */
	ROW(41, 0, tfl_activation_params, activation, CODE), /* SUB */
	ROW(42, 0, tfl_activation_params, activation, CODE), /* DIV */
	ROW(44, 0, tfl_sequence_lstm_params, activation, CODE), /* UNIDIRECTIONAL_SEQUENCE_LSTM */
	ROW(44, 1, tfl_sequence_lstm_params, cell_clip, FLOAT),
	ROW(44, 2, tfl_sequence_lstm_params, proj_clip, FLOAT),
	ROW(44, 3, tfl_sequence_lstm_params, time_major, BOOL),
	ROW(45, 0, tfl_strided_slice_params, begin_mask, INT), /* STRIDED_SLICE */
	ROW(45, 1, tfl_strided_slice_params, end_mask, INT),
	ROW(45, 2, tfl_strided_slice_params, ellipsis_mask, INT),
	ROW(45, 3, tfl_strided_slice_params, new_axis_mask, INT),
	ROW(45, 4, tfl_strided_slice_params, shrink_axis_mask, INT),
	SINCE(8, 45, 5, tfl_strided_slice_params, offset, BOOL),
	ROW(46, 0, tfl_bidirectional_rnn_params, time_major, BOOL), /* BIDIRECTIONAL_SEQUENCE_RNN */
	ROW(46, 1, tfl_bidirectional_rnn_params, activation, CODE),
	ROW(46, 2, tfl_bidirectional_rnn_params, merge_outputs, BOOL),
	ROW(52, 0, tfl_bidirectional_lstm_params, activation, CODE), /* BIDIRECTIONAL_SEQUENCE_LSTM
								      */
	ROW(52, 1, tfl_bidirectional_lstm_params, cell_clip, FLOAT),
	ROW(52, 2, tfl_bidirectional_lstm_params, proj_clip, FLOAT),
	ROW(52, 3, tfl_bidirectional_lstm_params, merge_outputs, BOOL),
	SINCE(2, 52, 4, tfl_bidirectional_lstm_params, time_major, BOOL),
	ROW(67, 0, tfl_transpose_conv_params, padding, FROM_1), /* TRANSPOSE_CONV */
	ROW(67, 1, tfl_transpose_conv_params, stride_width, INT),
	ROW(67, 2, tfl_transpose_conv_params, stride_height, INT),
	SINCE(4, 67, 3, tfl_transpose_conv_params, activation, CODE),
	ROW(74, 0, tfl_reducer_params, keep_dims, BOOL), /* SUM */
	ROW(81, 0, tfl_reducer_params, keep_dims, BOOL), /* REDUCE_PROD */
	ROW(82, 0, tfl_reducer_params, keep_dims, BOOL), /* REDUCE_MAX */
	ROW(83, 0, tfl_pack_params, values_count, INT), /* PACK */
	ROW(83, 1, tfl_pack_params, axis, INT),
	ROW(85, 0, tfl_one_hot_params, axis, INT), /* ONE_HOT */
	ROW(88, 0, tfl_unpack_params, num, INT), /* UNPACK */
	ROW(88, 1, tfl_unpack_params, axis, INT),
	ROW(89, 0, tfl_reducer_params, keep_dims, BOOL), /* REDUCE_MIN */
	ROW(91, 0, tfl_reducer_params, keep_dims, BOOL), /* REDUCE_ANY */
	ROW(97, 0, tfl_resize_params, align_corners, BOOL), /* RESIZE_NEAREST_NEIGHBOR */
	ROW(97, 1, tfl_resize_params, half_pixel_centers, BOOL),
	ROW(98, 0, tfl_leaky_relu_params, alpha, FLOAT), /* LEAKY_RELU */
	ROW(100, 0, tfl_mirror_pad_params, mode, FROM_1), /* MIRROR_PAD */
	ROW(112, 0, tfl_reverse_sequence_params, seq_dim, INT), /* REVERSE_SEQUENCE */
	ROW(112, 1, tfl_reverse_sequence_params, batch_dim, INT),
	ROW(118, 0, tfl_subgraphs_params, first, INT), /* IF */
	ROW(118, 1, tfl_subgraphs_params, second, INT),
	ROW(119, 0, tfl_subgraphs_params, first, INT), /* WHILE */
	ROW(119, 1, tfl_subgraphs_params, second, INT),
	ROW(126, 0, tfl_batch_matmul_params, adj_x, BOOL), /* BATCH_MATMUL */
	ROW(126, 1, tfl_batch_matmul_params, adj_y, BOOL),
	ROW(128, 0, tfl_cumsum_params, exclusive, BOOL), /* CUMSUM */
	ROW(128, 1, tfl_cumsum_params, reverse, BOOL),
	ROW(140, 0, tfl_reducer_params, keep_dims, BOOL), /* REDUCE_ALL */
	ROW(150, 0, tfl_gelu_params, approximate, BOOL), /* GELU */
};

const size_t builtin_options_count = sizeof(builtin_options) / sizeof(builtin_options[0]);

static struct nnimport_graph_option option_read(const struct builtin_option *row, const void *data)
{
	const uint8_t *from = (const uint8_t *)data + row->offset;
	struct nnimport_graph_option o = { .field = row->field };

	switch (row->kind) {
	case BUILTIN_BOOL:
		o.integer = *from != 0;
		break;
	case BUILTIN_FLOAT:
		memcpy(&o.real, from, sizeof(o.real));
		break;
	case BUILTIN_INT:
	case BUILTIN_CODE:
	case BUILTIN_FROM_1:
		memcpy(&o.integer, from, sizeof(o.integer));
		if (row->kind == BUILTIN_FROM_1 && o.integer > INT32_MIN)
			o.integer--;
		break;
	}
	return o;
}

uint32_t builtin_options_read(int opcode, int version, const void *data,
			      struct nnimport_graph_option *options)
{
	uint32_t n = 0;

	for (size_t i = 0; data && i < builtin_options_count; i++) {
		const struct builtin_option *row = &builtin_options[i];

		if (row->opcode == opcode && row->version <= version && n < BUILTIN_MAX_OPTIONS)
			options[n++] = option_read(row, data);
	}
	return n;
}

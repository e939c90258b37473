// SPDX-License-Identifier: Apache-2.0
/*
 * The table of operators. Documentation/tflite.rst has it in words; tests/house/operators.py
 * compares the two. A quantized operator whose row lacks the type is computed in real numbers
 * between DEQUANTIZE and QUANTIZE.
 */
#include "importer.h"

#define REAL 0
#define Q8 IMPORT_QUANT8
#define I32 IMPORT_I32
#define B8 IMPORT_B8
#define ANY IMPORT_ANY
#define OWN .quant = IMPORT_OWN
#define SAME .quant = IMPORT_SAME
#define SAME_REAL .quant = IMPORT_SAME_REAL
#define OF_256 .quant = IMPORT_OF_256
#define OF_128 .quant = IMPORT_OF_128
#define AS_DATA .shape = IMPORT_AS_DATA
#define BROADCAST .shape = IMPORT_BROADCAST
#define DATA(i) .data = i
#define BY_PLACE .by_place = true
#define UNREAD(i) .unread = 1u << (i)
/** The option field of the activation; FUSES: the NNAPI operation has one. */
#define FUSES(field) .activation = 1 + (field), .fuses = true
#define ACTIVATES(field) .activation = 1 + (field)

/** The result is a constant: no operation is left of it. */
#define NNMODEL_FOLDED NNMODEL_OPCODE_COUNT
/** A state of the model: no operation is left of it. */
#define NNMODEL_STATE NNMODEL_OPCODE_COUNT

/* code, the NNAPI operation, translation, types beside float, what is not the default */
#define ROW(code, op, fn, types_, ...)                      \
	{                                                   \
		code, NNMODEL_##op, fn, types_, __VA_ARGS__ \
	}

static const struct import_row rows[] = {
	ROW(0, ADD, import_arithmetic, Q8 | I32, OWN, BROADCAST, FUSES(0)),
	ROW(1, AVERAGE_POOL_2D, import_pool, Q8, SAME_REAL, FUSES(5)),
	ROW(2, CONCATENATION, import_concatenation, Q8 | I32, OWN, ACTIVATES(1)),
	ROW(3, CONV_2D, import_conv2d, Q8, OWN, FUSES(3)),
	ROW(4, DEPTHWISE_CONV_2D, import_depthwise, Q8, OWN, FUSES(4)),
	ROW(5, DEPTH_TO_SPACE, import_depth, Q8, SAME, BY_PLACE),
	ROW(6, DEQUANTIZE, import_dequantize, ANY, OWN, AS_DATA),
	ROW(7, EMBEDDING_LOOKUP, import_embedding, ANY, SAME, DATA(1), BY_PLACE),
	ROW(8, FLOOR, import_plain, REAL, OWN, AS_DATA),
	ROW(9, FULLY_CONNECTED, import_fully_connected, Q8, OWN, FUSES(0)),
	ROW(10, HASHTABLE_LOOKUP, import_hashtable, ANY, SAME, DATA(2), BY_PLACE),
	ROW(11, L2_NORMALIZATION, import_plain, Q8, OF_128, AS_DATA, ACTIVATES(0)),
	ROW(12, L2_POOL_2D, import_pool, REAL, OWN, FUSES(5)),
	ROW(13, LOCAL_RESPONSE_NORMALIZATION, import_response_normalization, REAL, OWN, AS_DATA),
	ROW(14, LOGISTIC, import_plain, Q8, OF_256, AS_DATA),
	ROW(16, LSTM, import_lstm, ANY, OWN, BY_PLACE),
	ROW(17, MAX_POOL_2D, import_pool, Q8, SAME, FUSES(5)),
	ROW(18, MUL, import_mul, Q8 | I32, OWN, BROADCAST, FUSES(0)),
	ROW(19, RELU, import_plain, Q8, SAME, AS_DATA),
	ROW(20, RELU1, import_plain, Q8, SAME, AS_DATA),
	ROW(21, RELU6, import_plain, Q8, SAME, AS_DATA),
	ROW(22, RESHAPE, import_reshape_op, Q8 | I32 | B8, SAME, UNREAD(1)),
	ROW(23, RESIZE_BILINEAR, import_resize_bilinear, Q8, SAME_REAL, BY_PLACE),
	ROW(24, RNN, import_rnn, ANY, OWN, BY_PLACE),
	ROW(25, SOFTMAX, import_softmax, Q8, OF_256, AS_DATA),
	ROW(26, SPACE_TO_DEPTH, import_depth, Q8, SAME, BY_PLACE),
	ROW(27, SVDF, import_svdf, ANY, OWN, BY_PLACE),
	ROW(28, TANH, import_plain, Q8, OF_128, AS_DATA),
	ROW(34, PAD, import_pad, Q8 | I32, SAME),
	ROW(35, UNIDIRECTIONAL_SEQUENCE_RNN, import_sequence_rnn, ANY, OWN, BY_PLACE),
	ROW(36, GATHER, import_gather, Q8 | I32, SAME),
	ROW(37, BATCH_TO_SPACE_ND, import_batch_to_space, Q8, SAME),
	ROW(38, SPACE_TO_BATCH_ND, import_space_to_batch, Q8, SAME, BY_PLACE),
	ROW(39, TRANSPOSE, import_transpose, Q8 | I32, SAME),
	ROW(40, MEAN, import_mean, Q8, SAME_REAL),
	ROW(41, SUB, import_arithmetic, Q8 | I32, OWN, BROADCAST, FUSES(0)),
	ROW(42, DIV, import_div, I32, OWN, BROADCAST, FUSES(0)),
	ROW(43, RESHAPE, import_reshape_op, Q8 | I32 | B8, SAME), /* SQUEEZE */
	ROW(44, UNIDIRECTIONAL_SEQUENCE_LSTM, import_sequence_lstm, ANY, OWN, BY_PLACE),
	ROW(45, STRIDED_SLICE, import_strided_slice, Q8 | I32, SAME),
	ROW(46, BIDIRECTIONAL_SEQUENCE_RNN, import_both_ways_rnn, ANY, OWN, BY_PLACE),
	ROW(47, EXP, import_plain, REAL, OWN, AS_DATA),
	ROW(48, TOPK_V2, import_topk, Q8 | I32, SAME),
	ROW(49, SLICE, import_split, Q8 | I32, SAME, DATA(1)), /* SPLIT */
	ROW(50, LOG_SOFTMAX, import_log_softmax, REAL, OWN, AS_DATA),
	ROW(52, BIDIRECTIONAL_SEQUENCE_LSTM, import_both_ways_lstm, ANY, OWN, BY_PLACE),
	ROW(53, CAST, import_cast, ANY, OWN, AS_DATA),
	ROW(54, PRELU, import_plain, Q8, OWN, BROADCAST),
	ROW(55, MAXIMUM, import_plain, Q8 | I32, OWN, BROADCAST),
	ROW(56, ARGMAX, import_arg_minmax, ANY, OWN),
	ROW(57, MINIMUM, import_plain, Q8 | I32, OWN, BROADCAST),
	ROW(58, LESS, import_plain, ANY, OWN, BROADCAST),
	ROW(59, NEG, import_plain, I32, OWN, AS_DATA),
	ROW(60, PAD_V2, import_pad, Q8 | I32, SAME),
	ROW(61, GREATER, import_plain, ANY, OWN, BROADCAST),
	ROW(62, GREATER_EQUAL, import_plain, ANY, OWN, BROADCAST),
	ROW(63, LESS_EQUAL, import_plain, ANY, OWN, BROADCAST),
	ROW(64, SELECT, import_select, Q8 | I32, OWN, DATA(1), AS_DATA),
	ROW(65, SLICE, import_slice, Q8 | I32, SAME),
	ROW(66, SIN, import_plain, REAL, OWN, AS_DATA),
	ROW(67, TRANSPOSE_CONV_2D, import_transpose_conv, Q8, OWN, DATA(2), FUSES(3)),
	ROW(69, TILE, import_tile, Q8 | I32, SAME),
	ROW(70, RESHAPE, import_reshape_op, Q8 | I32 | B8, SAME, UNREAD(1)), /* EXPAND_DIMS */
	ROW(71, EQUAL, import_plain, ANY, OWN, BROADCAST),
	ROW(72, NOT_EQUAL, import_plain, ANY, OWN, BROADCAST),
	ROW(73, LOG, import_plain, REAL, OWN, AS_DATA),
	ROW(74, REDUCE_SUM, import_reduce, I32, OWN),
	ROW(75, SQRT, import_plain, REAL, OWN, AS_DATA),
	ROW(76, RSQRT, import_plain, Q8, OWN, AS_DATA),
	ROW(77, FOLDED, import_shape_of, ANY, OWN, UNREAD(0)), /* SHAPE */
	ROW(78, POW, import_plain, REAL, OWN, BROADCAST),
	ROW(79, ARGMIN, import_arg_minmax, ANY, OWN),
	ROW(81, REDUCE_PROD, import_reduce, I32, OWN),
	ROW(82, REDUCE_MAX, import_reduce, Q8 | I32, SAME),
	ROW(83, PACK, import_pack, Q8 | I32, SAME),
	ROW(84, LOGICAL_OR, import_plain, B8, OWN, BROADCAST),
	ROW(85, SELECT, import_one_hot, Q8 | I32, OWN, DATA(2), UNREAD(1), BY_PLACE), /* ONE_HOT */
	ROW(86, LOGICAL_AND, import_plain, B8, OWN, BROADCAST),
	ROW(87, LOGICAL_NOT, import_plain, B8, OWN, AS_DATA),
	ROW(88, SLICE, import_unpack, Q8 | I32, SAME), /* UNPACK */
	ROW(89, REDUCE_MIN, import_reduce, Q8 | I32, SAME),
	ROW(90, DIV, import_floor_div, I32, OWN, BROADCAST), /* FLOOR_DIV */
	ROW(91, REDUCE_ANY, import_reduce, B8, OWN),
	ROW(92, MUL, import_square, I32, OWN, AS_DATA), /* SQUARE */
	ROW(93, TILE, import_zeros, ANY, OWN, AS_DATA, UNREAD(0)), /* ZEROS_LIKE */
	ROW(94, TILE, import_fill, Q8 | I32 | B8, SAME, DATA(1), UNREAD(0)), /* FILL */
	ROW(95, DIV, import_floor_mod, I32, OWN, BROADCAST), /* FLOOR_MOD */
	ROW(96, FOLDED, import_range, ANY, OWN), /* RANGE */
	ROW(97, RESIZE_NEAREST_NEIGHBOR, import_resize_nearest, Q8, SAME, BY_PLACE),
	ROW(98, PRELU, import_leaky_relu, REAL, OWN, AS_DATA), /* LEAKY_RELU */
	ROW(99, MUL, import_squared_difference, I32, OWN, BROADCAST), /* SQUARED_DIFFERENCE */
	ROW(100, MIRROR_PAD, import_mirror_pad, Q8 | I32, SAME, BY_PLACE),
	ROW(101, ABS, import_plain, I32, OWN, AS_DATA),
	ROW(102, SLICE, import_split_v, Q8 | I32, SAME), /* SPLIT_V */
	ROW(104, FLOOR, import_ceil, REAL, OWN, AS_DATA), /* CEIL */
	ROW(105, REVERSE, import_reverse, Q8 | I32, SAME, AS_DATA),
	ROW(106, ADD, import_add_n, I32, OWN, BROADCAST), /* ADD_N */
	ROW(107, GATHER, import_gather_nd, Q8 | I32, SAME), /* GATHER_ND */
	ROW(108, SIN, import_cos, REAL, OWN, AS_DATA), /* COS */
	ROW(109, FOLDED, import_where, ANY, OWN), /* WHERE */
	ROW(110, FOLDED, import_rank, ANY, OWN, UNREAD(0)), /* RANK */
	ROW(111, ELU, import_elu, REAL, OWN, AS_DATA),
	ROW(112, GATHER, import_reverse_sequence, Q8 | I32, SAME, AS_DATA), /* REVERSE_SEQUENCE */
	ROW(113, GATHER, import_matrix_diag, Q8 | I32, OWN), /* MATRIX_DIAG */
	ROW(114, QUANTIZE, import_quantize, ANY, OWN, AS_DATA),
	ROW(115, GATHER, import_matrix_diag, Q8 | I32, OWN, DATA(1)), /* MATRIX_SET_DIAG */
	ROW(116, FLOOR, import_round, REAL, OWN, AS_DATA), /* ROUND */
	ROW(117, HARD_SWISH, import_plain, Q8, OWN, AS_DATA),
	ROW(118, IF, import_if, ANY, OWN, DATA(1)),
	ROW(119, WHILE, import_while, ANY, OWN, DATA(0)),
	ROW(122, GATHER, import_scatter_nd, Q8 | I32, OWN, DATA(1)), /* SCATTER_ND */
	ROW(123, SELECT, import_select, Q8 | I32, OWN, DATA(1), BROADCAST), /* SELECT_V2 */
	ROW(124, FOLDED, import_densify, ANY, OWN, AS_DATA), /* DENSIFY */
	ROW(126, BATCH_MATMUL, import_batch_matmul, IMPORT_Q8S | I32, OWN, BY_PLACE),
	ROW(128, ADD, import_cumsum, I32, OWN, AS_DATA), /* CUMSUM */
	ROW(129, STATE, import_variable_handle, ANY, OWN), /* CALL_ONCE */
	ROW(130, TILE, import_broadcast_to, Q8 | I32 | B8, SAME, UNREAD(1)), /* BROADCAST_TO */
	ROW(140, REDUCE_ALL, import_reduce, B8, OWN),
	ROW(142, STATE, import_variable_handle, ANY, OWN), /* VAR_HANDLE */
	ROW(143, STATE, import_read_variable, ANY, OWN), /* READ_VARIABLE */
	ROW(144, STATE, import_assign_variable, ANY, OWN), /* ASSIGN_VARIABLE */
	ROW(145, FOLDED, import_broadcast_args, ANY, OWN), /* BROADCAST_ARGS */
	ROW(150, SUB, import_gelu, REAL, OWN, AS_DATA), /* GELU */
	ROW(151, GATHER, import_update_slice, Q8 | I32, OWN, AS_DATA), /* DYNAMIC_UPDATE_SLICE */
	ROW(152, MINIMUM, import_relu_0_to_1, REAL, OWN, AS_DATA), /* RELU_0_TO_1 */
	ROW(158, SELECT, import_sign, I32, OWN, AS_DATA), /* SIGN */
};

const struct import_row *import_row_find(int opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

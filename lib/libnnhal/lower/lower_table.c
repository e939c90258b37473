// SPDX-License-Identifier: Apache-2.0
/* Every NNAPI operation that is lowered, and by whom. */
#include "context.h"

const struct lower_row lower_table[NNMODEL_OPCODE_COUNT] = {
	[NNMODEL_CONV_2D] = { lower_conv2d, 0 },
	[NNMODEL_DEPTHWISE_CONV_2D] = { lower_depthwise, 0 },
	[NNMODEL_GROUPED_CONV_2D] = { lower_grouped, 0 },
	[NNMODEL_FULLY_CONNECTED] = { lower_fully_connected, 0 },

	[NNMODEL_AVERAGE_POOL_2D] = { lower_pool, NNPROG_POOL_AVERAGE },
	[NNMODEL_MAX_POOL_2D] = { lower_pool, NNPROG_POOL_MAX },
	[NNMODEL_L2_POOL_2D] = { lower_pool, NNPROG_POOL_L2 },

	[NNMODEL_ADD] = { lower_binary, NNPROG_BINARY_ADD },
	[NNMODEL_SUB] = { lower_binary, NNPROG_BINARY_SUB },
	[NNMODEL_MUL] = { lower_binary, NNPROG_BINARY_MUL },
	[NNMODEL_DIV] = { lower_binary, NNPROG_BINARY_DIV },

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

	[NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM] = { lower_sequence_lstm, 0 },

	[NNMODEL_IF] = { lower_if, 0 },
	[NNMODEL_WHILE] = { lower_while, 0 },
};

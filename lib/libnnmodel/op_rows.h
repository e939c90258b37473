/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of ops/, for the table in op_rows.c. Private to libnnmodel. */
#ifndef NNMODEL_OP_ROWS_H
#define NNMODEL_OP_ROWS_H

#include "signature.h"

extern const struct nnmodel_sig_family nnmodel_family_binary, nnmodel_family_boxes,
	nnmodel_family_compare, nnmodel_family_concat, nnmodel_family_conv, nnmodel_family_convert,
	nnmodel_family_densify, nnmodel_family_gather, nnmodel_family_lstm, nnmodel_family_matmul,
	nnmodel_family_normalization, nnmodel_family_pad, nnmodel_family_pool,
	nnmodel_family_quantized_lstm, nnmodel_family_random, nnmodel_family_reduce,
	nnmodel_family_reshape, nnmodel_family_resize, nnmodel_family_rnn, nnmodel_family_roi,
	nnmodel_family_slice, nnmodel_family_softmax, nnmodel_family_space, nnmodel_family_tile,
	nnmodel_family_topk, nnmodel_family_transpose, nnmodel_family_unary;

/** IF and WHILE, whose signature is that of the subgraphs that they name. */
extern const struct nnmodel_op_row nnmodel_control_flow_rows[2];

#endif

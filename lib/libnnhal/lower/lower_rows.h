/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of ops/, and the table of them in lower_rows.c. */
#ifndef NNHAL_LOWER_ROWS_H
#define NNHAL_LOWER_ROWS_H

#include "lowering.h"

/** The rows of a file of ops/. */
struct lower_family {
	const struct lower_row *rows;
	uint32_t num;
};

#define LOWER_FAMILY(name, table)                                                           \
	const struct lower_family lower_family_##name = { table, (uint32_t)(sizeof(table) / \
									    sizeof((table)[0])) }

extern const struct lower_family lower_family_binary, lower_family_boxes, lower_family_compare,
	lower_family_concat, lower_family_control_flow, lower_family_conv, lower_family_convert,
	lower_family_densify, lower_family_gather, lower_family_lstm, lower_family_matmul,
	lower_family_normalization, lower_family_pad, lower_family_pool,
	lower_family_quantized_lstm, lower_family_random, lower_family_reduce, lower_family_reshape,
	lower_family_resize, lower_family_rnn, lower_family_roi, lower_family_slice,
	lower_family_softmax, lower_family_space, lower_family_tile, lower_family_topk,
	lower_family_transpose, lower_family_unary;

/** NULL: not lowered. */
const struct lower_row *lower_find(uint32_t opcode);

#endif

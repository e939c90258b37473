// SPDX-License-Identifier: Apache-2.0
/* The rows of all NNAPI operations that are lowered. A family of ops/ has a line in families[]. */
#include "nnhal_lowering.h"

static const struct lower_family *const families[] = {
	&lower_family_binary,  &lower_family_boxes,	   &lower_family_compare,
	&lower_family_concat,  &lower_family_control_flow, &lower_family_conv,
	&lower_family_convert, &lower_family_densify,	   &lower_family_gather,
	&lower_family_lstm,    &lower_family_matmul,	   &lower_family_normalization,
	&lower_family_pad,     &lower_family_pool,	   &lower_family_quantized_lstm,
	&lower_family_random,  &lower_family_reduce,	   &lower_family_reshape,
	&lower_family_resize,  &lower_family_rnn,	   &lower_family_roi,
	&lower_family_slice,   &lower_family_softmax,	   &lower_family_space,
	&lower_family_tile,    &lower_family_topk,	   &lower_family_transpose,
	&lower_family_unary,
};

const struct lower_row *lower_find(uint32_t opcode)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (uint32_t i = 0; i < families[f]->num; i++)
			if (families[f]->rows[i].opcode == opcode)
				return &families[f]->rows[i];
	return NULL;
}

// SPDX-License-Identifier: Apache-2.0
/* The rows of all operations. A family of ops/ has a line in families[]. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_family *const families[] = {
	&nnmodel_family_binary,	       &nnmodel_family_boxes,
	&nnmodel_family_compare,       &nnmodel_family_concat,
	&nnmodel_family_conv,	       &nnmodel_family_convert,
	&nnmodel_family_densify,       &nnmodel_family_gather,
	&nnmodel_family_lstm,	       &nnmodel_family_matmul,
	&nnmodel_family_normalization, &nnmodel_family_pad,
	&nnmodel_family_pool,	       &nnmodel_family_quantized_lstm,
	&nnmodel_family_random,	       &nnmodel_family_reduce,
	&nnmodel_family_reshape,       &nnmodel_family_resize,
	&nnmodel_family_rnn,	       &nnmodel_family_roi,
	&nnmodel_family_slice,	       &nnmodel_family_softmax,
	&nnmodel_family_space,	       &nnmodel_family_tile,
	&nnmodel_family_topk,	       &nnmodel_family_transpose,
	&nnmodel_family_unary,
};

const struct nnmodel_op_row *nnmodel_op_find(uint32_t opcode)
{
	uint32_t f, i;

	for (f = 0; f < NNMODEL_ARRAY_SIZE(families); f++)
		for (i = 0; i < families[f]->num; i++)
			if (families[f]->sigs[i].row.opcode == opcode)
				return &families[f]->sigs[i].row;
	for (i = 0; i < NNMODEL_ARRAY_SIZE(nnmodel_control_flow_rows); i++)
		if (nnmodel_control_flow_rows[i].opcode == opcode)
			return &nnmodel_control_flow_rows[i];
	return NULL;
}

bool nnmodel_names_subgraphs(uint32_t opcode)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(opcode);

	return row && row->names_subgraphs;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Fusion, decided on the NNAPI graph before anything is emitted:
 *
 *  - a standalone RELU, RELU1 or RELU6 becomes the fused activation of the operation before it,
 * whose own is NONE. Exact: both clamp the requantized result to the same bounds, as the
 * quantization is the same.
 *  - DEQUANTIZE to float32 followed by QUANTIZE becomes one conversion between quantized types
 * (TFLite's requantization reaches NNAPI as this pair).
 *
 * The operand between the two must be a temporary without other readers.
 */
#include <stdlib.h>
#include <string.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"

static bool fused_away(const struct lower *l, uint32_t operand)
{
	return l->graph->operands[operand].lifetime == NNMODEL_TEMPORARY_VARIABLE &&
	       l->operands[operand].readers == 1;
}

static bool activation_is_none(const struct lower *l, const struct nnmodel_operation *op)
{
	const struct lower_row *row = lower_find(op->type);
	const void *data;
	int32_t code;
	uint32_t i;
	size_t size;

	if (!row || !row->activation_input)
		return false;
	i = row->activation_input(l->graph, op);
	if (nnmodel_constant(l->model, l->maps, &l->graph->operands[op->inputs[i]], &data, &size) ||
	    size != sizeof(code))
		return false;
	memcpy(&code, data, sizeof(code));
	return code == NNMODEL_FUSED_NONE;
}

static void fuse_activation(struct lower *l, uint32_t writer, uint32_t reader)
{
	const struct nnmodel_operation *op = &l->graph->operations[writer];
	const struct nnmodel_operation *relu = &l->graph->operations[reader];
	const struct nnmodel_operand *between = &l->graph->operands[relu->inputs[0]];
	const struct nnmodel_operand *out = &l->graph->operands[relu->outputs[0]];

	if (!activation_is_none(l, op) || between->type != out->type)
		return;
	/* a temporary takes the quantization that reaches it; a model output must have that one */
	if (out->lifetime == NNMODEL_SUBGRAPH_OUTPUT &&
	    (between->scale != out->scale || between->zero_point != out->zero_point))
		return;
	l->plans[writer].activation = lower_find(relu->type)->activation;
	l->plans[writer].output = relu->outputs[0];
	l->plans[writer].also = relu->inputs[0];
	l->plans[reader].skip = true;
}

static bool requantizes(const struct nnmodel_operation *writer)
{
	const struct lower_row *row = lower_find(writer->type);

	return row && row->requantize == LOWER_TO_REAL;
}

static void fuse_requantize(struct lower *l, uint32_t writer, uint32_t reader)
{
	const struct nnmodel_operation *op = &l->graph->operations[writer];
	const struct nnmodel_operation *quantize = &l->graph->operations[reader];
	const struct nnmodel_operand *in = &l->graph->operands[op->inputs[0]];

	/*
	 * through float16 the value is rounded once more; per channel there is no such conversion
	 */
	if (l->graph->operands[quantize->inputs[0]].type != NNMODEL_TENSOR_FLOAT32 ||
	    in->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL || in->lifetime == NNMODEL_NO_VALUE)
		return;
	l->plans[reader].input = op->inputs[0];
	l->plans[reader].also = quantize->inputs[0];
	l->plans[writer].skip = true;
}

void lower_fuse(struct lower *l)
{
	const struct nnmodel_subgraph *g = l->graph;
	uint32_t *writers = malloc((g->num_operands + 1ul) * sizeof(*writers));
	uint32_t i, k;

	/* without memory nothing is fused; lowering then fails with -ENOMEM itself */
	if (!writers)
		return;
	memset(writers, 0xff, (g->num_operands + 1ul) * sizeof(*writers));
	for (i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];
		const struct lower_row *row;

		for (k = 0; k < op->num_outputs; k++)
			writers[op->outputs[k]] = i;
		if (!op->num_inputs || !fused_away(l, op->inputs[0]))
			continue;
		k = writers[op->inputs[0]];
		if (k == LOWER_NONE || l->plans[k].skip || l->plans[k].output != LOWER_NONE)
			continue;
		row = lower_find(op->type);
		if (!row)
			continue;
		if (row->activation != NNPROG_ACT_NONE)
			fuse_activation(l, k, i);
		else if (row->requantize == LOWER_FROM_REAL && requantizes(&g->operations[k]))
			fuse_requantize(l, k, i);
	}
	free(writers);
}

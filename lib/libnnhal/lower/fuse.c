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
 * What lies between must be a temporary that nobody else reads.
 */
#include <stdlib.h>
#include <string.h>

#include "context.h"

static bool fused_away(const struct lower *l, uint32_t operand)
{
	return l->graph->operands[operand].lifetime == NNMODEL_TEMPORARY_VARIABLE &&
	       l->operands[operand].readers == 1;
}

static uint32_t activation_of(uint32_t opcode)
{
	switch (opcode) {
	case NNMODEL_RELU:
		return NNPROG_ACT_RELU;
	case NNMODEL_RELU1:
		return NNPROG_ACT_RELU1;
	case NNMODEL_RELU6:
		return NNPROG_ACT_RELU6;
	default:
		return NNPROG_ACT_NONE;
	}
}

static bool activation_is_none(const struct lower *l, const struct nnmodel_operation *op)
{
	const uint32_t i = lower_activation_input(l->graph, op);
	const void *data;
	int32_t code;
	size_t size;

	if (i == LOWER_NONE ||
	    nnmodel_constant(l->model, l->maps, &l->graph->operands[op->inputs[i]], &data, &size) ||
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
	l->plans[writer].activation = activation_of(relu->type);
	l->plans[writer].output = relu->outputs[0];
	l->plans[writer].also = relu->inputs[0];
	l->plans[reader].skip = true;
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

	/* without memory nothing is fused: lowering itself will run out and say so */
	if (!writers)
		return;
	memset(writers, 0xff, (g->num_operands + 1ul) * sizeof(*writers));
	for (i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];

		for (k = 0; k < op->num_outputs; k++)
			writers[op->outputs[k]] = i;
		if (!op->num_inputs || !fused_away(l, op->inputs[0]))
			continue;
		k = writers[op->inputs[0]];
		if (k == LOWER_NONE || l->plans[k].skip || l->plans[k].output != LOWER_NONE)
			continue;
		if (activation_of(op->type) != NNPROG_ACT_NONE)
			fuse_activation(l, k, i);
		else if (op->type == NNMODEL_QUANTIZE &&
			 g->operations[k].type == NNMODEL_DEQUANTIZE)
			fuse_requantize(l, k, i);
	}
	free(writers);
}

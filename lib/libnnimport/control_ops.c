// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE. A subgraph is translated into a model of its own, which then becomes a referenced
 * subgraph of the model.
 */
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the constants and the subgraphs of a model went. */
static int move_operands(struct import *im, const struct nnmodel *from, struct nnmodel_subgraph *g,
			 uint32_t first)
{
	for (uint32_t i = 0; i < g->num_operands; i++) {
		struct nnmodel_operand *o = &g->operands[i];
		int ret = 0;

		if (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH)
			o->location.offset += first;
		else if (o->lifetime == NNMODEL_CONSTANT_COPY)
			ret = nnmodel_add_value(im->nn, from->values + o->location.offset,
						o->location.length, &o->location);
		if (ret)
			return ret;
	}
	return 0;
}

/* Move the subgraphs of @from behind those of the model. The number of its main one. */
static int adopt(struct import *im, struct nnmodel *from)
{
	uint32_t first = im->nn->num_referenced, count = from->num_referenced + 1;
	struct nnmodel_subgraph *all =
		realloc(im->nn->referenced, ((size_t)first + count) * sizeof(*all));
	int ret = 0;

	if (!all)
		return -ENOMEM;
	im->nn->referenced = all;
	for (uint32_t i = 0; i < count; i++) {
		struct nnmodel_subgraph *g = i + 1 < count ? &from->referenced[i] : &from->main;

		all[first + i] = *g;
		memset(g, 0, sizeof(*g));
		im->nn->num_referenced++;
		if (!ret)
			ret = move_operands(im, from, &all[first + i], first);
	}
	return ret ? ret : (int)(first + count - 1);
}

/* An operand that names the subgraph of option @field. */
static int graph_operand(struct import *im, unsigned int field)
{
	int32_t number = import_option_int(im, field, 0);
	struct nnmodel *inner = NULL;
	uint32_t outputs;
	int ret, operand;

	if (number < 1)
		return import_failed(im, -EINVAL, "it names subgraph %d", number);
	ret = im->import_graph(im, (uint32_t)number, &inner);
	/* the condition of a loop, which has no input of its own, has one */
	outputs = !im->row->data && !field ? 1 : im->op->num_outputs;
	if (!ret && (inner->main.num_inputs != im->op->num_inputs - im->row->data ||
		     inner->main.num_outputs != outputs))
		ret = import_failed(im, -EINVAL,
				    "subgraph %d has %u inputs and %u outputs, must have %u and %u",
				    number, inner->main.num_inputs, inner->main.num_outputs,
				    im->op->num_inputs - im->row->data, outputs);
	if (!ret)
		ret = adopt(im, inner);
	nnmodel_free(inner);
	if (ret < 0)
		return import_failed(im, ret, "out of memory");
	operand = nnmodel_add_operand(im->nn, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0,
				      0, 0);
	if (operand >= 0)
		im->nn->main.operands[operand].location.offset = (uint64_t)ret;
	return operand < 0 ? import_failed(im, operand, "out of memory") : operand;
}

/* The two subgraphs, and the inputs from number @data of the row on, behind @condition (-1: none).
 */
static int emit_call(struct import *im, int condition)
{
	uint32_t first = im->row->data, n = 0, outs = im->op->num_outputs;
	int *in = calloc((size_t)im->op->num_inputs + outs + 4, sizeof(*in)), *out, ret;

	if (!in)
		return import_failed(im, -ENOMEM, "out of memory");
	out = in + im->op->num_inputs + 3;
	if (condition >= 0)
		in[n++] = condition;
	for (unsigned int field = 0; field < 2; field++)
		in[n++] = graph_operand(im, field);
	for (uint32_t i = first; i < im->op->num_inputs; i++)
		in[n++] = import_input(im, i);
	for (uint32_t i = 0; i < outs; i++)
		out[i] = import_output(im, i);
	ret = import_emit(im, im->row->nn_opcode, in, n, out, outs);
	free(in);
	return ret;
}

int import_if(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 2, UINT32_MAX, im->op->num_outputs), condition;

	(void)row;
	if (ret)
		return ret;
	condition = import_input(im, 0);
	return condition < 0 ? condition : emit_call(im, condition);
}

int import_while(struct import *im, const struct import_row *row)
{
	int ret = import_check_counts(im, 1, UINT32_MAX, im->op->num_outputs);

	(void)row;
	return ret ? ret : emit_call(im, -1);
}

// SPDX-License-Identifier: Apache-2.0
#include "translator.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_graph.h"

const struct onnx_operator *onnx_operator_find(const struct onnx_node *n)
{
	static const struct onnx_operator *const tables[] = {
		onnx_window_operators, onnx_matrix_operators, onnx_element_operators,
		onnx_formula_operators, onnx_shape_operators
	};

	for (size_t i = 0; n->standard && i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct onnx_operator *o = tables[i]; o->name; o++)
			if (!strcmp(o->name, n->op))
				return o;
	return NULL;
}

/* ---- nodes ---- */

static void translate_quantize(struct translator *t)
{
	const struct result r = { .value = t->node->outputs[0] };
	int from = translator_operand(t, t->node->inputs[0]);
	const struct onnx_value *x = &t->g->values[t->node->inputs[0]];

	if (x->type != ORT_FLOAT32)
		TRANSLATOR_REFUSE(t, "its input is %s; only float32 can be quantized",
				  onnx_type_name(x->type));
	if (t->error)
		return;
	translator_emit(t, NNMODEL_QUANTIZE, &from, 1, translator_result(t, &r));
}

static void translate_node(struct translator *t)
{
	const struct onnx_node *n = t->node;
	const struct onnx_operator *row = onnx_operator_find(n);

	for (uint32_t i = 0; i < n->num_outputs; i++)
		if (n->outputs[i] != ONNX_NONE && !t->g->values[n->outputs[i]].fixed)
			TRANSLATOR_REFUSE(
				t,
				"tensor %s has no fixed shape; export the model with fixed input shapes, or give add_free_dimension_override_by_name the sizes",
				t->g->values[n->outputs[i]].name);
	if (n->subgraphs)
		TRANSLATOR_REFUSE(t, "operators with subgraphs are not translated");
	t->row = row;
	if (t->error)
		return;
	if (onnx_is_conversion(n)) {
		if (n->num_inputs < 2 || n->num_inputs > 3 || n->inputs[0] == ONNX_NONE ||
		    n->num_outputs != 1 || n->outputs[0] == ONNX_NONE)
			TRANSLATOR_REFUSE(t, "it lacks an input or an output");
		else if (onnx_is(n, "QuantizeLinear"))
			translate_quantize(t);
		return;
	}
	if (!row) {
		TRANSLATOR_REFUSE(
			t,
			n->standard
				? "NNAPI has no such operation, or its translation does not exist"
				: "it is no operator of ONNX's own domain");
		return;
	}
	for (uint32_t i = 0; i < row->min_inputs; i++)
		if (translator_input(t, i) == ONNX_NONE)
			TRANSLATOR_REFUSE(t, "input %u is missing", i);
	for (uint32_t i = 0; i < n->num_outputs; i++)
		if (n->outputs[i] == ONNX_NONE || (i && !row->many))
			TRANSLATOR_REFUSE(t, "output %u is not supported", i);
	if (!n->num_outputs)
		TRANSLATOR_REFUSE(t, "it has no output");
	if (!t->error)
		row->translate(t);
}

/* Values that the graph or nodes outside need. */
static void translator_outputs(struct translator *t, bool *needed)
{
	for (uint32_t i = 0; i < t->g->num_nodes; i++) {
		const struct onnx_node *n = &t->g->nodes[i];

		for (uint32_t j = 0; !t->in[i] && j < n->num_inputs; j++)
			if (n->inputs[j] != ONNX_NONE)
				needed[n->inputs[j]] = true;
		for (uint32_t j = 0; j < n->num_implicit; j++)
			if (n->implicit[j] != ONNX_NONE)
				needed[n->implicit[j]] = true;
	}
}

static void translator_finish(struct translator *t)
{
	const struct onnx_graph *g = t->g;
	struct translation *o = t->out;
	bool *needed = translator_alloc(t, g->num_values, sizeof(*needed));
	uint32_t *list = translator_alloc(t, (size_t)g->num_values * 2, sizeof(*list));

	o->outputs = calloc((size_t)g->num_values + 1, sizeof(*o->outputs));
	if (!o->outputs)
		translator_check(t, -ENOMEM);
	if (t->error)
		return;
	translator_outputs(t, needed);
	for (uint32_t i = 0; i < g->num_nodes && !t->error; i++)
		for (uint32_t j = 0; t->in[i] && j < g->nodes[i].num_outputs; j++) {
			int v = g->nodes[i].outputs[j];

			if (v == ONNX_NONE || !(g->values[v].output || needed[v]))
				continue;
			t->place = i;
			t->node = &g->nodes[i];
			t->row = onnx_operator_find(t->node);
			if (translator_dequantizer(t, v))
				TRANSLATOR_REFUSE(
					t,
					"its input is a constant: nothing is left of it to compute");
			list[g->num_values + o->num_outputs] = (uint32_t)translator_operand(t, v);
			o->outputs[o->num_outputs++] = v;
		}
	for (uint32_t i = 0; i < o->num_inputs; i++)
		list[i] = (uint32_t)t->operands[o->inputs[i]];
	if (!t->error && (!o->model->main.num_operations || !o->num_outputs || !o->num_inputs))
		TRANSLATOR_REFUSE(t, "nothing is left of it to compute");
	translator_check(t, nnmodel_seal_value_file(o->model, &o->file));
	if (!t->error)
		translator_check(t, nnmodel_set_io(o->model, list, o->num_inputs,
						   list + g->num_values, o->num_outputs));
}

int onnx_translate(const struct onnx_graph *g, const bool *in, struct translation *result,
		   uint32_t *refused, struct delegate_reason *reason)
{
	struct nnmodel_error error = NNMODEL_ERROR_INIT;
	struct translator t = {
		.g = g, .in = in, .out = result, .reason = reason, .place = UINT32_MAX
	};

	memset(result, 0, sizeof(*result));
	result->model = nnmodel_new();
	t.done = translator_alloc(&t, g->num_nodes, sizeof(*t.done));
	t.operands = translator_alloc(&t, g->num_values, sizeof(*t.operands));
	if (!result->model)
		translator_check(&t, -ENOMEM);
	for (uint32_t i = 0; i < g->num_values && !t.error; i++)
		t.operands[i] = -1;
	for (uint32_t i = 0; i < g->num_nodes && !t.error; i++) {
		t.node = &g->nodes[i];
		t.place = i;
		if (in[i] && !t.done[i])
			translate_node(&t);
	}
	if (!t.error)
		translator_finish(&t);
	*refused = t.place;
	if (!t.error && nnmodel_validate(result->model, NULL, &error)) {
		if (error.operation < result->model->main.num_operations)
			*refused = result->origins[error.operation];
		t.error = DELEGATE_REFUSE(reason, -EOPNOTSUPP, "NNAPI's rules refuse it: %s",
					  error.text);
	}
	for (uint32_t i = 0; i < t.num_memory; i++)
		free(t.memory[i]);
	free(t.memory);
	return t.error;
}

void translation_clear(struct translation *t)
{
	nnmodel_free(t->model);
	free(t->inputs);
	free(t->outputs);
	free(t->origins);
	memset(t, 0, sizeof(*t));
}

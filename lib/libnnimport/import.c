// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tflite.h"

/*
 * rows[], of the operators in ops/: a row each that is translated. Documentation/tflite.rst has
 * them in words; tests/house/operators.py compares the two. A quantized operator whose row lacks
 * the type is computed in real numbers between DEQUANTIZE and QUANTIZE.
 */
#include "nnimport_rows.h"

/* NULL: NNAPI cannot express it. */
static const struct import_row *row_find(int opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

/* Subgraphs inside of subgraphs, and all that are translated of a file. */
#define MAX_DEPTH 8
#define MAX_GRAPHS 256

/* Inputs, outputs, and states of the model. */
#define MAX_ARGUMENTS 1024
#define MAX_STATES 512

/* Codes of fused activations. */
enum { ACT_NONE, ACT_RELU, ACT_RELU_N1_TO_1, ACT_RELU6, ACT_TANH };

/* Mark the operations that a model output needs, from the last to the first. */
static uint32_t mark_needed(const struct tflite_model *tfl, bool *tensor, bool *op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tfl->num_outputs; i++)
		tensor[tfl->outputs[i]] = true;
	for (uint32_t i = tfl->num_operators; i-- > 0;) {
		const struct tflite_operator *o = &tfl->operators[i];
		const struct import_row *row = row_find(o->opcode);

		op[i] |= variables_needs(o);
		for (uint32_t k = 0; k < o->num_outputs; k++)
			op[i] |= tensor[o->outputs[k]];
		for (uint32_t k = 0; op[i] && k < o->num_inputs; k++)
			if (o->inputs[k] >= 0 && !(row && k < 32 && row->unread >> k & 1))
				tensor[o->inputs[k]] = true;
		count += op[i];
	}
	return count;
}

/* Types of the tensors of an operation, against those of its row. */
static int check_types(struct import *im)
{
	const struct tflite_operator *o = im->op;

	im->real = false;
	im->num_groups = 0;
	if (im->row->types & IMPORT_ANY)
		return 0;
	for (uint32_t i = 0; i < o->num_inputs + o->num_outputs; i++) {
		bool out = i >= o->num_inputs;
		const struct tflite_tensor *t = out ? import_output_tensor(im, i - o->num_inputs)
						    : import_input_tensor(im, i);
		bool data = out ? i == o->num_inputs : i == im->row->data;
		uint8_t need = !t				   ? 0
			       : t->type == NNIMPORT_UINT8	   ? IMPORT_Q8
			       : t->type == NNIMPORT_INT8	   ? IMPORT_Q8S
			       : data && t->type == NNIMPORT_INT32 ? IMPORT_I32
			       : data && t->type == NNIMPORT_BOOL  ? IMPORT_B8
								   : 0;

		if (!(need & ~im->row->types))
			continue;
		if (need & (IMPORT_I32 | IMPORT_B8))
			return import_lacks(
				im, "tensor %s is %s: NNAPI has no form of it for this type",
				t->name, nnimport_type_name(t->type));
		if (!t->num_scales)
			return import_lacks(
				im,
				"tensor %s is %s without a scale: NNAPI has no form of it for this type",
				t->name, nnimport_type_name(t->type));
		im->real = true;
	}
	return im->real ? 0 : import_choose_real(im);
}

/* Tensors of more dimensions than NNAPI has. */
static int check_ranks(struct import *im)
{
	const struct tflite_operator *o = im->op;

	if (im->row->shape == IMPORT_BROADCAST)
		return merged_choose_groups(im);
	for (uint32_t i = 0; im->row->by_place && i < o->num_inputs + o->num_outputs; i++) {
		const struct tflite_tensor *t =
			i < o->num_inputs ? import_input_tensor(im, i)
					  : import_output_tensor(im, i - o->num_inputs);

		if (t && t->rank > MERGED_RANK)
			return import_lacks(im,
					    "tensor %s has rank %u: NNAPI has up to %d dimensions",
					    t->name, t->rank, MERGED_RANK);
	}
	return 0;
}

/* What moves INT64 elements that fit 32 bits gives such elements. */
static void pass_narrow(struct import *im)
{
	const struct tflite_tensor *x = import_input_tensor(im, im->row->data);

	if (im->row->quant != IMPORT_SAME || !x || x->type != NNIMPORT_INT64 ||
	    !(x->data ? fold_is_narrow(x) : im->tensors[im->op->inputs[im->row->data]].narrow))
		return;
	for (uint32_t i = 0; i < im->op->num_outputs; i++)
		im->tensors[im->op->outputs[i]].narrow = true;
}

/* Where the activation of the operation goes. */
static int choose_activation(struct import *im)
{
	const struct tflite_tensor *y = import_output_tensor(im, 0);
	int8_t act;

	im->fuse = NNMODEL_FUSED_NONE;
	im->after = ACT_NONE;
	if (!im->row->activation)
		return 0;
	act = import_option_byte(im, im->row->activation - 1u, 0);
	if (act < ACT_NONE || act > ACT_TANH)
		return import_lacks(im, "NNAPI has no fused activation %d", act);
	/* NONE, RELU, RELU_N1_TO_1 and RELU6 have NNAPI's numbers. */
	if (act != ACT_TANH && im->row->fuses && y && y->type != NNIMPORT_INT32)
		im->fuse = act;
	else
		im->after = act;
	if (act == ACT_TANH && y && y->type != NNIMPORT_FLOAT32 && y->type != NNIMPORT_FLOAT16)
		return import_lacks(im, "NNAPI has no fused TANH of %s",
				    nnimport_type_name(y->type));
	return 0;
}

static int import_operation(struct import *im, uint32_t i)
{
	int ret;

	im->op = &im->tfl->operators[i];
	im->position = i;
	im->num_fixes = 0;
	im->row = row_find(im->op->opcode);
	if (!im->row)
		return import_lacks(im, "NNAPI has no such operation");
	ret = check_types(im);
	if (!ret)
		ret = check_ranks(im);
	pass_narrow(im);
	if (!ret)
		ret = choose_activation(im);
	if (!ret)
		ret = im->row->import(im, im->row);
	/* Reads of scalar options are not checked one by one: ask once per operation. */
	if (!ret && im->tfl->fb.failed)
		ret = import_failed(im, -EINVAL, "offset %zu: %s", im->tfl->fb.error_offset,
				    im->tfl->fb.error);
	if (ret)
		return import_failed(im, ret, "out of memory");
	for (uint32_t k = 0; k < im->op->num_outputs; k++)
		im->tensors[im->op->outputs[k]].written = true;
	return 0;
}

/* A list of operands that grows. */
struct list {
	uint32_t *operands;
	uint32_t count;
};

static void list_append(struct list *list, int operand)
{
	list->operands[list->count++] = (uint32_t)operand;
}

static bool list_contains(const struct list *list, int operand)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->operands[i] == (uint32_t)operand)
			return true;
	return false;
}

/*
 * NNAPI wants every output written by an operation, and no operand twice: what is not gets a copy.
 */
static int output_operand(struct import *im, const struct list *inputs, const struct list *outputs,
			  int operand)
{
	const struct nnmodel_operand *o = &im->nn->main.operands[operand];
	struct import_form form = import_form_of(im, operand);
	int copy, ret;

	if (o->lifetime == NNMODEL_TEMPORARY_VARIABLE && !list_contains(inputs, operand) &&
	    !list_contains(outputs, operand))
		return operand;
	copy = import_temporary(im, &form);
	if (copy < 0)
		return copy;
	ret = import_copy(im, operand, copy);
	return ret ? ret : copy;
}

static int add_inputs(struct import *im, struct list *inputs)
{
	const struct tflite_model *tfl = im->tfl;

	for (uint32_t i = 0; i < tfl->num_inputs; i++) {
		int operand = import_operand(im, tfl->inputs[i]);

		if (operand < 0)
			return operand;
		if (list_contains(inputs, operand))
			return import_lacks(im, "tensor %s is two inputs of the model",
					    tfl->tensors[tfl->inputs[i]].name);
		list_append(inputs, operand);
	}
	return 0;
}

static int add_outputs(struct import *im, const struct list *inputs, struct list *outputs)
{
	const struct tflite_model *tfl = im->tfl;

	for (uint32_t i = 0; i < tfl->num_outputs; i++) {
		const struct tflite_tensor *t = &tfl->tensors[tfl->outputs[i]];
		int operand = import_operand(im, tfl->outputs[i]);

		if (operand < 0)
			return operand;
		if (!t->data && !t->variable && !im->tensors[tfl->outputs[i]].written)
			return import_failed(
				im, -EINVAL,
				"no operation writes tensor %s, an output of the model", t->name);
		operand = output_operand(im, inputs, outputs, operand);
		if (operand < 0)
			return operand;
		list_append(outputs, operand);
	}
	return 0;
}

/* The states of variable tensors, behind the inputs and outputs of the file. */
static int add_states(struct import *im, struct list *inputs, struct list *outputs)
{
	const struct tflite_model *tfl = im->tfl;
	struct nnimport *r = im->result;

	for (uint32_t i = 0; i < tfl->num_tensors; i++) {
		const struct import_tensor *state = &im->tensors[i];
		const struct tflite_tensor *t = &tfl->tensors[i];
		struct nnimport_state *s = &r->states[r->num_states];
		int after;

		if (!t->variable || state->first < 0 || list_contains(inputs, state->first))
			continue;
		if (im->depth)
			return import_lacks(im, "tensor %s keeps a state in a subgraph", t->name);
		*s = (struct nnimport_state){ .input = inputs->count,
					      .output = NNIMPORT_NO_OUTPUT,
					      .tensor = i,
					      .size = t->size };
		if (state->filled)
			s->fill = state->fill;
		else if (import_is_quant8(t) && t->num_scales)
			s->fill = (uint8_t)tflite_zero_point(tfl, t, 0);
		list_append(inputs, state->first);
		if (state->operand != state->first) {
			after = output_operand(im, inputs, outputs, state->operand);
			if (after < 0)
				return after;
			s->output = outputs->count;
			list_append(outputs, after);
		}
		r->num_states++;
	}
	return 0;
}

/* NNAPI's runtime wants an input: one of a value that nothing reads. */
static int add_no_input(struct import *im, struct list *inputs)
{
	const struct import_form form = { .type = NNMODEL_TENSOR_FLOAT32,
					  .rank = 1,
					  .dims = { 1 } };
	struct nnimport *r = im->result;
	int operand;

	if (inputs->count || im->depth)
		return 0;
	operand = import_temporary(im, &form);
	if (operand < 0)
		return operand;
	r->states[r->num_states++] = (struct nnimport_state){ .output = NNIMPORT_NO_OUTPUT,
							      .tensor = NNIMPORT_NO_TENSOR,
							      .size = sizeof(float) };
	list_append(inputs, operand);
	return 0;
}

/*
 * Before anything is made of the file: each argument costs more than it has bytes there, and a
 * program has 4096 operands at most, four of them for a state. It is the fault of no operation.
 */
static int check_arguments(struct import *im)
{
	const struct tflite_model *tfl = im->tfl;
	uint32_t variables = 0;

	for (uint32_t i = 0; i < tfl->num_tensors; i++)
		variables += tfl->tensors[i].variable;
	im->position = NNIMPORT_NO_OPERATOR;
	if (tfl->num_inputs > MAX_ARGUMENTS || tfl->num_outputs > MAX_ARGUMENTS)
		return import_lacks(im, "it has %u inputs and %u outputs, may have %u of each",
				    tfl->num_inputs, tfl->num_outputs, MAX_ARGUMENTS);
	if (variables > MAX_STATES)
		return import_lacks(im, "it has %u variable tensors, may have %u", variables,
				    MAX_STATES);
	im->position = 0;
	return 0;
}

static int import_io(struct import *im)
{
	size_t most = (size_t)im->tfl->num_inputs + im->tfl->num_outputs + im->tfl->num_tensors + 1;
	struct list inputs = { calloc(most, sizeof(uint32_t)), 0 };
	struct list outputs = { calloc(most, sizeof(uint32_t)), 0 };
	int ret = -ENOMEM;

	im->op = NULL;
	im->position = im->tfl->num_operators;
	im->result->states = calloc((size_t)im->tfl->num_tensors + 1, sizeof(*im->result->states));
	if (inputs.operands && outputs.operands && im->result->states) {
		ret = add_inputs(im, &inputs);
		if (!ret)
			ret = add_outputs(im, &inputs, &outputs);
		if (!ret)
			ret = add_states(im, &inputs, &outputs);
		if (!ret)
			ret = add_no_input(im, &inputs);
		if (!ret)
			ret = nnmodel_set_io(im->nn, inputs.operands, inputs.count,
					     outputs.operands, outputs.count);
	}
	free(inputs.operands);
	free(outputs.operands);
	return ret < 0 ? import_failed(im, ret, "out of memory") : 0;
}

/* The tensor of the file behind an NNAPI operand; NULL: the operand is of the importer's making. */
static const char *name_of(const struct import *im, uint32_t operand)
{
	for (uint32_t i = 0; operand != UINT32_MAX && i < im->tfl->num_tensors; i++)
		if (im->tensors[i].operand == (int32_t)operand ||
		    im->tensors[i].first == (int32_t)operand)
			return im->tfl->tensors[i].name;
	return NULL;
}

/* Numbers of NNAPI's operands say nothing about the file. */
static void drop_operand_numbers(char *text)
{
	char *at, *end;

	while ((at = strstr(text, " (operand ")) && (end = strchr(at, ')')))
		memmove(at, end + 1, strlen(end + 1) + 1);
}

/* NNAPI's rules, in the words of the file. */
static int check_model(struct import *im)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const char *name, *text;
	int ret = nnmodel_validate(im->nn, NULL, &err);

	if (!ret)
		return 0;
	drop_operand_numbers(err.text);
	/* "operation 3 ADD: " counts NNAPI's operations; the message names the file's */
	text = err.operation == UINT32_MAX ? NULL : strstr(err.text, ": ");
	text = text ? text + 2 : err.text;
	name = name_of(im, err.operand);
	if (err.operation < im->num_positions) {
		im->position = im->positions[err.operation];
		if (im->position < im->tfl->num_operators)
			im->op = &im->tfl->operators[im->position];
	}
	if (ret == -ENOMEM)
		return import_failed(im, ret, "out of memory");
	return name ? import_failed(im, ret, "NNAPI refuses tensor %s: %s", name, text)
		    : import_failed(im, ret, "NNAPI refuses it: %s", text);
}

static int import_all(struct import *im, const bool *needed)
{
	int ret = 0;

	for (uint32_t i = 0; i < im->tfl->num_inputs; i++) {
		/* a value that it may have in the file is not used */
		im->tfl->tensors[im->tfl->inputs[i]].data = NULL;
		im->tensors[im->tfl->inputs[i]].written = true;
		/* the caller gives 32 bits of an INT64 */
		im->tensors[im->tfl->inputs[i]].narrow = true;
	}
	for (uint32_t i = 0; i < im->tfl->num_operators && !ret; i++)
		if (needed[i])
			ret = import_operation(im, i);
	if (!ret)
		ret = import_io(im);
	return ret ? ret : check_model(im);
}

/* The operators behind the operations, for messages about an operation that a device refuses. */
static int set_origins(struct import *im)
{
	const struct tflite_model *tfl = im->tfl;
	struct nnimport *r = im->result;

	r->origins = calloc((size_t)im->num_positions + 1, sizeof(*r->origins));
	if (!r->origins)
		return import_failed(im, -ENOMEM, "out of memory");
	r->num_origins = im->num_positions;
	for (uint32_t i = 0; i < im->num_positions; i++) {
		uint32_t number = im->positions[i];

		r->origins[i] = (struct nnimport_origin){ NNIMPORT_NO_OPERATOR, "no operator" };
		if (number < tfl->num_operators)
			r->origins[i] = (struct nnimport_origin){
				number, tflite_operator_name(&tfl->operators[number])
			};
	}
	return 0;
}

static int import_graph(struct import *im, uint32_t graph, struct nnmodel **nn);

/* With @outer, the subgraph is one that its current operation names. */
static int import_subgraph(struct tflite_model *tfl, struct nnimport *result, struct import *outer)
{
	struct import im = { .tfl = tfl, .result = result };
	bool *tensor = calloc((size_t)tfl->num_tensors + 1, sizeof(*tensor));
	bool *needed = calloc((size_t)tfl->num_operators + 1, sizeof(*needed));
	uint32_t graphs_left = MAX_GRAPHS;
	int ret;

	memset(result, 0, sizeof(*result));
	im.depth = outer ? outer->depth + 1 : 0;
	im.graphs_left = outer ? outer->graphs_left : &graphs_left;
	im.import_graph = import_graph;
	im.tensors = calloc((size_t)tfl->num_tensors + 1, sizeof(*im.tensors));
	im.nn = nnmodel_new();
	if (!tensor || !needed || !im.tensors || !im.nn) {
		ret = import_failed(&im, -ENOMEM, "out of memory");
	} else {
		for (uint32_t i = 0; i < tfl->num_tensors; i++)
			im.tensors[i] =
				(struct import_tensor){ .operand = -1, .real = -1, .first = -1 };
		ret = variables_find(&im);
		result->pruned = tfl->num_operators - mark_needed(tfl, tensor, needed);
		if (!ret)
			ret = check_arguments(&im);
		if (!ret)
			ret = import_all(&im, needed);
		if (!ret && !outer)
			ret = set_origins(&im);
		if (!ret && nnmodel_seal_value_file(im.nn, &im.file))
			ret = import_failed(&im, -EIO,
					    "the file of its constants cannot be sealed");
	}
	if (outer)
		outer->tfl->made = tfl->made;
	if (ret) {
		nnmodel_free(im.nn);
		free(result->states);
		result->states = NULL;
		result->num_states = 0;
	} else {
		result->model = im.nn;
	}
	free(im.tensors);
	free(im.fixes);
	free(im.positions);
	free(needed);
	free(tensor);
	return ret;
}

/* The refusal of a subgraph, with one place outside of it: that in the first subgraph. */
static void pass_on(struct import *im, uint32_t graph, const struct nnimport *inner)
{
	struct nnimport *r = im->result;

	if (r->verdict != NNIMPORT_OK)
		return;
	r->verdict = inner->verdict;
	r->operation = im->position;
	if (im->depth)
		memcpy(r->message, inner->message, sizeof(r->message));
	else
		snprintf(r->message, sizeof(r->message), "operation %u (%s): subgraph %u: %.180s",
			 im->position, tflite_operator_name(im->op), graph, inner->message);
}

static int import_graph(struct import *im, uint32_t graph, struct nnmodel **nn)
{
	const struct fb *fb = &im->tfl->fb;
	struct tflite_model tfl;
	struct nnimport inner;
	char error[160];
	int ret;

	if (im->depth >= MAX_DEPTH || !*im->graphs_left)
		return import_failed(im, -EINVAL,
				     "the subgraphs of the file name each other too often");
	--*im->graphs_left;
	if (!fb->base)
		return import_lacks(im, "its subgraphs are not part of the graph");
	ret = tflite_parse_graph(fb->base, fb->size, graph, im->tfl->made, &tfl, error,
				 sizeof(error));
	if (ret)
		return import_failed(im, ret, "subgraph %u: %s", graph, error);
	ret = import_subgraph(&tfl, &inner, im);
	if (ret)
		pass_on(im, graph, &inner);
	*nn = inner.model;
	free(inner.states);
	tflite_free(&tfl);
	return ret;
}

int tflite_import(struct tflite_model *tfl, struct nnimport *result)
{
	return import_subgraph(tfl, result, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tflite.h"

enum { CALL_ONCE = 129, VAR_HANDLE = 142, READ_VARIABLE = 143, ASSIGN_VARIABLE = 144 };

/* Container and name of a variable, which are cut there: a longer one is refused. */
#define MAX_NAME 128
/* A list of more would be searched too often. The model may have fewer states, and files have one
 * CALL_ONCE. */
#define MAX_VARIABLES 1024
#define MAX_CALLS 4

struct variable {
	char container[MAX_NAME], name[MAX_NAME];
	int32_t tensor; /* the first handle, which is the variable tensor */
	bool formed; /* its form is known */
};

struct variables {
	struct variable *list;
	uint32_t count;
	int32_t *of; /* of each tensor: the variable whose handle it is; -1 */
	uint32_t calls; /* of CALL_ONCE */
};

/* ---- names ---- */

static int variable_name(struct import *im, const struct tflite_operator *op, struct variable *v)
{
	if (!fb_string(&op->options, 0, v->container, MAX_NAME) ||
	    !fb_string(&op->options, 1, v->name, MAX_NAME))
		return import_failed(im, -EINVAL, "offset %zu: %s", op->offset,
				     op->options.fb->error);
	if (strlen(v->container) == MAX_NAME - 1 || strlen(v->name) == MAX_NAME - 1)
		return import_lacks(im, "the name of its variable is longer than %d bytes",
				    MAX_NAME - 2);
	if (op->num_inputs || op->num_outputs != 1)
		return import_failed(im, -EINVAL,
				     "it has %u inputs and %u outputs, must have 0 and 1",
				     op->num_inputs, op->num_outputs);
	return 0;
}

static int32_t variables_search(const struct variables *all, const struct variable *v)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (!strcmp(all->list[i].name, v->name) &&
		    !strcmp(all->list[i].container, v->container))
			return (int32_t)i;
	return -1;
}

static int variables_add(struct import *im, struct variables *all, const struct tflite_operator *op)
{
	struct variable v = { .formed = false };
	int ret = variable_name(im, op, &v);
	int32_t number;

	if (ret)
		return ret;
	number = variables_search(all, &v);
	v.tensor = op->outputs[0];
	if (number < 0 && all->count == MAX_VARIABLES)
		return import_lacks(im, "it names more than %d variables", MAX_VARIABLES);
	if (number < 0) {
		number = (int32_t)all->count;
		all->list[all->count++] = v;
	}
	all->of[v.tensor] = number;
	return 0;
}

/* ---- uses ---- */

static bool variables_uses(const struct tflite_operator *op)
{
	return op->opcode == READ_VARIABLE || op->opcode == ASSIGN_VARIABLE;
}

/* What a handle is, the value of the variable is now. */
static void variable_take_form(struct tflite_model *tfl, struct variable *v,
			       const struct tflite_tensor *value)
{
	struct tflite_tensor *t = &tfl->tensors[v->tensor];

	t->type = value->type;
	t->rank = value->rank;
	t->ranked = value->ranked;
	memcpy(t->dims, value->dims, sizeof(t->dims));
	t->size = value->size;
	t->num_scales = value->num_scales;
	t->scale = value->scale;
	t->zero_point = value->zero_point;
	t->scales = value->scales;
	t->zero_points = value->zero_points;
	t->quantized_dimension = value->quantized_dimension;
	t->data = NULL;
	t->variable = true;
	v->formed = true;
}

/* The operation's handle becomes the first one of its variable. */
static int variable_use(struct import *im, struct variables *all, struct tflite_operator *op)
{
	bool assigns = op->opcode == ASSIGN_VARIABLE;
	int32_t handle = op->num_inputs ? op->inputs[0] : -1, number, value;

	if (op->num_inputs != 1u + assigns || op->num_outputs != !assigns || handle < 0)
		return import_failed(im, -EINVAL, "its inputs and outputs are not those of a use");
	number = all->of[handle];
	value = assigns ? op->inputs[1] : op->outputs[0];
	if (number < 0 || value < 0)
		return import_lacks(im, "no VAR_HANDLE names its variable");
	op->inputs[0] = all->list[number].tensor;
	if (!all->list[number].formed)
		variable_take_form(im->tfl, &all->list[number], &im->tfl->tensors[value]);
	return 0;
}

/* A handle is nothing but a handle. */
static int variables_check_others(struct import *im, const struct variables *all,
				  const struct tflite_operator *op)
{
	for (uint32_t i = 0; i < op->num_inputs; i++)
		if (op->inputs[i] >= 0 && all->of[op->inputs[i]] >= 0 &&
		    !(variables_uses(op) && !i))
			return import_lacks(im, "it uses the handle %s of a variable",
					    im->tfl->tensors[op->inputs[i]].name);
	for (uint32_t i = 0; i < op->num_outputs; i++)
		if (op->opcode != VAR_HANDLE && all->of[op->outputs[i]] >= 0)
			return import_failed(im, -EINVAL, "it writes the handle %s of a variable",
					     im->tfl->tensors[op->outputs[i]].name);
	return 0;
}

static int variables_check_arguments(struct import *im, const struct variables *all)
{
	const struct tflite_model *tfl = im->tfl;
	int32_t bad = -1;

	for (uint32_t i = 0; i < tfl->num_inputs; i++)
		bad = all->of[tfl->inputs[i]] >= 0 ? tfl->inputs[i] : bad;
	for (uint32_t i = 0; i < tfl->num_outputs; i++)
		bad = all->of[tfl->outputs[i]] >= 0 ? tfl->outputs[i] : bad;
	im->op = NULL;
	im->position = NNIMPORT_NO_OPERATOR;
	return bad < 0 ? 0
		       : import_lacks(im,
				      "tensor %s, a handle of a variable, is an input or output",
				      tfl->tensors[bad].name);
}

/* ---- first values ---- */

/* A constant whose bytes are all the same. */
static int variable_first_value(struct import *im, struct variables *all, const struct variable *v,
				const struct tflite_tensor *value)
{
	int32_t number = variables_search(all, v);
	const uint8_t *bytes = value->data;
	struct import_tensor *state;

	if (number < 0 || !all->list[number].formed)
		return 0; /* one that this graph does not use */
	if (!bytes || !value->size ||
	    value->size != im->tfl->tensors[all->list[number].tensor].size)
		return import_lacks(im, "the first value of variable %s is no constant of its size",
				    v->name);
	for (size_t i = 1; i < value->size; i++)
		if (bytes[i] != bytes[0])
			return import_lacks(
				im, "the bytes of the first value of variable %s are not the same",
				v->name);
	state = &im->tensors[all->list[number].tensor];
	state->filled = true;
	state->fill = bytes[0];
	return 0;
}

static int variables_begin_by(struct import *im, struct variables *all,
			      const struct tflite_model *inner)
{
	struct variable *names = calloc((size_t)inner->num_tensors + 1, sizeof(*names));
	int ret = names ? 0 : import_failed(im, -ENOMEM, "out of memory");

	for (uint32_t i = 0; i < inner->num_operators && !ret; i++) {
		const struct tflite_operator *op = &inner->operators[i];

		if (op->opcode == VAR_HANDLE) {
			struct variable v = { .formed = true };

			ret = variable_name(im, op, &v);
			if (!ret)
				names[op->outputs[0]] = v;
		} else if (op->opcode == ASSIGN_VARIABLE && op->num_inputs == 2 &&
			   op->inputs[0] >= 0 && op->inputs[1] >= 0 &&
			   names[op->inputs[0]].formed) {
			ret = variable_first_value(im, all, &names[op->inputs[0]],
						   &inner->tensors[op->inputs[1]]);
		} else {
			ret = import_lacks(
				im, "its subgraph has %s, and may only give variables first values",
				tflite_operator_name(op));
		}
	}
	free(names);
	return ret;
}

/* What CALL_ONCE calls. */
static int variables_begin(struct import *im, struct variables *all)
{
	const struct fb *fb = &im->tfl->fb;
	int32_t graph = import_option_int(im, 0, 0);
	struct tflite_model inner;
	char error[160];
	int ret;

	if (graph < 1)
		return import_failed(im, -EINVAL, "it names subgraph %d", graph);
	if (all->calls++ == MAX_CALLS)
		return import_lacks(im, "the file has more than %d CALL_ONCE", MAX_CALLS);
	ret = tflite_parse_graph(fb->base, fb->size, (uint32_t)graph, im->tfl->made, &inner, error,
				 sizeof(error));
	if (ret)
		return import_failed(im, ret, "subgraph %d: %s", graph, error);
	ret = variables_begin_by(im, all, &inner);
	im->tfl->made = inner.made;
	tflite_free(&inner);
	return ret;
}

/* ---- all ---- */

static int variables_pass(struct import *im, struct variables *all,
			  int (*part)(struct import *im, struct variables *all,
				      struct tflite_operator *op))
{
	int ret = 0;

	for (uint32_t i = 0; i < im->tfl->num_operators && !ret; i++) {
		im->op = &im->tfl->operators[i];
		im->position = i;
		ret = part(im, all, &im->tfl->operators[i]);
	}
	return ret;
}

static int pass_handles(struct import *im, struct variables *all, struct tflite_operator *op)
{
	return op->opcode == VAR_HANDLE ? variables_add(im, all, op) : 0;
}

static int pass_uses(struct import *im, struct variables *all, struct tflite_operator *op)
{
	int ret = variables_check_others(im, all, op);

	return ret || !variables_uses(op) ? ret : variable_use(im, all, op);
}

static int pass_first_values(struct import *im, struct variables *all, struct tflite_operator *op)
{
	return op->opcode == CALL_ONCE ? variables_begin(im, all) : 0;
}

int variables_find(struct import *im)
{
	const struct tflite_model *tfl = im->tfl;
	struct variables all = { .count = 0 };
	uint32_t handles = 0;
	int ret;

	if (im->depth || !tfl->fb.base)
		return 0;
	for (uint32_t i = 0; i < tfl->num_operators; i++)
		handles += tfl->operators[i].opcode == VAR_HANDLE;
	if (!handles)
		return 0;
	all.list = calloc(handles < MAX_VARIABLES ? handles : MAX_VARIABLES, sizeof(*all.list));
	all.of = malloc(((size_t)tfl->num_tensors + 1) * sizeof(*all.of));
	if (all.list && all.of) {
		memset(all.of, 0xff, (size_t)tfl->num_tensors * sizeof(*all.of));
		ret = variables_pass(im, &all, pass_handles);
		if (!ret)
			ret = variables_pass(im, &all, pass_uses);
		if (!ret)
			ret = variables_pass(im, &all, pass_first_values);
		if (!ret)
			ret = variables_check_arguments(im, &all);
	} else {
		ret = import_failed(im, -ENOMEM, "out of memory");
	}
	free(all.list);
	free(all.of);
	return ret;
}

bool variables_needs(const struct tflite_operator *op)
{
	return op->opcode == ASSIGN_VARIABLE || op->opcode == CALL_ONCE;
}

/* ---- operations ---- */

/* VAR_HANDLE and CALL_ONCE: variables_find() has read them. */
int import_variable_handle(struct import *im, const struct import_row *row)
{
	(void)row;
	if (im->depth || !im->tfl->fb.base)
		return import_lacks(
			im,
			"resource variables are translated in the first subgraph of a file only");
	return 0;
}

/* The variable of the current operation, whose value has the form of @value. */
static int variable_of(struct import *im, int32_t value, int32_t *variable)
{
	const struct tflite_tensor *v = &im->tfl->tensors[im->op->inputs[0]],
				   *t = &im->tfl->tensors[value];
	bool same;

	*variable = im->op->inputs[0];
	if (v->type == NNIMPORT_INT64)
		return import_lacks(im, "variable %s is INT64: NNAPI has no such operand", v->name);
	if (!v->variable || !im->tensors[*variable].filled)
		return import_lacks(im, "no CALL_ONCE gives the variable %s its first value",
				    v->name);
	same = v->type == t->type && v->rank == t->rank && v->ranked && t->ranked &&
	       !memcmp(v->dims, t->dims, v->rank * sizeof(*v->dims)) &&
	       v->num_scales == t->num_scales && v->num_scales < 2;
	if (same && v->num_scales)
		same = tflite_scale(im->tfl, v, 0) == tflite_scale(im->tfl, t, 0) &&
		       tflite_zero_point(im->tfl, v, 0) == tflite_zero_point(im->tfl, t, 0);
	return same ? 0
		    : import_lacks(
			      im,
			      "tensor %s has another type, shape or quantization than other values of its variable",
			      t->name);
}

int import_read_variable(struct import *im, const struct import_row *row)
{
	int32_t variable;
	int ret = import_variable_handle(im, row);

	if (!ret)
		ret = import_check_counts(im, 1, 1, 1);
	if (!ret)
		ret = variable_of(im, im->op->outputs[0], &variable);
	if (!ret)
		ret = import_operand(im, variable);
	if (ret < 0)
		return ret;
	im->tensors[im->op->outputs[0]].operand = ret;
	return 0;
}

int import_assign_variable(struct import *im, const struct import_row *row)
{
	int32_t variable;
	int ret = import_variable_handle(im, row), value;

	if (!ret)
		ret = import_check_counts(im, 2, 2, 0);
	if (!ret)
		ret = variable_of(im, im->op->inputs[1], &variable);
	if (!ret)
		ret = import_operand(im, variable);
	if (ret < 0)
		return ret;
	value = import_input(im, 1);
	if (value < 0)
		return value;
	im->tensors[variable].operand = value;
	im->tensors[variable].real = -1;
	return 0;
}

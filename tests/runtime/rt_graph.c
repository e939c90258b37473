// SPDX-License-Identifier: Apache-2.0
#include "rt_graph.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 65536

static const struct {
	const char *name;
	int32_t code;
	bool fused;
} operations[] = {
	{ "ADD", ANEURALNETWORKS_ADD, true },
	{ "SUB", ANEURALNETWORKS_SUB, true },
	{ "MUL", ANEURALNETWORKS_MUL, true },
	{ "DIV", ANEURALNETWORKS_DIV, true },
	{ "MAXIMUM", ANEURALNETWORKS_MAXIMUM, false },
	{ "MINIMUM", ANEURALNETWORKS_MINIMUM, false },
	{ "POW", ANEURALNETWORKS_POW, false },
	{ "ABS", ANEURALNETWORKS_ABS, false },
	{ "NEG", ANEURALNETWORKS_NEG, false },
	{ "SQRT", ANEURALNETWORKS_SQRT, false },
	{ "FLOOR", ANEURALNETWORKS_FLOOR, false },
	{ "RELU", ANEURALNETWORKS_RELU, false },
	{ "TANH", ANEURALNETWORKS_TANH, false },
	{ "LOGISTIC", ANEURALNETWORKS_LOGISTIC, false },
	{ "EXP", ANEURALNETWORKS_EXP, false },
	{ "LESS", ANEURALNETWORKS_LESS, false },
	{ "IF", ANEURALNETWORKS_IF, false },
	{ "WHILE", ANEURALNETWORKS_WHILE, false },
	{ "OEM", ANEURALNETWORKS_OEM_OPERATION, false },
};

static uint32_t elements = 4;
static bool relax;

/* Of the model being made. */
static uint32_t numbers[128], num_operands, activation;

void rt_graph_elements(uint32_t n)
{
	assert_true(n <= MAX_ELEMENTS);
	elements = n;
}

void rt_graph_relaxed(bool relaxed)
{
	relax = relaxed;
}

uint32_t rt_graph_operand(char letter)
{
	return numbers[(unsigned char)letter];
}

static uint32_t add_operand(ANeuralNetworksModel *model, int32_t type, const uint32_t *dims,
			    uint32_t rank)
{
	rt_operand(model, type, dims, rank);
	return num_operands++;
}

static uint32_t add_constant(ANeuralNetworksModel *model, float value)
{
	/* large ones are referred to as long as the process lives */
	static float values[3][MAX_ELEMENTS];
	float *v = values[(int)value - 2];
	uint32_t index = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, &elements, 1);

	for (uint32_t i = 0; i < elements; i++)
		v[i] = value;
	RT_OK(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, v,
						   elements * sizeof(*v)));
	return index;
}

static uint32_t operand(ANeuralNetworksModel *model, char letter,
			ANeuralNetworksModel *const *models)
{
	uint32_t *number = &numbers[(unsigned char)letter];
	const uint32_t one = 1, unknown = 0;

	if (*number != NNR_NONE)
		return *number;
	if (isdigit((unsigned char)letter)) {
		*number = add_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
		RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, (int32_t)*number,
								    models[letter - '0']));
	} else if (letter >= 'a' && letter <= 'h') {
		*number = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, &elements, 1);
	} else if (letter >= 'A' && letter <= 'H') {
		*number = add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, &unknown, 1);
	} else if (letter == 'p' || letter == 'q') {
		*number = add_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, &one, 1);
	} else {
		assert_true(letter >= 'x' && letter <= 'z');
		*number = add_constant(model, (float)(letter - 'x' + 2));
	}
	return *number;
}

static void add_operation(ANeuralNetworksModel *model, const char *text,
			  ANeuralNetworksModel *const *models)
{
	const char *open = strchr(text, '('), *name = strchr(text, '=') + 1, *p;
	uint32_t inputs[16], outputs[8], num_inputs = 0, num_outputs = 0;
	size_t i;

	assert_non_null(open);
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (strlen(operations[i].name) == (size_t)(open - name) &&
		    !strncmp(operations[i].name, name, (size_t)(open - name)))
			break;
	assert_true(i < sizeof(operations) / sizeof(operations[0]));
	for (p = open + 1; *p != ')'; p++)
		if (*p != ',')
			inputs[num_inputs++] = operand(model, *p, models);
	if (operations[i].fused) {
		if (activation == NNR_NONE) {
			activation = num_operands++;
			rt_int32(model, (int32_t)activation, ANEURALNETWORKS_FUSED_NONE);
		}
		inputs[num_inputs++] = activation;
	}
	for (p = text; *p != '='; p++)
		outputs[num_outputs++] = operand(model, *p, models);
	RT_OK(ANeuralNetworksModel_addOperation(model, operations[i].code, num_inputs, inputs,
						num_outputs, outputs));
}

ANeuralNetworksModel *rt_graph(const char *io, const char *text,
			       ANeuralNetworksModel *const *models)
{
	ANeuralNetworksModel *model = rt_model();
	uint32_t lists[2][16], num[2] = { 0, 0 };
	unsigned int side = 0;

	memset(numbers, 0xff, sizeof(numbers));
	num_operands = 0;
	activation = NNR_NONE;
	for (; *io; io++) {
		if (*io == '>')
			side = 1;
		else
			lists[side][num[side]++] = operand(model, *io, models);
	}
	for (; *text; text += strcspn(text, " "), text += *text == ' ')
		add_operation(model, text, models);
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, num[0], lists[0], num[1],
							    lists[1]));
	RT_OK(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, relax));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* ---- plans ---- */

struct text {
	char bytes[8192];
	size_t used;
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t->used += (size_t)vsnprintf(t->bytes + t->used, sizeof(t->bytes) - t->used, fmt, args);
	va_end(args);
	assert_true(t->used < sizeof(t->bytes));
}

static void say_step(struct text *t, const struct nnr_step *step)
{
	const struct nnmodel_subgraph *graph = &step->model->main;

	say(t, "%s:", step->device->is_reference ? "cpu" : step->device->name);
	for (uint32_t i = 0; i < graph->num_operations; i++)
		say(t, "%s%s", i ? "+" : "", nnmodel_operation_name(graph->operations[i].type));
}

const char *rt_plan_text(const ANeuralNetworksCompilation *compilation)
{
	const struct nnr_plan *plan = compilation->plan;
	static struct text t;

	t.used = 0;
	assert_non_null(plan);
	say(&t, "%s", plan->simple ? "=" : "");
	for (uint32_t g = 0; g < plan->num_graphs; g++)
		for (uint32_t n = 0; n < plan->graphs[g].num_nodes; n++) {
			const struct nnr_node *node = &plan->graphs[g].nodes[n];

			say(&t, "%s", n ? " " : g ? " | " : "");
			if (node->kind == NNR_NODE_STEP)
				say_step(&t, node->step);
			else
				say(&t, "%s(%u,%u)", node->kind == NNR_NODE_IF ? "if" : "while",
				    node->graphs[0], node->graphs[1]);
		}
	return t.bytes;
}

ANeuralNetworksCompilation *rt_compilation(ANeuralNetworksModel *model, const char *devices)
{
	const ANeuralNetworksDevice *list[16];
	ANeuralNetworksCompilation *compilation;
	char *copy, *rest, *name;
	uint32_t num = 0;

	if (!devices) {
		RT_OK(ANeuralNetworksCompilation_create(model, &compilation));
		return compilation;
	}
	copy = rest = strdup(devices);
	assert_non_null(copy);
	while ((name = strsep(&rest, " ")) != NULL)
		list[num++] = rt_device(strcmp(name, "cpu") ? name : "nnapi-reference");
	free(copy);
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, list, num, &compilation));
	return compilation;
}

int rt_finish(ANeuralNetworksModel *model, const char *devices,
	      ANeuralNetworksCompilation **compilation)
{
	*compilation = rt_compilation(model, devices);
	return ANeuralNetworksCompilation_finish(*compilation);
}

// SPDX-License-Identifier: Apache-2.0
#include "hal_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_control_spec.h"
#include "validation_models.h"

/* ---- chains of operations, control flow ---- */

/* concat(a, b) -> softmax -> out: a temporary, a float scalar. */
static struct nnmodel *model_concat_softmax(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t a = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(2, 2),
				2, 0, 0);
	uint32_t b = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(2, 3),
				2, 0, 0);
	uint32_t t = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_TEMPORARY_VARIABLE,
				HAL_DIMS(2, 5), 2, 0, 0);
	uint32_t out = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT,
				  HAL_DIMS(2, 5), 2, 0, 0);
	uint32_t axis = (uint32_t)nnmodel_add_int32(m, 1),
		 beta = (uint32_t)nnmodel_add_float32(m, 1.0f);

	assert_true(nnmodel_add_operation(m, NNMODEL_CONCATENATION, HAL_LIST(a, b, axis),
					  HAL_LIST(t)) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_SOFTMAX, HAL_LIST(t, beta), HAL_LIST(out)) >=
		    0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(a, b), HAL_LIST(out)), 0);
	return m;
}

/* A quantized chain: RELU, then a comparison, then a choice. */
static struct nnmodel *model_quantized(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t type = NNMODEL_TENSOR_QUANT8_ASYMM;
	uint32_t a = hal_tensor(m, type, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1, 0.5f, 10);
	uint32_t b = hal_tensor(m, type, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1, 0.5f, 10);
	uint32_t r = hal_tensor(m, type, NNMODEL_TEMPORARY_VARIABLE, HAL_DIMS(4), 1, 0.5f, 10);
	uint32_t less = hal_tensor(m, NNMODEL_TENSOR_BOOL8, NNMODEL_TEMPORARY_VARIABLE, HAL_DIMS(4),
				   1, 0, 0);
	uint32_t out = hal_tensor(m, type, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(4), 1, 0.5f, 10);

	assert_true(nnmodel_add_operation(m, NNMODEL_RELU, HAL_LIST(a), HAL_LIST(r)) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_LESS, HAL_LIST(r, b), HAL_LIST(less)) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_SELECT, HAL_LIST(less, r, b), HAL_LIST(out)) >=
		    0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(a, b), HAL_LIST(out)), 0);
	return m;
}

/* An IF whose first branch is an IF; the condition is an argument as well. Referenced: 0, 1 the
 * inner one's branches, 2 the inner one, 3 the other branch. */
static struct nnmodel *model_nested_if(void)
{
	struct nnmodel *m = spec_if(), *inner = spec_if();
	struct nnmodel_operation *op = &m->main.operations[0];

	m->referenced = realloc(m->referenced, 3 * sizeof(*m->referenced));
	assert_non_null(m->referenced);
	m->referenced[2] = inner->main;
	inner->main = (struct nnmodel_subgraph){ 0 };
	nnmodel_free(inner);
	m->num_referenced = 3;
	spec_add_graph(m, NNMODEL_SELECT, "B8:1 Q8:2x3@0.5,7 Q8:2x3", "Q8:2x3@2,1");
	m->main.operands[1].location.offset = 2;
	m->main.operands[2].location.offset = 3;
	op->inputs = realloc(op->inputs, 6 * sizeof(*op->inputs));
	assert_non_null(op->inputs);
	memcpy(op->inputs, (const uint32_t[]){ 0, 1, 2, 0, 3, 4 }, 6 * sizeof(*op->inputs));
	op->num_inputs = 6;
	return m;
}

static const struct {
	const char *name;
	struct nnmodel *(*make)(void);
	uint32_t graphs; /* how many of them are mutated, each alone */
} others[] = {
	{ "add", hal_model_add, 1 },
	{ "two outputs", hal_model_two_outputs, 1 },
	{ "conv", hal_model_conv, 1 },
	{ "conv int8", hal_model_conv_int8, 1 },
	{ "concat, softmax", model_concat_softmax, 1 },
	{ "quantized", model_quantized, 1 },
	{ "if", spec_if, 3 },
	{ "while", spec_while, 3 },
	{ "if in if", model_nested_if, 5 },
};

/* ---- all of them ---- */

bool validation_model_at(size_t k, struct validation_model *vm)
{
	const struct op_case *op;

	*vm = (struct validation_model){ .op = NULL };
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (k < others[i].graphs) {
			snprintf(vm->name, sizeof(vm->name), "%s, graph %zu", others[i].name, k);
			vm->make = others[i].make;
			vm->graph = (uint32_t)k;
			return true;
		}
		k -= others[i].graphs;
	}
	op = op_case_at(k / 2);
	if (!op)
		return false;
	vm->op = op;
	vm->chained = k % 2;
	snprintf(vm->name, sizeof(vm->name), "%s%s (%s)", nnmodel_operation_name(op->opcode),
		 vm->chained ? ", EQUAL" : "", op->in);
	return true;
}

/* Compare the first output with itself, and let that be the output. */
static bool chain(struct nnmodel *m)
{
	const uint32_t n = m->main.operations[0].outputs[0];
	const struct nnmodel_operand *o = &m->main.operands[n];
	uint32_t dims[16], out;

	switch (o->type) {
	case NNMODEL_TENSOR_FLOAT32:
	case NNMODEL_TENSOR_FLOAT16:
	case NNMODEL_TENSOR_INT32:
	case NNMODEL_TENSOR_BOOL8:
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
		break;
	default:
		return false;
	}
	if (o->rank > 4)
		return false;
	if (o->rank)
		memcpy(dims, o->dims, o->rank * sizeof(*dims));
	out = hal_tensor(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_OUTPUT, dims, o->rank, 0, 0);
	m->main.operands[n].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_EQUAL, HAL_LIST(n, n), HAL_LIST(out)), 1);
	spec_set_io(m);
	return true;
}

struct nnmodel *validation_model_make(const struct validation_model *vm)
{
	struct nnmodel *m = vm->make ? vm->make()
				     : spec_model(vm->op->opcode, vm->op->in, vm->op->out);

	if (vm->chained && !chain(m)) {
		nnmodel_free(m);
		return NULL;
	}
	validation_model_turn(vm, m);
	return m;
}

void validation_model_turn(const struct validation_model *vm, struct nnmodel *m)
{
	struct nnmodel_subgraph g = m->main;

	if (!vm->graph)
		return;
	m->main = m->referenced[vm->graph - 1];
	m->referenced[vm->graph - 1] = g;
}

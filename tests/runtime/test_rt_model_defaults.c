// SPDX-License-Identifier: Apache-2.0
/*
 * Trailing inputs that have their default value are not in the finished model; then older devices
 * can have it.
 */
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "model_spec.h"
#include "rt_case.h"

struct default_case {
	uint32_t operation;
	const char *in, *out;
	uint32_t left; /* inputs of the operation in the finished model */
	uint32_t level;
	int memory; /* the input whose value comes from a memory object; -1: none */
};

/* cases[], of the cases in ops/ */
#include "op_default_cases.h"

/* An operand of @m through the API. */
static void add_operand(ANeuralNetworksModel *model, const struct nnmodel *m, uint32_t i,
			const ANeuralNetworksMemory *memory)
{
	const struct nnmodel_operand *o = &m->main.operands[i];
	const void *value;
	size_t size;

	rt_operand(model, (int32_t)o->type, o->dims, o->rank);
	if (o->lifetime != NNMODEL_CONSTANT_COPY)
		return;
	assert_int_equal(nnmodel_constant(m, NULL, o, &value, &size), 0);
	if (memory)
		RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, (int32_t)i, memory, 8,
								     size));
	else
		RT_OK(ANeuralNetworksModel_setOperandValue(model, (int32_t)i, value, size));
}

static void check(const struct default_case *c, const ANeuralNetworksMemory *memory)
{
	struct nnmodel *m = spec_model(c->operation, c->in, c->out);
	const struct nnmodel_subgraph *from = &m->main;
	const struct nnmodel_operation *op = &from->operations[0];
	ANeuralNetworksModel *model = rt_model();

	for (uint32_t i = 0; i < from->num_operands; i++)
		add_operand(model, m, i, (int)i == c->memory ? memory : NULL);
	RT_OK(ANeuralNetworksModel_addOperation(model, (int32_t)c->operation, op->num_inputs,
						op->inputs, op->num_outputs, op->outputs));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, from->num_inputs, from->inputs,
							    from->num_outputs, from->outputs));
	RT_OK(ANeuralNetworksModel_finish(model));
	op = &model->data->model->main.operations[0];
	if (op->num_inputs != c->left || model->data->feature_level != c->level)
		print_error("%s %s: %u inputs at level %u\n", nnmodel_operation_name(c->operation),
			    c->in, op->num_inputs, model->data->feature_level);
	assert_int_equal(op->num_inputs, c->left);
	assert_int_equal(model->data->feature_level, c->level);
	/* their operands were removed as well; the model's inputs stay */
	assert_int_equal(model->data->model->main.num_inputs, from->num_inputs);
	assert_int_equal(model->data->model->main.num_operands, c->left + 1);
	ANeuralNetworksModel_free(model);
	nnmodel_free(m);
}

TEST(defaults)
{
	ANeuralNetworksMemory *memory;

	RT_OK(nnr_memory_create_host(64, &memory));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], memory);
	ANeuralNetworksMemory_free(memory);
}

int main(int argc, char **argv)
{
	const struct rt_case tests[] = { RT_CASE(defaults, NULL) };

	return rt_main(argc, argv, tests, 1);
}

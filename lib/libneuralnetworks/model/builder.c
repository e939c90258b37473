// SPDX-License-Identifier: Apache-2.0
/* Models under construction: operations, inputs and outputs. */
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

struct nnr_model_builder *nnr_builder_new(void)
{
	struct nnr_model_builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	builder->model = nnmodel_new();
	if (!builder->model) {
		free(builder);
		return NULL;
	}
	return builder;
}

void nnr_builder_free(struct nnr_model_builder *builder)
{
	if (!builder)
		return;
	nnmodel_free(builder->model);
	free(builder->large);
	free(builder->referenced_ids);
	free(builder->pool_ids);
	free(builder);
}

/* ---- operations ---- */

static bool numbers_valid(const struct nnmodel_subgraph *main, const uint32_t *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (list[i] >= main->num_operands)
			return false;
	return true;
}

/* Whether operands of type MODEL have a model: the operation's rules rely on it. */
static bool models_set(const struct nnmodel_subgraph *main, const uint32_t *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (main->operands[list[i]].type == NNMODEL_SUBGRAPH &&
		    main->operands[list[i]].lifetime != NNMODEL_LIFETIME_SUBGRAPH)
			return false;
	return true;
}

static int validate_type(const ANeuralNetworksModel *model, uint32_t type)
{
	if (nnr_is_extension(type)) {
		if (!nnr_model_may_extend(model))
			return nnr_refuse(BAD_DATA, "this process may not use extensions");
		if (!nnr_extension_name((uint16_t)(type >> 16)))
			return nnr_refuse(BAD_DATA, "%s: the extension prefix was never assigned",
					  nnmodel_operation_name(type));
		return ANEURALNETWORKS_NO_ERROR;
	}
	if (type != ANEURALNETWORKS_OEM_OPERATION && !nnmodel_op_find(type))
		return nnr_refuse(BAD_DATA, "operation type %d does not exist", (int)type);
	return ANEURALNETWORKS_NO_ERROR;
}

/*
 * @op is in main's list, behind the last operation: the rules compute its number from its address.
 */
static int validate_signature(const struct nnmodel *m, const struct nnmodel_operation *op)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(op->type);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	uint32_t level = 1;

	if (!row)
		return ANEURALNETWORKS_NO_ERROR;
	if (!models_set(&m->main, op->inputs, op->num_inputs) ||
	    !models_set(&m->main, op->outputs, op->num_outputs))
		return nnr_refuse(BAD_DATA,
				  "operation %u %s: an operand of type MODEL has no model",
				  m->main.num_operations, row->name);
	if (row->validate(row, m, &m->main, op, &level, &err))
		return nnr_refuse(BAD_DATA, "%s", err.text);
	return ANEURALNETWORKS_NO_ERROR;
}

static int add_operation(struct nnr_model_builder *b, uint32_t type, uint32_t num_inputs,
			 const uint32_t *inputs, uint32_t num_outputs, const uint32_t *outputs)
{
	struct nnmodel_subgraph *main = &b->model->main;
	struct nnmodel_operation *op;
	int result;

	if (nnr_grow(&main->operations, &b->operation_room, (size_t)main->num_operations + 1,
		     sizeof(*op)))
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	op = &main->operations[main->num_operations];
	*op = (struct nnmodel_operation){
		.type = type,
		.num_inputs = num_inputs,
		.num_outputs = num_outputs,
		.inputs = malloc(num_inputs * sizeof(*inputs)),
		.outputs = malloc(num_outputs * sizeof(*outputs)),
	};
	if (!op->inputs || !op->outputs) {
		result = nnr_refuse(OUT_OF_MEMORY, "out of memory");
	} else {
		memcpy(op->inputs, inputs, num_inputs * sizeof(*inputs));
		memcpy(op->outputs, outputs, num_outputs * sizeof(*outputs));
		result = validate_signature(b->model, op);
	}
	if (result != ANEURALNETWORKS_NO_ERROR) {
		free(op->inputs);
		free(op->outputs);
		return result;
	}
	main->num_operations++;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_model_add_operation(ANeuralNetworksModel *model, uint32_t type, uint32_t num_inputs,
			    const uint32_t *inputs, uint32_t num_outputs, const uint32_t *outputs)
{
	const struct nnmodel_subgraph *main = &model->builder->model->main;
	int result = validate_type(model, type);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (!num_inputs || !num_outputs)
		return nnr_refuse(BAD_DATA, "operation %u %s has no inputs or no outputs",
				  main->num_operations, nnmodel_operation_name(type));
	if (!numbers_valid(main, inputs, num_inputs) || !numbers_valid(main, outputs, num_outputs))
		return nnr_refuse(BAD_DATA, "operation %u %s: operand number out of range",
				  main->num_operations, nnmodel_operation_name(type));
	if (main->num_operations >= NNR_MAX_ENTRIES)
		return nnr_refuse(BAD_DATA, "%u operations are too many", main->num_operations);
	return add_operation(model->builder, type, num_inputs, inputs, num_outputs, outputs);
}

/* ---- inputs and outputs ---- */

/* Sets the operands' lifetimes; false at the first that has another by now. */
static bool set_lifetimes(struct nnmodel_subgraph *main, const uint32_t *list, uint32_t count,
			  uint32_t lifetime, uint32_t *done)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct nnmodel_operand *o = &main->operands[list[i]];

		if (o->lifetime != NNMODEL_TEMPORARY_VARIABLE)
			return false;
		o->lifetime = lifetime;
		(*done)++;
	}
	return true;
}

static void reset_lifetimes(struct nnmodel_subgraph *main, const uint32_t *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		main->operands[list[i]].lifetime = NNMODEL_TEMPORARY_VARIABLE;
}

static int set_lists(struct nnmodel_subgraph *main, uint32_t num_inputs, const uint32_t *inputs,
		     uint32_t num_outputs, const uint32_t *outputs)
{
	uint32_t *in = malloc(num_inputs * sizeof(*in)), *out = malloc(num_outputs * sizeof(*out));
	uint32_t in_done = 0, out_done = 0;

	if (!in || !out) {
		free(in);
		free(out);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (!set_lifetimes(main, inputs, num_inputs, NNMODEL_SUBGRAPH_INPUT, &in_done) ||
	    !set_lifetimes(main, outputs, num_outputs, NNMODEL_SUBGRAPH_OUTPUT, &out_done)) {
		reset_lifetimes(main, inputs, in_done);
		reset_lifetimes(main, outputs, out_done);
		free(in);
		free(out);
		return ANEURALNETWORKS_BAD_DATA;
	}
	memcpy(in, inputs, num_inputs * sizeof(*in));
	memcpy(out, outputs, num_outputs * sizeof(*out));
	free(main->inputs);
	free(main->outputs);
	main->inputs = in;
	main->outputs = out;
	main->num_inputs = num_inputs;
	main->num_outputs = num_outputs;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_model_identify(ANeuralNetworksModel *model, uint32_t num_inputs, const uint32_t *inputs,
		       uint32_t num_outputs, const uint32_t *outputs)
{
	struct nnmodel_subgraph *main = &model->builder->model->main;
	int result;

	if (!num_inputs || !num_outputs)
		return nnr_refuse(BAD_DATA, "the model has no inputs or no outputs");
	if (!numbers_valid(main, inputs, num_inputs) || !numbers_valid(main, outputs, num_outputs))
		return nnr_refuse(BAD_DATA, "operand number out of range");
	result = set_lists(main, num_inputs, inputs, num_outputs, outputs);
	if (result == ANEURALNETWORKS_BAD_DATA)
		return nnr_refuse(BAD_DATA,
				  "an operand has a value, or is an input or output already");
	if (result != ANEURALNETWORKS_NO_ERROR)
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	return ANEURALNETWORKS_NO_ERROR;
}

// SPDX-License-Identifier: Apache-2.0
#include "nnclient.h"

#include <stdio.h>
#include <stdlib.h>

#include "nnutil_log.h"

struct build {
	const struct nnmodel *source;
	struct runtime_model *out;
	char *message;
	size_t size;
};

static int check_call(struct build *b, int result, const char *call, uint32_t number)
{
	if (result != ANEURALNETWORKS_NO_ERROR)
		snprintf(b->message, b->size, "%s(%u): %s", call, number,
			 nnutil_result_name(result));
	return result;
}

static const char *extension_name(const struct nnmodel *source, uint32_t type)
{
	for (uint32_t i = 0; i < source->num_extensions; i++)
		if (source->extensions[i].prefix == type >> 16)
			return source->extensions[i].name;
	return "";
}

/* The runtime assigns the prefixes of extensions. */
static int operand_type(struct build *b, ANeuralNetworksModel *model, uint32_t type, int32_t *code)
{
	*code = (int32_t)type;
	if (type <= NNMODEL_TYPE_BASE_MAX)
		return ANEURALNETWORKS_NO_ERROR;
	return ANeuralNetworksModel_getExtensionOperandType(model, extension_name(b->source, type),
							    (uint16_t)type, code);
}

static int operation_type(struct build *b, ANeuralNetworksModel *model, uint32_t type,
			  ANeuralNetworksOperationType *code)
{
	*code = (int32_t)type;
	if (type <= NNMODEL_TYPE_BASE_MAX)
		return ANEURALNETWORKS_NO_ERROR;
	return ANeuralNetworksModel_getExtensionOperationType(
		model, extension_name(b->source, type), (uint16_t)type, code);
}

static int add_operand(struct build *b, ANeuralNetworksModel *model,
		       const struct nnmodel_operand *o, uint32_t index)
{
	const ANeuralNetworksSymmPerChannelQuantParams channels = {
		.channelDim = o->channel_dim,
		.scaleCount = o->num_scales,
		.scales = o->scales,
	};
	ANeuralNetworksOperandType type = {
		.dimensionCount = o->rank,
		.dimensions = o->rank ? o->dims : NULL,
		.scale = o->scale,
		.zeroPoint = o->zero_point,
	};
	int result = operand_type(b, model, o->type, &type.type);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_call(b, ANeuralNetworksModel_addOperand(model, &type), "addOperand",
				    index);
	if (result == ANEURALNETWORKS_NO_ERROR && o->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		result = check_call(b,
				    ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
					    model, (int32_t)index, &channels),
				    "setOperandSymmPerChannelQuantParams", index);
	if (result == ANEURALNETWORKS_NO_ERROR && o->extension_size)
		result = check_call(b,
				    ANeuralNetworksModel_setOperandExtensionData(
					    model, (int32_t)index, o->extension_data,
					    o->extension_size),
				    "setOperandExtensionData", index);
	return result;
}

static int build_graph(struct build *b, const struct nnmodel_subgraph *graph, bool relaxed,
		       ANeuralNetworksModel **out);

/* A referenced model is built once, at its first use. */
static int reference(struct build *b, uint64_t number, ANeuralNetworksModel **model)
{
	int result = ANEURALNETWORKS_NO_ERROR;

	if (!b->out->referenced[number])
		result = build_graph(b, &b->source->referenced[number], false,
				     &b->out->referenced[number]);
	*model = b->out->referenced[number];
	return result;
}

static int set_value(struct build *b, ANeuralNetworksModel *model, const struct nnmodel_operand *o,
		     uint32_t index)
{
	ANeuralNetworksModel *value;
	int result;

	switch (o->lifetime) {
	case NNMODEL_CONSTANT_COPY:
		return check_call(
			b,
			ANeuralNetworksModel_setOperandValue(model, (int32_t)index,
							     b->source->values + o->location.offset,
							     o->location.length),
			"setOperandValue", index);
	case NNMODEL_CONSTANT_REFERENCE:
		return check_call(b,
				  ANeuralNetworksModel_setOperandValueFromMemory(
					  model, (int32_t)index, b->out->memories[o->location.pool],
					  o->location.offset, o->location.length),
				  "setOperandValueFromMemory", index);
	case NNMODEL_NO_VALUE:
		return check_call(
			b, ANeuralNetworksModel_setOperandValue(model, (int32_t)index, NULL, 0),
			"setOperandValue", index);
	case NNMODEL_LIFETIME_SUBGRAPH:
		result = reference(b, o->location.offset, &value);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		return check_call(
			b,
			ANeuralNetworksModel_setOperandValueFromModel(model, (int32_t)index, value),
			"setOperandValueFromModel", index);
	default:
		return ANEURALNETWORKS_NO_ERROR;
	}
}

/* The API needs a pointer even when there are no operands. */
static const uint32_t *model_builder_list(const uint32_t *operands)
{
	static const uint32_t none;

	return operands ? operands : &none;
}

static int add_operations(struct build *b, ANeuralNetworksModel *model,
			  const struct nnmodel_subgraph *graph)
{
	ANeuralNetworksOperationType type;
	int result;

	for (uint32_t i = 0; i < graph->num_operations; i++) {
		const struct nnmodel_operation *op = &graph->operations[i];

		result = operation_type(b, model, op->type, &type);
		if (result == ANEURALNETWORKS_NO_ERROR)
			result = ANeuralNetworksModel_addOperation(model, type, op->num_inputs,
								   model_builder_list(op->inputs),
								   op->num_outputs,
								   model_builder_list(op->outputs));
		if (result != ANEURALNETWORKS_NO_ERROR)
			return check_call(b, result, "addOperation", i);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

static int model_builder_fill(struct build *b, ANeuralNetworksModel *model,
			      const struct nnmodel_subgraph *graph, bool relaxed)
{
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < graph->num_operands && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = add_operand(b, model, &graph->operands[i], i);
	/* operations are checked when they are added, constants included */
	for (uint32_t i = 0; i < graph->num_operands && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = set_value(b, model, &graph->operands[i], i);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = add_operations(b, model, graph);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_call(b,
				    ANeuralNetworksModel_identifyInputsAndOutputs(
					    model, graph->num_inputs,
					    model_builder_list(graph->inputs), graph->num_outputs,
					    model_builder_list(graph->outputs)),
				    "identifyInputsAndOutputs", graph->num_inputs);
	if (result == ANEURALNETWORKS_NO_ERROR && relaxed)
		result = check_call(
			b, ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true),
			"relaxComputationFloat32toFloat16", 1);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_call(b, ANeuralNetworksModel_finish(model), "finish",
				    graph->num_operations);
	return result;
}

static int build_graph(struct build *b, const struct nnmodel_subgraph *graph, bool relaxed,
		       ANeuralNetworksModel **out)
{
	ANeuralNetworksModel *model;
	int result = check_call(b, ANeuralNetworksModel_create(&model), "Model_create", 0);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = model_builder_fill(b, model, graph, relaxed);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*out = model;
	else
		ANeuralNetworksModel_free(model);
	return result;
}

static int make_memories(struct build *b)
{
	int result;

	for (uint32_t i = 0; i < b->source->num_pools; i++) {
		const struct nnmodel_pool *pool = &b->source->pools[i];

		result = check_call(b,
				    ANeuralNetworksMemory_createFromFd(pool->size, pool->prot,
								       pool->fd, pool->offset,
								       &b->out->memories[i]),
				    "createFromFd", i);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		b->out->num_memories++;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int runtime_model_create(const struct nnmodel *source, struct runtime_model *model, char *message,
			 size_t size)
{
	struct build b = { .source = source, .out = model, .message = message, .size = size };
	int result;

	message[0] = '\0';
	*model = (struct runtime_model){
		.referenced =
			calloc((size_t)source->num_referenced + 1, sizeof(*model->referenced)),
		.num_referenced = source->num_referenced,
		.memories = calloc((size_t)source->num_pools + 1, sizeof(*model->memories)),
	};
	if (!model->referenced || !model->memories) {
		model->num_referenced = 0;
		runtime_model_free(model);
		return check_call(&b, ANEURALNETWORKS_OUT_OF_MEMORY, "calloc", 0);
	}
	result = make_memories(&b);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = build_graph(&b, &source->main, source->relaxed, &model->model);
	if (result != ANEURALNETWORKS_NO_ERROR)
		runtime_model_free(model);
	return result;
}

void runtime_model_free(struct runtime_model *model)
{
	ANeuralNetworksModel_free(model->model);
	for (uint32_t i = 0; i < model->num_referenced; i++)
		ANeuralNetworksModel_free(model->referenced[i]);
	for (uint32_t i = 0; i < model->num_memories; i++)
		ANeuralNetworksMemory_free(model->memories[i]);
	free(model->referenced);
	free(model->memories);
	*model = (struct runtime_model){ 0 };
}

// SPDX-License-Identifier: Apache-2.0
/* A model becomes a list of jobs. Weights are copied: the unit has memory of its own for them. */
#include <stdlib.h>
#include <string.h>

#include "conv8.h"

/* ---- constants ---- */

static void *constant_copy(const struct nnmodel *model, const struct nnmodel_maps *maps,
			   uint32_t operand, size_t wanted)
{
	const void *data;
	size_t size;
	void *copy;

	if (nnmodel_constant(model, maps, &model->main.operands[operand], &data, &size) ||
	    size != wanted)
		return NULL;
	copy = malloc(size);
	if (copy)
		memcpy(copy, data, size);
	return copy;
}

static float *multipliers_new(const struct nnmodel_subgraph *graph,
			      const struct conv8_convolution *conv)
{
	const struct nnmodel_operand *filter = &graph->operands[conv->filter];
	const uint32_t channels = conv->job.form.out_channels;
	float *multipliers = malloc(channels * sizeof(*multipliers));

	for (uint32_t i = 0; multipliers && i < channels; i++)
		multipliers[i] = conv_unit_multiplier(
			graph->operands[conv->in].scale,
			filter->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL ? filter->scales[i]
									       : filter->scale,
			graph->operands[conv->out].scale);
	return multipliers;
}

static enum nnhal_status weights_load(const struct nnmodel *model, const struct nnmodel_maps *maps,
				      struct conv8_convolution *conv)
{
	const struct conv_unit_form *form = &conv->job.form;
	const size_t weights = (size_t)form->out_channels * form->filter_height *
			       form->filter_width * form->in_channels;

	conv->job.filter = constant_copy(model, maps, conv->filter, weights);
	conv->job.bias = constant_copy(model, maps, conv->bias,
				       form->out_channels * sizeof(*conv->job.bias));
	conv->job.multipliers = multipliers_new(&model->main, conv);
	return conv->job.filter && conv->job.bias && conv->job.multipliers
		       ? NNHAL_NONE
		       : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* ---- tensors ---- */

static bool tensor_of(const struct nnmodel_operand *operand, struct conv8_tensor *tensor)
{
	uint64_t bytes;

	if (nnmodel_operand_bytes(operand, &bytes))
		return false;
	tensor->bytes = (size_t)bytes;
	tensor->rank = operand->rank;
	memcpy(tensor->dims, operand->dims, operand->rank * sizeof(tensor->dims[0]));
	return true;
}

static uint32_t *numbers_copy(const uint32_t *numbers, uint32_t count)
{
	uint32_t *copy = malloc((count + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, numbers, count * sizeof(*copy));
	return copy;
}

static struct conv8_program *program_new(const struct nnmodel_subgraph *graph)
{
	struct conv8_program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->num_tensors = graph->num_operands;
	p->num_inputs = graph->num_inputs;
	p->num_outputs = graph->num_outputs;
	p->tensors = calloc(graph->num_operands, sizeof(*p->tensors));
	p->convolutions = calloc(graph->num_operations, sizeof(*p->convolutions));
	p->inputs = numbers_copy(graph->inputs, graph->num_inputs);
	p->outputs = numbers_copy(graph->outputs, graph->num_outputs);
	if (p->tensors && p->convolutions && p->inputs && p->outputs)
		return p;
	conv8_program_free(p);
	return NULL;
}

void conv8_program_free(struct conv8_program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->num_convolutions; i++) {
		free((void *)p->convolutions[i].job.filter);
		free((void *)p->convolutions[i].job.bias);
		free((void *)p->convolutions[i].job.multipliers);
	}
	free(p->tensors);
	free(p->convolutions);
	free(p->inputs);
	free(p->outputs);
	free(p);
}

/* ---- the model ---- */

static enum nnhal_status operation_compile(struct conv8_program *p, const struct nnmodel *model,
					   const struct nnmodel_maps *maps, uint32_t number,
					   char *message, size_t size)
{
	const struct nnmodel_operation *op = &model->main.operations[number];
	struct conv8_convolution *conv = &p->convolutions[number];
	char why[CONV8_MESSAGE];

	/* clients try another device then; INVALID_ARGUMENT would end their compilation */
	if (!conv8_convolution_read(model, op, conv, why, sizeof(why)))
		return conv8_refuse(message, size, NNHAL_GENERAL_FAILURE, "operation %u, %s: %s",
				    number, nnmodel_operation_name(op->type), why);
	p->num_convolutions++;
	if (!tensor_of(&model->main.operands[conv->in], &p->tensors[conv->in]) ||
	    !tensor_of(&model->main.operands[conv->out], &p->tensors[conv->out]))
		return conv8_refuse(message, size, NNHAL_RESOURCE_EXHAUSTED_PERSISTENT,
				    "operation %u: a tensor of 4 GiB or more", number);
	if (weights_load(model, maps, conv))
		return conv8_refuse(message, size, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				    "operation %u: no memory for its weights", number);
	return NNHAL_NONE;
}

enum nnhal_status conv8_compile(const struct nnmodel *model, struct conv8_program **program,
				char *message, size_t size)
{
	struct conv8_program *p = program_new(&model->main);
	enum nnhal_status status = NNHAL_NONE;
	struct nnmodel_maps *maps = NULL;

	*program = NULL;
	if (!p || nnmodel_map_pools(model, &maps))
		status = conv8_refuse(message, size, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				      "no memory for the model");
	for (uint32_t i = 0; i < model->main.num_operations && status == NNHAL_NONE; i++)
		status = operation_compile(p, model, maps, i, message, size);
	nnmodel_unmap_pools(maps);
	if (status == NNHAL_NONE)
		*program = p;
	else
		conv8_program_free(p);
	return status;
}

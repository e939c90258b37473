// SPDX-License-Identifier: Apache-2.0
/* Executions: their life, and their states. */
#include <stdlib.h>

#include "base/nnr_base.h"
#include "run/nnr_run.h"

static void free_execution(ANeuralNetworksExecution *e)
{
	uint32_t i;

	for (i = 0; e->inputs && i < e->num_inputs; i++)
		nnr_memory_put(e->inputs[i].memory);
	for (i = 0; e->outputs && i < e->num_outputs; i++)
		nnr_memory_put(e->outputs[i].memory);
	nnr_attributes_free(e->attributes, e->num_attributes);
	nnr_plan_put(e->plan);
	pthread_mutex_destroy(&e->lock);
	free(e->dims);
	free(e->shapes);
	free(e->inputs);
	free(e->outputs);
	free(e);
}

void nnr_execution_put(ANeuralNetworksExecution *e)
{
	if (atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) == 1)
		free_execution(e);
}

static bool alloc_arguments(ANeuralNetworksExecution *e)
{
	uint32_t *room, i;

	e->inputs = calloc((size_t)e->num_inputs + 1, sizeof(*e->inputs));
	e->outputs = calloc((size_t)e->num_outputs + 1, sizeof(*e->outputs));
	e->shapes = calloc((size_t)e->num_outputs + 1, sizeof(*e->shapes));
	/* inputs, outputs and their shapes */
	e->dims = calloc((size_t)e->num_inputs + 2 * (size_t)e->num_outputs + 1,
			 NNR_MAX_RANK * sizeof(uint32_t));
	if (!e->inputs || !e->outputs || !e->shapes || !e->dims)
		return false;
	room = e->dims;
	for (i = 0; i < e->num_inputs; i++, room += NNR_MAX_RANK)
		e->inputs[i].dims = room;
	for (i = 0; i < e->num_outputs; i++, room += NNR_MAX_RANK)
		e->outputs[i].dims = room;
	for (i = 0; i < e->num_outputs; i++, room += NNR_MAX_RANK)
		e->shapes[i].dims = room;
	return true;
}

int nnr_execution_new(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution)
{
	ANeuralNetworksExecution *e = calloc(1, sizeof(*e));

	if (!e)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_init(&e->refs, 1);
	pthread_mutex_init(&e->lock, NULL);
	e->compilation = compilation;
	e->plan = nnr_plan_get(compilation->plan);
	e->explicit_one = nnr_explicit_one(compilation);
	e->num_inputs = e->plan->data->model->main.num_inputs;
	e->num_outputs = e->plan->data->model->main.num_outputs;
	e->loop_timeout_ns = NNHAL_LOOP_TIMEOUT_DEFAULT_NS;
	e->launched = e->fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (!alloc_arguments(e)) {
		free_execution(e);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	*execution = e;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_execution_check_alive(const ANeuralNetworksExecution *e)
{
	return !nnr_inherited(e->plan)
		       ? ANEURALNETWORKS_NO_ERROR
		       : nnr_refuse(DEAD_OBJECT,
				    "the execution was made before fork(), in another process");
}

int nnr_execution_check_open(ANeuralNetworksExecution *e)
{
	int result = nnr_execution_check_alive(e);
	bool open;

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pthread_mutex_lock(&e->lock);
	open = e->state == NNR_PREPARATION;
	pthread_mutex_unlock(&e->lock);
	return open ? ANEURALNETWORKS_NO_ERROR
		    : nnr_refuse(BAD_STATE, "a computation was already started");
}

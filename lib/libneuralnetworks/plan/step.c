// SPDX-License-Identifier: Apache-2.0
/* Plans and their steps as objects: their life, and which steps take which operand. */
#include <stdlib.h>
#include <string.h>

#include "plan/nnr_plan.h"

/* ---- steps ---- */

uint32_t *nnr_copy_list(const uint32_t *list, uint32_t num)
{
	/* never empty: NULL would be out of memory */
	uint32_t *copy = calloc((size_t)num + 1, sizeof(*copy));

	if (copy && num)
		memcpy(copy, list, num * sizeof(*copy));
	return copy;
}

struct nnr_step *nnr_step_new(ANeuralNetworksDevice *device, struct nnr_plan *plan,
			      struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
			      const uint32_t *outputs, uint32_t num_outputs)
{
	struct nnr_step *step = calloc(1, sizeof(*step));

	if (!step) {
		nnmodel_free(model);
		return NULL;
	}
	pthread_mutex_init(&step->fallback_lock, NULL);
	step->device = device;
	step->owns_model = model != NULL;
	step->model = model ? model : plan->data->model;
	step->inputs = nnr_copy_list(inputs, num_inputs);
	step->outputs = nnr_copy_list(outputs, num_outputs);
	step->num_inputs = num_inputs;
	step->num_outputs = num_outputs;
	if (!step->inputs || !step->outputs) {
		nnr_step_free(step);
		return NULL;
	}
	return step;
}

static void destroy_prepared(struct nnhal_prepared_model *prepared)
{
	if (prepared)
		prepared->ops->destroy(prepared);
}

void nnr_step_free(struct nnr_step *step)
{
	if (!step)
		return;
	nnr_workspaces_free(step->workspaces);
	nnr_workspaces_free(step->fallback_workspaces);
	destroy_prepared(step->prepared);
	destroy_prepared(step->fallback);
	if (step->owns_model)
		nnmodel_free(step->model);
	pthread_mutex_destroy(&step->fallback_lock);
	free(step->operations);
	free(step->inputs);
	free(step->outputs);
	free(step);
}

/* ---- plans ---- */

struct nnr_plan *nnr_plan_new(struct nnr_model_data *data)
{
	struct nnr_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	atomic_init(&plan->refs, 1);
	plan->process = nnr_process_number();
	pthread_mutex_init(&plan->full_lock, NULL);
	plan->data = nnr_model_data_get(data);
	plan->priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
	return plan;
}

void nnr_plan_clear(struct nnr_plan *plan)
{
	uint32_t g, n;

	for (g = 0; g < plan->num_graphs; g++) {
		for (n = 0; n < plan->graphs[g].num_nodes; n++)
			nnr_step_free(plan->graphs[g].nodes[n].step);
		free(plan->graphs[g].nodes);
	}
	free(plan->graphs);
	plan->graphs = NULL;
	plan->num_graphs = 0;
	plan->simple = false;
	plan->has_dynamic_temporaries = false;
}

struct nnr_plan *nnr_plan_get(struct nnr_plan *plan)
{
	atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
	return plan;
}

void nnr_plan_put(struct nnr_plan *plan)
{
	if (!plan || nnr_inherited(plan) ||
	    atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (plan->free_invocations)
		plan->free_invocations(plan);
	nnr_plan_clear(plan);
	nnr_step_free(plan->full);
	pthread_mutex_destroy(&plan->full_lock);
	nnr_model_data_put(plan->data);
	free(plan);
}

struct nnr_step *nnr_step_whole_model(struct nnr_plan *plan, ANeuralNetworksDevice *device)
{
	const struct nnmodel_subgraph *main = &plan->data->model->main;

	return nnr_step_new(device, plan, NULL, main->inputs, main->num_inputs, main->outputs,
			    main->num_outputs);
}

int nnr_plan_single(struct nnr_plan *plan, ANeuralNetworksDevice *device)
{
	struct nnr_graph *graph;

	nnr_plan_clear(plan);
	plan->graphs = calloc(1, sizeof(*plan->graphs));
	if (!plan->graphs)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	plan->num_graphs = 1;
	graph = plan->graphs;
	graph->nodes = calloc(1, sizeof(*graph->nodes));
	if (!graph->nodes)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	graph->nodes[0].kind = NNR_NODE_STEP;
	graph->num_nodes = 1;
	graph->nodes[0].step = nnr_step_whole_model(plan, device);
	plan->simple = graph->nodes[0].step != NULL;
	return plan->simple ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

/* ---- roles ---- */

struct search {
	uint32_t operand;
	int (*found)(void *cookie, struct nnr_step *step, bool input, uint32_t step_index);
	void *cookie;
};

static int search_list(const struct search *s, struct nnr_step *step, bool input)
{
	const uint32_t *list = input ? step->inputs : step->outputs;
	uint32_t num = input ? step->num_inputs : step->num_outputs, i;
	int ret = 0;

	for (i = 0; i < num && !ret; i++)
		if (list[i] == s->operand)
			ret = s->found(s->cookie, step, input, i);
	return ret;
}

static int search_control_flow(const struct search *s, const struct nnmodel_operation *op)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < op->num_inputs && !ret; i++)
		if (op->inputs[i] == s->operand)
			ret = s->found(s->cookie, NULL, true, 0);
	for (i = 0; i < op->num_outputs && !ret; i++)
		if (op->outputs[i] == s->operand)
			ret = s->found(s->cookie, NULL, false, 0);
	return ret;
}

int nnr_plan_for_each_role(const struct nnr_plan *plan, bool input, uint32_t index,
			   int (*found)(void *cookie, struct nnr_step *step, bool input,
					uint32_t step_index),
			   void *cookie)
{
	const struct nnmodel_subgraph *main = &plan->data->model->main;
	const struct nnr_graph *graph = plan->graphs;
	const struct search s = {
		.operand = input ? main->inputs[index] : main->outputs[index],
		.found = found,
		.cookie = cookie,
	};
	uint32_t n;
	int ret = 0;

	for (n = 0; n < graph->num_nodes && !ret; n++) {
		const struct nnr_node *node = &graph->nodes[n];

		if (node->kind == NNR_NODE_STEP) {
			ret = search_list(&s, node->step, true);
			if (!ret)
				ret = search_list(&s, node->step, false);
		} else {
			ret = search_control_flow(&s, &main->operations[node->operation]);
		}
	}
	return ret;
}

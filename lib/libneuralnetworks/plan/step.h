/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: which device runs what of a model. */
#ifndef NNR_STEP_H
#define NNR_STEP_H

#include <pthread.h>

#include "base/fork.h"
#include "memory/workspace.h"
#include "model/model_data.h"
#include "registry/listed_device.h"

/** A sub-model on a device. Constant once the plan is built, but for members with a lock. */
struct nnr_step {
	ANeuralNetworksDevice *device;
	struct nnmodel *model; /* what was prepared */
	bool owns_model; /* else it is the plan's whole model */
	struct nnhal_prepared_model *prepared;
	uint32_t subgraph, *operations; /* of that graph, ascending; none: the whole model */
	uint32_t num_operations;
	uint32_t num_inputs, num_outputs;
	uint32_t *inputs, *outputs; /* operand numbers in the graph's subgraph, as model's lists */
	/* the same on nnapi-reference, for a retry: prepared at the first need, under the lock */
	pthread_mutex_t fallback_lock;
	struct nnhal_prepared_model *fallback;
	struct nnr_workspaces *workspaces, *fallback_workspaces;
};

enum nnr_node_kind { NNR_NODE_STEP, NNR_NODE_IF, NNR_NODE_WHILE };

/** A step, or an IF or WHILE that the runtime runs. Those that a device runs are in a step. */
struct nnr_node {
	enum nnr_node_kind kind;
	struct nnr_step *step; /* STEP */
	uint32_t operation; /* IF, WHILE: its number in the graph's subgraph */
	uint32_t graphs[2]; /* IF: then, else; WHILE: condition, body: numbers in plan->graphs */
};

/** One subgraph, its nodes in an order that can be executed. Operands are the subgraph's. */
struct nnr_graph {
	uint32_t subgraph; /* 0 main, 1 + i referenced[i] */
	struct nnr_node *nodes;
	uint32_t num_nodes;
};

/** Immutable, reference counted: a compilation holds one, and each execution of it. */
struct nnr_plan {
	atomic_uint refs;
	unsigned int process; /* that it was made in */
	struct nnr_model_data *data;
	struct nnr_graph *graphs; /* [0] is main's; one per subgraph that the runtime runs */
	uint32_t num_graphs;
	bool simple; /* main is one step: the whole model as it is */
	bool fallback; /* execution errors are retried on nnapi-reference */
	/* no fallback, but the client listed nnapi-reference, which can run the whole model */
	bool reference_listed;
	bool has_dynamic_temporaries; /* an operand of unknown shape crosses steps */
	int32_t priority; /* PriorityCode */
	/* the whole model on nnapi-reference, for a retry: prepared at the first need */
	pthread_mutex_t full_lock;
	struct nnr_step *full;
	/* run/invocation.c: invocations that are kept for the next run, under a lock of that file
	 */
	struct nnr_invocation *invocations;
	uint32_t num_invocations;
	void (*free_invocations)(struct nnr_plan *plan);
};
/** Another process made it: it cannot be used, and is not freed. */
static inline bool nnr_inherited(const struct nnr_plan *plan)
{
	return plan->process != nnr_process_number();
}

/** Empty. NULL: out of memory. */
struct nnr_plan *nnr_plan_new(struct nnr_model_data *data);
/** Take a reference. */
struct nnr_plan *nnr_plan_get(struct nnr_plan *plan);
/** Drop one. @plan may be NULL. */
void nnr_plan_put(struct nnr_plan *plan);
/** Make the plan one step: the whole model on @device. Result code. */
int nnr_plan_single(struct nnr_plan *plan, ANeuralNetworksDevice *device);
/** Remove all graphs. */
void nnr_plan_clear(struct nnr_plan *plan);

/**
 * A step that owns @model; NULL: the plan's whole model. Lists are copied. NULL: out of memory
 * (@model is freed).
 */
struct nnr_step *nnr_step_new(ANeuralNetworksDevice *device, struct nnr_plan *plan,
			      struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
			      const uint32_t *outputs, uint32_t num_outputs);
/** A step of the whole model. NULL: out of memory. */
struct nnr_step *nnr_step_whole_model(struct nnr_plan *plan, ANeuralNetworksDevice *device);
void nnr_step_free(struct nnr_step *step);
/** NULL: out of memory. Not NULL if @num is 0. */
uint32_t *nnr_copy_list(const uint32_t *list, uint32_t num);

/**
 * Find the steps that take or write main's input (output) number @index: calls @found for each
 * until it returns nonzero, which is the result. Later steps also read outputs. @step NULL: control
 * flow that the runtime runs. @step_input, @step_index: the number in the step's inputs or outputs.
 */
int nnr_plan_for_each_role(const struct nnr_plan *plan, bool input, uint32_t index,
			   int (*found)(void *cookie, struct nnr_step *step, bool step_input,
					uint32_t step_index),
			   void *cookie);

#endif

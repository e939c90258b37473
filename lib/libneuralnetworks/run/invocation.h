/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invocations: the values of a plan of several steps during one run. Each graph of the plan has a
 * scope. A plan keeps invocations, with their memory, for its next runs.
 */
#ifndef NNR_INVOCATION_H
#define NNR_INVOCATION_H

#include "run/run_state.h"

/** Memory of a value between steps, as long as the invocation lives. */
struct nnr_temporary {
	ANeuralNetworksMemory *memory; /* a reference; NULL: none yet */
	uint64_t offset, capacity;
	ANeuralNetworksDevice *home; /* that allocates the memory */
};

/** State of a WHILE: written alternately to the one and the other buffer. */
struct nnr_while {
	uint32_t num_inputs, num_state;
	struct nnr_argument *vars; /* num_inputs: current values */
	struct nnr_temporary *buffers[2]; /* num_state each */
};

/**
 * The values of a graph. A graph is active at most once at a time, because models refer to older
 * models only.
 */
struct nnr_scope {
	const struct nnmodel_subgraph *graph;
	/* per operand its place, and its shape once known (dims: own room, or the giver's) */
	struct nnr_argument *args;
	uint32_t **dims; /* own room: NNR_MAX_RANK; NULL: only steps use the operand */
	struct nnr_temporary *temps;
	bool *read; /* by a node of this graph */
	bool *output; /* of this graph */
	struct nnr_while *whiles; /* per node */
};

struct nnr_invocation {
	struct nnr_invocation *next;
	struct nnr_plan *plan;
	struct nnr_scope *scopes; /* as plan->graphs */
	ANeuralNetworksMemory **pools; /* of the model, for constants that control flow passes on */
	/* of the current run: */
	struct nnr_run *run;
	/** Runs a graph whose inputs and outputs are set in its scope. Result code. */
	int (*run_graph)(struct nnr_invocation *invocation, uint32_t graph);
	bool give_up; /* only the whole model on nnapi-reference can succeed */
	bool final; /* the result is not retried: loop timeout, deadline */
	bool timed; /* the run's timing is that of all steps so far */
};

/** Take one that the plan keeps, or make one. Result code. */
int nnr_invocation_take(struct nnr_plan *plan, struct nnr_invocation **invocation);
void nnr_invocation_give(struct nnr_invocation *invocation);
/** Begin a run: main's inputs and outputs are the run's. */
void nnr_invocation_begin(struct nnr_invocation *invocation, struct nnr_run *run);

/** Set the place of a value. */
void nnr_scope_place(struct nnr_scope *scope, uint32_t operand, const struct nnr_argument *place);
/** A value between steps, or an unwanted output of the application that a later step reads. */
bool nnr_scope_is_temporary(const struct nnr_scope *scope, uint32_t operand);
/** Set the place of a temporary. Result code. */
int nnr_scope_place_temporary(struct nnr_scope *scope, uint32_t operand);
/** At least @bytes for a temporary. Result code. */
int nnr_temporary_reserve(struct nnr_temporary *temp, uint64_t bytes);
/** The arguments of a step become the workspace's. Temporaries are placed. Result code. */
int nnr_scope_bind(struct nnr_scope *scope, const struct nnr_step *step,
		   struct nnr_workspace *workspace);
/** An output of main is known: the run's result. */
void nnr_scope_tell_shape(struct nnr_invocation *invocation, const struct nnr_scope *scope,
			  uint32_t operand, const struct nnhal_output_shape *shape);
/** A value was written, with this shape. Result code; with give_up a later step cannot take it. */
int nnr_scope_produced(struct nnr_invocation *invocation, struct nnr_scope *scope, uint32_t operand,
		       const struct nnhal_output_shape *shape);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the run room. A run of a plan becomes executions of prepared models: staging.c has what
 * one of them needs at hand, run_step.c does one, run_graph.c leads values from step to step,
 * control.c interprets IF and WHILE, run.c decides what happens when something fails.
 */
#ifndef NNR_RUN_H
#define NNR_RUN_H

#include "runtime.h"

/** Whether an execution ended in an error that another device may not have. */
static inline bool nnr_run_failed(int result)
{
	return result != ANEURALNETWORKS_NO_ERROR &&
	       result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

/* ---- staging.c ---- */

/**
 * What one execution of a prepared model needs, kept for the next: whoever took the slot has it for
 * himself, but for the burst's memories, which nnr_slots_forget() may release at any time.
 */
struct nnr_slot {
	struct nnr_slot *next; /* free ones of the slots */
	struct nnr_slot *all_next, **all_pos; /* every slot of the process */
	struct nnr_slots *slots;
	struct nnr_run_cache *cache; /* whose it is; NULL: anybody's */
	const struct nnmodel *model; /* the step's */
	struct nnhal_burst *burst; /* NULL: the device has none for us */
	_Atomic uint64_t used; /* memories that the burst may know: bit (id % 64) */

	/* shared memory for what comes by pointer; NULL: none was needed yet */
	ANeuralNetworksMemory *arena;
	uint8_t *arena_data;
	uint64_t arena_size;
	bool staged; /* the bound request refers to it */

	/* one per input or output of the model. Set by who took it, before nnr_slot_execute(): */
	const struct nnr_argument **inputs, **outputs;
	/* results of nnr_slot_execute(); dims have room for NNR_MAX_RANK */
	struct nnhal_output_shape *shapes;
	struct nnhal_timing timing;

	/* the request that is made of these */
	struct nnhal_request request;
	struct nnhal_request_argument *request_args; /* inputs, then outputs */
	struct nnhal_request_pool *pools;
	const ANeuralNetworksMemory **pool_memories; /* per pool, to find it again */
	int64_t *tokens;
	/* hints of the run, grown on demand */
	struct nnhal_token_value *hints;
	struct nnmodel_extension *extensions;
	uint32_t num_hints, num_extensions, max_hints;
};

/** Result code; *@slot on NO_ERROR. @cache may be NULL. */
int nnr_slot_take(struct nnr_slots *slots, struct nnr_run_cache *cache, const struct nnmodel *model,
		  struct nnr_slot **slot);
void nnr_slot_give(struct nnr_slot *slot);
ANeuralNetworksDevice *nnr_slots_device(const struct nnr_slots *slots);
struct nnhal_prepared_model *nnr_slots_prepared(const struct nnr_slots *slots);
/** At least @size bytes in the slot's arena; what was in it is lost. Result code. */
int nnr_slot_reserve(struct nnr_slot *slot, uint64_t size);
/** Shared memory that @device reaches without copying where it has such, else host memory. Mapped
 * at *@data. Result code. */
int nnr_shared_create(ANeuralNetworksDevice *device, uint64_t size, ANeuralNetworksMemory **memory,
		      void **data);

/* ---- run_step.c ---- */

/** The slot's arguments as a request: pools, places and dims; pointers are staged. Result code. */
int nnr_slot_bind(struct nnr_slot *slot);
/** What the device's interface can be told of the run's configuration. Result code. */
int nnr_slot_config(struct nnr_slot *slot, const struct nnr_run *run,
		    struct nnhal_execution_config *config);
/**
 * Execute, and wait. Checks what the device says (client_api.md 7.4): shapes are those of each
 * output on NO_ERROR and OUTPUT_INSUFFICIENT_SIZE, and a contradiction is OP_FAILED. Result code.
 */
int nnr_slot_execute(struct nnr_slot *slot, const struct nnr_run *run, int64_t deadline_ns);
/**
 * Where an argument's bytes are for the host. Result code: UNMAPPABLE for device buffers as well.
 */
int nnr_argument_data(const struct nnr_argument *arg, uint8_t **data);
/**
 * Bytes of an operand with these dims, a zero-sized one's being 0; UINT64_MAX: 4 GiB or more. Of
 * @rank 0 tensors 0.
 */
uint64_t nnr_shape_bytes(uint32_t type, uint32_t rank, const uint32_t *dims);

/* ---- run_context.c, run_graph.c, control.c ---- */

/** Where a value between steps lives, for the life of the context. */
struct nnr_temporary {
	ANeuralNetworksMemory *memory; /* counted; NULL: none yet */
	uint64_t offset, capacity;
	ANeuralNetworksDevice *home; /* who is asked for memory */
};

/** Loop-carried values of a WHILE: written alternately to the one and the other. */
struct nnr_loop {
	uint32_t num_inputs, num_state;
	struct nnr_argument *vars; /* num_inputs: current values */
	struct nnr_temporary *buffers[2]; /* num_state each */
};

/**
 * A graph's values; each graph of a plan is active at most once at a time, for models refer to
 * older ones only.
 */
struct nnr_frame {
	const struct nnmodel_subgraph *graph;
	/*
	 * per operand: where it is, and its shape once it is there (dims: own room, or the giver's)
	 */
	struct nnr_argument *args;
	uint32_t **dims; /* own room: NNR_MAX_RANK; NULL: operands that only steps see */
	struct nnr_temporary *temps;
	bool *read; /* by a node of this graph */
	bool *output; /* of this graph */
	struct nnr_loop *loops; /* per node */
};

struct nnr_context {
	struct nnr_context *next;
	struct nnr_plan *plan;
	struct nnr_frame *frames; /* as plan->graphs */
	ANeuralNetworksMemory **pools; /* of the model, for constants that control flow passes on */
	/* of the current run: */
	struct nnr_run *run;
	bool give_up; /* the whole model on nnapi-reference is the only way left */
	bool final; /* the result is not for a retry: loop timeout, deadline */
	bool timed; /* timing in run is of all steps so far */
};

/** A plan's contexts are kept for its next runs. Result code. */
int nnr_context_take(struct nnr_plan *plan, struct nnr_context **context);
void nnr_context_give(struct nnr_context *context);
/** Main's inputs and outputs are the run's. */
void nnr_context_begin(struct nnr_context *context, struct nnr_run *run);
/** A graph whose inputs and outputs are set in its frame. Result code. */
int nnr_graph_run(struct nnr_context *context, uint32_t graph);
/** A run of a plan of several steps. Result code. */
int nnr_compound_run(struct nnr_context *context, struct nnr_run *run);
/** Set a value's place: shape as the operand says. */
void nnr_frame_place(struct nnr_frame *frame, uint32_t operand, const struct nnr_argument *place);
/** Give the operand at least @bytes. Result code. */
int nnr_temporary_reserve(struct nnr_temporary *temp, uint64_t bytes);
/** Memory for those without that have @bytes; those of one home are in one. Result code. */
int nnr_temporaries_pack(struct nnr_temporary *temps, const uint64_t *bytes, uint32_t num);
/** A step's arguments for its slot; values between steps have their place again. Result code. */
int nnr_frame_bind(struct nnr_frame *frame, const struct nnr_step *step, struct nnr_slot *slot);
/** A value is there, and has this shape. Result code: give_up if a later step could not take it. */
int nnr_frame_produced(struct nnr_context *context, struct nnr_frame *frame, uint32_t operand,
		       const struct nnhal_output_shape *shape);
int nnr_if_run(struct nnr_context *context, struct nnr_frame *frame, const struct nnr_node *node);
int nnr_while_run(struct nnr_context *context, struct nnr_frame *frame, const struct nnr_node *node,
		  struct nnr_loop *loop);
/** Where the values of a loop will be; result code. @home: who is asked for memory. */
int nnr_loop_init(struct nnr_loop *loop, const struct nnr_plan *plan,
		  const struct nnmodel_subgraph *graph, const struct nnr_node *node,
		  ANeuralNetworksDevice *home);
void nnr_loop_fini(struct nnr_loop *loop);

/* ---- run.c ---- */

/** The whole model on nnapi-reference, device memories copied there and back. Result code. */
int nnr_run_full(struct nnr_run *run);
/** Declared shapes, before anything is known. */
void nnr_run_reset(struct nnr_run *run);
/** A shape of main's output number @index, once known. */
void nnr_run_shape(struct nnr_run *run, uint32_t index, const struct nnhal_output_shape *shape);
/** Inputs in memory from descriptors must be there. Result code. */
int nnr_run_check_inputs(const struct nnr_run *run);
/** Memories from descriptors learn how the run ended. */
void nnr_run_written(const struct nnr_run *run, int result);

#endif

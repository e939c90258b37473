/* SPDX-License-Identifier: Apache-2.0 */
/* Executions and events, runs of plans, control flow, fenced executions. */
#ifndef NNR_RUN_H
#define NNR_RUN_H

#include <pthread.h>

#include "base/nnr_base.h"
#include "diagnostics/diagnostics.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

/* run_state.c: one run of a plan. */

/** Arguments are the caller's and do not change during the run. */
struct nnr_run {
	struct nnr_plan *plan;
	const struct nnr_argument *inputs, *outputs; /* as main's lists */
	const struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool measure;
	uint64_t loop_timeout_ns;
	int64_t deadline_ns;
	struct nnr_workspace_set *set; /* of a burst, or NULL */
	/* results; the caller's array, one per output, dims with room for NNR_MAX_RANK */
	struct nnhal_output_shape *shapes;
	const ANeuralNetworksDevice *failed_device; /* nnapi-reference computed in its place */
	int failed_result; /* of that device */
	bool shapes_known; /* shapes were filled (NO_ERROR, OUTPUT_INSUFFICIENT_SIZE) */
	struct nnhal_timing timing;
	/* of a fenced run, until nnr_run_release(): values between steps, staged inputs */
	struct nnr_invocation *held;
	struct nnr_workspace *held_workspaces;
};

/** The result of an execution is an error that another device may not have. */
static inline bool nnr_run_failed(int result)
{
	return result != ANEURALNETWORKS_NO_ERROR &&
	       result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}
/** A failed step in a log line: whether the device's process died or the device failed. */
static inline const char *nnr_run_failure(int result)
{
	return result == ANEURALNETWORKS_DEAD_OBJECT ? "died" : "failed to execute";
}
/** A device failed, and nnapi-reference computes in its place (logged). */
void nnr_run_device_failed(struct nnr_run *run, const ANeuralNetworksDevice *device, int result,
			   const char *instead);
/** Before the run: results become the declared shapes, and no times. */
void nnr_run_reset(struct nnr_run *run);
/** Inputs in memory from descriptors must be initialized. Result code (logged). */
int nnr_run_check_inputs(const struct nnr_run *run);
/** The shape of main's output number @index is known. */
void nnr_run_shape(struct nnr_run *run, uint32_t index, const struct nnhal_output_shape *shape);
/** After the run: memory from descriptors gets its state. */
void nnr_run_written(const struct nnr_run *run, int result);

/* event_object.c: events: the completion of an execution, or a fence from outside. */

/**
 * One of three kinds:
 * - async: nnr_event_complete() completes it, from a worker thread;
 * - fence: @fence_fd, perhaps with @finish, which ends the execution;
 * - done: complete from the start.
 */
struct ANeuralNetworksEvent {
	unsigned int process; /* that it was made in */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool complete;
	int result; /* result code, once complete */
	int fence_fd; /* -1: none */
	/*
	 * Called once, without the lock, by the first wait or free. The argument is the fence's
	 * result, the value is the event's.
	 */
	int (*finish)(void *cookie, int result);
	void *cookie;
	bool finishing;
};
/** NULL: out of memory. */
ANeuralNetworksEvent *nnr_event_new(void);
void nnr_event_complete(ANeuralNetworksEvent *event, int result);
/** Wait until it is complete. Result code. */
int nnr_event_wait(ANeuralNetworksEvent *event);
/** Wait until it is complete, and free it. */
void nnr_event_free(ANeuralNetworksEvent *event);
/** An event for a duplicate of @fd. Result code (logged). */
int nnr_event_create_from_fence(int fd, ANeuralNetworksEvent **event);

/* execution_object.c: executions: the object of the API, and its states. */

enum nnr_execution_state { NNR_PREPARATION, NNR_COMPUTATION, NNR_COMPLETED };
enum nnr_completion {
	NNR_COMPLETION_NONE,
	NNR_COMPLETION_NO_ERROR,
	NNR_COMPLETION_INSUFFICIENT,
	NNR_COMPLETION_OTHER
};

struct ANeuralNetworksExecution {
	atomic_uint refs; /* the application's, and that of a computation in flight */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan;
	bool explicit_one;
	pthread_mutex_t lock; /* of state and completion */
	enum nnr_execution_state state;
	enum nnr_completion completion;
	bool reusable, padding_enabled, measure, arguments_set;
	uint64_t timeout_ns, loop_timeout_ns;
	struct nnr_argument *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
	uint32_t *dims; /* room for all dims of arguments and shapes */
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	struct nnhal_output_shape *shapes;
	bool shapes_known;
	struct nnhal_timing launched, fenced;
	/* owned by the computation in flight: */
	struct nnr_run run;
	enum nnr_diagnostic_mode mode;
	int64_t start_ns; /* 0: no diagnostics */
	ANeuralNetworksEvent *event; /* startCompute's */
	struct nnhal_fenced_callback *callback;
};

/** For a finished, valid compilation. Result code. */
int nnr_execution_new(ANeuralNetworksCompilation *compilation,
		      ANeuralNetworksExecution **execution);
/** Drop a reference. */
void nnr_execution_put(ANeuralNetworksExecution *execution);
/** DEAD_OBJECT (logged): it was made before a fork, and not even its lock can be used. */
int nnr_execution_check_alive(const ANeuralNetworksExecution *execution);
/** The same; BAD_STATE (logged): a computation was started. */
int nnr_execution_check_open(ANeuralNetworksExecution *execution);

/*
 * invocation.c: invocations: the values of a plan of several steps during one run. Each graph of
 * the plan has a scope. A plan keeps invocations, with their memory, for its next runs.
 */

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

/*
 * plan_run.c: a run of a plan becomes executions of prepared models: step_execution.c does one,
 * graph_run.c leads values from step to step, if_while.c interprets IF and WHILE, run.c decides
 * what happens when something fails, fence_chain.c lets devices wait for each other.
 *
 * Lock order: ANeuralNetworksExecution.lock, then ANeuralNetworksMemory.lock (two of them by
 * address), then the lock of the workspaces, then the registry's. No lock is held while a device is
 * called, but for the burst of a workspace, which belongs to the workspace's owner.
 */

/** Run and wait. Result code. */
int nnr_run(struct nnr_run *run);
/** The whole model on nnapi-reference; device memory is copied there and back. Result code. */
int nnr_run_full(struct nnr_run *run);

/* step_execution.c: one execution of a prepared model. Result codes. */

/** Make the request of the workspace's arguments; data at pointers is staged. */
int nnr_workspace_bind(struct nnr_workspace *workspace);
/** The run's configuration, as far as the device's interface can express it. */
int nnr_workspace_config(struct nnr_workspace *workspace, const struct nnr_run *run,
			 struct nnhal_execution_config *config);
/**
 * Execute and wait. Checks the device's answer: with NO_ERROR and OUTPUT_INSUFFICIENT_SIZE the
 * workspace has the shape of each output; a contradiction is OP_FAILED.
 */
int nnr_workspace_execute(struct nnr_workspace *workspace, const struct nnr_run *run,
			  int64_t deadline_ns);

/* execution_compute.c: computations of an execution. Result codes; failures are logged. */

/**
 * Begin a computation. NO_ERROR: no other computation can begin until nnr_execution_end().
 * BAD_DATA: an argument is not set, and the execution has completed.
 */
int nnr_execution_begin(ANeuralNetworksExecution *execution, enum nnr_diagnostic_mode mode,
			struct nnr_workspace_set *set);
/** End the computation. The value is @result. */
int nnr_execution_end(ANeuralNetworksExecution *execution, int result);
/** From begin to end on this thread. @set: of a burst, or NULL. */
int nnr_execution_compute(ANeuralNetworksExecution *execution, enum nnr_diagnostic_mode mode,
			  struct nnr_workspace_set *set);
/** After nnr_execution_begin(): the rest on a worker thread. *@event with NO_ERROR. */
int nnr_execution_launch(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event);

/*
 * run_capture.c: captures (nncapture.h) of executions, in the folder that the settings name: of
 * those on which a device failed, and of the first ones of the process. Documentation/runtime.rst
 * has the rules.
 */

struct nnr_run_capture;

/** Whether an execution may be captured: the host has to wait for each. */
bool nnr_run_capture_on(void);
/**
 * Before the run: copies of its inputs, which a run may overwrite. NULL: it is not captured (a
 * reason that the user can mend is logged).
 */
struct nnr_run_capture *nnr_run_capture_begin(const struct nnr_run *run);
/** After the run: write the file if there is a reason. Frees @capture, which may be NULL. */
void nnr_run_capture_end(struct nnr_run_capture *capture, const struct nnr_run *run, int result);

/*
 * arguments.c: setting the inputs and outputs of an execution. Result codes; failures are logged.
 */

/** @type NULL: the model's. @buffer NULL: omitted. */
int nnr_execution_set_pointer(ANeuralNetworksExecution *execution, bool input, int32_t index,
			      const ANeuralNetworksOperandType *type, void *buffer, size_t length);
int nnr_execution_set_memory(ANeuralNetworksExecution *execution, bool input, int32_t index,
			     const ANeuralNetworksOperandType *type,
			     const ANeuralNetworksMemory *memory, size_t offset, size_t length);

/*
 * fence_chain.c: fenced runs: each step begins when the fence of the step before it signals,
 * without the host. If a device has no fences the host waits, and the next step begins without any.
 */

/**
 * Launch a run. Outputs are fully specified and in memory objects (else the caller waits and uses
 * nnr_run()). Inputs by pointer make it wait for @wait_for, which stay the caller's. *@sync_fence
 * -1: the run has ended. *@callback (NULL: none) is the caller's. Result code.
 */
int nnr_run_fenced(struct nnr_run *run, const int *wait_for, uint32_t num_wait_for,
		   uint64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback);
/**
 * Whether nnr_run_fenced() can return before the run has ended: the plan has only steps, and no
 * dynamic temporaries, and the run is not captured.
 */
bool nnr_run_can_be_fenced(const struct nnr_plan *plan);
/** When a fenced run has ended. */
void nnr_run_release(struct nnr_run *run);

/* fenced_computation.c: computations that begin when others have ended. */

/** ANeuralNetworksExecution_startComputeWithDependencies() with valid pointers. Result code. */
int nnr_execution_start_fenced(ANeuralNetworksExecution *execution,
			       const ANeuralNetworksEvent *const *dependencies, uint32_t num,
			       uint64_t duration, ANeuralNetworksEvent **event);

/* graph_run.c: runs of plans of several steps. */

/** Result code. */
int nnr_compound_run(struct nnr_invocation *invocation, struct nnr_run *run);
/** Run graph @number of the plan, whose inputs and outputs are set in its scope. Result code. */
int nnr_graph_run(struct nnr_invocation *invocation, uint32_t number);

/* if_while.c: control flow that the runtime interprets. Result codes. */

int nnr_if_run(struct nnr_invocation *invocation, struct nnr_scope *scope,
	       const struct nnr_node *node);
int nnr_while_run(struct nnr_invocation *invocation, struct nnr_scope *scope,
		  const struct nnr_node *node, struct nnr_while *loop);

#endif

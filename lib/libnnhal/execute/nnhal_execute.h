/* SPDX-License-Identifier: Apache-2.0 */
/* Requests, executions and their results: synchronous, fenced, bursts, reusable. */
#ifndef NNHAL_EXECUTE_H
#define NNHAL_EXECUTE_H

#include <pthread.h>

#include "device/nnhal_device.h"
#include "memory/nnhal_memory.h"
#include "nnhal.h"

/* burst_memories.c: the memories that a burst's client numbered. */

#define NNHAL_MEMORY_BUCKETS 64u

struct nnhal_memories {
	struct nnhal_imports *imports;
	pthread_mutex_t lock; /* protects the members below; imports.lock is taken under it */
	struct nnhal_known_memory *buckets[NNHAL_MEMORY_BUCKETS];
	uint32_t count;
};

/** @imports outlives it. */
void nnhal_memories_init(struct nnhal_memories *memories, struct nnhal_imports *imports);
void nnhal_memories_fini(struct nnhal_memories *memories);
/**
 * Memory that @token means already and that cannot shrink: its identity without a system call.
 * *@contradiction: the token means another memory.
 */
bool nnhal_memories_known(struct nnhal_memories *memories, int64_t token,
			  const struct nnhal_memory *memory, struct nnhal_identity *id,
			  bool *contradiction);
/** nnhal_import_get(), remembered under @token; -1: not remembered. */
int nnhal_memories_get(struct nnhal_memories *memories, int64_t token,
		       const struct nnhal_memory *memory, const struct nnhal_identity *id,
		       bool write, struct nnhal_import **import);
void nnhal_memories_forget(struct nnhal_memories *memories, int64_t token);

/* request.c: checks of a request. */

/** A pool of a request, as validation and binding see it. */
struct nnhal_pool {
	bool read, write; /* used by inputs, by outputs */
	struct nnhal_identity id; /* of memory */
	struct nnhal_buf *buffer; /* held; NULL: memory */
	struct nnhal_import *import; /* held; NULL: not used, or a buffer */
};

/** A request with its configuration while it is checked and bound. */
struct nnhal_request_state {
	const struct nnhal_request *request;
	const struct nnhal_execution_config *config;
	int64_t deadline_ns;
	struct nnhal_memories *memories; /* of a burst; NULL: none */
	const int64_t *tokens; /* with them: one per pool */
	/* of nnhal_bind_fill() */
	const struct nnhal_pm *pm;
	struct nnhal_pool *pools; /* request->num_pools of them */
	bool complete; /* every output's shape is known */
	/* of an older client, as this library knows them */
	struct nnhal_request older_request;
	struct nnhal_execution_config older_config;
};

/**
 * The sizes of the structs, the configuration and the deadline: what can be checked without the
 * model. NONE; INVALID_ARGUMENT with @message.
 */
enum nnhal_status nnhal_request_begin(struct nnhal_request_state *state, char *message);

/**
 * Check the request against the model and fill state->pools. NONE; INVALID_ARGUMENT with @message.
 * Buffers that were found are held in state->pools, on failure as well.
 */
enum nnhal_status nnhal_request_check(struct nnhal_request_state *state, char *message);
/**
 * The shape that model, request and buffer (NULL: memory) define together. Returns whether it is
 * complete.
 */
bool nnhal_io_shape(const struct nnhal_io *io, const struct nnhal_request_argument *arg,
		    const struct nnhal_buf *buffer, uint32_t *rank, uint32_t dims[NNPROG_MAX_RANK]);

/* binding.c: requests bound to device addresses. */

/** An argument that goes through the staging area. */
struct nnhal_staged_arg {
	struct nnhal_import *import; /* NULL: an omitted output */
	uint64_t offset; /* in the import */
	uint64_t staging_offset, length;
	uint32_t arg;
	bool output;
};

/** What the device says of an output, checked: execution_result.c. */
struct nnhal_judged {
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	uint64_t size;
	bool known, sufficient;
};

/** A checked request, its memory held: independent of what the caller passed. */
struct nnhal_binding {
	atomic_uint refs; /* its owner, an execution in flight */
	atomic_bool busy; /* an execution in flight; of reusable ones */
	struct nnhal_pm *pm;
	uint32_t num_args;
	struct nnaccel_arg *args; /* outputs: with all that is known of their shapes */
	struct nnhal_buf **buffers; /* by argument; NULL: memory. Held by pools */
	uint64_t *writes; /* by argument: the number of the write to its buffer in progress */
	struct nnhal_tref *mems;
	uint32_t num_mems;
	struct nnhal_pool *pools;
	uint32_t num_pools, max_pools;
	struct nnhal_staged_arg *staged;
	uint32_t num_staged;
	bool staged_in, staged_out;
	bool complete; /* the shape of every output is known */
	bool lean; /* of a burst: no shapes in results when @complete, start_ns not set */
	struct nnhal_staging *staging;
	uint64_t result_size; /* head, shapes, then @num_op_times */
	uint32_t num_op_times;
	struct nnhal_judged *judged; /* num_outputs + 1, then room for a copy of the result */
	uint64_t in_place; /* bytes */
	bool measure;
	uint64_t loop_ns;
	int64_t start_ns; /* CLOCK_MONOTONIC of the call */
};

/** A binding of its own for a request that a client passed with @config and @deadline_ns. */
enum nnhal_status nnhal_bind(struct nnhal_pm *pm, const struct nnhal_request *request,
			     const struct nnhal_execution_config *config, int64_t deadline_ns,
			     struct nnhal_binding **binding, char *message);
/** An empty binding, for nnhal_bind_fill(). */
struct nnhal_binding *nnhal_binding_new(struct nnhal_pm *pm);
/** After nnhal_request_begin(). On error the binding is empty again. */
enum nnhal_status nnhal_bind_fill(struct nnhal_binding *binding, struct nnhal_request_state *state,
				  char *message);
/** Release what it holds. */
void nnhal_binding_empty(struct nnhal_binding *binding);
struct nnhal_binding *nnhal_binding_get(struct nnhal_binding *binding);
/** Drop a reference. */
void nnhal_unbind(struct nnhal_binding *binding);
/** Begin the one execution in flight of a reusable binding. False: there is one already. */
bool nnhal_binding_try(struct nnhal_binding *binding);
/** The execution in flight ended; drops its reference. */
void nnhal_binding_release(struct nnhal_binding *binding);
/**
 * Whether the buffers that are read have content, or get it from @waited_for. NONE or
 * GENERAL_FAILURE with @message.
 */
enum nnhal_status nnhal_binding_ready(struct nnhal_binding *binding,
				      struct nnhal_promise *const *waited_for,
				      uint32_t num_waited_for, char *message);
/** The execution begins, and ends, writing its buffers. @writer: as for nnhal_buf_begin(). */
void nnhal_binding_begin(struct nnhal_binding *binding, struct nnhal_promise *writer);
void nnhal_binding_done(struct nnhal_binding *binding, struct nnhal_promise *writer,
			enum nnhal_status status);
/** Copy staged inputs to the device and clear the result. */
void nnhal_binding_stage_in(struct nnhal_binding *binding);
/** Copy staged outputs back: output i has @sizes[i] bytes. */
void nnhal_binding_stage_out(struct nnhal_binding *binding, const uint64_t *sizes);
/** Submit structure of the binding, without fences. */
void nnhal_binding_submit(const struct nnhal_binding *binding, uint64_t deadline_ns,
			  struct nnhal_tsubmit *submit);

/* execution_result.c: how jobs ended. */

/**
 * Judge how a job ended: read and check its struct nnaccel_result, copy staged outputs back, fill
 * @result (empty before) but for timing.
 */
enum nnhal_status nnhal_result_read(struct nnhal_binding *binding, uint64_t seqno,
				    const struct nnhal_tend *end,
				    struct nnhal_execution_result *result);
/** Timing of a successful, measured execution: on_device <= in_driver. */
struct nnhal_timing nnhal_timing_of(const struct nnhal_tend *end, int64_t in_driver_ns);
/** Whether the job's queue is banned now. */
bool nnhal_end_bans(const struct nnhal_tend *end);

/* synchronous.c: executions in the calling thread. */

/**
 * Submit and wait, once more if the job was lost innocently. @deadline_ns: CLOCK_BOOTTIME. The
 * caller has found the binding ready, and begins and ends its writes.
 */
enum nnhal_status nnhal_execute_begun(struct nnhal_binding *binding, int64_t deadline_ns,
				      struct nnhal_execution_result *result,
				      struct nnhal_tend *end);
/** The same, with all of that and a look at the deadline. */
enum nnhal_status nnhal_execute_binding(struct nnhal_binding *binding, int64_t deadline_ns,
					struct nnhal_execution_result *result,
					struct nnhal_tend *end);
/** As nnhal_execute_binding(), with result->timing. */
enum nnhal_status nnhal_execute_and_time(struct nnhal_binding *binding, int64_t deadline_ns,
					 struct nnhal_execution_result *result);

/*
 * ifenced_callback.c: IFencedExecutionCallback: a fenced execution from its launch to its end. Its
 * lock is taken before others, but for the device's reaper.
 */

/** What a fenced execution needs that a task executes: execute/fenced_task.c. */
struct nnhal_fenced_task {
	struct nnhal_reaped waiting; /* the reaper watches an in-fence */
	uint32_t next; /* number of that in-fence */
	int signal; /* the maker's end of the fence */
	int64_t deadline_ns; /* CLOCK_BOOTTIME */
	int64_t duration_ns; /* from the end of the in-fences; NNHAL_NO_TIME: none, or counted */
};

struct nnhal_fenced {
	struct nnhal_fenced_callback base;
	struct nnhal_promise promise; /* to write its output buffers */
	atomic_uint refs; /* user, reaper or task, buffers, reusable execution */
	struct nnhal_dev *dev;
	pthread_mutex_t lock; /* protects the members up to @job */
	pthread_cond_t settled;
	bool done;
	bool waiting; /* the reaper is in the transport with the job */
	enum nnhal_status status;
	struct nnhal_timing launched, fenced;
	struct nnhal_binding *binding; /* until done */
	struct nnhal_queue *queue;
	struct nnhal_tjob *job; /* NULL: a task executes it, and says when it is done */
	struct nnhal_reaped reaped; /* its fence: own descriptor, until done */
	int *wait_for; /* own descriptors of in-fences; of a job for the times, or NULL */
	uint32_t num_wait_for;
	struct nnhal_fenced_task task;
};

struct nnhal_fenced *nnhal_fenced_new(struct nnhal_dev *dev);
struct nnhal_fenced *nnhal_fenced_get(struct nnhal_fenced *fenced);
void nnhal_fenced_put(struct nnhal_fenced *fenced);
/** If it has ended: read its result and release what it holds, without waiting. */
void nnhal_fenced_settle(struct nnhal_fenced *fenced);
/** The same, after waiting for its end; drops the reference that the reaper has or would have. */
void nnhal_fenced_finish(struct nnhal_fenced *fenced);
/** A descriptor of the promised execution's fence, the caller's; -1: it has ended; or -errno. */
int nnhal_fenced_dup_fence(struct nnhal_promise *promise);
/**
 * Under its lock: take note of its end and release what it holds. Its job, if it had one, was
 * freed.
 * @done_ns: CLOCK_MONOTONIC.
 */
void nnhal_fenced_conclude(struct nnhal_fenced *fenced, enum nnhal_status status,
			   const struct nnhal_tend *end, int64_t done_ns);
/** Duplicate in-fences. 0 or -errno. */
int nnhal_fenced_keep_fences(struct nnhal_fenced *fenced, const int *fds, uint32_t count);
void nnhal_fenced_close_fences(struct nnhal_fenced *fenced);
/** CLOCK_MONOTONIC when the last in-fence signalled, or @start_ns. */
int64_t nnhal_fenced_inputs_ready(const int *fds, uint32_t count, int64_t start_ns);
/** @status as IFencedExecutionCallback may answer it. */
enum nnhal_status nnhal_fenced_status(enum nnhal_status status);

/* fenced.c: fenced executions. */

/** What an execution waits for and until when. */
struct nnhal_fenced_launch {
	const int *wait_for;
	uint32_t num_wait_for;
	int64_t deadline_ns, duration_ns;
	int64_t call_ns; /* CLOCK_MONOTONIC */
	bool pending; /* out: a fence has not signalled yet */
};
/** NONE or INVALID_ARGUMENT. */
enum nnhal_status nnhal_fenced_check(struct nnhal_fenced_launch *launch);
/** Launch a checked execution of @binding, whose reference is taken over in any case. */
enum nnhal_status nnhal_fenced_run(struct nnhal_binding *binding,
				   struct nnhal_fenced_launch *launch, int *sync_fence,
				   struct nnhal_fenced **fenced,
				   struct nnhal_fenced_callback **callback);
/** IPreparedModel::executeFenced. */
enum nnhal_status nnhal_execute_fenced(struct nnhal_prepared_model *model,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback);

/*
 * op_time_marks.c: times of the operations of a job on a card, as marks in the trace
 * (nntrace_op.h). The firmware of a device in the process writes them itself.
 */

/** Entries that results of the model shall have room for: 0 if the trace has no such marks. */
uint32_t nnhal_op_times_wanted(const struct nnhal_pm *pm);
/** Write the marks. @entries: a copy of what the device wrote, @count at most. */
void nnhal_op_times_mark(const struct nnaccel_result *result, const struct nnaccel_op_time *entries,
			 uint32_t count);

/*
 * fenced_task.c: fenced executions that a task of this library executes, with a fence of user
 * space.
 */

/** Make its fence, and duplicate its in-fences. 0 or -errno, and nothing is made. */
int nnhal_fenced_task_prepare(struct nnhal_fenced *fenced, const int *wait_for,
			      uint32_t num_wait_for, int *sync_fence);
/** It is not launched after all. */
void nnhal_fenced_task_drop(struct nnhal_fenced *fenced, int *sync_fence);
/**
 * Wait for the in-fences, execute the binding, and signal the fence, in the background. Its writes
 * have begun. @duration_ns: counts from the end of the in-fences.
 */
void nnhal_fenced_task_start(struct nnhal_fenced *fenced, int64_t deadline_ns, int64_t duration_ns);

/* iburst.c: IBurst. */

/** IPreparedModel::configureExecutionBurst. */
enum nnhal_status nnhal_configure_burst(struct nnhal_prepared_model *model,
					struct nnhal_burst **burst);

/* iexecution.c: IExecution. */

/** IPreparedModel::createReusableExecution. */
enum nnhal_status nnhal_create_reusable_execution(struct nnhal_prepared_model *model,
						  const struct nnhal_request *request,
						  const struct nnhal_execution_config *config,
						  struct nnhal_execution **execution);

/* iprepared_model.c: IPreparedModel. */

extern const struct nnhal_prepared_model_ops nnhal_pm_ops;

#endif

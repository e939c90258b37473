/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the firmware's core.
 *
 * Locking: nnfw.lock guards contexts, queues, lists of jobs and the program cache. A queue that a
 * thread holds (queue.running) is that thread's alone: its current job, its run and its completions
 * need no lock. Atomics carry what the other side may change meanwhile: job.cancel, queue.level and
 * the hints of the scheduler. No callback of the platform runs under the lock.
 */
#ifndef NNFW_CORE_H
#define NNFW_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "nnfw_core.h"
#include "nnfw_op.h"

#define NNFW_PRIORITIES 4u
#define NNFW_REALTIME 3u
/**
 * Levels of queues beside priorities: load-ahead, which gives way to every job; a first job that
 * only has to end.
 */
#define NNFW_BACKGROUND 4u
#define NNFW_ENDING 5u
#define NNFW_NONE UINT32_MAX
/** Hints to load a program that a context may have waiting. */
#define NNFW_MAX_LOADS 256u

/** How a job was told to end early; the first one holds. */
enum job_cancel { CANCEL_NO, CANCEL_ABORT, CANCEL_CLOSE };

/** Why a job failed; result.c makes the client's struct of it. */
struct job_error {
	uint64_t offset; /* BAD_PROGRAM */
	uint32_t operation, subgraph; /* EXEC_FAILED, else NNFW_NONE */
	uint64_t fault; /* FAULT */
	char text[NNACCEL_RESULT_TEXT];
};

struct job {
	STAILQ_ENTRY(job) next;
	struct nnaccel_job desc;
	_Atomic int cancel; /* enum job_cancel */
	bool started;
	uint64_t start_ns;
	uint64_t run_ns; /* on an engine, in the turns that have ended */
	struct run *run; /* once its program is there */
	struct job_error error;
	uint32_t max_args; /* that there is room for */
	struct nnaccel_arg args[]; /* desc.num_args */
};
STAILQ_HEAD(job_list, job);

struct context;
struct program;
struct queue;

/** What a long operation is told to look at, and what the host may see of it. */
struct nnfw_progress {
	struct nnfw *fw;
	struct queue *queue;
	const _Atomic int *cancel; /* enum job_cancel of what runs; NULL: nothing does */
	uint64_t seqno;
	uint64_t count; /* grows over the life of the queue */
	uint64_t since_ns; /* start of the turn */
	bool on; /* the turn has begun */
};

/**
 * Something that takes turns on an engine: a queue of jobs, or the one of a context that loads
 * programs ahead. Its lists say when its turn comes; a thread that holds it may wait there, inside
 * an operation, on its own stack.
 */
struct queue {
	uint32_t id, priority;
	struct context *context;
	struct job_list jobs; /* the first one is current once started */
	struct job_list idle; /* ended, to be used again */
	uint32_t num_idle;
	bool loader; /* of a context: serves its loads, has no jobs and no id */
	bool running; /* a thread holds it */
	bool suspended; /* that thread waits for its next turn */
	bool engine; /* that thread has an engine */
	bool closing;
	struct program *parked; /* waits until this is loaded */
	/*
	 * where it is listed, or would be: a priority or one of the levels above; changed under the
	 * lock
	 */
	_Atomic uint32_t level;
	bool listed;
	TAILQ_ENTRY(queue) entry;
	pthread_cond_t resumed; /* suspended has ended */
	struct nnfw_progress progress;
};
TAILQ_HEAD(queue_list, queue);

/** A program to load ahead. */
struct load_request {
	STAILQ_ENTRY(load_request) next;
	uint64_t addr, size, generation;
};
STAILQ_HEAD(load_list, load_request);

struct context {
	uint32_t id;
	bool closing;
	bool listed; /* in nnfw.contexts_ready */
	struct queue_list ready[NNFW_REALTIME];
	struct queue loader;
	_Atomic int cancel; /* enum job_cancel of the loader */
	struct load_list loads;
	uint32_t pending_loads; /* in loads, at most NNFW_MAX_LOADS */
	TAILQ_ENTRY(context) entry;
};
TAILQ_HEAD(context_list, context);

TAILQ_HEAD(program_list, program);

/** A thread that runs jobs when there is an engine for it. */
struct worker {
	struct nnfw *fw;
	pthread_t thread;
	uint32_t number; /* for its name */
	bool exited; /* to be joined */
	STAILQ_ENTRY(worker) next;
};
STAILQ_HEAD(worker_list, worker);

struct nnfw {
	struct nnfw_platform platform;
	struct nnfw_config config;

	pthread_mutex_t lock;
	pthread_cond_t work; /* something for an idle worker */
	pthread_cond_t idle; /* a thread let go of a queue */
	bool stopping;
	/*
	 * engines that nobody has: who has one computes; threads without one wait or only clean up
	 */
	uint32_t free_engines;
	struct worker_list workers;
	uint32_t num_workers; /* that have not exited */
	uint32_t sleeping, starting; /* of these: wait for work; have not looked for any yet */

	struct context *contexts[NNACCEL_MAX_CONTEXTS];
	struct queue *queues[NNACCEL_MAX_QUEUES];
	struct queue_list realtime; /* ready queues of priority REALTIME, over all contexts */
	struct context_list contexts_ready;
	struct queue_list background; /* loaders for which no job waits */
	struct queue_list ending; /* need no engine */
	/* queues of jobs in the lists above but ending, to be read without the lock at each tick */
	_Atomic uint32_t num_ready, num_realtime;

	struct program_list programs; /* least recently used first */
	struct program_list garbage; /* to be freed without the lock */
	uint64_t program_bytes, num_programs;

	struct arena *arenas; /* idle, last used first */
	uint32_t num_arenas;
	uint64_t arenas_ns; /* when the last run gave one back */

	_Atomic uint64_t jobs_done, bytes_direct, bytes_bounced, bytes_loaded;
};

/* ---- arena.c ---- */

/** A range of bytes of an arena. */
struct span {
	char *ptr;
	size_t size;
};

/**
 * Memory of one run: bookkeeping, the program's static temporaries and what is allocated while it
 * runs. Kept between runs, so that its pages stay warm.
 */
struct arena {
	struct arena *next;
	struct span meta; /* bookkeeping, not counted */
	struct span *chunks; /* [0] begins with the static temporaries */
	struct span *free; /* by address, none adjacent */
	size_t num_chunks, max_chunks, num_free, max_free;
	uint64_t limit, used, peak;
};

/** An arena from the pool, or a new one. NULL: out of memory. */
struct arena *nnfw_arena_get(struct nnfw *fw);
void nnfw_arena_put(struct nnfw *fw, struct arena *arena);
/**
 * Under the lock, which is let go for a moment: free what waits in the pool if no run gave one back
 * for @idle_ns.
 */
void nnfw_arenas_age(struct nnfw *fw, uint64_t idle_ns);
void nnfw_arena_destroy(struct arena *arena);
/** Start a run: @meta bytes of bookkeeping and @fixed bytes at the start of the first chunk. 0 or
 * -ENOMEM (over the limit, too). */
int nnfw_arena_begin(struct arena *arena, size_t meta, uint64_t fixed, uint64_t limit);
/** 64-byte aligned; NULL: limit or memory. @size 0 gives a valid pointer. */
void *nnfw_arena_alloc(struct arena *arena, uint64_t size);
void nnfw_arena_free(struct arena *arena, void *ptr, uint64_t size);
/** Give back the end of an allocation of @from bytes; @to are left. */
void nnfw_arena_shrink(struct arena *arena, void *ptr, uint64_t from, uint64_t to);

/* ---- program.c, load.c ---- */

/** One operation, ready to run. */
struct program_op {
	const struct nnfw_op *op;
	const struct nnprog_op_desc *desc;
	const void *attrs;
	const uint32_t *in, *out;
	uint32_t num_in, num_out;
	bool control; /* IF or WHILE: control.c */
	uint32_t graphs[2]; /* then and else, or condition and body */
	void *state; /* made by op->load */
	size_t scratch; /* bytes, when fixed_shapes */
	bool fixed_shapes; /* shapes of outputs follow from the program alone */
	uint32_t first_dead, num_dead; /* in dead: allocated temporaries that end here */
};

/** A subgraph, ready to run. */
struct program_graph {
	const struct nnprog_subgraph *sg;
	const struct nnprog_tensor *declared;
	const uint32_t *inputs, *outputs; /* tensor numbers */
	struct nnfw_tensor *tensors; /* template: constants have their data, the rest has none */
	uint32_t *position; /* of an OUTPUT in the list of outputs */
	uint8_t *staged; /* arguments that must lie in private memory, by tensor */
	uint32_t *dead;
	struct program_op *ops;
	bool fixed_shapes; /* of every operation */
	uint64_t scratch; /* most of any operation with fixed shapes */
};

enum program_state { PROGRAM_LOADING, PROGRAM_READY, PROGRAM_BAD };

/** A loaded program: not changed after loading, shared by all workers. */
struct program {
	TAILQ_ENTRY(program) entry;
	/* under nnfw.lock */
	uint32_t context;
	uint64_t addr, size, generation;
	enum program_state state;
	uint32_t refs;
	bool cached; /* in nnfw.programs; else freed with its last reference */
	struct queue *loader; /* while LOADING: who does */
	uint64_t bytes; /* counted against the quota */

	/* written while LOADING by the one queue that loads */
	struct job_error error;
	void *copy;
	struct nnprog prog;
	const struct nnprog_subgraph *main;
	struct program_graph *graphs; /* by number: prog.num_subgraphs */
	uint32_t max_operands; /* of one operation */
};

/**
 * A program for @q, with a reference; loaded if need be. Called without the lock. OK, or the status
 * that the job ends with; *@park is set when another queue loads it: the job must wait.
 */
uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, uint64_t addr, uint64_t size,
			  uint64_t generation, struct program **program, struct job_error *error,
			  bool *park);
void nnfw_program_put(struct nnfw *fw, struct program *p);
/** A program that loads will have @bytes; idle ones make room. False: over the quota. */
bool nnfw_program_charge(struct nnfw *fw, struct program *p, uint64_t bytes);
/** Free what was dropped under the lock. Without the lock. */
void nnfw_program_reap(struct nnfw *fw);
/** Drop the programs of a context. Under the lock. @addr: of that address only, unless NULL. */
void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr);
/** Free what is in an unreferenced program. */
void nnfw_program_free(struct program *p);
/**
 * Copy, verify, prepare. Without the lock. Status of a job; *@bytes: what the loaded program holds.
 */
uint32_t nnfw_load(struct nnfw *fw, struct program *p, struct nnfw_progress *progress,
		   uint64_t *bytes);
/**
 * Serve one request of a context, whose loader the caller holds. Called and returns with the lock
 * held.
 */
void nnfw_load_ahead(struct nnfw *fw, struct context *ctx);
/** Forget the requests of a context. @addr: for that address only, unless NULL. Under the lock. */
void nnfw_loads_drop(struct context *ctx, const uint64_t *addr);

/* ---- sched.c ---- */

/** Put a queue with work into the scheduler's lists, unless it is there or held. Under the lock. */
bool nnfw_sched_list(struct nnfw *fw, struct queue *q);
/** The same for a queue whose thread waits for its next turn. */
void nnfw_sched_list_suspended(struct nnfw *fw, struct queue *q);
/** The same as nnfw_sched_list(), and somebody runs it if there is an engine. Under the lock. */
void nnfw_sched_ready(struct nnfw *fw, struct queue *q);
/** Take it out. Under the lock. */
void nnfw_sched_remove(struct nnfw *fw, struct queue *q);
/** The queue whose turn it is, or NULL. It stays where it is. Under the lock. */
struct queue *nnfw_sched_next(struct nnfw *fw);
/** It gets its turn: out of the lists, its context behind the others. Under the lock. */
void nnfw_sched_take(struct nnfw *fw, struct queue *q);
/** A job waits for what a loader loads: that is worth @priority now. Under the lock. */
void nnfw_sched_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** The first job of @q has been told to end: it need not wait for its turn. Under the lock. */
void nnfw_sched_end(struct nnfw *fw, struct queue *q);
/** Whether what runs should let others go first. Without the lock. */
bool nnfw_sched_preempt(struct nnfw *fw, const struct nnfw_progress *progress);

/* ---- engine.c ---- */

/** Give free engines to whose turn it is. Under the lock. */
void nnfw_engine_dispatch(struct nnfw *fw);
/** A suspended queue, which is in no list, goes on. Under the lock. */
void nnfw_engine_resume(struct queue *q, bool engine);
/**
 * Let others go first, on the caller's stack, which holds @q and runs something of it. Without the
 * lock.
 */
void nnfw_engine_suspend(struct nnfw *fw, struct queue *q);
/** A turn of the first job of @q begins or ends, at @now. */
void nnfw_turn_begin(struct nnfw *fw, struct queue *q, uint64_t now);
void nnfw_turn_end(struct nnfw *fw, struct queue *q, uint64_t now);
int nnfw_engine_start(struct nnfw *fw);
void nnfw_engine_stop(struct nnfw *fw);

/* ---- context.c ---- */

/** Under the lock: nothing is loaded ahead for @ctx any more. */
void nnfw_context_stop(struct nnfw *fw, struct context *ctx);

/* ---- queue.c ---- */

/** A new queue of @fw, in no table yet. Its memory is the caller's; nnfw_queue_fini() undoes it. */
void nnfw_queue_init(struct nnfw *fw, struct queue *q, struct context *ctx, uint32_t id,
		     uint32_t priority);
void nnfw_queue_fini(struct queue *q);
/** Under the lock: nothing new for @q, and what it has ends early. */
void nnfw_queue_stop(struct nnfw *fw, struct queue *q);
/** Under the lock: wait for the thread of a stopped queue, drain it, free it. The lock is dropped
 * meanwhile. */
void nnfw_queue_finish(struct nnfw *fw, struct queue *q);
/** Send the completion of the first job of a queue, which the caller holds, and free the job. */
void nnfw_job_complete(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status);

/* ---- run.c, bind.c, shapes.c, interp.c, control.c ---- */

/** An argument of a run. */
struct run_arg {
	struct nnfw_map map;
	uint32_t tensor;
	bool mapped;
	bool staged; /* the tensor lies in private memory, not in the map */
	bool insufficient; /* output: its buffer is too small */
	struct nnprog_shape given; /* output: what the argument says of its shape */
};

struct loop;

/**
 * A subgraph that runs. Frames nest as IF and WHILE do: the operation at the pc of the parent is
 * the one that runs this frame. A frame lies in the arena, in the block of its IF or WHILE; main's
 * in its run.
 */
struct frame {
	const struct program_graph *graph;
	struct frame *parent; /* NULL: main */
	struct loop *loop; /* condition or body of this one */
	struct nnfw_tensor *tensors;
	uint8_t *resolved; /* main: by operation: its shapes have been inferred; else NULL */
	char *fixed; /* static temporaries */
	void *scratch; /* for operations with fixed shapes */
	uint64_t block; /* bytes in the arena that an IF's frame lies in */
	uint32_t pc; /* next operation */
	bool omitted; /* some input is not given */
};

/** A job that has its program. Lies in the bookkeeping of its arena. */
struct run {
	struct nnfw *fw;
	struct queue *queue;
	struct job *job;
	struct program *program;
	struct arena *arena;
	struct run_arg *args; /* inputs, then outputs */
	struct frame main;
	struct frame *frame; /* the innermost */
	struct nnfw_tensor *operands; /* of the operation that runs */
	struct nnprog_operand *shapes; /* the same, as shape rules see them */
	uint64_t bounds[32]; /* of it: private bytes of outputs whose shapes only run() knows */
	bool insufficient; /* some output is too small: run on for the shapes only */
	bool stepped; /* an operation has run since the queue got its turn */
	uint64_t bytes_direct, bytes_bounced;
};

enum run_step { RUN_DONE, RUN_YIELD };

/** Check a job before anything is looked up for it. OK or BAD_ARGUMENT. */
uint32_t nnfw_job_check(struct job *job);
/** The status of a job that was told to end, or OK. */
uint32_t nnfw_job_canceled(struct job *job);
/**
 * Set up job->run, which takes over the reference to @program. On failure nnfw_run_end() cleans up.
 */
uint32_t nnfw_run_begin(struct nnfw *fw, struct queue *q, struct job *job, struct program *program);
/** Write outputs (when OK) and the result, give everything back, complete, free the job. */
void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status);

/** interp.c: run until the end, or until others should go first. */
enum run_step nnfw_run_step(struct run *run, uint32_t *status);
/** The running job does something; nothing else comes of it. Whether it was told to end. */
bool nnfw_progress_note(struct nnfw_progress *progress);

/**
 * bind.c: shapes and sizes that the arguments give, against the program. Touches no client memory.
 */
uint32_t nnfw_bind_check(struct run *run);
uint32_t nnfw_bind_inputs(struct run *run);
/** After shapes are inferred as far as they can be. */
uint32_t nnfw_bind_outputs(struct run *run);
/** Memory for an output tensor whose shape is complete. */
uint32_t nnfw_bind_output(struct run *run, uint32_t tensor);
/** Copy staged outputs to where they belong. */
uint32_t nnfw_bind_write(struct run *run);
void nnfw_bind_release(struct run *run, bool commit);

/** shapes.c: infer what is known before anything runs. */
uint32_t nnfw_shapes_infer_all(struct run *run);
/** Infer the outputs of operation @n. @running: its inputs are there; the shapes must come out
 * complete, but for those that only run() knows. Leaves operands of the rule in run->shapes. */
uint32_t nnfw_shapes_infer(struct run *run, struct frame *frame, uint32_t n, bool running);
/** Whether operation @n may run with those of its inputs that are known to have no elements. */
uint32_t nnfw_check_empty(struct run *run, const struct frame *frame, uint32_t n);
/** Whether the shapes of operation @n need not be inferred any more. */
static inline bool nnfw_shapes_resolved(const struct frame *frame, uint32_t n)
{
	return (frame->graph->ops[n].fixed_shapes && !frame->omitted) ||
	       (frame->resolved && frame->resolved[n]);
}
/** Whether only run() knows the extents of output @i. */
static inline bool nnfw_run_shape(const struct nnprog_op_desc *desc, uint32_t i)
{
	return i < 32 && desc->run_shapes & 1u << i;
}
/**
 * Give @t the complete @shape, which must be one that @t allows. False: it is not, or is too large.
 */
bool nnfw_tensor_take_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);
/** Set elements and size of a tensor from its shape. 0 or -EOVERFLOW. */
int nnfw_tensor_sizes(struct nnfw_tensor *t);
bool nnfw_tensor_complete(const struct nnfw_tensor *t);
void nnfw_tensor_shape(const struct nnfw_tensor *t, struct nnprog_shape *shape);
void nnfw_tensor_set_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);

/** interp.c: memory for a tensor whose shape is complete. */
uint32_t nnfw_output_memory(struct run *run, struct frame *frame, uint32_t tensor);
/** After operation @o: give back temporaries that nobody reads any more. */
void nnfw_release_dead(struct run *run, struct frame *frame, const struct program_op *o);
uint32_t nnfw_no_memory(struct run *run, uint64_t size);

/**
 * run.c: copy @n bytes that do not overlap, with ticks. OK, or the status of a job that was told to
 * end.
 */
uint32_t nnfw_run_copy(struct run *run, void *to, const void *from, size_t n);

/** control.c: tensors as at the start of the subgraph, static temporaries in place. */
uint32_t nnfw_frame_reset(struct run *run, struct frame *frame);
/** Begin the IF or WHILE that is next in the innermost frame. */
uint32_t nnfw_control_enter(struct run *run);
/** The innermost frame, which is not main, has come to its end: go on in the loop, or after it. */
uint32_t nnfw_control_leave(struct run *run);
/** Memory for an output of a frame that is not main; its shape is complete. */
uint32_t nnfw_control_output(struct run *run, struct frame *frame, uint32_t tensor);

/* ---- result.c ---- */

/** Fill @error's text; returns @status. */
uint32_t nnfw_fail(struct job_error *error, uint32_t status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** The same for an operation: what failed, and where. */
uint32_t nnfw_fail_at(struct run *run, const struct frame *frame, uint32_t operation,
		      uint32_t status, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void nnfw_error_clear(struct job_error *error);
/** Write the client's result. OK, or FAULT or NO_MEMORY when it cannot be written. */
uint32_t nnfw_result_write(struct nnfw *fw, const struct queue *q, struct job *job,
			   uint32_t status);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware: contexts, queues, jobs, scheduling between queues, helper threads. */
#ifndef NNACCEL_CORE_H
#define NNACCEL_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

#include "nnaccel/nnaccel_result.h"
#include "nnfw_core.h"
#include "nnfw_op.h"

/* job_error.c: why a job failed. */

#define NNFW_NONE UINT32_MAX

/** Why a job failed; serve.c reports it to the client. */
struct job_error {
	uint64_t offset; /* BAD_PROGRAM */
	uint32_t operation, subgraph; /* EXEC_FAILED, else NNFW_NONE */
	uint64_t fault; /* FAULT */
	char text[NNACCEL_RESULT_TEXT];
};

/** Set the text of @error; returns @status. */
uint32_t nnfw_fail(struct job_error *error, uint32_t status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void nnfw_error_clear(struct job_error *error);

/*
 * The data of the core: jobs, queues, contexts, and the firmware that holds them.
 *
 * Locking: nnfw.lock protects contexts, queues, lists of jobs and the program cache. Only the
 * thread that holds a queue (queue.running) accesses its current job, its run and its completions,
 * without the lock. Fields that other threads change meanwhile are atomic: job.cancel, queue.level
 * and the counters of the scheduler. No callback of the platform runs under the lock.
 */

#define NNFW_PRIORITIES 4u
#define NNFW_REALTIME 3u
/**
 * Levels of queues beside priorities: loading ahead, below every job; queues whose first job only
 * has to end.
 */
#define NNFW_BACKGROUND 4u
#define NNFW_ENDING 5u
/** Pending hints to load a program, per context. */
#define NNFW_MAX_LOADS 256u

/** Why a job was cancelled; only the first reason counts. */
enum job_cancel { CANCEL_NO, CANCEL_ABORT, CANCEL_CLOSE };

struct job {
	STAILQ_ENTRY(job) next;
	struct nnaccel_job desc;
	_Atomic int cancel; /* enum job_cancel */
	bool started;
	uint64_t start_ns;
	uint64_t run_ns; /* on an engine, over the turns that have ended */
	uint64_t room_until_ns; /* end of its waits for room; 0: it has not waited */
	struct run *run; /* set once its program is loaded */
	struct job_error error;
	uint32_t max_args; /* size of args */
	struct nnaccel_arg args[]; /* desc.num_args */
};
STAILQ_HEAD(job_list, job);

struct context;
struct program;
struct queue;

/** State for ticks of long operations, and the progress that the host sees. */
struct queue_progress {
	struct nnfw_progress op; /* first member: nnfw_engine_tick() finds the rest by it */
	struct nnfw *fw;
	struct queue *queue;
	const _Atomic int *cancel; /* enum job_cancel of the running job; NULL: none runs */
	uint64_t seqno;
	uint64_t count; /* grows over the life of the queue */
	uint64_t since_ns; /* start of the turn */
	bool on; /* the turn has begun */
};

/** The threads of a queue's job, and the split that they work on. */
struct crew {
	struct nnfw_crew base; /* first member: split() finds the rest by it */
	struct nnfw *fw;
	struct queue_progress *progress; /* of the job's thread */

	/* under nnfw.lock */
	TAILQ_ENTRY(crew) entry;
	uint64_t taken; /* slots of helpers, a bit each */
	_Atomic bool listed; /* wants helpers; read without the lock */
	_Atomic bool closed; /* the queue is being destroyed */
	_Atomic uint32_t helpers; /* read without the lock */

	/*
	 * The split, in steps of so many units that 16 bits count them. @claim: its number, the
	 * steps that are taken from its end, and those from its front; a thread that changes it
	 * from one value to the next has the steps between. The others belong to the split of that
	 * number, and may be read before it is known to be the current one.
	 */
	_Atomic uint64_t claim;
	_Atomic(nnfw_units_fn *) fn;
	_Atomic(void *) arg;
	_Atomic size_t units, step;
	_Atomic uint32_t steps, least, most; /* of all, of a piece */
	_Atomic uint32_t done; /* steps that have returned */
	_Atomic int processor; /* of the job's thread when the split began */
	_Atomic int error; /* the first */

	/* the job's thread sleeps until the pieces that have begun are done */
	pthread_mutex_t lock;
	pthread_cond_t end;
	_Atomic bool sleeps;
	_Atomic uint32_t ticks; /* of helpers */
};
TAILQ_HEAD(crew_list, crew);

/** Of a queue whose first job needs room for its program: program_room.c. */
struct room_wait {
	TAILQ_ENTRY(queue) entry; /* in nnfw.room_queue, if @waits */
	bool waits;
	uint64_t bytes; /* for which it waits */
	uint64_t granted; /* that it got, until its turn */
};

/**
 * A unit of scheduling: a queue of jobs, or the loader of a context, which loads programs ahead.
 * The scheduler's lists decide when its turn comes; a thread that holds it may wait for the next
 * turn inside an operation, on its own stack.
 */
struct queue {
	uint32_t id, priority;
	struct context *context;
	struct job_list jobs; /* the first one is current once started */
	struct job_list idle; /* ended jobs, for reuse */
	uint32_t num_idle;
	bool loader; /* the loader of a context: has no jobs and no id */
	bool running; /* a thread holds it */
	bool suspended; /* that thread waits for its next turn */
	bool engine; /* that thread has an engine */
	bool closing;
	struct program *parked; /* waits until this program is loaded */
	struct room_wait room;
	/*
	 * list that it is in, or would be put into: a priority or one of the levels above; written
	 * under the lock
	 */
	_Atomic uint32_t level;
	bool listed;
	TAILQ_ENTRY(queue) entry;
	pthread_cond_t resumed; /* signalled when suspended becomes false */
	struct queue_progress progress;
	struct crew crew; /* of its running job, and of what it loads */
};
TAILQ_HEAD(queue_list, queue);

/** A program to load ahead. */
struct load_request {
	STAILQ_ENTRY(load_request) next;
	uint64_t addr, size, generation;
	bool dropped; /* after the loader took it */
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
	struct load_request *loading; /* that the loader took; NULL */
	uint64_t program_bytes; /* of nnfw.program_bytes: those of its programs */
	struct program *ahead; /* to which the loader has a reference; NULL */
	TAILQ_ENTRY(context) entry;
};
TAILQ_HEAD(context_list, context);

struct arena;
TAILQ_HEAD(program_list, program);

/** A thread that runs jobs when there is an engine for it. */
struct worker {
	struct nnfw *fw;
	pthread_t thread;
	uint32_t number; /* part of its name */
	bool exited; /* it can be joined */
	STAILQ_ENTRY(worker) next;
};
STAILQ_HEAD(worker_list, worker);

struct nnfw {
	struct nnfw_platform platform;
	struct nnfw_config config;

	pthread_mutex_t lock;
	pthread_cond_t work; /* there is work for an idle worker */
	pthread_cond_t idle; /* a thread released a queue, or a loader its program */
	bool stopping;
	/*
	 * engines not in use; a thread that has a queue computes only with an engine, without one
	 * it waits or cleans up; helpers of crews are no more than these, and read it without the
	 * lock
	 */
	_Atomic uint32_t free_engines;
	struct worker_list workers;
	uint32_t num_workers; /* that have not exited */
	uint32_t sleeping, starting; /* of these: waiting for work; started, not checked for work
					yet */
	uint32_t aging; /* of those sleeping: will look after idle arenas */
	uint32_t visitors; /* threads of the platform inside nnfw_work() or on the way there */

	struct context *contexts[NNACCEL_MAX_CONTEXTS];
	struct queue *queues[NNACCEL_MAX_QUEUES];
	struct queue_list realtime; /* ready queues of priority REALTIME, over all contexts */
	struct context_list contexts_ready;
	struct queue_list background; /* loaders that no job waits for */
	struct queue_list ending; /* need no engine */
	/* queues of jobs in the lists above except ending; read at each tick without the lock */
	_Atomic uint32_t num_ready, num_realtime;

	uint32_t crew_threads; /* of one job, at most */
	struct crew_list crews; /* that want helpers, the oldest first */
	/* a sleeping worker was woken to help; read without the lock */
	_Atomic bool crew_called;
	_Atomic uint32_t num_helpers;
	bool crew_stays; /* for tests: helpers come and stay on a busy machine, too */
	/* no helpers until @crew_rest_until */
	_Atomic bool crew_resting;
	_Atomic uint64_t crew_rest_until;
	_Atomic uint64_t crew_move; /* how long the next one is when a helper is in the way */

	struct program_list programs; /* least recently used first */
	struct program_list garbage; /* to be freed after the lock is released */
	uint64_t program_bytes, num_programs;
	uint64_t idle_bytes; /* of program_bytes: those of programs that can be dropped */
	uint64_t kept_bytes; /* of program_bytes: those of programs that are kept (program.c) */
	struct queue_list room_queue; /* queues that wait for room, in the order of their arrival */
	uint64_t room_wait_ns; /* a job waits no longer */
	/* when a worker calls @timeout, on the monotonic clock; UINT64_MAX: never */
	uint64_t timeout_ns;
	void (*timeout)(struct nnfw *fw); /* called with the lock held */

	struct arena *arenas; /* idle, last used first */
	uint32_t num_arenas;
	uint64_t arenas_ns; /* when an arena was last given back */

	_Atomic uint64_t num_loaded; /* programs, ever */
	_Atomic uint64_t jobs_done, bytes_direct, bytes_bounced, bytes_loaded;
};

/* engine.c: engines, and the threads that use them. */

/**
 * Put a queue with work into the lists; a worker runs it when there is an engine. Under the lock.
 */
void nnfw_engine_ready(struct nnfw *fw, struct queue *q);
/** nnfw_sched_raise(), and a worker runs the loader when it is its turn. Under the lock. */
void nnfw_engine_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** The first job of @q was cancelled: it need not wait for its turn. Under the lock. */
void nnfw_engine_end(struct nnfw *fw, struct queue *q);
/**
 * One turn of @q on this thread, if it is the next queue and there is an engine; false: it is not.
 * The caller looks for more work, or nnfw_engine_dispatch() does. Under the lock, which is dropped
 * meanwhile: @q may be gone afterwards.
 */
bool nnfw_engine_turn(struct nnfw *fw, struct queue *q);
/** Give free engines to the next queues. Under the lock. */
void nnfw_engine_dispatch(struct nnfw *fw);
/**
 * A thread that is not a worker has run jobs, and leaves the rest to the workers. Under the lock.
 */
void nnfw_engine_leave(struct nnfw *fw);
/** Continue a suspended queue, which is in no list. Under the lock. */
void nnfw_engine_resume(struct queue *q, bool engine);
/**
 * Let other queues run first. The caller holds @q and runs its job; its stack is kept. Without the
 * lock.
 */
void nnfw_engine_suspend(struct nnfw *fw, struct queue *q);
/** Count progress of the running job. Returns whether the job was cancelled. */
bool nnfw_progress_note(struct queue_progress *progress);
/**
 * nnfw_progress.tick of a queue_progress: count progress, yield to other queues, and return
 * -ECANCELED if the job was cancelled.
 */
int nnfw_engine_tick(struct nnfw_progress *op);
/** Begin or end a turn of the first job of @q at @now. */
void nnfw_turn_begin(struct nnfw *fw, struct queue *q, uint64_t now);
void nnfw_turn_end(struct nnfw *fw, struct queue *q, uint64_t now);
/** Start the workers. 0 or -errno. */
int nnfw_engine_start(struct nnfw *fw);
void nnfw_engine_stop(struct nnfw *fw);

/* job.c: jobs: creation, checks, cancellation, completion. */

/** An ended job of @q with room for @args arguments, or NULL. Under the lock. */
struct job *nnfw_job_take_idle(struct queue *q, uint32_t args);
void nnfw_jobs_free_idle(struct queue *q);
/** Initialise a job with @count arguments; it has room for @max_args. */
void nnfw_job_fill(struct job *job, const struct nnaccel_job *desc, const struct nnaccel_arg *args,
		   uint32_t count, uint32_t max_args);
/** Cancel a job; only the first reason counts. */
void nnfw_job_cancel(struct job *job, enum job_cancel why);
/** The status of a job that was cancelled, or OK. */
uint32_t nnfw_job_canceled(struct job *job);
/** Check the fields of a job. OK or BAD_ARGUMENT. */
uint32_t nnfw_job_check(struct job *job);
/** Complete and free the first job of a queue that the caller holds; it ends @now. */
void nnfw_job_complete(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status,
		       uint64_t now);

/* crew.c: the threads of one operation (Documentation/firmware.rst). */

/** Threads of a crew at most. */
#define NNFW_CREW_SLOTS 64u

/** @progress: of the queue. */
void nnfw_crew_init(struct crew *crew, struct nnfw *fw, struct queue_progress *progress);
/** No helper is left. */
void nnfw_crew_fini(struct crew *crew);
/** No helper comes any more; those that are there leave soon, then nnfw.idle is signalled. Under
 * the lock. */
void nnfw_crew_close(struct crew *crew);
/** Threads of a crew: @wanted (0: one for each engine), at most what the processors allow. */
uint32_t nnfw_crew_threads(uint32_t wanted, uint32_t engines);
/** The job ended: no more helpers come until a job splits its work. Under the lock. */
void nnfw_crew_rest(struct crew *crew);
/**
 * Help a crew that wants it. Under the lock, which is dropped meanwhile. False: none does, or there
 * is no engine for it.
 */
bool nnfw_crew_help(struct nnfw *fw);

/* scheduler.c: the lists of ready queues, and their order. */

/** Put a queue with work into the lists, unless it is in one or held. Under the lock. */
bool nnfw_sched_list(struct nnfw *fw, struct queue *q);
/** The same for a suspended queue. */
void nnfw_sched_list_suspended(struct nnfw *fw, struct queue *q);
/** Take a queue out of the lists. Under the lock. */
void nnfw_sched_remove(struct nnfw *fw, struct queue *q);
/** The next queue, or NULL; it stays in its list. Under the lock. */
struct queue *nnfw_sched_next(struct nnfw *fw);
/** Take the next queue out of the lists, and move its context to the end. Under the lock. */
void nnfw_sched_take(struct nnfw *fw, struct queue *q);
/**
 * Raise the level of a loader to the priority of a job that waits for it. True: the loader has
 * moved in the lists. Under the lock.
 */
bool nnfw_sched_raise(struct nnfw *fw, struct queue *loader, uint32_t priority);
/** Whether the running job should be preempted. Without the lock. */
bool nnfw_sched_preempt(struct nnfw *fw, const struct queue_progress *progress);

/* queue.c: queues of jobs. */

/**
 * Initialise a queue in the caller's memory; it is in no table yet. nnfw_queue_fini() undoes it.
 */
void nnfw_queue_init(struct nnfw *fw, struct queue *q, struct context *ctx, uint32_t id,
		     uint32_t priority);
void nnfw_queue_fini(struct queue *q);
/** Accept no more jobs for @q and end those it has early. Under the lock. */
void nnfw_queue_stop(struct nnfw *fw, struct queue *q);
/** Wait for the thread of a stopped queue, drain and free the queue. Under the lock, which is
 * dropped meanwhile. */
void nnfw_queue_finish(struct nnfw *fw, struct queue *q);

/* serve.c: a turn of a queue. */

/** One turn of @q. Called and returns with the lock held, which it drops meanwhile. */
void nnfw_serve(struct nnfw *fw, struct queue *q);
/** Write outputs (if OK) and the result, release the run, complete and free the job. */
void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status);

/* context.c: contexts. */

/** Under the lock: nothing is loaded ahead for @ctx any more. */
void nnfw_context_stop(struct nnfw *fw, struct context *ctx);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Engines and threads. An engine is a token; there are as many as jobs may run at once. A worker
 * takes one together with the next queue. A job that is preempted inside an operation keeps its
 * thread, because the stack is its state. It gives up the engine, and another thread, created if
 * needed, continues with the next queue. So the number of threads is at most that of engines and
 * suspended jobs together, plus a few that sleep.
 *
 * A thread that waits for its job does a worker's part for as long as the job's queue comes first
 * (nnfw_engine_turn()): small jobs are over sooner than a worker wakes. So does a thread of the
 * platform that has just submitted jobs (nnfw_work()), for all queues.
 *
 * Ending a job that was cancelled needs no engine: it must not wait for other jobs.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "core_program.h"
#include "core.h"
#include "core_run.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"

/** Sleeping threads beyond one per engine: each saves a preemption the creation of one. */
#define SPARE_WORKERS 4u
/** Time after which idle memory of runs is freed. */
#define ARENA_IDLE_NS 500000000ll

static void *worker_run(void *arg);

static uint64_t clock_now(struct nnfw *fw)
{
	return fw->platform.clock_ns(fw->platform.priv);
}

/* ---- threads ---- */

/** Under the lock: a thread that has set exited does not take it again. */
static void join_exited(struct nnfw *fw)
{
	struct worker *w, *next;

	for (w = STAILQ_FIRST(&fw->workers); w; w = next) {
		next = STAILQ_NEXT(w, next);
		if (!w->exited)
			continue;
		STAILQ_REMOVE(&fw->workers, w, worker, next);
		pthread_join(w->thread, NULL);
		free(w);
	}
}

/** Under the lock. 0 or -errno. */
static int engine_spawn(struct nnfw *fw)
{
	struct worker *w = malloc(sizeof(*w));
	sigset_t old;
	pthread_attr_t attr;
	int ret;

	if (!w)
		return -ENOMEM;
	join_exited(fw);
	*w = (struct worker){ .fw = fw, .number = fw->num_workers };
	pthread_attr_init(&attr);
	/* operations have no large frames, and every queue may need a thread */
	pthread_attr_setstacksize(&attr, NNFW_STACK_BYTES + (size_t)PTHREAD_STACK_MIN);
	/* signals are for the application's threads */
	nnutil_signals_block(&old);
	ret = pthread_create(&w->thread, &attr, worker_run, w);
	nnutil_signals_restore(&old);
	pthread_attr_destroy(&attr);
	if (ret) {
		free(w);
		return -ret;
	}
	STAILQ_INSERT_TAIL(&fw->workers, w, next);
	fw->num_workers++;
	fw->starting++;
	return 0;
}

/**
 * Under the lock: make an idle or new thread look for work. False: there is none.
 */
static bool wake_worker(struct nnfw *fw)
{
	if (fw->starting)
		return true;
	if (fw->sleeping) {
		pthread_cond_signal(&fw->work);
		return true;
	}
	return !fw->stopping && !engine_spawn(fw);
}

/* ---- engines ---- */

/* Under the lock: a load and a store are cheaper than an atomic addition. */
static void take_engine(struct nnfw *fw)
{
	uint32_t engines = atomic_load_explicit(&fw->free_engines, memory_order_relaxed);

	atomic_store_explicit(&fw->free_engines, engines - 1, memory_order_relaxed);
}

static void give_engine(struct nnfw *fw)
{
	uint32_t engines = atomic_load_explicit(&fw->free_engines, memory_order_relaxed);

	atomic_store_explicit(&fw->free_engines, engines + 1, memory_order_relaxed);
}

void nnfw_engine_resume(struct queue *q, bool engine)
{
	q->suspended = false;
	q->engine = engine;
	pthread_cond_signal(&q->resumed);
}

void nnfw_engine_dispatch(struct nnfw *fw)
{
	struct queue *q = NULL;

	while (fw->free_engines && (q = nnfw_sched_next(fw)) && q->suspended) {
		nnfw_sched_take(fw, q);
		take_engine(fw);
		nnfw_engine_resume(q, true);
	}
	if ((fw->free_engines && q) || !TAILQ_EMPTY(&fw->ending))
		wake_worker(fw);
}

void nnfw_engine_ready(struct nnfw *fw, struct queue *q)
{
	if (nnfw_sched_list(fw, q))
		nnfw_engine_dispatch(fw);
}

void nnfw_engine_raise(struct nnfw *fw, struct queue *loader, uint32_t priority)
{
	if (nnfw_sched_raise(fw, loader, priority))
		nnfw_engine_dispatch(fw);
}

void nnfw_engine_end(struct nnfw *fw, struct queue *q)
{
	if (q->suspended) {
		nnfw_sched_remove(fw, q);
		nnfw_engine_resume(q, false);
		return;
	}
	/* a thread that holds it still lists it afterwards */
	q->parked = NULL;
	if (!q->running) {
		nnfw_sched_remove(fw, q);
		nnfw_engine_ready(fw, q);
	}
}

void nnfw_turn_begin(struct nnfw *fw, struct queue *q, uint64_t now)
{
	q->progress.since_ns = now;
	q->progress.on = true;
	if (fw->platform.turn && !q->loader)
		fw->platform.turn(fw->platform.priv, q->id, q->progress.seqno, true);
}

void nnfw_turn_end(struct nnfw *fw, struct queue *q, uint64_t now)
{
	struct job *job = STAILQ_FIRST(&q->jobs);

	if (!q->progress.on)
		return;
	q->progress.on = false;
	if (q->loader)
		return;
	if (now > q->progress.since_ns)
		job->run_ns += now - q->progress.since_ns;
	if (fw->platform.turn)
		fw->platform.turn(fw->platform.priv, q->id, q->progress.seqno, false);
}

void nnfw_engine_suspend(struct nnfw *fw, struct queue *q)
{
	struct queue *next;
	bool engine;

	/* before the engine is passed on: the host must not see two jobs on it */
	nnfw_turn_end(fw, q, clock_now(fw));
	pthread_mutex_lock(&fw->lock);
	next = nnfw_sched_next(fw);
	if (fw->free_engines) {
		nnfw_engine_dispatch(fw);
	} else if (next && !atomic_load_explicit(q->progress.cancel, memory_order_relaxed) &&
		   (next->suspended || wake_worker(fw))) {
		q->suspended = true;
		q->engine = false;
		nnfw_sched_list_suspended(fw, q);
		give_engine(fw);
		nnfw_engine_dispatch(fw);
		while (q->suspended)
			pthread_cond_wait(&q->resumed, &fw->lock);
	}
	engine = q->engine;
	pthread_mutex_unlock(&fw->lock);
	if (engine)
		nnfw_turn_begin(fw, q, clock_now(fw));
}

bool nnfw_progress_note(struct queue_progress *progress)
{
	const struct nnfw_platform *platform = &progress->fw->platform;

	progress->count++;
	/* a loader is not a queue of the host */
	if (platform->progress && !progress->queue->loader)
		platform->progress(platform->priv, progress->queue->id, progress->count,
				   progress->seqno);
	return atomic_load_explicit(progress->cancel, memory_order_relaxed) != CANCEL_NO;
}

int nnfw_engine_tick(struct nnfw_progress *op)
{
	struct queue_progress *progress = (struct queue_progress *)op;
	bool canceled;

	if (!progress->cancel)
		return 0;
	canceled = nnfw_progress_note(progress);
	if (progress->fw->config.flags & NNFW_CONFIG_NO_PREEMPT)
		return 0;
	if (!canceled && nnfw_sched_preempt(progress->fw, progress)) {
		nnfw_engine_suspend(progress->fw, progress->queue);
		canceled = atomic_load_explicit(progress->cancel, memory_order_relaxed) !=
			   CANCEL_NO;
	}
	return canceled ? -ECANCELED : 0;
}

/** One turn of a queue that is in no list. Under the lock. */
static void run_queue(struct nnfw *fw, struct queue *q)
{
	q->running = true;
	/* there may be work for another thread too */
	nnfw_engine_dispatch(fw);
	nnfw_serve(fw, q);
	q->running = false;
	if (q->engine)
		give_engine(fw);
	q->engine = false;
	if (q->closing)
		pthread_cond_broadcast(&fw->idle);
	else
		/* the caller looks for work at once */
		nnfw_sched_list(fw, q);
}

/** Run @q, which is the next queue, on a free engine. */
static void run_next(struct nnfw *fw, struct queue *q)
{
	nnfw_sched_take(fw, q);
	take_engine(fw);
	q->engine = true;
	run_queue(fw, q);
}

bool nnfw_engine_turn(struct nnfw *fw, struct queue *q)
{
	if (!q->listed || q->suspended || !fw->free_engines || nnfw_sched_next(fw) != q)
		return false;
	run_next(fw, q);
	return true;
}

/** Run the next queue. Under the lock. False: there is none. */
static bool run_one(struct nnfw *fw)
{
	struct queue *q = TAILQ_FIRST(&fw->ending);

	if (q) {
		nnfw_sched_remove(fw, q);
		run_queue(fw, q);
		return true;
	}
	q = fw->free_engines ? nnfw_sched_next(fw) : NULL;
	if (!q)
		return false;
	if (q->suspended) {
		nnfw_sched_take(fw, q);
		take_engine(fw);
		nnfw_engine_resume(q, true);
	} else {
		run_next(fw, q);
	}
	return true;
}

/**
 * Under the lock: wait until there may be work. On a timeout, free memory that no run has used
 * meanwhile, and do what is due.
 */
static void sleep_for_work(struct nnfw *fw)
{
	const bool aging = fw->arenas;
	uint64_t ns = fw->timeout_ns, age_ns;
	struct timespec until;

	if (aging) {
		age_ns = (uint64_t)nnutil_monotonic_ns() + ARENA_IDLE_NS;
		ns = age_ns < ns ? age_ns : ns;
	}
	if (ns == UINT64_MAX) {
		pthread_cond_wait(&fw->work, &fw->lock);
		return;
	}
	until = nnutil_timespec((int64_t)ns);
	fw->aging += aging;
	if (pthread_cond_timedwait(&fw->work, &fw->lock, &until) == ETIMEDOUT) {
		nnfw_arenas_age(fw, ARENA_IDLE_NS);
		if (fw->timeout_ns <= (uint64_t)nnutil_monotonic_ns())
			fw->timeout(fw);
	}
	fw->aging -= aging;
}

void nnfw_engine_leave(struct nnfw *fw)
{
	nnfw_engine_dispatch(fw);
	/* All workers may sleep since before there were arenas. At most once per ARENA_IDLE_NS. */
	if (fw->arenas && fw->sleeping && !fw->aging)
		pthread_cond_signal(&fw->work);
}

void nnfw_work_begin(struct nnfw *fw)
{
	pthread_mutex_lock(&fw->lock);
	fw->visitors++;
	pthread_mutex_unlock(&fw->lock);
}

void nnfw_work(struct nnfw *fw)
{
	struct nnfw_float_state floats;

	nnfw_float_save(&floats);
	nnfw_float_default();
	pthread_mutex_lock(&fw->lock);
	while (!fw->stopping && run_one(fw))
		;
	nnfw_engine_leave(fw);
	fw->visitors--;
	if (fw->stopping)
		pthread_cond_broadcast(&fw->idle);
	pthread_mutex_unlock(&fw->lock);
	nnfw_float_restore(&floats);
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct nnfw *fw = w->fw;
	char name[16];

	/* named by the thread itself: naming another one opens a file in /proc */
	snprintf(name, sizeof(name), "nnfw/%u", w->number);
	pthread_setname_np(pthread_self(), name);
	/* a thread begins with its creator's, which may be an application's thread */
	nnfw_float_default();
	pthread_mutex_lock(&fw->lock);
	fw->starting--;
	while (!fw->stopping) {
		if (run_one(fw) || nnfw_crew_help(fw))
			continue;
		if (fw->sleeping >= fw->config.threads + SPARE_WORKERS)
			break;
		fw->sleeping++;
		sleep_for_work(fw);
		fw->sleeping--;
		fw->crew_called = false;
	}
	fw->num_workers--;
	w->exited = true;
	if (fw->stopping)
		pthread_cond_broadcast(&fw->idle);
	pthread_mutex_unlock(&fw->lock);
	return NULL;
}

int nnfw_engine_start(struct nnfw *fw)
{
	int ret = 0;

	pthread_mutex_lock(&fw->lock);
	fw->free_engines = fw->config.threads;
	while (fw->num_workers < fw->config.threads && !ret)
		ret = engine_spawn(fw);
	pthread_mutex_unlock(&fw->lock);
	return ret;
}

void nnfw_engine_stop(struct nnfw *fw)
{
	pthread_mutex_lock(&fw->lock);
	fw->stopping = true;
	pthread_cond_broadcast(&fw->work);
	while (fw->num_workers || fw->visitors)
		pthread_cond_wait(&fw->idle, &fw->lock);
	join_exited(fw);
	pthread_mutex_unlock(&fw->lock);
}

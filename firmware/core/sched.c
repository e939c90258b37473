// SPDX-License-Identifier: Apache-2.0
/*
 * Who runs next. Queues of priority REALTIME come first, in turn. The others: contexts in turn, in each
 * its ready queue of the highest priority, equals in turn. A turn ends with the job, or at the first
 * operation boundary after the quantum when somebody waits; at once when a REALTIME queue does.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "core.h"
#include "nntrace.h"

void nnfw_sched_ready(struct nnfw *fw, struct queue *q)
{
	struct context *ctx = q->context;

	if (q->listed || q->running || q->closing || q->parked || STAILQ_EMPTY(&q->jobs))
		return;
	q->listed = true;
	atomic_fetch_add_explicit(&fw->num_ready, 1, memory_order_relaxed);
	if (q->priority == NNFW_REALTIME) {
		TAILQ_INSERT_TAIL(&fw->realtime, q, entry);
		atomic_fetch_add_explicit(&fw->num_realtime, 1, memory_order_relaxed);
	} else {
		TAILQ_INSERT_TAIL(&ctx->ready[q->priority], q, entry);
		if (!ctx->listed) {
			ctx->listed = true;
			TAILQ_INSERT_TAIL(&fw->contexts_ready, ctx, entry);
		}
	}
	if (fw->sleeping)
		pthread_cond_signal(&fw->work);
}

static bool has_ready(const struct context *ctx)
{
	for (uint32_t i = 0; i < NNFW_REALTIME; i++)
		if (!TAILQ_EMPTY(&ctx->ready[i]))
			return true;
	return false;
}

void nnfw_sched_remove(struct nnfw *fw, struct queue *q)
{
	struct context *ctx = q->context;

	if (!q->listed)
		return;
	q->listed = false;
	atomic_fetch_sub_explicit(&fw->num_ready, 1, memory_order_relaxed);
	if (q->priority == NNFW_REALTIME) {
		TAILQ_REMOVE(&fw->realtime, q, entry);
		atomic_fetch_sub_explicit(&fw->num_realtime, 1, memory_order_relaxed);
		return;
	}
	TAILQ_REMOVE(&ctx->ready[q->priority], q, entry);
	if (!has_ready(ctx)) {
		ctx->listed = false;
		TAILQ_REMOVE(&fw->contexts_ready, ctx, entry);
	}
}

/** The queue whose turn it is, taken out of the lists; its context goes behind the others. */
static struct queue *pick(struct nnfw *fw)
{
	struct queue *q = TAILQ_FIRST(&fw->realtime);
	struct context *ctx = TAILQ_FIRST(&fw->contexts_ready);

	if (!q && ctx) {
		for (uint32_t i = NNFW_REALTIME; i-- && !q;)
			q = TAILQ_FIRST(&ctx->ready[i]);
		TAILQ_REMOVE(&fw->contexts_ready, ctx, entry);
		TAILQ_INSERT_TAIL(&fw->contexts_ready, ctx, entry);
	}
	if (q)
		nnfw_sched_remove(fw, q);
	return q;
}

bool nnfw_sched_preempt(struct nnfw *fw, const struct queue *q, uint64_t since_ns)
{
	uint32_t realtime = atomic_load_explicit(&fw->num_realtime, memory_order_relaxed);

	if (q->priority != NNFW_REALTIME) {
		if (realtime)
			return true;
		if (!atomic_load_explicit(&fw->num_ready, memory_order_relaxed))
			return false;
	} else if (!realtime) {
		return false;
	}
	return fw->platform.clock_ns(fw->platform.priv) - since_ns >= fw->config.quantum_ns;
}

/** One turn of @job. Whether it ended, and how. */
static bool run_job(struct nnfw *fw, struct queue *q, struct job *job, uint32_t *status)
{
	NNTRACE_COMP("nnfw job");
	uint64_t now = fw->platform.clock_ns(fw->platform.priv);
	struct program *program = NULL;
	bool park = false;

	if (!job->started) {
		job->started = true;
		job->start_ns = now;
		q->progress.job = job;
		q->progress.seqno = job->desc.seqno;
		nnfw_progress_tick(&q->progress);
	}
	*status = nnfw_job_canceled(job);
	if (!*status && !job->run) {
		const struct nnaccel_job *j = &job->desc;

		*status = nnfw_job_check(job);
		if (*status || j->op == NNACCEL_JOB_NULL)
			return true;
		*status = nnfw_program_get(fw, q, q->context->id, j->program_addr, j->program_size,
					   j->program_generation, &q->progress, &program, &job->error,
					   &park);
		if (park)
			return false;
		if (*status == NNACCEL_STATUS_ABORTED)
			*status = nnfw_job_canceled(job);
		if (!*status)
			*status = nnfw_run_begin(fw, q, job, program);
	}
	return *status || nnfw_run_step(job->run, now, status) != RUN_YIELD;
}

/** One turn of a queue that the caller holds. */
static void run_queue(struct nnfw *fw, struct queue *q, struct job *job)
{
	uint32_t status;

	if (run_job(fw, q, job, &status))
		nnfw_run_end(fw, q, job, status);
}

bool nnfw_sched_run_one(struct nnfw *fw)
{
	struct queue *q = pick(fw);
	struct job *job;

	if (!q)
		return false;
	job = STAILQ_FIRST(&q->jobs);
	q->running = true;
	pthread_mutex_unlock(&fw->lock);
	run_queue(fw, q, job);
	pthread_mutex_lock(&fw->lock);
	q->running = false;
	if (q->closing)
		pthread_cond_broadcast(&fw->idle);
	else
		nnfw_sched_ready(fw, q);
	return true;
}

static void *worker(void *arg)
{
	struct nnfw *fw = arg;

	pthread_mutex_lock(&fw->lock);
	while (!fw->stopping) {
		if (nnfw_sched_run_one(fw))
			continue;
		if (!STAILQ_EMPTY(&fw->loads)) {
			nnfw_load_ahead(fw);
			continue;
		}
		fw->sleeping++;
		pthread_cond_wait(&fw->work, &fw->lock);
		fw->sleeping--;
	}
	pthread_mutex_unlock(&fw->lock);
	return NULL;
}

int nnfw_sched_start(struct nnfw *fw)
{
	sigset_t all, old;
	int ret = 0;

	/* signals are the application's: none of ours takes them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (fw->num_workers < fw->config.threads && !ret) {
		char name[16];

		ret = pthread_create(&fw->workers[fw->num_workers], NULL, worker, fw);
		if (ret)
			break;
		snprintf(name, sizeof(name), "nnfw/%u", fw->num_workers);
		pthread_setname_np(fw->workers[fw->num_workers], name);
		pthread_mutex_lock(&fw->lock);
		fw->num_workers++;
		pthread_mutex_unlock(&fw->lock);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}

void nnfw_sched_stop(struct nnfw *fw)
{
	pthread_mutex_lock(&fw->lock);
	fw->stopping = true;
	pthread_cond_broadcast(&fw->work);
	pthread_mutex_unlock(&fw->lock);
	for (uint32_t i = 0; i < fw->num_workers; i++)
		pthread_join(fw->workers[i], NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* Queues: their jobs run in order, one at a time, and each gets one completion. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "core_run.h"
#include "core_program.h"

void nnfw_queue_init(struct nnfw *fw, struct queue *q, struct context *ctx, uint32_t id,
		     uint32_t priority)
{
	q->id = id;
	q->context = ctx;
	q->priority = priority;
	atomic_init(&q->level, priority);
	STAILQ_INIT(&q->jobs);
	STAILQ_INIT(&q->idle);
	q->progress.op.tick = nnfw_engine_tick;
	q->progress.fw = fw;
	q->progress.queue = q;
	nnfw_crew_init(&q->crew, fw, &q->progress);
	pthread_cond_init(&q->resumed, NULL);
}

void nnfw_queue_fini(struct queue *q)
{
	nnfw_jobs_free_idle(q);
	nnfw_crew_fini(&q->crew);
	pthread_cond_destroy(&q->resumed);
}

int nnfw_queue_create(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority)
{
	struct queue *q;
	int ret = 0;

	if (queue >= NNACCEL_MAX_QUEUES || context >= NNACCEL_MAX_CONTEXTS ||
	    priority >= NNFW_PRIORITIES)
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	nnfw_queue_init(fw, q, NULL, queue, priority);
	pthread_mutex_lock(&fw->lock);
	if (!fw->contexts[context] || fw->contexts[context]->closing) {
		ret = -ENOENT;
	} else if (fw->queues[queue]) {
		ret = -EEXIST;
	} else {
		q->context = fw->contexts[context];
		fw->queues[queue] = q;
	}
	pthread_mutex_unlock(&fw->lock);
	if (ret) {
		nnfw_queue_fini(q);
		free(q);
	}
	return ret;
}

void nnfw_queue_stop(struct nnfw *fw, struct queue *q)
{
	struct job *job;

	q->closing = true;
	nnfw_crew_close(&q->crew);
	q->parked = NULL;
	nnfw_room_leave(fw, q);
	STAILQ_FOREACH(job, &q->jobs, next)
	nnfw_job_cancel(job, CANCEL_CLOSE);
	nnfw_sched_remove(fw, q);
	if (q->suspended)
		nnfw_engine_resume(q, false);
}

void nnfw_queue_finish(struct nnfw *fw, struct queue *q)
{
	struct job *job;

	while (q->running || q->crew.helpers)
		pthread_cond_wait(&fw->idle, &fw->lock);
	q->running = true;
	while ((job = STAILQ_FIRST(&q->jobs))) {
		pthread_mutex_unlock(&fw->lock);
		nnfw_run_end(fw, q, job, nnfw_job_canceled(job));
		pthread_mutex_lock(&fw->lock);
	}
	fw->queues[q->id] = NULL;
	pthread_cond_broadcast(&fw->idle);
	nnfw_queue_fini(q);
	free(q);
}

int nnfw_queue_destroy(struct nnfw *fw, uint32_t queue)
{
	struct queue *q;
	int ret = -ENOENT;

	if (queue >= NNACCEL_MAX_QUEUES)
		return -EINVAL;
	pthread_mutex_lock(&fw->lock);
	q = fw->queues[queue];
	if (q && !q->closing) {
		nnfw_queue_stop(fw, q);
		nnfw_queue_finish(fw, q);
		ret = 0;
	}
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	return ret;
}

/** Under the lock. NULL: no such queue, or it is closing. */
static struct queue *open_queue(struct nnfw *fw, uint32_t queue)
{
	struct queue *q = fw->queues[queue];

	return q && !q->closing ? q : NULL;
}

/* @here: the caller looks after the job, no worker need. */
static int submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *desc,
		  const struct nnaccel_arg *args, bool here)
{
	/* with too many arguments nnfw_job_check() refuses the job without reading them */
	uint32_t count = desc->num_args <= NNACCEL_MAX_ARGS ? desc->num_args : 0;
	struct job *job, *fresh = NULL;
	struct queue *q;

	if (queue >= NNACCEL_MAX_QUEUES)
		return -ENOENT;
	pthread_mutex_lock(&fw->lock);
	q = open_queue(fw, queue);
	job = q ? nnfw_job_take_idle(q, count) : NULL;
	if (q && !job) {
		pthread_mutex_unlock(&fw->lock);
		fresh = malloc(sizeof(*fresh) + count * sizeof(*args));
		if (!fresh)
			return -ENOMEM;
		fresh->max_args = count;
		job = fresh;
		pthread_mutex_lock(&fw->lock);
		q = open_queue(fw, queue);
	}
	if (q) {
		nnfw_job_fill(job, desc, args, count, job->max_args);
		STAILQ_INSERT_TAIL(&q->jobs, job, next);
		if (STAILQ_FIRST(&q->jobs) == job && nnfw_sched_list(fw, q) && !here)
			nnfw_engine_dispatch(fw);
	}
	pthread_mutex_unlock(&fw->lock);
	if (!q)
		free(fresh);
	return q ? 0 : -ENOENT;
}

int nnfw_submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *desc,
		const struct nnaccel_arg *args)
{
	return submit(fw, queue, desc, args, false);
}

int nnfw_submit_here(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *desc,
		     const struct nnaccel_arg *args)
{
	return submit(fw, queue, desc, args, true);
}

/** Under the lock: the queue, if its next job is one that the caller waits for. */
static struct queue *waited_for(struct nnfw *fw, uint32_t queue, uint64_t seqno)
{
	struct queue *q = queue < NNACCEL_MAX_QUEUES ? open_queue(fw, queue) : NULL;
	struct job *job = q ? STAILQ_FIRST(&q->jobs) : NULL;

	return job && job->desc.seqno <= seqno ? q : NULL;
}

void nnfw_run_here(struct nnfw *fw, uint32_t queue, uint64_t seqno)
{
	struct nnfw_float_state floats;
	struct queue *q;
	int cancel;

	/* a thread that is cancelled would keep its engine */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	nnfw_float_save(&floats);
	nnfw_float_default();
	pthread_mutex_lock(&fw->lock);
	while ((q = waited_for(fw, queue, seqno)) && nnfw_engine_turn(fw, q))
		;
	nnfw_engine_leave(fw);
	pthread_mutex_unlock(&fw->lock);
	nnfw_float_restore(&floats);
	pthread_setcancelstate(cancel, NULL);
}

int nnfw_abort(struct nnfw *fw, uint32_t queue, uint64_t seqno)
{
	struct queue *q;
	struct job *job;
	int ret = -ENOENT;

	if (queue >= NNACCEL_MAX_QUEUES)
		return -ENOENT;
	pthread_mutex_lock(&fw->lock);
	q = fw->queues[queue];
	if (q)
		STAILQ_FOREACH(job, &q->jobs, next)
	if (job->desc.seqno == seqno) {
		nnfw_job_cancel(job, CANCEL_ABORT);
		ret = 0;
		break;
	}
	if (!ret && !q->closing && job == STAILQ_FIRST(&q->jobs)) {
		nnfw_room_leave(fw, q);
		nnfw_engine_end(fw, q);
	}
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	return ret;
}

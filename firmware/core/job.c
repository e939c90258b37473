// SPDX-License-Identifier: Apache-2.0
/* Jobs: creation, checks, cancellation, completion. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "core_program.h"

/** Ended jobs that a queue keeps for reuse, so that none is allocated in the steady state. */
#define MAX_IDLE_JOBS 32u

/** Under the lock. */
static bool keep_idle(struct queue *q, struct job *job)
{
	if (q->closing || q->num_idle >= MAX_IDLE_JOBS)
		return false;
	/* reuse the last one first: it is in the caches */
	STAILQ_INSERT_HEAD(&q->idle, job, next);
	q->num_idle++;
	return true;
}

struct job *nnfw_job_take_idle(struct queue *q, uint32_t args)
{
	struct job *job;

	STAILQ_FOREACH(job, &q->idle, next)
	if (job->max_args >= args) {
		STAILQ_REMOVE(&q->idle, job, job, next);
		q->num_idle--;
		return job;
	}
	return NULL;
}

void nnfw_jobs_free_idle(struct queue *q)
{
	struct job *job;

	while ((job = STAILQ_FIRST(&q->idle))) {
		STAILQ_REMOVE_HEAD(&q->idle, next);
		free(job);
	}
}

void nnfw_job_fill(struct job *job, const struct nnaccel_job *desc, const struct nnaccel_arg *args,
		   uint32_t count, uint32_t max_args)
{
	memset(job, 0, sizeof(*job));
	job->desc = *desc;
	job->max_args = max_args;
	nnfw_error_clear(&job->error);
	if (count)
		memcpy(job->args, args, count * sizeof(*args));
}

uint32_t nnfw_job_check(struct job *job)
{
	const struct nnaccel_job *j = &job->desc;
	struct job_error *error = &job->error;

	if (j->op != NNACCEL_JOB_RUN && j->op != NNACCEL_JOB_NULL)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "unknown job operation %u",
				 j->op);
	if (j->flags || j->pad)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "reserved field of the job is not 0");
	if (j->num_args > (j->op == NNACCEL_JOB_NULL ? 0 : NNACCEL_MAX_ARGS))
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "%u arguments", j->num_args);
	if (j->loop_ns > NNACCEL_LOOP_NS_MAX)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "loop limit of %llu ns is too long",
				 (unsigned long long)j->loop_ns);
	if (j->op == NNACCEL_JOB_RUN && (!j->program_size || !j->program_addr))
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT, "no program");
	if (j->program_size > UINT64_MAX - j->program_addr)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_ARGUMENT,
				 "program beyond the address space");
	return NNACCEL_STATUS_OK;
}

void nnfw_job_cancel(struct job *job, enum job_cancel why)
{
	int none = CANCEL_NO;

	atomic_compare_exchange_strong(&job->cancel, &none, why);
}

uint32_t nnfw_job_canceled(struct job *job)
{
	switch (atomic_load_explicit(&job->cancel, memory_order_relaxed)) {
	case CANCEL_ABORT:
		return nnfw_fail(&job->error, NNACCEL_STATUS_ABORTED, "aborted");
	case CANCEL_CLOSE:
		return nnfw_fail(&job->error, NNACCEL_STATUS_CANCELED, "the queue was closed");
	default:
		return NNACCEL_STATUS_OK;
	}
}

void nnfw_job_complete(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status,
		       uint64_t now)
{
	struct nnaccel_completion c = {
		.kind = NNACCEL_COMPLETION_JOB,
		.queue = q->id,
		.seqno = job->desc.seqno,
		.status = status,
		.generation = fw->config.generation,
		.start_ns = job->started ? job->start_ns : now,
		.end_ns = now,
		.fault_addr = status == NNACCEL_STATUS_FAULT ? job->error.fault : 0,
	};
	bool kept, room;

	if (c.end_ns < c.start_ns)
		c.end_ns = c.start_ns;
	nnfw_turn_end(fw, q, now);
	c.value = job->run_ns;
	pthread_mutex_lock(&fw->lock);
	STAILQ_REMOVE_HEAD(&q->jobs, next);
	q->progress.cancel = NULL;
	nnfw_crew_rest(&q->crew);
	/* a job that was cancelled before it used it */
	room = q->room.granted;
	if (room)
		nnfw_room_leave(fw, q);
	kept = keep_idle(q, job);
	pthread_mutex_unlock(&fw->lock);
	if (room)
		nnfw_program_reap(fw);
	if (!kept)
		free(job);
	atomic_fetch_add_explicit(&fw->jobs_done, 1, memory_order_relaxed);
	fw->platform.complete(fw->platform.priv, &c);
}

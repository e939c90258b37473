/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: creation, checks, cancellation, completion. */
#ifndef NNFW_JOB_H
#define NNFW_JOB_H

#include "core.h"

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

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Executions: submit, wait, judge. A job that was lost because of another job or the link (the card
 * died or was reset) is run once more, its inputs staged again; the client does not notice.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <string.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"
#include "nnutil_clock.h"

#define ATTEMPTS 2

/* One attempt: submit and wait. @end: how the job ended. */
static enum nnhal_status run_once(struct nnhal_binding *b, int64_t deadline_ns,
				  struct nnhal_tend *end, struct nnhal_execution_result *result,
				  bool *again)
{
	struct nnhal_transport *t = b->pm->dev->t;
	enum nnhal_status status;
	struct nnhal_tsubmit submit;
	struct nnhal_queue *queue;
	struct nnhal_tjob *job;
	int ret;

	*again = false;
	nnhal_binding_submit(b, nnhal_deadline_monotonic(deadline_ns), &submit);
	submit.waits = true;
	ret = nnhal_queue_submit(&b->pm->dev->queues, b->pm->priority, &submit, &queue, &job);
	if (ret)
		/* the client's arguments were checked: a refusal is not its fault */
		return nnhal_refuse(result->message,
				    ret == -EINVAL ? NNHAL_GENERAL_FAILURE
						   : nnhal_status_of(NNHAL_NO_JOB, ret),
				    "the device did not accept the job: %s", strerror(-ret));
	ret = t->ops->wait(t, job, true, end);
	if (ret) {
		nnhal_message(result->message, "cannot wait for the job: %s", strerror(-ret));
		status = nnhal_status_of(NNHAL_NO_JOB, ret);
	} else {
		*again = nnhal_status_innocent(end->status);
		status = nnhal_result_read(b, job->seqno, end, result);
	}
	t->ops->job_free(t, job);
	nnhal_queue_put(&b->pm->dev->queues, queue, ret || nnhal_end_bans(end));
	return status;
}

enum nnhal_status nnhal_execute_begun(struct nnhal_binding *b, int64_t deadline_ns,
				      struct nnhal_execution_result *result, struct nnhal_tend *end)
{
	enum nnhal_status status = NNHAL_NONE;
	bool again = true;

	for (int i = 0; again && i < ATTEMPTS; i++) {
		nnhal_execution_result_clear(result);
		nnhal_binding_stage_in(b);
		status = run_once(b, deadline_ns, end, result, &again);
	}
	/* a job that hung until its deadline missed it */
	if (status == NNHAL_GENERAL_FAILURE && end->status == NNACCEL_STATUS_NO_PROGRESS &&
	    nnhal_deadline_passed(deadline_ns))
		status = NNHAL_MISSED_DEADLINE_TRANSIENT;
	return status;
}

enum nnhal_status nnhal_execute_binding(struct nnhal_binding *b, int64_t deadline_ns,
					struct nnhal_execution_result *result,
					struct nnhal_tend *end)
{
	enum nnhal_status status = nnhal_deadline_missed(deadline_ns, b->start_ns);

	if (status)
		return nnhal_refuse(result->message, status,
				    "the deadline passed before the launch");
	status = nnhal_binding_ready(b, NULL, 0, result->message);
	if (status)
		return status;
	nnhal_binding_begin(b, NULL);
	status = nnhal_execute_begun(b, deadline_ns, result, end);
	nnhal_binding_done(b, NULL, status);
	return status;
}

enum nnhal_status nnhal_execute_and_time(struct nnhal_binding *b, int64_t deadline_ns,
					 struct nnhal_execution_result *result)
{
	struct nnhal_tend end = { 0 };
	enum nnhal_status status = nnhal_execute_binding(b, deadline_ns, result, &end);

	if (status == NNHAL_NONE && b->measure)
		result->timing = nnhal_timing_of(&end, nnutil_monotonic_ns() - b->start_ns);
	return status;
}

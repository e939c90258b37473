// SPDX-License-Identifier: Apache-2.0
/*
 * Executions: bind, submit, wait, judge. A job that was lost through no fault of its own (the card
 * died or was reset for another job) is run once more, unseen by the client; its inputs are staged
 * anew.
 */
#include <stdlib.h>
#include <string.h>

#include "hal.h"
#include "trace.h"

#define ATTEMPTS 2

/* One attempt: submit on some queue and wait. NONE: @end says how it went. */
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
	ret = nnhal_queue_submit(b->pm->dev, b->pm->priority, &submit, &queue, &job);
	if (ret) {
		nnhal_message(result->message, "the job was not accepted: %s", strerror(-ret));
		/* what the client gave was checked: a refusal is not its fault */
		return ret == -EINVAL ? NNHAL_GENERAL_FAILURE : nnhal_status_of(NNHAL_NO_JOB, ret);
	}
	ret = t->ops->wait(t, job, true, end);
	if (ret) {
		nnhal_message(result->message, "waiting failed: %s", strerror(-ret));
		status = nnhal_status_of(NNHAL_NO_JOB, ret);
	} else {
		*again = nnhal_status_innocent(end->status);
		status = nnhal_result_read(b, job->seqno, end, result);
	}
	t->ops->job_free(t, job);
	nnhal_queue_put(b->pm->dev, queue, ret || nnhal_end_bans(end));
	return status;
}

enum nnhal_status nnhal_execute_binding(struct nnhal_binding *b, int64_t deadline_ns,
					struct nnhal_execution_result *result,
					struct nnhal_tend *end)
{
	enum nnhal_status status = nnhal_deadline_missed(deadline_ns, b->start_ns);
	bool again = true;

	if (status) {
		nnhal_message(result->message, "the deadline passed before the launch");
		return status;
	}
	status = nnhal_binding_ready(b, NULL, 0, result->message);
	if (status)
		return status;
	nnhal_binding_begin(b, NULL);
	for (int i = 0; again && i < ATTEMPTS; i++) {
		nnhal_execution_result_clear(result);
		nnhal_binding_stage_in(b);
		status = run_once(b, deadline_ns, end, result, &again);
	}
	nnhal_binding_done(b, NULL, status);
	/* a job that hung until its deadline is told so */
	if (status == NNHAL_GENERAL_FAILURE && end->status == NNACCEL_STATUS_NO_PROGRESS &&
	    nnhal_deadline_passed(deadline_ns))
		status = NNHAL_MISSED_DEADLINE_TRANSIENT;
	return status;
}

enum nnhal_status nnhal_execute_and_time(struct nnhal_binding *b, int64_t deadline_ns,
					 struct nnhal_execution_result *result)
{
	struct nnhal_tend end = { 0 };
	enum nnhal_status status = nnhal_execute_binding(b, deadline_ns, result, &end);

	if (status == NNHAL_NONE && b->measure)
		result->timing = nnhal_timing_of(&end, nnhal_monotonic_ns() - b->start_ns);
	return status;
}

static enum nnhal_status execute_synchronously(struct nnhal_prepared_model *model,
					       const struct nnhal_request *request,
					       const struct nnhal_execution_config *config,
					       int64_t deadline_ns,
					       struct nnhal_execution_result *result)
{
	NNHAL_TRACE_EXECUTE();
	struct nnhal_pm *pm = (struct nnhal_pm *)model;
	struct nnhal_execution_result older_result, *known;
	struct nnhal_execution_config older;
	struct nnhal_binding *b;
	enum nnhal_status status;

	known = nnhal_result_known(result, &older_result);
	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_execution_config_check(&config, &older, deadline_ns, known->message);
	if (!status)
		status = nnhal_bind(pm, request, config, &b, known->message);
	if (!status) {
		status = nnhal_execute_and_time(b, deadline_ns, known);
		nnhal_unbind(b);
	}
	nnhal_result_put(result, known);
	return status;
}

struct execute_task {
	struct nnhal_binding *binding;
	int64_t deadline_ns;
	nnhal_execution_cb callback;
	void *cookie;
};

static void execute_work(void *cookie)
{
	struct execute_task task = *(struct execute_task *)cookie;
	struct nnhal_execution_result result;
	enum nnhal_status status;

	free(cookie);
	{
		NNHAL_TRACE_PE("execute");

		nnhal_result_init(&result);
		status = nnhal_execute_and_time(task.binding, task.deadline_ns, &result);
		nnhal_unbind(task.binding);
	}
	nnhal_trace_notify();
	task.callback(task.cookie, status, &result);
	nnhal_execution_result_clear(&result);
}

static enum nnhal_status launch(struct nnhal_binding *b, int64_t deadline_ns,
				nnhal_execution_cb callback, void *cookie)
{
	struct execute_task *task = malloc(sizeof(*task));

	if (!task)
		return NNHAL_GENERAL_FAILURE;
	*task = (struct execute_task){ b, deadline_ns, callback, cookie };
	if (nnhal_run_async(execute_work, task)) {
		free(task);
		return NNHAL_GENERAL_FAILURE;
	}
	return NNHAL_NONE;
}

static enum nnhal_status execute(struct nnhal_prepared_model *model,
				 const struct nnhal_request *request,
				 const struct nnhal_execution_config *config, int64_t deadline_ns,
				 nnhal_execution_cb callback, void *cookie)
{
	NNHAL_TRACE_LAUNCH();
	struct nnhal_pm *pm = (struct nnhal_pm *)model;
	struct nnhal_execution_config older;
	struct nnhal_execution_result result;
	struct nnhal_binding *b = NULL;
	enum nnhal_status status;

	if (!callback) {
		nnhal_trace_notify();
		return NNHAL_INVALID_ARGUMENT;
	}
	nnhal_result_init(&result);
	status = nnhal_execution_config_check(&config, &older, deadline_ns, result.message);
	if (!status)
		status = nnhal_bind(pm, request, config, &b, result.message);
	if (!status) {
		status = launch(b, deadline_ns, callback, cookie);
		if (!status)
			return NNHAL_NONE;
		nnhal_message(result.message, "no thread or memory to launch the execution");
		nnhal_unbind(b);
	}
	nnhal_trace_notify();
	callback(cookie, status, &result);
	return status;
}

static void destroy(struct nnhal_prepared_model *model)
{
	struct nnhal_pm *pm = (struct nnhal_pm *)model;

	if (!nnhal_inherited(pm->dev))
		nnhal_pm_put(pm);
}

const struct nnhal_prepared_model_ops nnhal_pm_ops = {
	.size = sizeof(nnhal_pm_ops),
	.destroy = destroy,
	.execute = execute,
	.execute_synchronously = execute_synchronously,
	.execute_fenced = nnhal_execute_fenced,
	.configure_burst = nnhal_configure_burst,
	.create_reusable_execution = nnhal_create_reusable_execution,
};

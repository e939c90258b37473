// SPDX-License-Identifier: Apache-2.0
/*
 * IExecution: a request that was checked and bound once. Each execution stages its inputs and
 * checks the state of device buffers again; shapes, memories and limits are those of the creation.
 */
#include "execute/nnhal_execute.h"

#include <stdlib.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"
#include "nnutil_clock.h"

struct execution {
	struct nnhal_execution base;
	struct nnhal_binding *binding; /* busy: an execution is in flight */
	pthread_mutex_t lock; /* of last */
	struct nnhal_fenced *last; /* the last fenced execution, which may have ended; NULL: none */
};

static void settle_last(struct execution *e)
{
	struct nnhal_fenced *last;

	pthread_mutex_lock(&e->lock);
	last = e->last;
	e->last = NULL;
	pthread_mutex_unlock(&e->lock);
	if (!last)
		return;
	nnhal_fenced_settle(last);
	nnhal_fenced_put(last);
}

static void set_last(struct execution *e, struct nnhal_fenced *last)
{
	struct nnhal_fenced *old;

	pthread_mutex_lock(&e->lock);
	old = e->last;
	e->last = last;
	pthread_mutex_unlock(&e->lock);
	if (old)
		nnhal_fenced_put(old);
}

/* Begin the one execution in flight, with a reference to the binding. */
static bool iexecution_begin(struct execution *e)
{
	struct nnhal_fenced *last;

	if (!nnhal_binding_try(e->binding)) {
		/* its fence may have signalled already */
		pthread_mutex_lock(&e->lock);
		last = e->last ? nnhal_fenced_get(e->last) : NULL;
		pthread_mutex_unlock(&e->lock);
		if (!last)
			return false;
		nnhal_fenced_settle(last);
		nnhal_fenced_put(last);
		if (!nnhal_binding_try(e->binding))
			return false;
	}
	e->binding->start_ns = nnutil_monotonic_ns();
	return true;
}

static void execution_destroy(struct nnhal_execution *base)
{
	struct execution *e = (struct execution *)base;

	if (nnhal_inherited(e->binding->pm->dev))
		return;
	settle_last(e);
	nnhal_unbind(e->binding);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static enum nnhal_status run_sync(struct execution *e, int64_t deadline_ns,
				  struct nnhal_execution_result *result)
{
	struct nnhal_binding *b = e->binding;
	enum nnhal_status status;

	if (nnhal_inherited(b->pm->dev))
		return nnhal_dead(result->message);
	status = nnhal_deadline_check(deadline_ns, result->message);
	if (status)
		return status;
	if (!iexecution_begin(e))
		return nnhal_refuse(result->message, NNHAL_GENERAL_FAILURE,
				    "an execution is in flight on this object: wait for its end");
	status = nnhal_execute_and_time(b, deadline_ns, result);
	nnhal_binding_release(b);
	return status;
}

static enum nnhal_status execution_sync(struct nnhal_execution *base, int64_t deadline_ns,
					struct nnhal_execution_result *result)
{
	NNHAL_TRACE_EXECUTE();
	struct execution *e = (struct execution *)base;
	struct nnhal_execution_result older, *known;
	enum nnhal_status status;

	known = nnhal_result_known(result, &older);
	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	status = run_sync(e, deadline_ns, known);
	nnhal_result_put(result, known);
	return status;
}

static enum nnhal_status execution_fenced(struct nnhal_execution *base, const int *wait_for,
					  uint32_t num_wait_for, int64_t deadline_ns,
					  int64_t duration_ns, int *sync_fence,
					  struct nnhal_fenced_callback **callback)
{
	NNHAL_TRACE_PE("executeFenced");
	struct execution *e = (struct execution *)base;
	struct nnhal_fenced_launch l = {
		.wait_for = wait_for,
		.num_wait_for = num_wait_for,
		.deadline_ns = deadline_ns,
		.duration_ns = duration_ns,
		.call_ns = nnutil_monotonic_ns(),
	};
	struct nnhal_fenced *fenced = NULL;
	enum nnhal_status status;

	*sync_fence = -1;
	*callback = NULL;
	if (nnhal_inherited(e->binding->pm->dev))
		return NNHAL_DEAD_OBJECT;
	status = nnhal_fenced_check(&l);
	if (status)
		return status;
	if (!iexecution_begin(e))
		return NNHAL_GENERAL_FAILURE;
	status = nnhal_fenced_run(e->binding, &l, sync_fence, &fenced, callback);
	if (!status)
		set_last(e, fenced);
	return status;
}

static const struct nnhal_execution_ops execution_ops = {
	.size = sizeof(execution_ops),
	.destroy = execution_destroy,
	.execute_synchronously = execution_sync,
	.execute_fenced = execution_fenced,
};

enum nnhal_status nnhal_create_reusable_execution(struct nnhal_prepared_model *model,
						  const struct nnhal_request *request,
						  const struct nnhal_execution_config *config,
						  struct nnhal_execution **execution)
{
	NNHAL_TRACE_PE("createReusableExecution");
	char message[NNHAL_MESSAGE];
	struct execution *e;
	enum nnhal_status status;

	*execution = NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	e->base.ops = &execution_ops;
	status = nnhal_bind((struct nnhal_pm *)model, request, config, NNHAL_NO_TIME, &e->binding,
			    message);
	if (status) {
		free(e);
		return status;
	}
	pthread_mutex_init(&e->lock, NULL);
	*execution = &e->base;
	return NNHAL_NONE;
}

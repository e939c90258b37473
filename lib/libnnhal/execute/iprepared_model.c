// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel. */
#include "execute/nnhal_execute.h"

#include <stdlib.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"

static enum nnhal_status execute_synchronously(struct nnhal_prepared_model *model,
					       const struct nnhal_request *request,
					       const struct nnhal_execution_config *config,
					       int64_t deadline_ns,
					       struct nnhal_execution_result *result)
{
	NNHAL_TRACE_EXECUTE();
	struct nnhal_pm *pm = (struct nnhal_pm *)model;
	struct nnhal_execution_result older_result, *known;
	struct nnhal_binding *b;
	enum nnhal_status status;

	known = nnhal_result_known(result, &older_result);
	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_bind(pm, request, config, deadline_ns, &b, known->message);
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

static enum nnhal_status iprepared_model_launch(struct nnhal_binding *b, int64_t deadline_ns,
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

static enum nnhal_status iprepared_model_execute(struct nnhal_prepared_model *model,
						 const struct nnhal_request *request,
						 const struct nnhal_execution_config *config,
						 int64_t deadline_ns, nnhal_execution_cb callback,
						 void *cookie)
{
	NNHAL_TRACE_LAUNCH();
	struct nnhal_pm *pm = (struct nnhal_pm *)model;
	struct nnhal_execution_result result;
	struct nnhal_binding *b = NULL;
	enum nnhal_status status;

	if (!callback) {
		nnhal_trace_notify();
		return NNHAL_INVALID_ARGUMENT;
	}
	nnhal_result_init(&result);
	status = nnhal_bind(pm, request, config, deadline_ns, &b, result.message);
	if (!status) {
		status = iprepared_model_launch(b, deadline_ns, callback, cookie);
		if (!status)
			return NNHAL_NONE;
		nnhal_message(result.message, "no thread or memory to launch the execution");
		nnhal_unbind(b);
	}
	nnhal_trace_notify();
	callback(cookie, status, &result);
	return status;
}

static void iprepared_model_destroy(struct nnhal_prepared_model *model)
{
	struct nnhal_pm *pm = (struct nnhal_pm *)model;

	if (!nnhal_inherited(pm->dev))
		nnhal_pm_put(pm);
}

const struct nnhal_prepared_model_ops nnhal_pm_ops = {
	.size = sizeof(nnhal_pm_ops),
	.destroy = iprepared_model_destroy,
	.execute = iprepared_model_execute,
	.execute_synchronously = execute_synchronously,
	.execute_fenced = nnhal_execute_fenced,
	.configure_burst = nnhal_configure_burst,
	.create_reusable_execution = nnhal_create_reusable_execution,
};

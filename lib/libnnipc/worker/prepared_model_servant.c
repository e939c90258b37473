// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel. */
#include "nnutil_log.h"

#include "messages/nnipc_messages.h"
#include "values/nnhal_values.h"
#include "worker/nnipc_worker.h"

/* IExecutionCallback where the vendor library is. */

static void model_servant_notify(uint64_t callback, enum nnhal_status status,
				 const struct nnhal_execution_result *result)
{
	const struct nnipc_executed executed = {
		.status = status,
		.result = (struct nnhal_execution_result *)result,
	};
	struct nnipc_writer out = { 0 };

	nnipc_put_executed(&out, &executed);
	nnipc_notify(NNIPC_NOTIFY_EXECUTED, callback, &out);
}

/* Notify the host's @callback of an execution that failed. */
static void execute_failed(uint64_t callback, enum nnhal_status status, const char *message)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	nnhal_message(result.message, "%s", message);
	model_servant_notify(callback, status, &result);
}

/* nnhal_execution_cb of all executions. @cookie: of nnipc_callback_expect(). */
static void nnipc_executed(void *cookie, enum nnhal_status status,
			   const struct nnhal_execution_result *result)
{
	uint64_t callback = nnipc_callback_take(cookie);
	struct nnhal_execution_result older;
	const struct nnhal_execution_result *known;

	if (!callback) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "the vendor library notified an execution that had been notified");
		return;
	}
	known = result ? nnhal_result_seen(result, &older) : NULL;
	if (known)
		model_servant_notify(callback, status, known);
	else
		execute_failed(callback, status ? status : NNHAL_GENERAL_FAILURE,
			       "the vendor library gave no result, or one of invalid size");
}

/* The host's callback is notified in every case, as that of a preparation. */
static enum nnhal_status model_servant_launch(struct nnhal_prepared_model *model,
					      const struct nnipc_prepared_execute *args)
{
	void *cookie = nnipc_callback_expect(args->callback);
	enum nnhal_status status;
	uint64_t callback;

	if (!cookie) {
		execute_failed(args->callback, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
			       "the worker has no memory for this execution, or too many "
			       "wait already");
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	nnipc_fault_point("before-launch");
	status = model->ops->execute(model, args->request, args->config, args->deadline_ns,
				     nnipc_executed, cookie);
	callback = status ? nnipc_callback_take(cookie) : 0;
	if (callback)
		execute_failed(callback, status, "the vendor library refused without a reason");
	nnipc_fault_point("after-vendor-launch");
	return status;
}

int nnipc_serve_prepared_execute(void *object, struct nnipc_prepared_execute *args,
				 struct nnipc_finished *results)
{
	if (results->status)
		execute_failed(args->callback, results->status,
			       "the worker has no memory for this request");
	else
		results->status = model_servant_launch(object, args);
	return 0;
}

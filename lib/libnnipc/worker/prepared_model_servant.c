// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel. */
#include <errno.h>

#include "nnutil_log.h"

#include "messages/nnipc_messages.h"
#include "values/nnhal_values.h"
#include "worker/nnipc_worker.h"

/* IExecutionCallback where the vendor library is. */

static void model_servant_notify(uint64_t callback, enum nnhal_status status,
				 const struct nnhal_execution_result *result)
{
	struct nnipc_writer out = { 0 };

	nnipc_put_status(&out, status);
	nnipc_put_result(&out, result);
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

static const struct nnhal_request *the_request(const struct nnipc_request *r)
{
	return r->present ? &r->request : NULL;
}

/* The host's callback is notified in every case, as that of a preparation. */
static enum nnhal_status model_servant_launch(struct nnhal_prepared_model *model,
					      const struct nnhal_request *request,
					      const struct nnhal_execution_config *config,
					      int64_t deadline_ns, uint64_t callback)
{
	void *cookie = nnipc_callback_expect(callback);
	enum nnhal_status status;

	if (!cookie) {
		execute_failed(callback, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
			       "the worker has no memory for this execution, or too many "
			       "wait already");
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	nnipc_fault_point("before-launch");
	status = model->ops->execute(model, request, config, deadline_ns, nnipc_executed, cookie);
	callback = status ? nnipc_callback_take(cookie) : 0;
	if (callback)
		execute_failed(callback, status, "the vendor library refused without a reason");
	nnipc_fault_point("after-vendor-launch");
	return status;
}

static int model_servant_execute(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	uint64_t callback = nnipc_get_u64(in);
	struct nnhal_execution_config config;
	struct nnipc_request request;
	enum nnhal_status status;
	int64_t deadline_ns;
	int ret;

	nnipc_get_request(in, &request);
	config = nnipc_get_execution_config(in);
	deadline_ns = nnipc_get_i64(in);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !callback)
		ret = -EBADMSG;
	if (!ret && status)
		execute_failed(callback, status, "the worker has no memory for this request");
	else if (!ret)
		status = model_servant_launch(object, the_request(&request), &config, deadline_ns,
					      callback);
	nnipc_execution_config_free(&config);
	nnipc_request_free(&request);
	if (!ret)
		nnipc_put_status(out, status);
	return ret;
}

static int execute_synchronously(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_prepared_model *model = object;
	struct nnhal_execution_config config;
	struct nnipc_request request;
	enum nnhal_status status;
	int64_t deadline_ns;
	int ret;

	nnipc_get_request(in, &request);
	config = nnipc_get_execution_config(in);
	deadline_ns = nnipc_get_i64(in);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status) {
		nnipc_fault_point("during-execution");
		status = model->ops->execute_synchronously(model, the_request(&request), &config,
							   deadline_ns, &result);
		nnipc_fault_point("before-sync-reply");
	}
	nnipc_execution_config_free(&config);
	nnipc_request_free(&request);
	if (!ret)
		nnipc_put_executed(out, status, &result);
	return ret;
}

static int execute_fenced(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_fenced_callback *callback = NULL;
	struct nnhal_prepared_model *model = object;
	struct nnhal_execution_config config;
	int64_t deadline_ns, duration_ns;
	struct nnipc_request request;
	int sync_fence = -1, *wait_for, ret;
	enum nnhal_status status;
	uint32_t num_wait_for;

	nnipc_get_request(in, &request);
	wait_for = nnipc_get_fds(in, &num_wait_for);
	config = nnipc_get_execution_config(in);
	deadline_ns = nnipc_get_i64(in);
	duration_ns = nnipc_get_i64(in);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status) {
		nnipc_fault_point("during-execution");
		status = model->ops->execute_fenced(model, the_request(&request), wait_for,
						    num_wait_for, &config, deadline_ns, duration_ns,
						    &sync_fence, &callback);
		nnipc_fault_point("before-sync-reply");
	}
	nnipc_fds_free(wait_for, num_wait_for);
	nnipc_execution_config_free(&config);
	nnipc_request_free(&request);
	if (!ret)
		nnipc_put_fenced(out, status, sync_fence, callback);
	return ret;
}

static int configure_burst(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnipc_burst_ends ends;
	enum nnhal_status status;
	uint64_t oid = 0;
	int ret;

	ends.sock = nnipc_get_fd(in);
	ends.requests = nnipc_get_fd(in);
	ends.results = nnipc_get_fd(in);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status)
		ret = nnipc_burst_configure(object, &ends, &status, &oid);
	nnipc_burst_ends_close(&ends);
	if (ret)
		return ret;
	nnipc_put_status(out, status);
	nnipc_put_u64(out, oid);
	return 0;
}

static int create_reusable_execution(void *object, struct nnipc_reader *in,
				     struct nnipc_writer *out)
{
	struct nnhal_prepared_model *model = object;
	struct nnhal_execution *execution = NULL;
	struct nnhal_execution_config config;
	struct nnipc_request request;
	enum nnhal_status status;
	uint64_t oid = 0;
	int ret;

	nnipc_get_request(in, &request);
	config = nnipc_get_execution_config(in);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status)
		status = model->ops->create_reusable_execution(model, the_request(&request),
							       &config, &execution);
	if (!ret && !status)
		status = nnipc_execution_add(execution, &oid);
	nnipc_execution_config_free(&config);
	nnipc_request_free(&request);
	if (ret)
		return ret;
	nnipc_put_status(out, status);
	nnipc_put_u64(out, oid);
	return 0;
}

static const nnipc_servant_call calls[] = {
	model_servant_execute, execute_synchronously,	  execute_fenced,
	configure_burst,       create_reusable_execution,
};

const struct nnipc_servant nnipc_prepared_model_servant = {
	calls,
	sizeof(calls) / sizeof(calls[0]),
};

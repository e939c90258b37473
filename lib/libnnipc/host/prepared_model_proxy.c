// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel of another process. */
#include <errno.h>
#include <stdlib.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "values/nnhal_values.h"

struct prepared_model {
	struct nnhal_prepared_model base;
	struct nnipc_proxy p;
};

static void model_proxy_put(struct prepared_model *pm)
{
	if (nnipc_proxy_put(&pm->p))
		free(pm);
}

static void model_proxy_destroy(struct nnhal_prepared_model *model)
{
	struct prepared_model *pm = (struct prepared_model *)model;

	if (!nnipc_proxy_inherited(&pm->p))
		model_proxy_put(pm);
}

/* What every execution begins with. */
static enum nnhal_status
model_proxy_check(const struct prepared_model *pm, const struct nnhal_request **request,
		  struct nnhal_request *older_request, const struct nnhal_execution_config **config,
		  struct nnhal_execution_config *older_config, char *message)
{
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&pm->p))
		return nnhal_dead(message);
	status = nnipc_check_execution_config(config, older_config, message);
	return status ? status : nnipc_check_request(request, older_request, message);
}

/* ---- executeSynchronously ---- */

static enum nnhal_status model_proxy_run(struct prepared_model *pm,
					 const struct nnhal_request *request,
					 const struct nnhal_execution_config *config,
					 int64_t deadline_ns, struct nnhal_execution_result *result)
{
	const struct nnipc_prepared_execute_synchronously args = {
		.request = request,
		.config = config,
		.deadline_ns = deadline_ns,
	};
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, pm->p.c, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, pm->p.oid,
				   deadline_ns, result->message);
	if (status)
		return status;
	nnipc_put_prepared_execute_synchronously(&call.lane->out, &args);
	return nnipc_proxy_end_result(&call, deadline_ns, request->num_outputs, result);
}

static enum nnhal_status execute_synchronously(struct nnhal_prepared_model *model,
					       const struct nnhal_request *request,
					       const struct nnhal_execution_config *config,
					       int64_t deadline_ns,
					       struct nnhal_execution_result *given)
{
	NNTRACE_NAME_1("HIDL::IPreparedModel::executeSynchronously::client");
	struct prepared_model *pm = (struct prepared_model *)model;
	struct nnhal_execution_config older_config;
	struct nnhal_execution_result result;
	struct nnhal_request older_request;
	enum nnhal_status status;

	if (!nnhal_result_known(given, &result))
		return NNHAL_INVALID_ARGUMENT;
	nnhal_result_init(&result);
	status = model_proxy_check(pm, &request, &older_request, &config, &older_config,
				   result.message);
	if (!status) {
		nnipc_proxy_get(&pm->p);
		status = model_proxy_run(pm, request, config, deadline_ns, &result);
		model_proxy_put(pm);
	}
	nnhal_result_put(given, &result);
	return status;
}

/* ---- execute ---- */

/* An execution that was launched. */
struct execution {
	atomic_int refs; /* of the call, and of the callback */
	struct nnipc_connection *c; /* as long as the callback is registered, or the call runs */
	nnhal_execution_cb callback;
	void *cookie;
	uint32_t num_outputs;
	atomic_uint launched; /* a latch: the call has its answer, or has none */
	int error; /* constant once @launched; 0: the worker has answered */
	enum nnhal_status status; /* that the callback had; constant once @called_back */
	atomic_uint called_back; /* a latch: the callback has returned */
};

static void execution_put(struct execution *e)
{
	if (atomic_fetch_sub(&e->refs, 1) == 1)
		free(e);
}

static void model_proxy_notify(nnhal_execution_cb callback, void *cookie, enum nnhal_status status,
			       const struct nnhal_execution_result *result)
{
	{
		/* before the callback, not around it: the client may end the process in it */
		NNTRACE_NAME_1("HIDL::IExecutionCallback::notify::server");
	}
	callback(cookie, status, result);
}

/*
 * A notification may overtake the answer to the launch. It is not believed before that answer is
 * there.
 */
static int model_proxy_executed(void *cookie, int error, uint32_t method, struct nnipc_reader *in)
{
	struct execution *e = cookie;
	struct nnhal_execution_result result;

	nnipc_latch_wait(&e->launched, -1);
	if (!error)
		error = e->error;
	nnhal_result_init(&result);
	if (error)
		e->status = nnipc_proxy_failed(e->c, error, result.message);
	else
		e->status = nnipc_proxy_reply_result(e->c, in, method, e->num_outputs, &result);
	model_proxy_notify(e->callback, e->cookie, e->status, &result);
	nnhal_execution_result_clear(&result);
	nnipc_latch_open(&e->called_back);
	execution_put(e);
	return 0;
}

/* The client may rely on its callback having returned if the call failed: wait for it. */
static enum nnhal_status wait_called_back(struct execution *e)
{
	if (!nnipc_latch_wait(&e->called_back, nnipc_settings()->call_ns)) {
		nnipc_connection_protocol_error(e->c,
						"it refused an execution without a notification");
		nnipc_latch_wait(&e->called_back, -1);
	}
	return e->status;
}

/* The worker's answer to the launch; @error: there is none. */
static enum nnhal_status send_launch(struct nnipc_connection *c, uint64_t oid, uint64_t callback,
				     const struct nnhal_request *request,
				     const struct nnhal_execution_config *config,
				     int64_t deadline_ns, int *error)
{
	const struct nnipc_prepared_execute args = {
		.callback = callback,
		.request = request,
		.config = config,
		.deadline_ns = deadline_ns,
	};
	enum nnhal_status status = NNHAL_NONE;
	struct nnipc_lane *lane;

	lane = nnipc_connection_lane(c, deadline_ns, error);
	if (!lane)
		return status;
	nnipc_put_prepared_execute(&lane->out, &args);
	/* the call waits for the launch only, whatever time the execution has */
	*error = nnipc_call(c, lane, NNIPC_PREPARED_EXECUTE, oid, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!*error) {
		status = nnipc_get_status(&lane->in.reader);
		if (nnipc_proxy_reply_end(c, &lane->in.reader, true, NNIPC_PREPARED_EXECUTE, NULL))
			*error = -EPIPE;
	}
	nnipc_connection_give(c, lane);
	return status;
}

/* *@called: the callback has been called, or will be. */
static enum nnhal_status model_proxy_launch(struct prepared_model *pm,
					    const struct nnhal_request *request,
					    const struct nnhal_execution_config *config,
					    int64_t deadline_ns, nnhal_execution_cb callback,
					    void *cookie, bool *called, char *message)
{
	struct nnipc_connection *c = pm->p.c;
	struct execution *e = calloc(1, sizeof(*e));
	enum nnhal_status status;
	uint64_t number;
	int error = 0;

	*called = false;
	if (!e)
		return nnipc_proxy_failed(c, -ENOMEM, message);
	*e = (struct execution){
		.c = c, .callback = callback, .cookie = cookie, .num_outputs = request->num_outputs
	};
	atomic_init(&e->refs, 2);
	number = nnipc_callback_add(c, NNIPC_NOTIFY_EXECUTED, model_proxy_executed, e);
	if (!number) {
		free(e);
		return nnipc_proxy_failed(c, nnipc_connection_is_dead(c) ? -EPIPE : -ENOMEM,
					  message);
	}
	status = send_launch(c, pm->p.oid, number, request, config, deadline_ns, &error);
	/* without an answer, a notification may have come nevertheless */
	*called = !error || !nnipc_callback_remove(c, number);
	e->error = error;
	nnipc_latch_open(&e->launched);
	if (!*called) {
		status = nnipc_proxy_failed(c, error, message);
		execution_put(e); /* the callback's */
	} else if (error || status) {
		status = wait_called_back(e);
	}
	execution_put(e);
	return status;
}

static enum nnhal_status model_proxy_execute(struct nnhal_prepared_model *model,
					     const struct nnhal_request *request,
					     const struct nnhal_execution_config *config,
					     int64_t deadline_ns, nnhal_execution_cb callback,
					     void *cookie)
{
	NNTRACE_NAME_1("HIDL::IPreparedModel::execute::client");
	struct prepared_model *pm = (struct prepared_model *)model;
	struct nnhal_execution_config older_config;
	struct nnhal_execution_result result;
	struct nnhal_request older_request;
	enum nnhal_status status;
	bool called = false;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	nnhal_result_init(&result);
	status = model_proxy_check(pm, &request, &older_request, &config, &older_config,
				   result.message);
	if (!status) {
		nnipc_proxy_get(&pm->p);
		status = model_proxy_launch(pm, request, config, deadline_ns, callback, cookie,
					    &called, result.message);
		model_proxy_put(pm);
	}
	if (status && !called)
		model_proxy_notify(callback, cookie, status, &result);
	return status;
}

/* ---- the others ---- */

static enum nnhal_status send_fenced(struct prepared_model *pm, const struct nnhal_request *request,
				     const int *wait_for, uint32_t num_wait_for,
				     const struct nnhal_execution_config *config,
				     int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				     struct nnhal_fenced_callback **callback)
{
	const struct nnipc_prepared_execute_fenced args = {
		.request = request,
		.wait_for = wait_for,
		.num_wait_for = num_wait_for,
		.config = config,
		.deadline_ns = deadline_ns,
		.duration_ns = duration_ns,
	};
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, pm->p.c, NNIPC_PREPARED_EXECUTE_FENCED, pm->p.oid,
				   deadline_ns, NULL);
	if (status)
		return status;
	nnipc_put_prepared_execute_fenced(&call.lane->out, &args);
	return nnipc_proxy_end_fenced(&call, deadline_ns, sync_fence, callback);
}

static enum nnhal_status execute_fenced(struct nnhal_prepared_model *model,
					const struct nnhal_request *request, const int *wait_for,
					uint32_t num_wait_for,
					const struct nnhal_execution_config *config,
					int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
					struct nnhal_fenced_callback **callback)
{
	NNTRACE_NAME_1("HIDL::IPreparedModel::executeFenced::client");
	struct prepared_model *pm = (struct prepared_model *)model;
	struct nnhal_execution_config older_config;
	struct nnhal_request older_request;
	char message[NNHAL_MESSAGE];
	enum nnhal_status status;

	*sync_fence = -1;
	*callback = NULL;
	status = model_proxy_check(pm, &request, &older_request, &config, &older_config, message);
	if (status)
		return status;
	nnipc_proxy_get(&pm->p);
	status = send_fenced(pm, request, wait_for, num_wait_for, config, deadline_ns, duration_ns,
			     sync_fence, callback);
	model_proxy_put(pm);
	return status;
}

static enum nnhal_status configure_burst(struct nnhal_prepared_model *model,
					 struct nnhal_burst **burst)
{
	NNTRACE_NAME_1("HIDL::IPreparedModel::configureExecutionBurst::client");
	struct prepared_model *pm = (struct prepared_model *)model;
	enum nnhal_status status;

	*burst = NULL;
	if (nnipc_proxy_inherited(&pm->p))
		return NNHAL_DEAD_OBJECT;
	nnipc_proxy_get(&pm->p);
	status = nnipc_burst_proxy(pm->p.c, pm->p.oid, burst);
	model_proxy_put(pm);
	return status;
}

static enum nnhal_status send_reusable(struct prepared_model *pm,
				       const struct nnhal_request *request,
				       const struct nnhal_execution_config *config,
				       struct nnhal_execution **execution)
{
	const struct nnipc_prepared_create_reusable_execution args = {
		.request = request,
		.config = config,
	};
	struct nnipc_proxy_call call;
	enum nnhal_status status;
	uint64_t oid;

	status = nnipc_proxy_begin(&call, pm->p.c, NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION,
				   pm->p.oid, NNHAL_NO_TIME, NULL);
	if (status)
		return status;
	nnipc_put_prepared_create_reusable_execution(&call.lane->out, &args);
	status = nnipc_proxy_end_object(&call, &oid);
	if (status)
		return status;
	*execution = nnipc_execution_proxy(pm->p.c, oid, request->num_outputs);
	return *execution ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}

static enum nnhal_status create_reusable_execution(struct nnhal_prepared_model *model,
						   const struct nnhal_request *request,
						   const struct nnhal_execution_config *config,
						   struct nnhal_execution **execution)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "createReusableExecution");
	struct prepared_model *pm = (struct prepared_model *)model;
	struct nnhal_execution_config older_config;
	struct nnhal_request older_request;
	char message[NNHAL_MESSAGE];
	enum nnhal_status status;

	*execution = NULL;
	status = model_proxy_check(pm, &request, &older_request, &config, &older_config, message);
	if (status)
		return status;
	nnipc_proxy_get(&pm->p);
	status = send_reusable(pm, request, config, execution);
	model_proxy_put(pm);
	return status;
}

static const struct nnhal_prepared_model_ops prepared_model_ops = {
	.size = sizeof(prepared_model_ops),
	.destroy = model_proxy_destroy,
	.execute = model_proxy_execute,
	.execute_synchronously = execute_synchronously,
	.execute_fenced = execute_fenced,
	.configure_burst = configure_burst,
	.create_reusable_execution = create_reusable_execution,
};

struct nnhal_prepared_model *nnipc_prepared_model_proxy(struct nnipc_connection *c, uint64_t oid)
{
	struct prepared_model *pm = malloc(sizeof(*pm));

	if (!pm) {
		nnipc_connection_release(c, oid);
		return NULL;
	}
	pm->base.ops = &prepared_model_ops;
	nnipc_proxy_init(&pm->p, c, oid);
	return &pm->base;
}

uint64_t nnipc_prepared_model_oid(const struct nnhal_prepared_model *model,
				  const struct nnipc_connection *c)
{
	const struct prepared_model *pm = (const struct prepared_model *)model;

	if (!model || model->ops != &prepared_model_ops || pm->p.c != c)
		return 0;
	return pm->p.oid;
}

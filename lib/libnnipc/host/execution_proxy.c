// SPDX-License-Identifier: Apache-2.0
/*
 * IExecution of another process. Whether an execution is in flight is for the vendor library to
 * judge: calls of several threads take lanes of their own.
 */
#include <stdlib.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "values/nnhal_values.h"

struct execution {
	struct nnhal_execution base;
	struct nnipc_proxy p;
	uint32_t num_outputs;
};

static void execution_proxy_put(struct execution *e)
{
	if (nnipc_proxy_put(&e->p))
		free(e);
}

static void execution_proxy_destroy(struct nnhal_execution *base)
{
	struct execution *e = (struct execution *)base;

	if (!nnipc_proxy_inherited(&e->p))
		execution_proxy_put(e);
}

static enum nnhal_status execution_proxy_run(struct execution *e, int64_t deadline_ns,
					     struct nnhal_execution_result *result)
{
	const struct nnipc_execution_execute_synchronously args = { deadline_ns };
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, e->p.c, NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, e->p.oid,
				   deadline_ns, result->message);
	if (status)
		return status;
	nnipc_put_execution_execute_synchronously(&call.lane->out, &args);
	return nnipc_proxy_end_result(&call, deadline_ns, e->num_outputs, result);
}

static enum nnhal_status execute_synchronously(struct nnhal_execution *base, int64_t deadline_ns,
					       struct nnhal_execution_result *given)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION,
		     "IExecution::executeSynchronously");
	struct execution *e = (struct execution *)base;
	struct nnhal_execution_result result;
	enum nnhal_status status;

	if (!nnhal_result_known(given, &result))
		return NNHAL_INVALID_ARGUMENT;
	nnhal_result_init(&result);
	if (nnipc_proxy_inherited(&e->p)) {
		status = nnhal_dead(result.message);
	} else {
		nnipc_proxy_get(&e->p);
		status = execution_proxy_run(e, deadline_ns, &result);
		execution_proxy_put(e);
	}
	nnhal_result_put(given, &result);
	return status;
}

static enum nnhal_status run_fenced(struct execution *e, const int *wait_for, uint32_t num_wait_for,
				    int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				    struct nnhal_fenced_callback **callback)
{
	const struct nnipc_execution_execute_fenced args = {
		.wait_for = wait_for,
		.num_wait_for = num_wait_for,
		.deadline_ns = deadline_ns,
		.duration_ns = duration_ns,
	};
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, e->p.c, NNIPC_EXECUTION_EXECUTE_FENCED, e->p.oid,
				   deadline_ns, NULL);
	if (status)
		return status;
	nnipc_put_execution_execute_fenced(&call.lane->out, &args);
	return nnipc_proxy_end_fenced(&call, deadline_ns, sync_fence, callback);
}

static enum nnhal_status execute_fenced(struct nnhal_execution *base, const int *wait_for,
					uint32_t num_wait_for, int64_t deadline_ns,
					int64_t duration_ns, int *sync_fence,
					struct nnhal_fenced_callback **callback)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "IExecution::executeFenced");
	struct execution *e = (struct execution *)base;
	enum nnhal_status status;

	*sync_fence = -1;
	*callback = NULL;
	if (nnipc_proxy_inherited(&e->p))
		return NNHAL_DEAD_OBJECT;
	nnipc_proxy_get(&e->p);
	status = run_fenced(e, wait_for, num_wait_for, deadline_ns, duration_ns, sync_fence,
			    callback);
	execution_proxy_put(e);
	return status;
}

static const struct nnhal_execution_ops execution_ops = {
	.size = sizeof(execution_ops),
	.destroy = execution_proxy_destroy,
	.execute_synchronously = execute_synchronously,
	.execute_fenced = execute_fenced,
};

struct nnhal_execution *nnipc_execution_proxy(struct nnipc_connection *c, uint64_t oid,
					      uint32_t num_outputs)
{
	struct execution *e = malloc(sizeof(*e));

	if (!e) {
		nnipc_connection_release(c, oid);
		return NULL;
	}
	e->base.ops = &execution_ops;
	e->num_outputs = num_outputs;
	nnipc_proxy_init(&e->p, c, oid);
	return &e->base;
}

// SPDX-License-Identifier: Apache-2.0
/* IExecution. */
#include "worker/nnipc_worker.h"

static void execution_servant_destroy(void *object)
{
	struct nnhal_execution *execution = object;

	execution->ops->destroy(execution);
}

enum nnhal_status nnipc_execution_add(struct nnhal_execution *execution, uint64_t *oid)
{
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;

	*oid = 0;
	if (nnipc_execution_complete(execution)) {
		*oid = nnipc_object_add(NNIPC_KIND_EXECUTION, execution, execution_servant_destroy);
		status = *oid ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	if (status)
		NNIPC_DESTROY(nnhal_execution_ops, execution);
	return status;
}

static int execute_synchronously(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int64_t deadline_ns = nnipc_get_i64(in);
	struct nnhal_execution *execution = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	nnipc_fault_point("during-execution");
	status = execution->ops->execute_synchronously(execution, deadline_ns, &result);
	nnipc_fault_point("before-sync-reply");
	nnipc_put_executed(out, status, &result);
	return 0;
}

static int execute_fenced(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	uint32_t num_wait_for;
	int *wait_for = nnipc_get_fds(in, &num_wait_for);
	int64_t deadline_ns = nnipc_get_i64(in), duration_ns = nnipc_get_i64(in);
	struct nnhal_fenced_callback *callback = NULL;
	struct nnhal_execution *execution = object;
	enum nnhal_status status;
	int sync_fence = -1, ret = nnipc_arguments_end(in, &status);

	if (!ret && !status) {
		nnipc_fault_point("during-execution");
		status = execution->ops->execute_fenced(execution, wait_for, num_wait_for,
							deadline_ns, duration_ns, &sync_fence,
							&callback);
		nnipc_fault_point("before-sync-reply");
	}
	nnipc_fds_free(wait_for, num_wait_for);
	if (!ret)
		nnipc_put_fenced(out, status, sync_fence, callback);
	return ret;
}

static const nnipc_servant_call calls[] = { execute_synchronously, execute_fenced };

const struct nnipc_servant nnipc_execution_servant = { calls, sizeof(calls) / sizeof(calls[0]) };

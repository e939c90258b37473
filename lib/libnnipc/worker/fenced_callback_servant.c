// SPDX-License-Identifier: Apache-2.0
/* IFencedExecutionCallback. */
#include "worker/nnipc_worker.h"

#include <unistd.h>

static void callback_servant_destroy(void *object)
{
	struct nnhal_fenced_callback *callback = object;

	callback->ops->destroy(callback);
}

void nnipc_put_fenced(struct nnipc_writer *out, enum nnhal_status status, int sync_fence,
		      struct nnhal_fenced_callback *callback)
{
	uint64_t oid = 0;

	if (!status && !nnipc_fenced_callback_complete(callback)) {
		status = NNHAL_GENERAL_FAILURE;
	} else if (!status) {
		oid = nnipc_object_add(NNIPC_KIND_FENCED_CALLBACK, callback,
				       callback_servant_destroy);
		if (!oid)
			status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	if (status) {
		NNIPC_DESTROY(nnhal_fenced_callback_ops, callback);
		if (sync_fence >= 0)
			close(sync_fence);
		sync_fence = -1;
	}
	nnipc_put_status(out, status);
	nnipc_put_fd_owned(out, sync_fence);
	nnipc_put_u64(out, oid);
}

static int get_execution_info(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_timing launched = { NNHAL_NO_TIME, NNHAL_NO_TIME }, fenced = launched;
	struct nnhal_fenced_callback *callback = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	nnipc_put_status(out, callback->ops->get_execution_info(callback, &launched, &fenced));
	nnipc_put_timing(out, launched);
	nnipc_put_timing(out, fenced);
	return 0;
}

static const nnipc_servant_call calls[] = { get_execution_info };

const struct nnipc_servant nnipc_fenced_callback_servant = {
	calls,
	sizeof(calls) / sizeof(calls[0]),
};

// SPDX-License-Identifier: Apache-2.0
/* IExecutionCallback where the vendor library is. */
#include "worker/nnipc_worker.h"

#include "messages/nnipc_messages.h"
#include "nnutil_log.h"
#include "values/nnhal_values.h"

static void notify(uint64_t callback, enum nnhal_status status,
		   const struct nnhal_execution_result *result)
{
	struct nnipc_writer out = { 0 };

	nnipc_put_status(&out, status);
	nnipc_put_result(&out, result);
	nnipc_notify(NNIPC_NOTIFY_EXECUTED, callback, &out);
}

void nnipc_execute_failed(uint64_t callback, enum nnhal_status status, const char *message)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	nnhal_message(result.message, "%s", message);
	notify(callback, status, &result);
}

void nnipc_executed(void *cookie, enum nnhal_status status,
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
		notify(callback, status, known);
	else
		nnipc_execute_failed(callback, status ? status : NNHAL_GENERAL_FAILURE,
				     "the vendor library gave no result, or one of invalid size");
}

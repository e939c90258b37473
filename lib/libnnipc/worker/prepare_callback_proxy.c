// SPDX-License-Identifier: Apache-2.0
/* IPreparedModelCallback where the vendor library is. */
#include "worker/nnipc_worker.h"

#include "messages/nnipc_messages.h"
#include "nnutil_log.h"

static void destroy_model(void *object)
{
	struct nnhal_prepared_model *model = object;

	model->ops->destroy(model);
}

static void notify(uint64_t callback, enum nnhal_status status, const char *message, uint64_t oid)
{
	struct nnipc_writer out = { 0 };

	nnipc_put_status(&out, status);
	nnipc_put_text(&out, message);
	nnipc_put_u64(&out, oid);
	nnipc_notify(NNIPC_NOTIFY_PREPARED, callback, &out);
}

void nnipc_prepare_failed(uint64_t callback, enum nnhal_status status, const char *message)
{
	notify(callback, status, message, 0);
}

void nnipc_prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		    const char *message)
{
	uint64_t callback = nnipc_callback_take(cookie), oid = 0;

	if (!callback) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "the vendor library notified a preparation that had been notified");
	} else if (status == NNHAL_NONE && !nnipc_prepared_model_complete(model)) {
		status = NNHAL_GENERAL_FAILURE;
		message = "the vendor library prepared no model, or one with an incomplete table";
	} else if (status == NNHAL_NONE) {
		oid = nnipc_object_add(NNIPC_KIND_PREPARED_MODEL, model, destroy_model);
		if (!oid) {
			status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
			message = "the worker has no room for another object: destroy some";
		}
	}
	if (!oid)
		NNIPC_DESTROY(nnhal_prepared_model_ops, model);
	if (callback)
		notify(callback, status, message, oid);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * IDevice: preparations. The host's callback is notified in every case: by the vendor library, or
 * here if the library was not called, or refused without calling back.
 */
#include <string.h>

#include "nnutil_log.h"

#include "messages/nnipc_messages.h"
#include "worker/nnipc_worker.h"

/* IPreparedModelCallback where the vendor library is. */

static void destroy_model(void *object)
{
	struct nnhal_prepared_model *model = object;

	model->ops->destroy(model);
}

static void prepare_servant_notify(uint64_t callback, enum nnhal_status status, const char *message,
				   uint64_t oid)
{
	const struct nnipc_notify_prepared prepared = { status, message, oid };
	struct nnipc_writer out = { 0 };

	nnipc_put_notify_prepared(&out, &prepared);
	nnipc_notify(NNIPC_NOTIFY_PREPARED, callback, &out);
}

/* Notify the host's @callback of a preparation that failed. */
static void prepare_failed(uint64_t callback, enum nnhal_status status, const char *message)
{
	prepare_servant_notify(callback, status, message, 0);
}

/* nnhal_prepared_cb of all preparations. @cookie: of nnipc_callback_expect(). */
static void nnipc_prepared(void *cookie, enum nnhal_status status,
			   struct nnhal_prepared_model *model, const char *message)
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
		prepare_servant_notify(callback, status, message, oid);
}

/* Before the vendor is called: a cookie, or NULL: @callback has been notified of *@status. */
static void *launching(uint64_t callback, enum nnhal_status *status)
{
	void *cookie = *status ? NULL : nnipc_callback_expect(callback);

	if (cookie) {
		nnipc_fault_point("before-launch");
	} else {
		*status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
		prepare_failed(callback, *status,
			       "the worker has no memory for this preparation, or too many "
			       "wait already");
	}
	return cookie;
}

/* The vendor has returned @status. */
static void launched(void *cookie, enum nnhal_status status)
{
	uint64_t callback = status ? nnipc_callback_take(cookie) : 0;

	if (callback)
		prepare_failed(callback, status, "the vendor library refused without a reason");
	nnipc_fault_point("after-vendor-launch");
}

int nnipc_serve_device_prepare_model(void *object, struct nnipc_device_prepare_model *args,
				     struct nnipc_finished *results)
{
	struct nnhal_device *dev = object;
	void *cookie = launching(args->callback, &results->status);

	if (!cookie)
		return 0;
	results->status =
		dev->ops->prepare_model(dev, args->model, args->config, nnipc_prepared, cookie);
	launched(cookie, results->status);
	return 0;
}

int nnipc_serve_device_prepare_model_from_cache(void *object,
						struct nnipc_device_prepare_model_from_cache *args,
						struct nnipc_finished *results)
{
	struct nnhal_device *dev = object;
	void *cookie = launching(args->callback, &results->status);

	if (!cookie)
		return 0;
	results->status = dev->ops->prepare_model_from_cache(
		dev, args->deadline_ns, args->model_cache, args->num_model_cache, args->data_cache,
		args->num_data_cache, args->token, nnipc_prepared, cookie);
	launched(cookie, results->status);
	return 0;
}

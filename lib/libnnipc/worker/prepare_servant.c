// SPDX-License-Identifier: Apache-2.0
/*
 * IDevice: preparations. The host's callback is notified in every case: by the vendor library, or
 * here if the library was not called, or refused without calling back.
 */
#include <errno.h>
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
	struct nnipc_writer out = { 0 };

	nnipc_put_status(&out, status);
	nnipc_put_text(&out, message);
	nnipc_put_u64(&out, oid);
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

/* A cookie for the vendor, or NULL: @callback has been notified of *@status. */
static void *expect(uint64_t callback, enum nnhal_status *status)
{
	void *cookie = *status ? NULL : nnipc_callback_expect(callback);

	if (!cookie) {
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

int nnipc_prepare_model(void *device, struct nnipc_reader *in, struct nnipc_writer *out)
{
	uint64_t callback = nnipc_get_u64(in);
	struct nnhal_prepare_config config = nnipc_get_prepare_config(in);
	struct nnmodel *model = nnipc_get_model(in);
	struct nnhal_device *dev = device;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);
	void *cookie;

	if (!ret && !callback)
		ret = -EBADMSG;
	cookie = ret ? NULL : expect(callback, &status);
	if (cookie) {
		nnipc_fault_point("before-launch");
		status = dev->ops->prepare_model(dev, model, &config, nnipc_prepared, cookie);
		launched(cookie, status);
	}
	nnmodel_free(model);
	nnipc_prepare_config_free(&config);
	if (!ret)
		nnipc_put_status(out, status);
	return ret;
}

int nnipc_prepare_model_from_cache(void *device, struct nnipc_reader *in, struct nnipc_writer *out)
{
	uint64_t callback = nnipc_get_u64(in);
	int64_t deadline_ns = nnipc_get_i64(in);
	uint32_t num_model, num_data;
	int *model_cache = nnipc_get_fds(in, &num_model);
	int *data_cache = nnipc_get_fds(in, &num_data);
	const void *token = nnipc_get_raw(in, NNHAL_CACHE_TOKEN_SIZE);
	struct nnhal_device *dev = device;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);
	void *cookie;

	if (!ret && !callback)
		ret = -EBADMSG;
	cookie = ret ? NULL : expect(callback, &status);
	if (cookie) {
		nnipc_fault_point("before-launch");
		status = dev->ops->prepare_model_from_cache(dev, deadline_ns, model_cache,
							    num_model, data_cache, num_data, token,
							    nnipc_prepared, cookie);
		launched(cookie, status);
	}
	nnipc_fds_free(model_cache, num_model);
	nnipc_fds_free(data_cache, num_data);
	if (!ret)
		nnipc_put_status(out, status);
	return ret;
}

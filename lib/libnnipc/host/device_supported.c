// SPDX-License-Identifier: Apache-2.0
/* getSupportedOperations of a proxied device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "values/nnhal_values.h"

/* Longest reason. */
#define MAX_REASON 4096u

struct question {
	const struct nnmodel *model;
	bool *supported;
	char **reasons; /* NULL: not wanted */
	struct nnmodel_error *err; /* of this library's size */
};

static void forget_reasons(const struct question *q)
{
	for (uint32_t i = 0; q->reasons && i < q->model->main.num_operations; i++) {
		free(q->reasons[i]);
		q->reasons[i] = NULL;
	}
}

/* 0, or an error: the answer is malformed, and the client has nothing of it. */
static int read_answer(struct nnipc_reader *r, const struct question *q, enum nnhal_status *status)
{
	struct nnipc_device_get_supported_operations_results results = { .error = q->err };
	const uint32_t operations = q->model->main.num_operations;
	uint32_t count;
	int ret;

	nnipc_get_device_get_supported_operations_results(r, &results);
	*status = results.status;
	count = nnipc_get_count(r, 1, operations);
	if (!r->error && count != (*status ? 0 : operations))
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++)
		q->supported[i] = nnipc_get_bool(r);
	for (uint32_t i = 0; i < count && q->reasons; i++)
		q->reasons[i] = nnipc_get_text(r, MAX_REASON);
	ret = nnipc_reader_end(r);
	if (ret)
		forget_reasons(q);
	return ret;
}

/* 0: *@status is the worker's. */
static int device_supported_call(struct nnipc_connection *c, const struct question *q,
				 enum nnhal_status *status)
{
	const struct nnipc_device_get_supported_operations args = {
		.with_reasons = q->reasons != NULL,
		.model = q->model,
	};
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(c, NNHAL_NO_TIME, &ret);
	if (!lane)
		return ret;
	nnipc_put_device_get_supported_operations(&lane->out, &args);
	ret = nnipc_call(c, lane, NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, 0, NNIPC_LIMIT_CALL,
			 NNHAL_NO_TIME);
	if (!ret && read_answer(&lane->in.reader, q, status))
		ret = nnipc_connection_protocol_error(c, "the supported operations are malformed");
	nnipc_connection_give(c, lane);
	return ret;
}

/* @message becomes the reason unless the worker gives one. */
static enum nnhal_status call_twice(struct nnipc_device *dev, const struct question *q,
				    char *message)
{
	enum nnhal_status status = NNHAL_DEAD_OBJECT;
	struct nnipc_connection *c;
	int ret = -EPIPE;

	for (int i = 0; i < 2 && ret == -EPIPE; i++) {
		if (nnipc_device_generation(dev, &c, message))
			break;
		message[0] = '\0';
		ret = device_supported_call(c, q, &status);
		if (ret == -EBADMSG)
			/* a model that the codec refuses is malformed */
			status = nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					      "the model is malformed");
		else if (ret)
			status = nnipc_proxy_failed(c, ret, message);
		nnipc_connection_put(c);
	}
	return status;
}

static void give_reason(struct nnmodel_error *err, const char *message)
{
	err->operation = err->operand = UINT32_MAX;
	snprintf(err->text, sizeof(err->text), "%.*s", (int)sizeof(err->text) - 1, message);
}

enum nnhal_status nnipc_device_supported(struct nnhal_device *base, const struct nnmodel *model,
					 bool *supported, char **reasons, struct nnmodel_error *err)
{
	NNTRACE_NAME_1("HIDL::IDevice::getSupportedOperations_1_3::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct nnmodel_error own = NNMODEL_ERROR_INIT;
	struct question q = { .supported = supported, .reasons = reasons, .err = &own };
	enum nnhal_status status = NNHAL_INVALID_ARGUMENT;
	char message[NNHAL_MESSAGE] = "";
	struct nnmodel older;

	if (!model || !supported || (err && !nnmodel_sized_put(&nnhal_sized_error, err, &own)))
		return status;
	q.model = nnmodel_sized_get(&nnhal_sized_model, model, &older);
	if (nnipc_device_inherited(dev))
		status = nnhal_dead(message);
	else if (q.model)
		status = call_twice(dev, &q, message);
	else
		nnmodel_sized_explain(&nnhal_sized_model, model, message, sizeof(message));
	if (status && message[0])
		give_reason(&own, message);
	if (err)
		nnmodel_sized_put(&nnhal_sized_error, err, &own);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Preparations. A call and its callback race: the notification may come before the reply, and the
 * worker may die before, between and after both. Whoever moves the state of the attempt last calls
 * the client, so that it is called once:
 *
 *	LAUNCHING	the call runs; the callback is registered
 *	LAUNCHED	the call has its status; the notification, or the death, calls the client
 *	ANSWERED	a notification has called the client, or is about to
 *	LOST		the generation died during the call: the call's thread goes on
 *	ABANDONED	the call's thread tries again, or calls the client itself
 */
#include "host/device_prepare.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "host/proxy.h"
#include "messages/methods.h"
#include "nntrace.h"
#include "values/structs.h"

/* Longest message of a notification. */
#define MAX_MESSAGE 4096u

enum state { LAUNCHING, LAUNCHED, ANSWERED, LOST, ABANDONED };

struct attempt {
	atomic_int refs; /* of the call, and of the callback */
	atomic_int state; /* enum state */
	enum nnhal_status status; /* constant once ANSWERED */
	struct nnipc_connection *c; /* the callback's, or the call's, reference */
	nnhal_prepared_cb callback;
	void *cookie;
};

/* What a call sends; one of two kinds. */
struct preparation {
	uint32_t method;
	const struct nnmodel *model;
	const struct nnhal_prepare_config *config;
	int64_t deadline_ns;
	const int *model_cache, *data_cache;
	uint32_t num_model_cache, num_data_cache;
	const uint8_t *token;
	nnhal_prepared_cb callback;
	void *cookie;
};

static void attempt_put(struct attempt *a)
{
	if (atomic_fetch_sub(&a->refs, 1) == 1)
		free(a);
}

/* To @to, if the state is @from or @otherwise. */
static bool move(struct attempt *a, enum state from, enum state otherwise, enum state to)
{
	int expected = from;

	if (atomic_compare_exchange_strong(&a->state, &expected, to))
		return true;
	expected = otherwise;
	return atomic_compare_exchange_strong(&a->state, &expected, to);
}

static enum nnhal_status answer(nnhal_prepared_cb callback, void *cookie, enum nnhal_status status,
				const char *message)
{
	callback(cookie, status, NULL, message);
	return status;
}

/* ---- the callback ---- */

struct notification {
	enum nnhal_status status;
	char *text;
	uint64_t oid;
};

/* 0, or an error: it is malformed. */
static int read_notification(struct nnipc_reader *in, struct notification *n)
{
	int ret;

	n->status = nnipc_get_status(in);
	n->text = nnipc_get_text(in, MAX_MESSAGE);
	n->oid = nnipc_get_u64(in);
	ret = nnipc_reader_end(in);
	/* a model comes with success, and only with it */
	return !ret && (n->status == NNHAL_NONE) != (n->oid != 0) ? -EBADMSG : ret;
}

static void lost(struct attempt *a)
{
	char message[NNHAL_MESSAGE];
	int expected = LAUNCHING;

	if (atomic_compare_exchange_strong(&a->state, &expected, LOST) || expected == ABANDONED)
		return;
	nnipc_connection_epitaph(a->c, message, sizeof(message));
	answer(a->callback, a->cookie, NNHAL_DEAD_OBJECT, message);
}

static void told(struct attempt *a, const struct notification *n)
{
	struct nnhal_prepared_model *model = NULL;
	enum nnhal_status status = n->status;
	const char *message = n->text;

	if (n->oid) {
		model = nnipc_prepared_model_proxy(a->c, n->oid);
		message = model ? NULL : "out of memory";
		status = model ? status : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	/* read by the call's thread once the state says ANSWERED */
	a->status = status;
	if (move(a, LAUNCHING, LAUNCHED, ANSWERED))
		a->callback(a->cookie, status, model, message);
	else if (model)
		model->ops->destroy(model);
}

/* On the executor. */
static int notified(void *cookie, int error, uint32_t method, struct nnipc_reader *in)
{
	struct attempt *a = cookie;
	struct notification n = { 0 };

	(void)method;
	if (!error && read_notification(in, &n))
		error = nnipc_connection_blame(a->c, "the result of a preparation is malformed");
	if (error)
		lost(a);
	else
		told(a, &n);
	free(n.text);
	attempt_put(a);
	return 0;
}

/* ---- the call ---- */

static void write_call(struct nnipc_writer *w, const struct preparation *p, uint64_t number)
{
	nnipc_put_u64(w, number);
	if (p->method == NNIPC_DEVICE_PREPARE_MODEL) {
		nnipc_put_prepare_config(w, p->config);
		nnipc_put_model(w, p->model);
	} else {
		nnipc_put_i64(w, p->deadline_ns);
		nnipc_put_fds(w, p->model_cache, p->num_model_cache);
		nnipc_put_fds(w, p->data_cache, p->num_data_cache);
		nnipc_put_raw(w, p->token, NNHAL_CACHE_TOKEN_SIZE);
	}
}

/* 0: *@status is the worker's. */
static int call(struct nnipc_connection *c, const struct preparation *p, uint64_t number,
		enum nnhal_status *status)
{
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(c, &ret);
	if (!lane)
		return ret;
	write_call(&lane->out, p, number);
	ret = nnipc_call(c, lane, p->method, 0, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!ret) {
		*status = nnipc_get_status(&lane->in.reader);
		if (nnipc_reader_end(&lane->in.reader))
			ret = nnipc_connection_blame(c, "the status of a preparation is malformed");
	}
	nnipc_connection_give(c, lane);
	return ret;
}

static enum nnhal_status refused(const struct preparation *p, struct nnipc_connection *c, int error)
{
	char message[NNHAL_MESSAGE] = "";
	enum nnhal_status status;

	/* what has no form between processes is no model or no configuration */
	if (error == -EBADMSG)
		status = nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				      "the model or the configuration is malformed");
	else
		status = nnipc_proxy_failed(c, error, message);
	return answer(p->callback, p->cookie, status, message);
}

/* The call returned @ret and @status. False: the generation died before it had a status. */
static bool conclude(struct attempt *a, const struct preparation *p, uint64_t number, int ret,
		     enum nnhal_status *status)
{
	int expected = LAUNCHING;

	if (!ret && atomic_compare_exchange_strong(&a->state, &expected, LAUNCHED))
		return true;
	if (ret && nnipc_callback_remove(a->c, number))
		attempt_put(a); /* it will not be called */
	if (!move(a, LAUNCHING, LOST, ABANDONED)) {
		/* the notification was there before the reply */
		*status = ret ? a->status : *status;
		return true;
	}
	if (ret == -EPIPE)
		return false;
	*status = refused(p, a->c, ret ? ret : -EPIPE);
	return true;
}

/* One attempt. False: another one may be made; nobody has called the client. */
static bool try(struct nnipc_connection *c, const struct preparation *p, enum nnhal_status *status)
{
	struct attempt *a = calloc(1, sizeof(*a));
	uint64_t number;
	bool done;
	int ret;

	if (!a) {
		*status = refused(p, c, -ENOMEM);
		return true;
	}
	*a = (struct attempt){ .c = c, .callback = p->callback, .cookie = p->cookie };
	atomic_init(&a->refs, 2);
	number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, notified, a);
	if (!number) {
		free(a);
		if (nnipc_connection_is_dead(c))
			return false;
		*status = refused(p, c, -ENOMEM);
		return true;
	}
	ret = call(c, p, number, status);
	done = conclude(a, p, number, ret, status);
	attempt_put(a);
	return done;
}

static enum nnhal_status prepare(struct nnipc_device *dev, const struct preparation *p)
{
	char message[NNHAL_MESSAGE] = "";
	enum nnhal_status status = NNHAL_DEAD_OBJECT;
	struct nnipc_connection *c;

	/* once more, if the first generation dies */
	for (int i = 0; i < 2; i++) {
		bool done;

		if (nnipc_device_generation(dev, &c, message))
			break;
		done = try(c, p, &status);
		if (!done)
			nnipc_connection_epitaph(c, message, sizeof(message));
		nnipc_connection_put(c);
		if (done)
			return status;
	}
	return answer(p->callback, p->cookie, NNHAL_DEAD_OBJECT, message);
}

/* ---- operations ---- */

/* Sizes of structs: what a newer client means by more bytes cannot be sent. */
static enum nnhal_status known(struct preparation *p, struct nnmodel *older_model,
			       struct nnhal_prepare_config *older_config, char *message)
{
	const struct nnmodel *model = p->model;

	if (!model)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT, "the model is NULL");
	p->config = nnhal_prepare_config_known(p->config, older_config, message);
	if (!p->config)
		return NNHAL_INVALID_ARGUMENT;
	p->model = nnmodel_sized_get(&nnhal_sized_model, model, older_model);
	if (!p->model) {
		nnmodel_sized_explain(&nnhal_sized_model, model, message, NNHAL_MESSAGE);
		return NNHAL_INVALID_ARGUMENT;
	}
	return NNHAL_NONE;
}

enum nnhal_status nnipc_device_prepare(struct nnhal_device *base, const struct nnmodel *model,
				       const struct nnhal_prepare_config *config,
				       nnhal_prepared_cb callback, void *cookie)
{
	NNTRACE_NAME_1("HIDL::IDevice::prepareModel_1_3::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct preparation p = { .method = NNIPC_DEVICE_PREPARE_MODEL,
				 .model = model,
				 .config = config,
				 .callback = callback,
				 .cookie = cookie };
	struct nnhal_prepare_config older_config;
	char message[NNHAL_MESSAGE] = "";
	struct nnmodel older_model;
	enum nnhal_status status;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnipc_device_inherited(dev) ? nnhal_dead(message)
					     : known(&p, &older_model, &older_config, message);
	return status ? answer(callback, cookie, status, message) : prepare(dev, &p);
}

enum nnhal_status nnipc_device_prepare_from_cache(struct nnhal_device *base, int64_t deadline_ns,
						  const int *model_cache, uint32_t num_model_cache,
						  const int *data_cache, uint32_t num_data_cache,
						  const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						  nnhal_prepared_cb callback, void *cookie)
{
	NNTRACE_NAME_1("HIDL::IDevice::prepareModelFromCache_1_3::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	const struct preparation p = { .method = NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE,
				       .deadline_ns = deadline_ns,
				       .model_cache = model_cache,
				       .num_model_cache = num_model_cache,
				       .data_cache = data_cache,
				       .num_data_cache = num_data_cache,
				       .token = token,
				       .callback = callback,
				       .cookie = cookie };
	char message[NNHAL_MESSAGE] = "";

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	if (nnipc_device_inherited(dev))
		return answer(callback, cookie, nnhal_dead(message), message);
	if (!token)
		return answer(callback, cookie, NNHAL_INVALID_ARGUMENT, "the token is NULL");
	return prepare(dev, &p);
}

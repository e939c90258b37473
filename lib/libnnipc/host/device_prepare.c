// SPDX-License-Identifier: Apache-2.0
/*
 * Preparations. A call and its callback race: the notification may come before the reply, and the
 * worker may die before, between and after both. The thread that moves the state of the attempt
 * last calls the client, so that it is called once:
 *
 *	LAUNCHING	the call runs; the callback is registered
 *	LAUNCHED	the call has succeeded; the notification, or the death, calls the client
 *	WAITING		the call was refused: its thread waits for the notification, to call the
 *			client before it returns
 *	HELD		the notification came first; the call's thread calls the client
 *	LOST		the generation died; the call's thread goes on
 *	OVER		the client has been called, or is about to be, or another attempt is made
 */
#include "host/nnipc_host.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "values/nnhal_values.h"

enum state { LAUNCHING, LAUNCHED, WAITING, HELD, LOST, OVER, STATES };

struct attempt {
	atomic_int refs; /* of the call, and of the callback */
	atomic_int state; /* enum state */
	atomic_uint left; /* a latch: WAITING is over */
	struct nnipc_connection *c; /* the callback's, or the call's, reference */
	nnhal_prepared_cb callback;
	void *cookie;
	/* the callback's, and constant, once it is HELD, or the callback calls the client */
	enum nnhal_status status;
	char *text;
	struct nnhal_prepared_model *model;
};

/* What a call sends; one of two kinds. */
struct preparation {
	uint32_t method;
	struct nnipc_device_prepare_model model;
	struct nnipc_device_prepare_model_from_cache cache;
	nnhal_prepared_cb callback;
	void *cookie;
};

static void attempt_put(struct attempt *a)
{
	if (atomic_fetch_sub(&a->refs, 1) > 1)
		return;
	free(a->text);
	free(a);
}

/* What becomes of each state, for each event; states that the event cannot meet are left out. */
static const enum state on_notification[STATES] = {
	[LAUNCHING] = HELD, [LAUNCHED] = OVER, [WAITING] = HELD, [OVER] = OVER
};
static const enum state on_death[STATES] = {
	[LAUNCHING] = LOST, [LAUNCHED] = OVER, [WAITING] = LOST, [OVER] = OVER
};
static const enum state on_launch[STATES] = { [LAUNCHING] = LAUNCHED, [HELD] = OVER, [LOST] = OVER };
static const enum state on_refusal[STATES] = { [LAUNCHING] = WAITING, [HELD] = OVER, [LOST] = OVER };
static const enum state on_no_status[STATES] = { [LAUNCHING] = OVER, [HELD] = OVER, [LOST] = OVER };

/* Returns the state before. */
static enum state device_prepare_advance(struct attempt *a, const enum state event[STATES])
{
	int state = atomic_load(&a->state);

	while (!atomic_compare_exchange_weak(&a->state, &state, (int)event[state]))
		;
	return (enum state)state;
}

static void call_client(const struct attempt *a)
{
	a->callback(a->cookie, a->status, a->model, a->text);
}

static enum nnhal_status device_prepare_answer(nnhal_prepared_cb callback, void *cookie,
					       enum nnhal_status status, const char *message)
{
	callback(cookie, status, NULL, message);
	return status;
}

/* ---- the callback ---- */

/* 0, or an error: it is malformed, and no model is made. */
static int read_notification(struct attempt *a, struct nnipc_reader *in)
{
	struct nnipc_notify_prepared prepared;
	int ret;

	nnipc_get_notify_prepared(in, &prepared);
	a->status = prepared.status;
	a->text = (char *)prepared.message;
	ret = nnipc_reader_end(in);
	/* a model comes with success, and only with it */
	if (!ret && (a->status == NNHAL_NONE) != (prepared.model != 0))
		ret = -EBADMSG;
	if (ret || !prepared.model)
		return ret;
	a->model = nnipc_prepared_model_proxy(a->c, prepared.model);
	if (!a->model)
		a->status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	return 0;
}

/* The generation died. */
static void lost(struct attempt *a)
{
	char message[NNHAL_MESSAGE];

	switch (device_prepare_advance(a, on_death)) {
	case LAUNCHED:
		nnipc_connection_exit_reason(a->c, message, sizeof(message));
		device_prepare_answer(a->callback, a->cookie, NNHAL_DEAD_OBJECT, message);
		break;
	case WAITING:
		nnipc_latch_open(&a->left);
		break;
	default:
		break;
	}
}

/* The client does not get the model. */
static void drop_model(struct attempt *a)
{
	if (a->model)
		a->model->ops->destroy(a->model);
	a->model = NULL;
}

static void attempt_notified(struct attempt *a)
{
	switch (device_prepare_advance(a, on_notification)) {
	case LAUNCHED:
		call_client(a);
		break;
	case WAITING:
		nnipc_latch_open(&a->left);
		break;
	case OVER:
		drop_model(a);
		break;
	default:
		break;
	}
}

/* On the executor. */
static int notified(void *cookie, int error, uint32_t method, struct nnipc_reader *in)
{
	struct attempt *a = cookie;

	(void)method;
	if (!error && read_notification(a, in))
		error = nnipc_connection_protocol_error(a->c,
							"the result of a preparation is malformed");
	if (error)
		lost(a);
	else
		attempt_notified(a);
	attempt_put(a);
	return 0;
}

/* ---- the call ---- */

/* 0: *@status is the worker's. */
static int device_prepare_call(struct nnipc_connection *c, struct preparation *p, uint64_t number,
			       enum nnhal_status *status)
{
	const bool with_model = p->method == NNIPC_DEVICE_PREPARE_MODEL;
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(
		c, with_model ? p->model.config->deadline_ns : p->cache.deadline_ns, &ret);
	if (!lane)
		return ret;
	p->model.callback = p->cache.callback = number;
	if (with_model)
		nnipc_put_device_prepare_model(&lane->out, &p->model);
	else
		nnipc_put_device_prepare_model_from_cache(&lane->out, &p->cache);
	ret = nnipc_call(c, lane, p->method, 0, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!ret) {
		*status = nnipc_get_status(&lane->in.reader);
		if (nnipc_reader_end(&lane->in.reader))
			ret = nnipc_connection_protocol_error(
				c, "the status of a preparation is malformed");
	}
	nnipc_connection_give(c, lane);
	return ret;
}

static enum nnhal_status device_prepare_refused(const struct preparation *p,
						struct nnipc_connection *c, int error)
{
	char message[NNHAL_MESSAGE] = "";
	enum nnhal_status status;

	/* a model or a configuration that the codec refuses is malformed */
	if (error == -EBADMSG)
		status = nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				      "the model or the configuration is malformed");
	else
		status = nnipc_proxy_failed(c, error, message);
	return device_prepare_answer(p->callback, p->cookie, status, message);
}

/* A refusal has its notification on the way: HELD or LOST. */
static enum state await(struct attempt *a)
{
	if (!nnipc_latch_wait(&a->left, nnipc_settings()->call_ns)) {
		nnipc_connection_protocol_error(
			a->c, "prepare_model failed without calling its callback");
		nnipc_latch_wait(&a->left, -1);
	}
	return (enum state)atomic_load(&a->state);
}

/* The call returned @ret and @status. False: the generation died before it had a status. */
static bool conclude(struct attempt *a, const struct preparation *p, uint64_t number, int ret,
		     enum nnhal_status *status)
{
	enum state before;

	if (ret && nnipc_callback_remove(a->c, number))
		attempt_put(a); /* it will not be called */
	before = device_prepare_advance(a, ret ? on_no_status : *status ? on_refusal : on_launch);
	if (before == LAUNCHING && !ret) {
		if (!*status)
			return true;
		before = await(a);
	}
	/* a failure is an answer, with a status of the call or without */
	if (before == HELD && (!ret || !a->model)) {
		if (ret)
			*status = a->status;
		call_client(a);
		return true;
	}
	if (before == HELD)
		drop_model(a);
	if (ret == -EPIPE)
		return false;
	if (ret)
		*status = device_prepare_refused(p, a->c, ret);
	else if (*status)
		*status = device_prepare_refused(p, a->c, -EPIPE);
	else
		/* the launch has succeeded, and its preparation fails */
		device_prepare_refused(p, a->c, -EPIPE);
	return true;
}

/* One attempt. False: another one may be made; the client's callback was not called. */
static bool try(struct nnipc_connection *c, struct preparation *p, enum nnhal_status *status)
{
	struct attempt *a = calloc(1, sizeof(*a));
	uint64_t number;
	bool done;
	int ret;

	if (!a) {
		*status = device_prepare_refused(p, c, -ENOMEM);
		return true;
	}
	*a = (struct attempt){ .c = c, .callback = p->callback, .cookie = p->cookie };
	atomic_init(&a->refs, 2);
	number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, notified, a);
	if (!number) {
		atomic_store(&a->refs, 1);
		attempt_put(a);
		if (nnipc_connection_is_dead(c))
			return false;
		*status = device_prepare_refused(p, c, -ENOMEM);
		return true;
	}
	ret = device_prepare_call(c, p, number, status);
	done = conclude(a, p, number, ret, status);
	attempt_put(a);
	return done;
}

static enum nnhal_status device_prepare(struct nnipc_device *dev, struct preparation *p)
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
			nnipc_connection_exit_reason(c, message, sizeof(message));
		nnipc_connection_put(c);
		if (done)
			return status;
	}
	return device_prepare_answer(p->callback, p->cookie, NNHAL_DEAD_OBJECT, message);
}

/* ---- operations ---- */

/* Sizes of structs: what a newer client means by more bytes cannot be sent. */
static enum nnhal_status device_prepare_known(struct preparation *p, struct nnmodel *older_model,
					      struct nnhal_prepare_config *older_config,
					      char *message)
{
	const struct nnmodel *model = p->model.model;

	if (!model)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT, "the model is NULL");
	p->model.config = nnhal_prepare_config_upgrade(p->model.config, older_config, message);
	if (!p->model.config)
		return NNHAL_INVALID_ARGUMENT;
	p->model.model = nnmodel_sized_get(&nnhal_sized_model, model, older_model);
	if (!p->model.model) {
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
				 .model = { .model = model, .config = config },
				 .callback = callback,
				 .cookie = cookie };
	struct nnhal_prepare_config older_config;
	char message[NNHAL_MESSAGE] = "";
	struct nnmodel older_model;
	enum nnhal_status status;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnipc_device_inherited(dev)
			 ? nnhal_dead(message)
			 : device_prepare_known(&p, &older_model, &older_config, message);
	return status ? device_prepare_answer(callback, cookie, status, message)
		      : device_prepare(dev, &p);
}

enum nnhal_status nnipc_device_prepare_from_cache(struct nnhal_device *base, int64_t deadline_ns,
						  const int *model_cache, uint32_t num_model_cache,
						  const int *data_cache, uint32_t num_data_cache,
						  const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						  nnhal_prepared_cb callback, void *cookie)
{
	NNTRACE_NAME_1("HIDL::IDevice::prepareModelFromCache_1_3::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct preparation p = {
		.method = NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE,
		.cache = {
			.deadline_ns = deadline_ns,
			.model_cache = model_cache,
			.num_model_cache = num_model_cache,
			.data_cache = data_cache,
			.num_data_cache = num_data_cache,
			.token = token,
		},
		.callback = callback,
		.cookie = cookie,
	};
	char message[NNHAL_MESSAGE] = "";

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	if (nnipc_device_inherited(dev))
		return device_prepare_answer(callback, cookie, nnhal_dead(message), message);
	if (!token)
		return device_prepare_answer(callback, cookie, NNHAL_INVALID_ARGUMENT,
					     "the token is NULL");
	return device_prepare(dev, &p);
}

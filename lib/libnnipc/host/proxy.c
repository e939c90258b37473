// SPDX-License-Identifier: Apache-2.0
/* References of proxies, failures of calls, replies, and calls. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "values/nnhal_values.h"

void nnipc_proxy_init(struct nnipc_proxy *p, struct nnipc_connection *c, uint64_t oid)
{
	nnipc_connection_get(c);
	p->c = c;
	p->oid = oid;
	atomic_init(&p->refs, 1);
}

void nnipc_proxy_get(struct nnipc_proxy *p)
{
	atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
}

bool nnipc_proxy_last(struct nnipc_proxy *p)
{
	return atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1;
}

bool nnipc_proxy_put(struct nnipc_proxy *p)
{
	if (!nnipc_proxy_last(p))
		return false;
	nnipc_proxy_fini(p);
	return true;
}

void nnipc_proxy_fini(struct nnipc_proxy *p)
{
	if (nnipc_proxy_inherited(p))
		return;
	nnipc_connection_release(p->c, p->oid);
	nnipc_connection_put(p->c);
}

/* ---- failures ---- */

static enum nnhal_status dead(struct nnipc_connection *c, char *message)
{
	char exit_reason[NNHAL_MESSAGE / 2];

	/* without a message there is no need to wait for the reaper */
	if (!message)
		return NNHAL_DEAD_OBJECT;
	nnipc_connection_exit_reason(c, exit_reason, sizeof(exit_reason));
	return nnhal_refuse(message, NNHAL_DEAD_OBJECT,
			    "the process that had this object has ended%s%s: make the object again",
			    exit_reason[0] ? ": " : "", exit_reason);
}

enum nnhal_status nnipc_proxy_failed(struct nnipc_connection *c, int error, char *message)
{
	char unused[NNHAL_MESSAGE];

	if (nnipc_connection_inherited(c))
		return nnhal_dead(message);
	if (error == -EPIPE)
		return dead(c, message);
	if (!message)
		message = unused;
	switch (error) {
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
	case -ETOOMANYREFS:
		return nnhal_refuse(message, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				    "no memory or descriptors to call the worker process: %s",
				    strerror(-error));
	case -ETIME:
		return nnhal_refuse(message, NNHAL_MISSED_DEADLINE_TRANSIENT,
				    "the deadline has passed while %u other calls were in the "
				    "worker process",
				    NNIPC_MAX_LANES);
	case -EBUSY:
		return nnhal_refuse(message, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				    "%u calls are in the worker process, and none of them has "
				    "ended: make fewer at a time",
				    NNIPC_MAX_LANES);
	case -E2BIG:
		return nnhal_refuse(message, NNHAL_RESOURCE_EXHAUSTED_PERSISTENT,
				    "too large for a message to the worker process");
	default:
		return nnhal_refuse(message, NNHAL_GENERAL_FAILURE,
				    "the call to the worker process failed: %s", strerror(-error));
	}
}

/* ---- replies ---- */

enum nnhal_status nnipc_proxy_reply_end(struct nnipc_connection *c, const struct nnipc_reader *in,
					bool plausible, uint32_t method, char *message)
{
	int error = nnipc_reader_end(in);
	char what[96];

	if (!error && plausible)
		return NNHAL_NONE;
	if (error != -ENOMEM) {
		snprintf(what, sizeof(what), "the answer to %s is %s", nnipc_method_name(method),
			 error ? "malformed" : "impossible");
		error = nnipc_connection_protocol_error(c, what);
	}
	return nnipc_proxy_failed(c, error, message);
}

enum nnhal_status nnipc_proxy_reply_status(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, char *message)
{
	enum nnhal_status status = nnipc_get_status(in);
	enum nnhal_status failed = nnipc_proxy_reply_end(c, in, true, method, message);

	return failed ? failed : status;
}

bool nnipc_proxy_plausible_timing(const struct nnhal_timing *t)
{
	return t->on_device_ns >= NNHAL_NO_TIME && t->in_driver_ns >= NNHAL_NO_TIME;
}

/* The client looks at as many shapes as it has outputs. */
static bool plausible_result(enum nnhal_status status, const struct nnhal_execution_result *result,
			     uint32_t num_outputs)
{
	if (!nnipc_proxy_plausible_timing(&result->timing))
		return false;
	if (status == NNHAL_NONE || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE)
		return result->num_shapes == 0 || result->num_shapes == num_outputs;
	return result->num_shapes == 0;
}

enum nnhal_status nnipc_proxy_reply_result(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, uint32_t num_outputs,
					   struct nnhal_execution_result *result)
{
	struct nnipc_executed executed = { .result = result };
	char message[NNHAL_MESSAGE];
	enum nnhal_status failed;

	nnipc_get_executed(in, &executed);
	failed = nnipc_proxy_reply_end(
		c, in, plausible_result(executed.status, result, num_outputs), method, message);
	if (!failed)
		return executed.status;
	nnhal_execution_result_clear(result);
	memcpy(result->message, message, sizeof(message));
	return failed;
}

/* ---- calls ---- */

enum nnhal_status nnipc_proxy_begin(struct nnipc_proxy_call *call, struct nnipc_connection *c,
				    uint32_t method, uint64_t oid, int64_t deadline_ns,
				    char *message)
{
	int error;

	*call = (struct nnipc_proxy_call){
		.c = c, .method = method, .oid = oid, .message = message
	};
	call->lane = nnipc_connection_lane(c, deadline_ns, &error);
	return call->lane ? NNHAL_NONE : nnipc_proxy_failed(c, error, message);
}

enum nnhal_status nnipc_proxy_send(struct nnipc_proxy_call *call, enum nnipc_limit limit,
				   int64_t deadline_ns)
{
	int error = nnipc_call(call->c, call->lane, call->method, call->oid, limit, deadline_ns);

	return error ? nnipc_proxy_failed(call->c, error, call->message) : NNHAL_NONE;
}

void nnipc_proxy_end(struct nnipc_proxy_call *call)
{
	nnipc_connection_give(call->c, call->lane);
}

enum nnhal_status nnipc_proxy_end_object(struct nnipc_proxy_call *call, uint64_t *oid)
{
	struct nnipc_reader *in = &call->lane->in.reader;
	struct nnipc_created created;
	enum nnhal_status failed;

	failed = nnipc_proxy_send(call, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!failed) {
		nnipc_get_created(in, &created);
		failed = nnipc_proxy_reply_end(call->c, in,
					       (created.status == NNHAL_NONE) == (created.oid != 0),
					       call->method, call->message);
	}
	nnipc_proxy_end(call);
	if (failed)
		return failed;
	*oid = created.oid;
	return created.status;
}

enum nnhal_status nnipc_proxy_end_result(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 uint32_t num_outputs,
					 struct nnhal_execution_result *result)
{
	enum nnhal_status status = nnipc_proxy_send(call, NNIPC_LIMIT_WORK, deadline_ns);

	if (!status)
		status = nnipc_proxy_reply_result(call->c, &call->lane->in.reader, call->method,
						  num_outputs, result);
	nnipc_proxy_end(call);
	return status;
}

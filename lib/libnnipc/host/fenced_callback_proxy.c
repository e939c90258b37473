// SPDX-License-Identifier: Apache-2.0
/* IFencedExecutionCallback of another process, and the answer that brings one. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"

struct fenced_callback {
	struct nnhal_fenced_callback base;
	struct nnipc_proxy p;
	struct nnipc_pending_fence pending; /* its fence is ours; -1: the execution had ended */
};

static void callback_proxy_put(struct fenced_callback *f)
{
	const int fence = f->pending.fence;

	if (!nnipc_proxy_put(&f->p))
		return;
	nnutil_fd_close(fence);
	free(f);
}

static void ended(struct nnipc_pending_fence *p)
{
	callback_proxy_put(
		(struct fenced_callback *)((char *)p - offsetof(struct fenced_callback, pending)));
}

/* The execution goes on, so the worker must. */
static bool watch_fence(struct fenced_callback *f)
{
	int64_t ns;

	return f->pending.fence >= 0 && nnutil_fence_status(f->pending.fence, &ns) == 0 &&
	       nnipc_watch_fence(&f->pending);
}

static void callback_proxy_destroy(struct nnhal_fenced_callback *base)
{
	struct fenced_callback *f = (struct fenced_callback *)base;

	if (!nnipc_proxy_inherited(&f->p) && !watch_fence(f))
		callback_proxy_put(f);
}

static enum nnhal_status callback_proxy_read(struct fenced_callback *f,
					     struct nnhal_timing *launched,
					     struct nnhal_timing *fenced)
{
	struct nnhal_timing times[2];
	struct nnipc_fenced_get_execution_info_results info = {
		.launched = &times[0],
		.fenced = &times[1],
	};
	struct nnipc_proxy_call call;
	struct nnipc_reader *in;
	enum nnhal_status failed;

	failed = nnipc_proxy_begin(&call, f->p.c, NNIPC_FENCED_GET_EXECUTION_INFO, f->p.oid,
				   NNHAL_NO_TIME, NULL);
	if (failed)
		return failed;
	failed = nnipc_proxy_send(&call, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!failed) {
		in = &call.lane->in.reader;
		nnipc_get_fenced_get_execution_info_results(in, &info);
		failed = nnipc_proxy_reply_end(call.c, in,
					       nnipc_proxy_plausible_timing(&times[0]) &&
						       nnipc_proxy_plausible_timing(&times[1]),
					       call.method, NULL);
	}
	nnipc_proxy_end(&call);
	if (failed)
		return failed;
	*launched = times[0];
	*fenced = times[1];
	return info.status;
}

static enum nnhal_status get_execution_info(struct nnhal_fenced_callback *base,
					    struct nnhal_timing *launched,
					    struct nnhal_timing *fenced)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "getExecutionInfo");
	struct fenced_callback *f = (struct fenced_callback *)base;
	enum nnhal_status status;

	*launched = *fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (nnipc_proxy_inherited(&f->p))
		return NNHAL_DEAD_OBJECT;
	nnipc_proxy_get(&f->p);
	status = callback_proxy_read(f, launched, fenced);
	callback_proxy_put(f);
	return status;
}

static const struct nnhal_fenced_callback_ops callback_ops = {
	.size = sizeof(callback_ops),
	.destroy = callback_proxy_destroy,
	.get_execution_info = get_execution_info,
};

struct nnhal_fenced_callback *nnipc_fenced_callback_proxy(struct nnipc_connection *c, uint64_t oid,
							  int fence)
{
	struct fenced_callback *f = malloc(sizeof(*f));

	if (!f) {
		nnipc_connection_release(c, oid);
		return NULL;
	}
	f->base.ops = &callback_ops;
	f->pending = (struct nnipc_pending_fence){ .fence = -1, .ended = ended };
	/* without a descriptor the execution goes on as long as the device is there */
	if (fence >= 0)
		f->pending.fence = nnutil_fd_keep(fcntl(fence, F_DUPFD_CLOEXEC, 0));
	nnipc_proxy_init(&f->p, c, oid);
	return &f->base;
}

static enum nnhal_status read_reply(const struct nnipc_proxy_call *call, int *sync_fence,
				    struct nnhal_fenced_callback **callback)
{
	struct nnipc_reader *in = &call->lane->in.reader;
	struct nnipc_fenced reply;
	enum nnhal_status failed;
	bool plausible;
	int64_t ns;

	nnipc_get_fenced(in, &reply);
	plausible = (reply.status == NNHAL_NONE) == (reply.callback != 0) &&
		    (!reply.status || reply.sync_fence < 0);
	if (reply.sync_fence >= 0 && nnutil_fence_status(reply.sync_fence, &ns) == -EINVAL)
		plausible = false;
	failed = nnipc_proxy_reply_end(call->c, in, plausible, call->method, call->message);
	if (!failed && reply.status)
		return reply.status;
	if (!failed) {
		*callback = nnipc_fenced_callback_proxy(call->c, reply.callback, reply.sync_fence);
		if (*callback) {
			*sync_fence = reply.sync_fence;
			return NNHAL_NONE;
		}
		failed = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	nnipc_fenced_free(&reply);
	return failed;
}

enum nnhal_status nnipc_proxy_end_fenced(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 int *sync_fence, struct nnhal_fenced_callback **callback)
{
	enum nnhal_status status = nnipc_proxy_send(call, NNIPC_LIMIT_WORK, deadline_ns);

	*sync_fence = -1;
	*callback = NULL;
	if (!status)
		status = read_reply(call, sync_fence, callback);
	nnipc_proxy_end(call);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/* IBuffer of another process. Its token is the vendor library's, and passes unchanged. */
#include <stdlib.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"

struct buffer {
	struct nnhal_buffer base;
	struct nnipc_proxy p;
};

static void buffer_proxy_put(struct buffer *b)
{
	if (nnipc_proxy_put(&b->p))
		free(b);
}

/* @memory: of the copies; @dims: of copyFrom. */
static enum nnhal_status buffer_proxy_call(struct buffer *b, uint32_t method,
					   const struct nnhal_memory *memory, uint32_t rank,
					   const uint32_t *dims)
{
	const struct nnipc_buffer_copy_from from = { .memory = memory, .dims = dims, .rank = rank };
	const struct nnipc_buffer_copy_to to = { .memory = memory };
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, b->p.c, method, b->p.oid, NNHAL_NO_TIME, NULL);
	if (status)
		return status;
	if (method == NNIPC_BUFFER_COPY_TO)
		nnipc_put_buffer_copy_to(&call.lane->out, &to);
	else if (method == NNIPC_BUFFER_COPY_FROM)
		nnipc_put_buffer_copy_from(&call.lane->out, &from);
	status = nnipc_proxy_send(&call, NNIPC_LIMIT_WORK, NNHAL_NO_TIME);
	if (!status)
		status = nnipc_proxy_reply_status(call.c, &call.lane->in.reader, method, NULL);
	nnipc_proxy_end(&call);
	return status;
}

static void buffer_proxy_destroy(struct nnhal_buffer *base)
{
	struct buffer *b = (struct buffer *)base;

	if (nnipc_proxy_inherited(&b->p))
		return;
	/*
	 * The token is invalid when this returns, as it is in one process. If the worker was not
	 * reached, the release follows.
	 */
	buffer_proxy_call(b, NNIPC_BUFFER_DESTROY, NULL, 0, NULL);
	buffer_proxy_put(b);
}

static enum nnhal_status copy_to(struct nnhal_buffer *base, const struct nnhal_memory *dst)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "IBuffer::copyTo");
	struct buffer *b = (struct buffer *)base;
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&b->p))
		return NNHAL_DEAD_OBJECT;
	nnipc_proxy_get(&b->p);
	status = buffer_proxy_call(b, NNIPC_BUFFER_COPY_TO, dst, 0, NULL);
	buffer_proxy_put(b);
	return status;
}

static enum nnhal_status copy_from(struct nnhal_buffer *base, const struct nnhal_memory *src,
				   uint32_t rank, const uint32_t *dims)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "IBuffer::copyFrom");
	/*
	 * A shape that cannot be sent is sent as one that no buffer has: the refusal is the vendor
	 * library's, and takes the contents away as any write that fails.
	 */
	static const uint32_t no_shape[NNIPC_MAX_RANK];
	struct buffer *b = (struct buffer *)base;
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&b->p))
		return NNHAL_DEAD_OBJECT;
	if (rank > NNIPC_MAX_RANK || (rank && !dims)) {
		rank = NNIPC_MAX_RANK;
		dims = no_shape;
	}
	nnipc_proxy_get(&b->p);
	status = buffer_proxy_call(b, NNIPC_BUFFER_COPY_FROM, src, rank, dims);
	buffer_proxy_put(b);
	return status;
}

static const struct nnhal_buffer_ops buffer_ops = {
	.size = sizeof(buffer_ops),
	.destroy = buffer_proxy_destroy,
	.copy_to = copy_to,
	.copy_from = copy_from,
};

struct nnhal_buffer *nnipc_buffer_proxy(struct nnipc_connection *c, uint64_t oid)
{
	struct buffer *b = malloc(sizeof(*b));

	if (!b) {
		nnipc_connection_release(c, oid);
		return NULL;
	}
	b->base.ops = &buffer_ops;
	nnipc_proxy_init(&b->p, c, oid);
	return &b->base;
}

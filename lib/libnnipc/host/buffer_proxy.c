// SPDX-License-Identifier: Apache-2.0
/* IBuffer of another process. Its token is the vendor library's, and passes unchanged. */
#include <stdlib.h>

#include "host/argument_check.h"
#include "host/proxy.h"
#include "messages/methods.h"
#include "nntrace.h"

struct buffer {
	struct nnhal_buffer base;
	struct nnipc_proxy p;
};

static void put(struct buffer *b)
{
	if (nnipc_proxy_put(&b->p))
		free(b);
}

/* The token is invalid when the client's destroy() returns, as it is in one process. */
static void withdraw(struct buffer *b)
{
	struct nnipc_connection *c = b->p.c;
	struct nnipc_lane *lane;
	int error;

	lane = nnipc_connection_lane(c, &error);
	if (!lane)
		return; /* the release follows */
	if (!nnipc_call(c, lane, NNIPC_BUFFER_DESTROY, b->p.oid, NNIPC_LIMIT_WORK, NNHAL_NO_TIME))
		nnipc_proxy_reply_status(c, &lane->in.reader, NNIPC_BUFFER_DESTROY, NULL);
	nnipc_connection_give(c, lane);
}

static void destroy(struct nnhal_buffer *base)
{
	struct buffer *b = (struct buffer *)base;

	if (nnipc_proxy_inherited(&b->p))
		return;
	withdraw(b);
	put(b);
}

/* @dims: NULL for copyTo. */
static enum nnhal_status copy(struct buffer *b, uint32_t method, const struct nnhal_memory *memory,
			      uint32_t rank, const uint32_t *dims)
{
	struct nnipc_connection *c = b->p.c;
	enum nnhal_status status;
	struct nnipc_lane *lane;
	int error;

	lane = nnipc_connection_lane(c, &error);
	if (!lane)
		return nnipc_proxy_failed(c, error, NULL);
	nnipc_put_memory(&lane->out, memory);
	if (method == NNIPC_BUFFER_COPY_FROM)
		nnipc_put_u32s(&lane->out, dims, rank);
	error = nnipc_call(c, lane, method, b->p.oid, NNIPC_LIMIT_WORK, NNHAL_NO_TIME);
	status = error ? nnipc_proxy_failed(c, error, NULL)
		       : nnipc_proxy_reply_status(c, &lane->in.reader, method, NULL);
	nnipc_connection_give(c, lane);
	return status;
}

static enum nnhal_status copy_to(struct nnhal_buffer *base, const struct nnhal_memory *dst)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "IBuffer::copyTo");
	struct buffer *b = (struct buffer *)base;
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&b->p))
		return NNHAL_DEAD_OBJECT;
	nnipc_proxy_get(&b->p);
	status = copy(b, NNIPC_BUFFER_COPY_TO, dst, 0, NULL);
	put(b);
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
	status = copy(b, NNIPC_BUFFER_COPY_FROM, src, rank, dims);
	put(b);
	return status;
}

static const struct nnhal_buffer_ops buffer_ops = {
	.size = sizeof(buffer_ops),
	.destroy = destroy,
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

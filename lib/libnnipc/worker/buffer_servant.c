// SPDX-License-Identifier: Apache-2.0
/* IBuffer. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A client that calls a buffer while it destroys it breaks the rules, and must not hurt more. */
struct buffer {
	struct nnhal_buffer *vendor;
	atomic_uint refs; /* of @vendor: of calls in flight, and of the client until it withdraws */
	atomic_bool withdrawn;
};

static bool buffer_servant_get(struct buffer *b)
{
	unsigned int refs = atomic_load(&b->refs);

	while (refs && !atomic_compare_exchange_weak(&b->refs, &refs, refs + 1))
		;
	return refs != 0;
}

static void buffer_servant_put(struct buffer *b)
{
	if (atomic_fetch_sub(&b->refs, 1) == 1)
		b->vendor->ops->destroy(b->vendor);
}

static void withdraw(struct buffer *b)
{
	if (!atomic_exchange(&b->withdrawn, true))
		buffer_servant_put(b);
}

static void buffer_servant_destroy(void *object)
{
	withdraw(object);
	free(object);
}

static uint64_t buffer_servant_add(struct nnhal_buffer *vendor)
{
	struct buffer *b = malloc(sizeof(*b));
	uint64_t oid;

	if (!b)
		return 0;
	*b = (struct buffer){ .vendor = vendor };
	atomic_init(&b->refs, 1);
	atomic_init(&b->withdrawn, false);
	oid = nnipc_object_add(NNIPC_KIND_BUFFER, b, buffer_servant_destroy);
	if (!oid)
		free(b);
	return oid;
}

enum nnhal_status nnipc_buffer_add(struct nnhal_buffer *buffer, uint64_t *oid)
{
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;

	*oid = 0;
	if (nnipc_buffer_complete(buffer)) {
		*oid = buffer_servant_add(buffer);
		status = *oid ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	if (status)
		NNIPC_DESTROY(nnhal_buffer_ops, buffer);
	return status;
}

int nnipc_serve_buffer_copy_to(void *object, struct nnipc_buffer_copy_to *args,
			       struct nnipc_finished *results)
{
	struct buffer *b = object;

	if (!buffer_servant_get(b))
		return -ESTALE;
	results->status = b->vendor->ops->copy_to(b->vendor, args->memory);
	buffer_servant_put(b);
	return 0;
}

int nnipc_serve_buffer_copy_from(void *object, struct nnipc_buffer_copy_from *args,
				 struct nnipc_finished *results)
{
	struct buffer *b = object;

	if (!buffer_servant_get(b))
		return -ESTALE;
	results->status =
		b->vendor->ops->copy_from(b->vendor, args->memory, args->rank, args->dims);
	buffer_servant_put(b);
	return 0;
}

int nnipc_serve_buffer_destroy(void *object, struct nnipc_finished *results)
{
	(void)results;
	withdraw(object);
	return 0;
}

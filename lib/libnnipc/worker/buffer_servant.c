// SPDX-License-Identifier: Apache-2.0
/* IBuffer. */
#include "worker/buffer_servant.h"

#include <stdlib.h>
#include <unistd.h>

#include "worker/object_table.h"
#include "worker/servant.h"
#include "worker/vendor_ops.h"

static void destroy(void *object)
{
	struct nnhal_buffer *buffer = object;

	buffer->ops->destroy(buffer);
}

enum nnhal_status nnipc_buffer_add(struct nnhal_buffer *buffer, uint64_t *oid)
{
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;

	*oid = 0;
	if (nnipc_buffer_complete(buffer)) {
		*oid = nnipc_object_add(NNIPC_KIND_BUFFER, buffer, destroy);
		status = *oid ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	if (status)
		NNIPC_DESTROY(nnhal_buffer_ops, buffer);
	return status;
}

static int copy_to(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_memory memory = { .fd = -1 };
	bool present = nnipc_get_memory(in, &memory);
	struct nnhal_buffer *buffer = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (!ret && !status)
		status = buffer->ops->copy_to(buffer, present ? &memory : NULL);
	if (!ret)
		nnipc_put_status(out, status);
	if (memory.fd >= 0)
		close(memory.fd);
	return ret;
}

static int copy_from(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_memory memory = { .fd = -1 };
	bool present = nnipc_get_memory(in, &memory);
	struct nnhal_buffer *buffer = object;
	enum nnhal_status status;
	uint32_t rank = 0, *dims = nnipc_get_u32s(in, &rank, UINT32_MAX);
	int ret = nnipc_arguments_end(in, &status);

	if (!ret && !status)
		status = buffer->ops->copy_from(buffer, present ? &memory : NULL, rank, dims);
	if (!ret)
		nnipc_put_status(out, status);
	if (memory.fd >= 0)
		close(memory.fd);
	free(dims);
	return ret;
}

static const nnipc_servant_call calls[] = { copy_to, copy_from };

const struct nnipc_servant nnipc_buffer_servant = { calls, sizeof(calls) / sizeof(calls[0]) };

// SPDX-License-Identifier: Apache-2.0
/* From the number of a method to the servant. */
#include "worker/nnipc_worker.h"

#include <errno.h>

/* A method's number is the kind of its object << 8 and its place in the interface. */
static const struct nnipc_servant *const servants[] = {
	[NNIPC_KIND_DEVICE] = &nnipc_device_servant,
	[NNIPC_KIND_PREPARED_MODEL] = &nnipc_prepared_model_servant,
	[NNIPC_KIND_FENCED_CALLBACK] = &nnipc_fenced_callback_servant,
	[NNIPC_KIND_BURST] = &nnipc_burst_servant,
	[NNIPC_KIND_EXECUTION] = &nnipc_execution_servant,
	[NNIPC_KIND_BUFFER] = &nnipc_buffer_servant,
};
#define NUM_SERVANTS (sizeof(servants) / sizeof(servants[0]))

int nnipc_dispatch(void *device, const struct nnipc_header *header, struct nnipc_reader *in,
		   struct nnipc_writer *out)
{
	uint32_t kind = header->method >> 8, place = header->method & 0xff;
	const struct nnipc_servant *servant = kind < NUM_SERVANTS ? servants[kind] : NULL;
	struct nnipc_object *object;
	int ret;

	if (!servant || !place || place > servant->num_calls || !servant->calls[place - 1])
		return -EOPNOTSUPP;
	if (kind == NNIPC_KIND_DEVICE)
		return header->oid ? -ESTALE : servant->calls[place - 1](device, in, out);
	object = nnipc_object_get((enum nnipc_object_kind)kind, header->oid);
	if (!object)
		return -ESTALE;
	ret = servant->calls[place - 1](object->object, in, out);
	nnipc_object_put(object);
	return ret;
}

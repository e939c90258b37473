// SPDX-License-Identifier: Apache-2.0
/* allocate() of a proxied device. */
#include "host/device_allocate.h"

#include <errno.h>

#include "host/proxy.h"
#include "messages/methods.h"
#include "nntrace.h"
#include "values/structs.h"

/* A malformed answer is the worker's fault: DEAD_OBJECT. */
static enum nnhal_status read_answer(struct nnipc_connection *c, struct nnipc_reader *r,
				     struct nnhal_buffer **buffer, uint32_t *token)
{
	const enum nnhal_status status = nnipc_get_status(r);
	const uint64_t oid = nnipc_get_u64(r);
	const uint32_t number = nnipc_get_u32(r);
	const bool made = status == NNHAL_NONE;

	if (nnipc_reader_end(r) || made != (oid != 0) || made != (number != 0)) {
		nnipc_connection_blame(c, "the buffer that it allocated is malformed");
		return NNHAL_DEAD_OBJECT;
	}
	if (!made)
		return status;
	*buffer = nnipc_buffer_proxy(c, oid);
	if (!*buffer)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	*token = number;
	return NNHAL_NONE;
}

enum nnhal_status
nnipc_device_allocate(struct nnhal_device *base, const struct nnhal_buffer_desc *desc,
		      struct nnhal_prepared_model *const *models, uint32_t num_models,
		      const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
		      const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
		      struct nnhal_buffer **buffer, uint32_t *token)
{
	NNTRACE_NAME_1("HIDL::IDevice::allocate::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct nnhal_buffer_desc older;
	char message[NNHAL_MESSAGE];
	enum nnhal_status status;
	struct nnipc_connection *c;
	struct nnipc_lane *lane;
	int ret;

	*buffer = NULL;
	*token = 0;
	if (nnipc_device_inherited(dev))
		return NNHAL_DEAD_OBJECT;
	/* its size; the rest is for the vendor to judge */
	desc = desc ? nnmodel_sized_get(&nnhal_sized_buffer_desc, desc, &older) : NULL;
	if (!desc || (num_models && !models))
		return NNHAL_INVALID_ARGUMENT;
	if (nnipc_device_generation(dev, &c, message))
		return NNHAL_DEAD_OBJECT;
	lane = nnipc_connection_lane(c, &ret);
	if (lane) {
		nnipc_put_bool(&lane->out, true);
		nnipc_put_buffer_desc(&lane->out, desc);
		nnipc_put_u32(&lane->out, num_models);
		for (uint32_t i = 0; i < num_models; i++)
			nnipc_put_u64(&lane->out, nnipc_prepared_model_oid(models[i], c));
		nnipc_put_roles(&lane->out, inputs, num_inputs);
		nnipc_put_roles(&lane->out, outputs, num_outputs);
		ret = nnipc_call(c, lane, NNIPC_DEVICE_ALLOCATE, 0, NNIPC_LIMIT_CALL,
				 NNHAL_NO_TIME);
		status = ret ? nnipc_proxy_failed(c, ret, NULL)
			     : read_answer(c, &lane->in.reader, buffer, token);
		nnipc_connection_give(c, lane);
	} else {
		status = nnipc_proxy_failed(c, ret, NULL);
	}
	nnipc_connection_put(c);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/* allocate() of a proxied device. */
#include "host/nnipc_host.h"

#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "values/nnhal_values.h"

static enum nnhal_status read_answer(const struct nnipc_proxy_call *call,
				     struct nnhal_buffer **buffer, uint32_t *token)
{
	struct nnipc_reader *r = &call->lane->in.reader;
	const enum nnhal_status status = nnipc_get_status(r);
	const uint64_t oid = nnipc_get_u64(r);
	const uint32_t number = nnipc_get_u32(r);
	const bool made = status == NNHAL_NONE;
	const enum nnhal_status failed =
		nnipc_proxy_reply_end(call->c, r, made == (oid != 0) && made == (number != 0),
				      call->method, call->message);

	if (failed || !made)
		return failed ? failed : status;
	*buffer = nnipc_buffer_proxy(call->c, oid);
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
	struct nnipc_proxy_call call;
	struct nnipc_writer *out;

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
	status = nnipc_proxy_begin(&call, c, NNIPC_DEVICE_ALLOCATE, 0, NNHAL_NO_TIME, NULL);
	if (!status) {
		out = &call.lane->out;
		nnipc_put_bool(out, true);
		nnipc_put_buffer_desc(out, desc);
		nnipc_put_u32(out, num_models);
		for (uint32_t i = 0; i < num_models; i++)
			nnipc_put_u64(out, nnipc_prepared_model_oid(models[i], c));
		nnipc_put_roles(out, inputs, num_inputs);
		nnipc_put_roles(out, outputs, num_outputs);
		status = nnipc_proxy_send(&call, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
		if (!status)
			status = read_answer(&call, buffer, token);
		nnipc_proxy_end(&call);
	}
	nnipc_connection_put(c);
	return status;
}

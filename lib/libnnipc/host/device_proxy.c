// SPDX-License-Identifier: Apache-2.0
/* IDevice, in front of its worker. Constants of a device are answered here. */
#include <errno.h>
#include <stdlib.h>

#include "nntrace.h"
#include "nnutil_log.h"

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "values/nnhal_values.h"

/* allocate() of a proxied device. */

static enum nnhal_status read_allocated(const struct nnipc_proxy_call *call,
					struct nnhal_buffer **buffer, uint32_t *token)
{
	struct nnipc_reader *r = &call->lane->in.reader;
	struct nnipc_device_allocate_results made;
	enum nnhal_status failed;
	bool good;

	nnipc_get_device_allocate_results(r, &made);
	good = made.status == NNHAL_NONE;
	failed = nnipc_proxy_reply_end(call->c, r,
				       good == (made.buffer != 0) && good == (made.token != 0),
				       call->method, call->message);
	if (failed || !good)
		return failed ? failed : made.status;
	*buffer = nnipc_buffer_proxy(call->c, made.buffer);
	if (!*buffer)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	*token = made.token;
	return NNHAL_NONE;
}

static enum nnhal_status send_allocate(struct nnipc_connection *c,
				       struct nnipc_device_allocate *args,
				       struct nnhal_prepared_model *const *models,
				       struct nnhal_buffer **buffer, uint32_t *token)
{
	uint64_t *oids = calloc(args->num_models + 1ul, sizeof(*oids));
	struct nnipc_proxy_call call;
	enum nnhal_status status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;

	if (oids)
		status = nnipc_proxy_begin(&call, c, NNIPC_DEVICE_ALLOCATE, 0, NNHAL_NO_TIME, NULL);
	if (!status) {
		for (uint32_t i = 0; i < args->num_models; i++)
			oids[i] = nnipc_prepared_model_oid(models[i], c);
		args->models = oids;
		nnipc_put_device_allocate(&call.lane->out, args);
		status = nnipc_proxy_send(&call, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
		if (!status)
			status = read_allocated(&call, buffer, token);
		nnipc_proxy_end(&call);
	}
	free(oids);
	return status;
}

static enum nnhal_status
device_allocate(struct nnhal_device *base, const struct nnhal_buffer_desc *desc,
		struct nnhal_prepared_model *const *models, uint32_t num_models,
		const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
		const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
		struct nnhal_buffer **buffer, uint32_t *token)
{
	NNTRACE_NAME_1("HIDL::IDevice::allocate::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct nnipc_device_allocate args = {
		.num_models = num_models,
		.inputs = inputs,
		.num_inputs = num_inputs,
		.outputs = outputs,
		.num_outputs = num_outputs,
	};
	struct nnhal_buffer_desc older;
	char message[NNHAL_MESSAGE];
	struct nnipc_connection *c;
	enum nnhal_status status;

	*buffer = NULL;
	*token = 0;
	if (nnipc_device_inherited(dev))
		return NNHAL_DEAD_OBJECT;
	/* its size; the rest is for the vendor to judge */
	args.desc = desc ? nnmodel_sized_get(&nnhal_sized_buffer_desc, desc, &older) : NULL;
	if (!args.desc || (num_models && !models))
		return NNHAL_INVALID_ARGUMENT;
	if (nnipc_device_generation(dev, &c, message))
		return NNHAL_DEAD_OBJECT;
	status = send_allocate(c, &args, models, buffer, token);
	nnipc_connection_put(c);
	return status;
}

static struct nnipc_device *device(struct nnhal_device *base)
{
	return (struct nnipc_device *)base;
}

static void dev_destroy(struct nnhal_device *base)
{
	if (!nnipc_device_inherited(device(base)))
		nnipc_device_free(device(base));
}

static const char *dev_name(struct nnhal_device *base)
{
	return device(base)->description.name;
}

static const char *dev_version(struct nnhal_device *base)
{
	return device(base)->description.version;
}

static enum nnhal_device_type dev_type(struct nnhal_device *base)
{
	return (enum nnhal_device_type)device(base)->description.type;
}

static uint32_t dev_feature_level(struct nnhal_device *base)
{
	return device(base)->description.feature_level;
}

static enum nnhal_status dev_get_capabilities(struct nnhal_device *base,
					      struct nnhal_capabilities *caps)
{
	NNTRACE_NAME_1("HIDL::IDevice::getCapabilities_1_3::client");
	const struct nnipc_description *d = &device(base)->description;

	if (nnipc_device_inherited(device(base)))
		return NNHAL_DEAD_OBJECT;
	if (d->capabilities_status)
		return d->capabilities_status;
	return nnmodel_sized_put(&nnhal_sized_capabilities, caps, &d->capabilities)
		       ? NNHAL_NONE
		       : NNHAL_INVALID_ARGUMENT;
}

static enum nnhal_status dev_cache_files(struct nnhal_device *base, uint32_t *num_model,
					 uint32_t *num_data)
{
	NNTRACE_NAME_1("HIDL::IDevice::getNumberOfCacheFilesNeeded::client");
	const struct nnipc_description *d = &device(base)->description;

	*num_model = d->num_model_cache;
	*num_data = d->num_data_cache;
	return d->cache_files_status;
}

static enum nnhal_status
dev_extensions(struct nnhal_device *base,
	       int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	NNTRACE_NAME_1("HIDL::IDevice::getSupportedExtensions::client");
	const struct nnipc_extensions *d = &device(base)->description.extensions;
	int stop = 0;

	if (!found)
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < d->count && !stop; i++) {
		const struct nnipc_extension *e = &d->list[i];
		const struct nnhal_extension extension = {
			.size = sizeof(extension),
			.name = e->name,
			.types = e->types,
			.num_types = e->num_types,
		};

		stop = found(cookie, &extension);
	}
	return d->status;
}

static const struct nnhal_device_ops device_ops = {
	.size = sizeof(device_ops),
	.destroy = dev_destroy,
	.name = dev_name,
	.version = dev_version,
	.type = dev_type,
	.feature_level = dev_feature_level,
	.get_capabilities = dev_get_capabilities,
	.get_number_of_cache_files = dev_cache_files,
	.get_supported_operations = nnipc_device_supported,
	.prepare_model = nnipc_device_prepare,
	.get_status = nnipc_device_get_status,
	.get_supported_extensions = dev_extensions,
	.allocate = device_allocate,
	.prepare_model_from_cache = nnipc_device_prepare_from_cache,
	.create_memory = nnipc_device_create_memory,
	.get_info = nnipc_device_get_info,
	.get_counters = nnipc_device_get_counters,
};

int nnipc_device_proxy_open(const struct nnipc_target *target, struct nnhal_device **out,
			    char *message, size_t size)
{
	struct nnipc_supervisor *supervisor = nnipc_supervisor_get(target);
	struct nnipc_connection *c;
	struct nnipc_device *dev;
	int ret;

	*out = NULL;
	if (!supervisor)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	ret = nnipc_supervisor_start(supervisor, NULL, &c, message, size);
	if (ret)
		return ret;
	ret = nnipc_device_new(&device_ops, supervisor, c, &dev);
	if (ret) {
		nnipc_connection_put(c);
		return nnutil_refuse(message, size, ret, "out of memory");
	}
	*out = &dev->base;
	return 0;
}

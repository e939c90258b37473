// SPDX-License-Identifier: Apache-2.0
/* IDevice, in front of its worker. Constants of a device are answered here. */
#include "host/nnipc_host.h"

#include <errno.h>

#include "nntrace.h"
#include "nnutil_log.h"
#include "values/nnhal_values.h"

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
	const struct nnipc_description *d = &device(base)->description;
	int stop = 0;

	if (!found)
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < d->num_extensions && !stop; i++) {
		const struct nnipc_extension *e = &d->extensions[i];
		const struct nnhal_extension extension = {
			.size = sizeof(extension),
			.name = e->name,
			.types = e->types,
			.num_types = e->num_types,
		};

		stop = found(cookie, &extension);
	}
	return d->extensions_status;
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
	.allocate = nnipc_device_allocate,
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

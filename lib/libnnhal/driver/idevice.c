// SPDX-License-Identifier: Apache-2.0
/* IDevice over a transport. */
#include "driver/nnhal_driver.h"

#include <errno.h>
#include <stdlib.h>

#include "values/nnhal_values.h"
#include "base/nnhal_base.h"
#include "cache/nnhal_cache.h"
#include "calibration/nnhal_calibration.h"
#include "device/nnhal_device.h"
#include "execute/nnhal_execute.h"
#include "prepare/prepare_model.h"

static void dev_destroy(struct nnhal_device *base)
{
	struct nnhal_dev *dev = (struct nnhal_dev *)base;

	if (nnhal_inherited(dev))
		return;
	nnhal_imports_close(&dev->imports);
	nnhal_dev_put(dev);
}

static const char *dev_name(struct nnhal_device *base)
{
	return ((struct nnhal_dev *)base)->t->name;
}

static const char *dev_version(struct nnhal_device *base)
{
	return ((struct nnhal_dev *)base)->version;
}

static enum nnhal_device_type dev_type(struct nnhal_device *base)
{
	return ((struct nnhal_dev *)base)->t->type;
}

static uint32_t dev_feature_level(struct nnhal_device *base)
{
	(void)base;
	return NNHAL_FEATURE_LEVEL;
}

static enum nnhal_status dev_get_capabilities(struct nnhal_device *base,
					      struct nnhal_capabilities *caps)
{
	NNHAL_TRACE_CALL("IDevice::getCapabilities_1_3");

	struct nnhal_capabilities own;

	if (nnhal_inherited((struct nnhal_dev *)base))
		return NNHAL_DEAD_OBJECT;
	nnhal_capabilities((struct nnhal_dev *)base, &own);
	return nnmodel_sized_put(&nnhal_sized_capabilities, caps, &own) ? NNHAL_NONE
									: NNHAL_INVALID_ARGUMENT;
}

static enum nnhal_status dev_cache_files(struct nnhal_device *base, uint32_t *num_model,
					 uint32_t *num_data)
{
	NNHAL_TRACE_CALL("IDevice::getNumberOfCacheFilesNeeded");

	(void)base;
	*num_model = NNHAL_NUM_MODEL_CACHE;
	*num_data = NNHAL_NUM_DATA_CACHE;
	return NNHAL_NONE;
}

static enum nnhal_status dev_supported(struct nnhal_device *base, const struct nnmodel *model,
				       bool *supported, char **reasons, struct nnmodel_error *err)
{
	NNHAL_TRACE_CALL("IDevice::getSupportedOperations_1_3");
	struct nnhal_dev *dev = (struct nnhal_dev *)base;
	struct nnmodel older;

	if (!model || !supported || nnmodel_validate(model, NULL, err))
		return NNHAL_INVALID_ARGUMENT;
	model = nnmodel_sized_get(&nnhal_sized_model, model, &older);
	return nnhal_status_of(NNHAL_NO_JOB,
			       nnhal_lower_supported(model, &dev->opset, supported, reasons));
}

static enum nnhal_status dev_prepare(struct nnhal_device *base, const struct nnmodel *model,
				     const struct nnhal_prepare_config *config,
				     nnhal_prepared_cb callback, void *cookie)
{
	NNHAL_TRACE_CALL("IDevice::prepareModel_1_3");

	return nnhal_prepare((struct nnhal_dev *)base, model, config, callback, cookie);
}

static enum nnhal_device_status dev_get_status(struct nnhal_device *base)
{
	NNHAL_TRACE_CALL("IDevice::getStatus");
	struct nnhal_dev *dev = (struct nnhal_dev *)base;
	struct nnhal_device_info info = { 0 };

	if (nnhal_inherited(dev) || dev->t->ops->info(dev->t, &info))
		return NNHAL_OFFLINE;
	switch (info.state) {
	case NNHAL_STATE_ONLINE:
		return NNHAL_AVAILABLE;
	case NNHAL_STATE_RESETTING:
		return NNHAL_BUSY;
	default:
		return NNHAL_OFFLINE;
	}
}

/* Extensions that both the firmware and the lowering support. */
static enum nnhal_status
dev_extensions(struct nnhal_device *base,
	       int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	NNHAL_TRACE_CALL("IDevice::getSupportedExtensions");
	const struct nnhal_dev *dev = (struct nnhal_dev *)base;
	const struct nnhal_lower_type *types;
	const char *name;
	uint32_t num;
	int stop = 0;

	if (!found)
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; !stop && (name = nnhal_lower_extension(i, &types, &num)); i++) {
		struct nnhal_extension_type *list;

		if (!(dev->opset.extensions & 1u << i))
			continue;
		list = calloc(num + 1ul, sizeof(*list));
		if (!list)
			return NNHAL_GENERAL_FAILURE;
		for (uint32_t k = 0; k < num; k++)
			list[k] = (struct nnhal_extension_type){
				.type = types[k].code,
				.is_tensor = types[k].is_tensor,
				.byte_size = types[k].byte_size,
			};
		stop = found(cookie,
			     &(struct nnhal_extension){ .size = sizeof(struct nnhal_extension),
							.name = name,
							.types = list,
							.num_types = num });
		free(list);
	}
	return NNHAL_NONE;
}

static enum nnhal_status dev_allocate(struct nnhal_device *base,
				      const struct nnhal_buffer_desc *desc,
				      struct nnhal_prepared_model *const *models,
				      uint32_t num_models, const struct nnhal_buffer_role *inputs,
				      uint32_t num_inputs, const struct nnhal_buffer_role *outputs,
				      uint32_t num_outputs, struct nnhal_buffer **buffer,
				      uint32_t *token)
{
	NNHAL_TRACE_CALL("IDevice::allocate");

	if (nnhal_inherited((struct nnhal_dev *)base)) {
		*buffer = NULL;
		*token = 0;
		return NNHAL_DEAD_OBJECT;
	}
	return nnhal_allocate((struct nnhal_dev *)base, desc, models, num_models, inputs,
			      num_inputs, outputs, num_outputs, buffer, token);
}

static enum nnhal_status dev_prepare_from_cache(struct nnhal_device *base, int64_t deadline_ns,
						const int *model_cache, uint32_t num_model_cache,
						const int *data_cache, uint32_t num_data_cache,
						const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						nnhal_prepared_cb callback, void *cookie)
{
	NNHAL_TRACE_CALL("IDevice::prepareModelFromCache_1_3");

	(void)data_cache;
	return nnhal_prepare_from_cache((struct nnhal_dev *)base, deadline_ns, model_cache,
					num_model_cache, num_data_cache, token, callback, cookie);
}

static int dev_create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	struct nnhal_transport *t = ((struct nnhal_dev *)base)->t;

	*fd = -1;
	if (size == 0 || size > INT64_MAX)
		return -EINVAL;
	if (nnhal_inherited((struct nnhal_dev *)base))
		return -ENODEV;
	return t->ops->mem_share(t, size, fd);
}

static int dev_get_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	struct nnhal_transport *t = ((struct nnhal_dev *)base)->t;
	struct nnhal_device_info own = { 0 };
	int ret;

	if (nnhal_inherited((struct nnhal_dev *)base))
		return -ENODEV;
	ret = t->ops->info(t, &own);
	if (ret)
		return ret;
	if (t->ops->instructions)
		t->ops->instructions(t, &own);
	return nnmodel_sized_put(&nnhal_sized_info, info, &own) ? 0 : -EINVAL;
}

static int dev_get_counters(struct nnhal_device *base, struct nnhal_counters *counters)
{
	struct nnhal_dev *dev = (struct nnhal_dev *)base;
	const struct nnhal_counters own = {
		.executions = atomic_load(&dev->counters.executions),
		.bytes_staged_in = atomic_load(&dev->counters.staged_in),
		.bytes_staged_out = atomic_load(&dev->counters.staged_out),
		.bytes_bounced = atomic_load(&dev->counters.bounced),
		.bytes_in_place = atomic_load(&dev->counters.in_place),
	};

	return nnmodel_sized_put(&nnhal_sized_counters, counters, &own) ? 0 : -EINVAL;
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
	.get_supported_operations = dev_supported,
	.prepare_model = dev_prepare,
	.get_status = dev_get_status,
	.get_supported_extensions = dev_extensions,
	.allocate = dev_allocate,
	.prepare_model_from_cache = dev_prepare_from_cache,
	.create_memory = dev_create_memory,
	.get_info = dev_get_info,
	.get_counters = dev_get_counters,
};

int nnhal_dev_create(struct nnhal_transport *t, struct nnhal_dev **dev, char *message, size_t size)
{
	return nnhal_dev_new(t, &device_ops, &nnhal_pm_ops, dev, message, size);
}

// SPDX-License-Identifier: Apache-2.0
/* What a device offers beyond IDevice: our own, and the way to anybody's. */
#include <string.h>

#include "hal.h"

int nnhal_dev_create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	struct nnhal_transport *t = ((struct nnhal_dev *)base)->t;

	*fd = -1;
	if (size == 0 || size > INT64_MAX)
		return -EINVAL;
	if (nnhal_inherited((struct nnhal_dev *)base))
		return -ENODEV;
	return t->ops->mem_share(t, size, fd);
}

int nnhal_dev_get_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	struct nnhal_transport *t = ((struct nnhal_dev *)base)->t;
	struct nnhal_device_info own = { 0 };
	int ret;

	if (nnhal_inherited((struct nnhal_dev *)base))
		return -ENODEV;
	ret = t->ops->info(t, &own);
	if (ret)
		return ret;
	return nnmodel_sized_put(&nnhal_sized_info, info, &own) ? 0 : -EINVAL;
}

int nnhal_dev_get_counters(struct nnhal_device *base, struct nnhal_counters *counters)
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

/* ---- of any device ---- */

/* Whether the table of a device reaches as far as @op and has it. */
#define HAS(dev, op)                                                                           \
	((dev)->ops->size >= offsetof(struct nnhal_device_ops, op) + sizeof((dev)->ops->op) && \
	 (dev)->ops->op)

NNHAL_EXPORT int nnhal_memory_create(struct nnhal_device *dev, uint64_t size, int *fd)
{
	int ret;

	*fd = -1;
	if (!dev || !dev->ops || size == 0)
		return -EINVAL;
	ret = HAS(dev, create_memory) ? dev->ops->create_memory(dev, size, fd) : -EOPNOTSUPP;
	if (ret)
		*fd = -1;
	return ret;
}

NNHAL_EXPORT int nnhal_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info)
{
	static const struct nnhal_device_info none;
	int ret;

	if (!nnmodel_sized_put(&nnhal_sized_info, info, &none) || !dev || !dev->ops)
		return -EINVAL;
	ret = HAS(dev, get_info) ? dev->ops->get_info(dev, info) : -EOPNOTSUPP;
	if (ret)
		nnmodel_sized_put(&nnhal_sized_info, info, &none);
	return ret;
}

NNHAL_EXPORT int nnhal_device_get_counters(struct nnhal_device *dev,
					   struct nnhal_counters *counters)
{
	static const struct nnhal_counters none;
	int ret;

	if (!nnmodel_sized_put(&nnhal_sized_counters, counters, &none) || !dev || !dev->ops)
		return -EINVAL;
	ret = HAS(dev, get_counters) ? dev->ops->get_counters(dev, counters) : -EOPNOTSUPP;
	if (ret)
		nnmodel_sized_put(&nnhal_sized_counters, counters, &none);
	return ret;
}

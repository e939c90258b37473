// SPDX-License-Identifier: Apache-2.0
/* What devices offer beyond IDevice, for clients: devices of other libraries need not have it. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "values/nnhal_values.h"
#include "nnhal.h"

/* Whether the table of a device is long enough for @op, and has it. */
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

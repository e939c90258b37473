// SPDX-License-Identifier: Apache-2.0
/* What the tools show of a device beyond IDevice. */
#include <string.h>

#include "hal.h"

NNHAL_EXPORT int nnhal_device_get_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	struct nnhal_dev *dev = nnhal_dev_from(base);

	memset(info, 0, sizeof(*info));
	return dev ? dev->t->ops->info(dev->t, info) : -EINVAL;
}

NNHAL_EXPORT int nnhal_device_get_counters(struct nnhal_device *base, struct nnhal_counters *counters)
{
	struct nnhal_dev *dev = nnhal_dev_from(base);

	memset(counters, 0, sizeof(*counters));
	if (!dev)
		return -EINVAL;
	counters->executions = atomic_load(&dev->counters.executions);
	counters->bytes_staged_in = atomic_load(&dev->counters.staged_in);
	counters->bytes_staged_out = atomic_load(&dev->counters.staged_out);
	counters->bytes_bounced = atomic_load(&dev->counters.bounced);
	counters->bytes_in_place = atomic_load(&dev->counters.in_place);
	return 0;
}

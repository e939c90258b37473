/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a proxied device that answer at once. Private to lib/libnnipc/host. */
#ifndef NNIPC_DEVICE_QUERIES_H
#define NNIPC_DEVICE_QUERIES_H

#include "host/device_generation.h"

/** Operations of struct nnhal_device_ops. */
enum nnhal_status nnipc_device_supported(struct nnhal_device *dev, const struct nnmodel *model,
					 bool *supported, char **reasons,
					 struct nnmodel_error *err);
enum nnhal_device_status nnipc_device_get_status(struct nnhal_device *dev);
int nnipc_device_create_memory(struct nnhal_device *dev, uint64_t size, int *fd);
int nnipc_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info);
int nnipc_device_get_counters(struct nnhal_device *dev, struct nnhal_counters *counters);

#endif

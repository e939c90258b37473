/* SPDX-License-Identifier: Apache-2.0 */
/* prepareModel and prepareModelFromCache of a proxied device. Private to lib/libnnipc/host. */
#ifndef NNIPC_DEVICE_PREPARE_H
#define NNIPC_DEVICE_PREPARE_H

#include "host/device_generation.h"

/** Operations of struct nnhal_device_ops. */
enum nnhal_status nnipc_device_prepare(struct nnhal_device *dev, const struct nnmodel *model,
				       const struct nnhal_prepare_config *config,
				       nnhal_prepared_cb callback, void *cookie);
enum nnhal_status nnipc_device_prepare_from_cache(struct nnhal_device *dev, int64_t deadline_ns,
						  const int *model_cache, uint32_t num_model_cache,
						  const int *data_cache, uint32_t num_data_cache,
						  const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						  nnhal_prepared_cb callback, void *cookie);

#endif

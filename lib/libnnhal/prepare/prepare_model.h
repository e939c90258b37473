/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice::prepareModel and prepareModelFromCache. Private to libnnhal. */
#ifndef NNHAL_PREPARE_MODEL_H
#define NNHAL_PREPARE_MODEL_H

#include "device/nnhal_device.h"

enum nnhal_status nnhal_prepare(struct nnhal_dev *dev, const struct nnmodel *model,
				const struct nnhal_prepare_config *config,
				nnhal_prepared_cb callback, void *cookie);
/** @num_data_cache is 0: there are no data cache files. */
enum nnhal_status nnhal_prepare_from_cache(struct nnhal_dev *dev, int64_t deadline_ns,
					   const int *model_cache, uint32_t num_model_cache,
					   uint32_t num_data_cache, const uint8_t *token,
					   nnhal_prepared_cb callback, void *cookie);

#endif

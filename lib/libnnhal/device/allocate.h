/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice::allocate. Private to libnnhal. */
#ifndef NNHAL_ALLOCATE_H
#define NNHAL_ALLOCATE_H

#include "device/hal_device.h"

enum nnhal_status nnhal_allocate(struct nnhal_dev *dev, const struct nnhal_buffer_desc *desc,
				 struct nnhal_prepared_model *const *models, uint32_t num_models,
				 const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
				 const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
				 struct nnhal_buffer **buffer, uint32_t *token);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* allocate() of a proxied device. Private to lib/libnnipc/host. */
#ifndef NNIPC_DEVICE_ALLOCATE_H
#define NNIPC_DEVICE_ALLOCATE_H

#include "host/device_generation.h"

/** Operation of struct nnhal_device_ops. */
enum nnhal_status
nnipc_device_allocate(struct nnhal_device *dev, const struct nnhal_buffer_desc *desc,
		      struct nnhal_prepared_model *const *models, uint32_t num_models,
		      const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
		      const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
		      struct nnhal_buffer **buffer, uint32_t *token);

#endif

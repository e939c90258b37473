/* SPDX-License-Identifier: Apache-2.0 */
/* Models of nnapi-reference that are specialized by each request. */
#ifndef NNR_REFERENCE_MODEL_H
#define NNR_REFERENCE_MODEL_H

#include <stdbool.h>

#include "nnhal.h"

/**
 * A prepared model for @model, which @device refused with the reason @why. Its executions
 * specialize it. It has only execute_synchronously(), and may be destroyed while none of them runs.
 * @parameter: one per input of main. Copies all but @device. NULL: out of memory.
 */
struct nnhal_prepared_model *nnr_reference_model_new(struct nnhal_device *device,
						     const struct nnmodel *model,
						     const struct nnhal_prepare_config *config,
						     const bool *parameter, const char *why);

#endif

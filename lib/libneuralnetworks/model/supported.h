/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations devices can run. */
#ifndef NNR_SUPPORTED_H
#define NNR_SUPPORTED_H

#include "registry/listed_device.h"

#include "model/model_data.h"

/**
 * Ask the device which operations of a subgraph it can run. The query has the slice that the
 * device's feature level can express. @supported: one per operation, in the subgraph's order; all
 * false if the device fails. @reasons (may be NULL): per operation NULL or a malloc'ed string: why
 * not, or what nnapi-reference finds out at execution. 0 or -ENOMEM.
 */
int nnr_supported_operations(const struct nnmodel *model, uint32_t subgraph,
			     ANeuralNetworksDevice *device, bool *supported, char **reasons);
/** The union of several devices, per operation as the application added them. 0 or -ENOMEM. */
int nnr_supported_by_any(const struct nnr_model_data *data,
			 const ANeuralNetworksDevice *const *devices, uint32_t num,
			 bool *supported);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The slice of a model that a device's feature level can express. */
#ifndef NNR_SLICE_H
#define NNR_SLICE_H

#include "registry/listed_device.h"

/**
 * Choose the operations of a subgraph that can be offered to a device: @kept (one per operation),
 * *@num_kept. @reasons (may be NULL) as of nnr_supported_operations(). @unknown_flow: also IF and
 * WHILE over tensors of unknown size, which libnnhal takes and Android's HAL interfaces do not;
 * *@num_unknown_flow of them are kept. 0, -ENOMEM.
 */
int nnr_slice_choose(const struct nnmodel *model, uint32_t subgraph,
		     const ANeuralNetworksDevice *device, bool unknown_flow, bool *kept,
		     uint32_t *num_kept, uint32_t *num_unknown_flow, char **reasons);
/** Make the model of the kept operations. 0, -ENOMEM, -EINVAL, -EMFILE. */
int nnr_slice_make(const struct nnmodel *model, uint32_t subgraph, const bool *kept,
		   uint32_t num_kept, struct nnmodel **slice);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Values of more than 128 bytes. */
#ifndef NNR_LARGE_VALUES_H
#define NNR_LARGE_VALUES_H

#include "model/builder.h"

/** Copy the clients' large values into one pool. Result code; nothing changes unless NO_ERROR. */
int nnr_builder_copy_large(struct nnr_model_builder *builder);

#endif

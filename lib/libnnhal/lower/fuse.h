/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion on the NNAPI graph. */
#ifndef NNHAL_LOWER_FUSE_H
#define NNHAL_LOWER_FUSE_H

#include "lowering.h"

/** Fill l->plans, when a subgraph has begun. */
void lower_fuse(struct lower *l);

#endif

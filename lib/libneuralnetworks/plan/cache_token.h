/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a step's cache entry. */
#ifndef NNR_CACHE_TOKEN_H
#define NNR_CACHE_TOKEN_H

#include "plan/compilation.h"

/** Identity of the runtime's sources and compiler, which cut and change models for devices. */
uint64_t nnr_build(void);
/** The token for the step's device. 0 or -ENOMEM. */
int nnr_cache_token(const ANeuralNetworksCompilation *compilation, const struct nnr_step *step,
		    uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);

#endif

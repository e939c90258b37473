/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as bytes to begin from: both forms of several, among them control flow, extensions and
 * pools.
 */
#ifndef MODEL_SEEDS_H
#define MODEL_SEEDS_H

#include "fuzz_target.h"

/** The most pools that one of them has. */
#define MODEL_SEED_POOLS 2u

size_t model_seeds(struct fuzz_seed **seeds);

#endif

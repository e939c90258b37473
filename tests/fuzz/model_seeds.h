/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models as bytes to begin from: both forms of several, among them control flow, extensions and
 * pools.
 */
#ifndef MODEL_SEEDS_H
#define MODEL_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/** The most pools that one of them has. */
#define MODEL_SEED_POOLS 2u

struct model_seed {
	char name[32];
	uint8_t *bytes;
	size_t size;
};

/** How many. */
size_t model_seeds(struct model_seed **seeds);
void model_seeds_free(struct model_seed *seeds, size_t count);

#endif

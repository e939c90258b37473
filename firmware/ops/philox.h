/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_PHILOX_H
#define NNFW_PHILOX_H

#include <stdint.h>

/** Philox 4x32-10: four random words from each value of a counter, under a key. */
struct nnfw_philox {
	uint32_t counter[4], key[2];
};

/** The words of the counter as it stands. */
void nnfw_philox_words(const struct nnfw_philox *p, uint32_t words[4]);
/** The same, and count on. */
void nnfw_philox_next(struct nnfw_philox *p, uint32_t words[4]);

#endif

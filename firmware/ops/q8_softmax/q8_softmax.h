/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the 8-bit SOFTMAX (softmax.c) along dense rows, per instruction set: the same bits. */
#ifndef NNFW_Q8_SOFTMAX_H
#define NNFW_Q8_SOFTMAX_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_requant; /* kernels/requant.h */

struct nnfw_q8_softmax_kernels {
	/** The greatest of src[i] ^ flip, or @max. */
	uint8_t (*max)(const uint8_t *src, size_t n, uint8_t flip, uint8_t max);
	/** results[d] = the rule on table[d] * factor in double, 256; table[d] is at most 2^30. */
	void (*results)(uint8_t *results, const uint32_t *table, double factor,
			const struct nnfw_requant *q);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of int8 vectors, per instruction set: the same bits from each. */
#ifndef NNFW_Q8_DOT_H
#define NNFW_Q8_DOT_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_q8_dot_kernels {
	/**
	 * The sum of (x[i] - zero) * w[i], modulo 2^32. Both sides may change meanwhile: each code
	 * is read once.
	 */
	uint32_t (*dot)(const int8_t *x, const int8_t *w, size_t n, int32_t zero);
};

#endif

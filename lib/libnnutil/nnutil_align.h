/* SPDX-License-Identifier: Apache-2.0 */
/* Alignment. The alignment is a power of two. */
#ifndef NNUTIL_ALIGN_H
#define NNUTIL_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/** @n rounded up to a multiple of @to. The caller knows that the result fits. */
static inline uint64_t nnutil_align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static inline uint64_t nnutil_align_down(uint64_t n, uint64_t to)
{
	return n & ~(to - 1);
}

static inline bool nnutil_is_aligned(uint64_t n, uint64_t to)
{
	return !(n & (to - 1));
}

#endif

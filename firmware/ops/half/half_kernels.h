/* SPDX-License-Identifier: Apache-2.0 */
/* float16 <-> float32 in bulk, per instruction set: the same bits but for the payload of NaNs. */
#ifndef NNFW_HALF_KERNELS_H
#define NNFW_HALF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_half_kernels {
	void (*load)(float *dst, const uint16_t *src, size_t n);
	/** Rounds to nearest, ties to even. */
	void (*store)(uint16_t *dst, const float *src, size_t n);
};

#endif

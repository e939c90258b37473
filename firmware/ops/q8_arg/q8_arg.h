/* SPDX-License-Identifier: Apache-2.0 */
/* ARG_MAX of dense rows of 8-bit codes, per instruction set. */
#ifndef NNFW_Q8_ARG_H
#define NNFW_Q8_ARG_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_q8_arg_kernels {
	/**
	 * out[r] = the first index of the greatest src[r, i] ^ flip; 0x80 for int8, the complement
	 * for the least. @n is above 0 and below 2^31. @src may change meanwhile: then any index
	 * below @n.
	 */
	void (*max)(int32_t *out, const uint8_t *src, size_t rows, size_t n, uint8_t flip);
};

#endif

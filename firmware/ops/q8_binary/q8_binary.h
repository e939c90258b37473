/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADD, SUB, MUL and PRELU of two rows of 8-bit codes, per instruction set: the bits of the scalar
 * kernels. int8 codes are taken as uint8 with the top bit flipped, their zero points 128 higher.
 */
#ifndef NNFW_Q8_BINARY_H
#define NNFW_Q8_BINARY_H

#include <stddef.h>
#include <stdint.h>

struct nnfw_q8_binary {
	int32_t zero_a, zero_b, zero; /* the last is the result's */
	float scale_a, scale_b; /* in steps of the result; mul: scale_a is of the product */
	int32_t lo, hi; /* codes that the result lies between */
	uint8_t flip; /* 0x80: int8 */
};

/** Largest sum of magnitudes of scales, in steps, with which any but the scalar kernels work. */
#define NNFW_Q8_BINARY_MAX_SCALE 1024.0f

/** A row of @n codes, as struct nnfw_q8_binary at @params says; step_a and step_b are 1 or 0. */
typedef void nnfw_q8_binary_fn(const void *params, const void *a, const void *b, void *out,
			       size_t n, size_t step_a, size_t step_b);

struct nnfw_q8_binary_kernels {
	/** clamp(zero + nearest_even((a - zero_a) * scale_a + (b - zero_b) * scale_b)) */
	nnfw_q8_binary_fn *add;
	/** clamp(zero + nearest_even((a - zero_a) * (b - zero_b) * scale_a)) */
	nnfw_q8_binary_fn *mul;
	/** As mul where a is below its zero point, with scale_b; else (a - zero_a) * scale_a. */
	nnfw_q8_binary_fn *prelu;
};

/* Also for operands that the others do not take (nnfw_q8_binary_fits()). */
extern const struct nnfw_q8_binary_kernels nnfw_q8_binary_scalar;

#endif

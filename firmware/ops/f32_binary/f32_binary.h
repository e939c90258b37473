/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADD, SUB, MUL and DIV of two rows of floats, per instruction set: one rounding each, so the same
 * bits from all.
 */
#ifndef NNFW_F32_BINARY_H
#define NNFW_F32_BINARY_H

#include <stddef.h>

/** Bounds of the fused activation; NaN passes. */
struct nnfw_f32_binary {
	float lo, hi;
};

/** A row of @n floats, struct nnfw_f32_binary at @params; step_a and step_b are 1 or 0. */
typedef void nnfw_f32_binary_fn(const void *params, const void *a, const void *b, void *out,
				size_t n, size_t step_a, size_t step_b);

struct nnfw_f32_binary_kernels {
	nnfw_f32_binary_fn *add, *sub, *mul, *div;
};

#endif

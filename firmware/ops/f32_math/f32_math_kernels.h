/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of floats in place, per instruction set: within 2e-7 of the real result, relative for
 * tanh. NaN stays.
 */
#ifndef NNFW_F32_MATH_KERNELS_H
#define NNFW_F32_MATH_KERNELS_H

#include <stddef.h>

struct nnfw_f32_math_kernels {
	/** x[i] = 1 / (1 + exp(-x[i])) */
	void (*sigmoid)(float *x, size_t n);
	void (*tanh)(float *x, size_t n);
};

extern const struct nnfw_f32_math_kernels nnfw_f32_math_scalar, nnfw_f32_math_avx2,
	nnfw_f32_math_vnni;

#endif

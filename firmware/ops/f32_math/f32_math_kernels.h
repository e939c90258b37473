/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of floats in place, per instruction set: within 2e-7 of the real result, relative but
 * for sigmoid. NaN stays. Rows with vectors have the same bits; the scalar row is libm's.
 */
#ifndef NNFW_F32_MATH_KERNELS_H
#define NNFW_F32_MATH_KERNELS_H

#include <stddef.h>

/** Element i of a row is added to sum i % NNFW_F32_SUMS, so that each row adds in one order. */
#define NNFW_F32_SUMS 8u

struct nnfw_f32_math_kernels {
	/** x[i] = 1 / (1 + exp(-x[i])) */
	void (*sigmoid)(float *x, size_t n);
	void (*tanh)(float *x, size_t n);
	void (*exp)(float *x, size_t n);
	/** x[i] = exp(x[i]) - 1 of x[i] up to 0 */
	void (*expm1)(float *x, size_t n);
	/**
	 * x[i] = exp((x[i] - @max) * @beta), and their sums; @sums are added to. Between calls for
	 * parts of a row, lengths are multiples of NNFW_F32_SUMS.
	 */
	void (*exp_sums)(float *x, size_t n, float max, float beta, double *sums);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of floats, per instruction set. Each element of a result is one chain of multiplications
 * and additions, from its bias in the order of the depth: a row of the table gives the same bits
 * however the work is cut.
 */
#ifndef NNFW_F32_GEMM_KERNELS_H
#define NNFW_F32_GEMM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/** Columns of a panel of packed weights. */
#define NNFW_F32_PANEL 16u
/** Panels that a kernel takes in a call. */
#define NNFW_F32_PANELS 4u

/**
 * out[r][c] = clamp(bias[c] + sum of left[r][i] * weights[i][c]) of some rows and of columns of
 * neighbouring panels.
 */
struct nnfw_f32_block {
	/**
	 * A row of the left side is in @segments pieces of @length floats; piece s of row r begins
	 * at rows[s * stride + r] + offset.
	 */
	const float *const *rows;
	size_t stride, offset;
	size_t m, segments, length;
	/** Of the first panel: [segments * length][width]. The next one lies @panel floats on. */
	const float *weights;
	size_t panel, width;
	size_t n; /* columns, at most NNFW_F32_PANELS panels */
	const float *bias; /* NULL: zeros */
	bool more; /* @out has sums, which take the place of @bias */
	float lo, hi; /* NaN passes */
	float *out;
	size_t ld;
};

struct nnfw_f32_gemm_kernels {
	void (*block)(const struct nnfw_f32_block *b);
};

extern const struct nnfw_f32_gemm_kernels nnfw_f32_gemm_scalar, nnfw_f32_gemm_avx2,
	nnfw_f32_gemm_vnni, nnfw_f32_gemm_neon;

#endif

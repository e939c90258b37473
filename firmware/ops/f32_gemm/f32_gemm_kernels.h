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
	/* The weights are float16: uint16_t instead of float. */
	bool half;
	/* The weights come from beyond the second-level cache: fetch the next panels ahead. */
	bool far;
	size_t n; /* columns, at most NNFW_F32_PANELS panels */
	const float *bias; /* NULL: zeros */
	bool more; /* @out has sums, which take the place of @bias */
	float lo, hi; /* NaN passes */
	float *out;
	size_t ld;
};

/** Columns [@first, columns) and elements [0, depth) of a part of a panel. */
struct nnfw_f32_turn {
	float *to; /* element i of column c at to[i * width + c] */
	size_t width;
	const float *from; /* from[c * column + i] */
	size_t column;
	size_t columns, depth; /* columns: at most NNFW_F32_PANEL */
};

/** Columns from @column on and elements from @i on, one by one. */
static inline void nnfw_f32_turn_rest(const struct nnfw_f32_turn *t, size_t column, size_t i)
{
	const size_t columns = t->columns - column, step = t->column;
	const float *from = t->from + column * step;
	float *to = t->to + i * t->width + column;

	for (; i < t->depth; i++, to += t->width) {
#pragma GCC unroll 16
		for (size_t c = 0; c < NNFW_F32_PANEL; c++) {
			if (c >= columns)
				break;
			to[c] = from[c * step + i];
		}
	}
}

struct nnfw_f32_gemm_kernels {
	void (*block)(const struct nnfw_f32_block *b);
	/** Columns become lanes, bit by bit. NULL: nnfw_f32_turn_rest() does it. */
	void (*turn)(const struct nnfw_f32_turn *t);
	/** block() takes float16 weights, of at least a panel. */
	bool half;
};

#endif

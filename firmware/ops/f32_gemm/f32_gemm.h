/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of floats with packed weights: what operations call. Weights are [columns][depth] in
 * panels of NNFW_F32_PANEL columns, each [depth][columns of the panel]; the last panel is filled up
 * with zeros, but a single one is as wide as its columns.
 */
#ifndef NNFW_F32_GEMM_H
#define NNFW_F32_GEMM_H

#include "f32_gemm/f32_gemm_kernels.h"
#include "kernels/kernel.h"

/** Columns of a call. */
#define NNFW_F32_COLUMNS ((size_t)NNFW_F32_PANEL * NNFW_F32_PANELS)

/** Rows of the left side that are computed together at most. */
#define NNFW_F32_MOST_ROWS 512u

/** Whether weights do not stay in the second-level cache from one pass over them to the next. */
bool nnfw_f32_heavy(size_t n, size_t k);
/**
 * Of @m rows of the left side, those for one pass over weights of @n columns: what moves the fewest
 * bytes beyond the second-level cache. @bytes: of memory for each row.
 */
size_t nnfw_f32_rows(size_t m, size_t n, size_t k, size_t bytes);

struct nnfw_f32_weights {
	size_t n, k;
	const float *data;
	bool far, half; /* struct nnfw_f32_block */
};

/** Bytes of packed weights, a multiple of NNFW_ALIGN; @half: float16. */
size_t nnfw_f32_weights_size(size_t n, size_t k);
size_t nnfw_f32_packed_size(size_t n, size_t k, bool half);
/** Whether this set of instructions takes float16 weights of @n columns as they are. */
bool nnfw_f32_takes_half(size_t n);

/** A matrix to pack: element i of column c is data[c * column + i * depth]; one of both is 1. */
struct nnfw_f32_source {
	const void *data;
	bool half;
	bool keep; /* half, and packed as float16: nnfw_f32_takes_half() */
	size_t column, depth;
};

/**
 * Columns [@first, @first + @count) of weights of @n columns, in any order and number of calls. 0
 * or -ECANCELED.
 */
int nnfw_f32_pack(struct nnfw_work *work, float *packed, size_t n, size_t k, size_t first,
		  size_t count, const struct nnfw_f32_source *from);
/** The same on the threads there are: in load(), or in run() outside nnfw_split(). */
int nnfw_f32_pack_split(const struct nnfw_op_ctx *ctx, float *packed, size_t n, size_t k,
			size_t first, size_t count, const struct nnfw_f32_source *from);

/** The left side: see struct nnfw_f32_block. */
struct nnfw_f32_left {
	const float *const *rows;
	size_t stride, m, segments, length;
};

struct nnfw_f32_result {
	float *data; /* [m][n] */
	size_t ld;
	const float *bias; /* NULL: zeros */
	bool more; /* the result is added to @data; no bias */
	float lo, hi;
};

/** Columns [@first, @end) of a product; @first is a multiple of NNFW_F32_PANEL. 0 or -ECANCELED. */
int nnfw_f32_gemm(struct nnfw_work *work, const struct nnfw_f32_left *x,
		  const struct nnfw_f32_weights *w, size_t first, size_t end,
		  const struct nnfw_f32_result *to);

/** The same of a left side whose rows lie @ldx floats apart. */
int nnfw_f32_product(struct nnfw_work *work, const float *x, size_t ldx, size_t m,
		     const struct nnfw_f32_weights *w, size_t first, size_t end,
		     const struct nnfw_f32_result *to);

/** All columns of them, on the threads there are: in run() outside nnfw_split(). 0 or -ECANCELED.
 */
int nnfw_f32_gemm_split(const struct nnfw_op_ctx *ctx, const struct nnfw_f32_left *x,
			const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to);
int nnfw_f32_product_split(const struct nnfw_op_ctx *ctx, const float *x, size_t ldx, size_t m,
			   const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to);

/** Bounds that change nothing, for results that are not final. */
#define NNFW_F32_ALL .lo = -__builtin_inff(), .hi = __builtin_inff()

/** nnfw_split()'s grain of units of @products multiplications each. */
static inline size_t nnfw_f32_grain(size_t products)
{
	return 1 + 600000 / (products + 1);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer matrix product for quantized BATCH_MATMUL and TRANSPOSE_CONV_2D. Both sides are int16
 * with their zero points taken off, rows padded with zeros to a multiple of NNFW_QGEMM_PAD, so that
 * an inner loop is one multiply-add of int16 pairs and has no tail.
 */
#ifndef NNFW_QGEMM_H
#define NNFW_QGEMM_H

#include "kernels/kernel.h"
#include "kernels/requant.h"

#define NNFW_QGEMM_PAD 16u

static inline size_t nnfw_qgemm_pad(size_t k)
{
	return (k + NNFW_QGEMM_PAD - 1) & ~(size_t)(NNFW_QGEMM_PAD - 1);
}

/** The right side. */
struct nnfw_qweights {
	size_t n, k, kp;
	const float *multipliers; /* [n] */
	const int16_t *rows; /* [n][kp] */
};

/** dst[i] = src[i] - zero_point */
void nnfw_widen(int16_t *dst, const uint8_t *src, size_t n, uint32_t dtype, int32_t zero_point);
/**
 * The same for a row of @n, of any length, that is padded with zeros to @padded. 0 or -ECANCELED.
 */
int nnfw_widen_row(struct nnfw_work *work, int16_t *dst, const uint8_t *src, size_t n,
		   size_t padded, uint32_t dtype, int32_t zero_point);

/** Rows of the left side that a run handles at a time, for @k columns. */
size_t nnfw_qgemm_tile(size_t rows, size_t k);

/**
 * c[i][j] = sum over k of a[i][k] * w.rows[first + j][k], modulo 2^32; rows of @a are w.kp long,
 * rows of
 * @c @n. Of any size: with ticks. 0 or -ECANCELED.
 */
int nnfw_qgemm(struct nnfw_progress *progress, const int16_t *a, size_t rows,
	       const struct nnfw_qweights *w, size_t first, size_t n, int32_t *c);

/**
 * out[i * stride + j] = rule(c[i][j] + bias[j]); multipliers and bias from column @first. 0 or
 * -ECANCELED.
 */
int nnfw_qgemm_store(struct nnfw_work *work, const int32_t *c, size_t rows, size_t n,
		     const int32_t *bias, const float *multipliers, const struct nnfw_requant *q,
		     uint8_t *out, size_t stride);

#endif

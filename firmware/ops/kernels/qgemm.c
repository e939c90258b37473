// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/qgemm.h"
#include "kernels/requant.h"
#include "kernels/variant.h"
#include "nnprog_shape.h"

/* Products are at most 255 * 255: this many sums stay below 2^31; a multiple of NNFW_QGEMM_PAD. */
#define EXACT_K 32768u

int nnfw_widen_row(struct nnfw_work *work, int16_t *dst, const uint8_t *src, size_t n,
		   size_t padded, uint32_t dtype, int32_t zero_point)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_widen(dst + i, src + i, end - i, dtype, zero_point);
	}
	memset(dst + n, 0, (padded - n) * sizeof(*dst));
	return 0;
}

void nnfw_widen(int16_t *dst, const uint8_t *src, size_t n, uint32_t dtype, int32_t zero_point)
{
	const int8_t *signed_src = (const int8_t *)src;
	int16_t zp = (int16_t)zero_point;

	if (dtype == NNPROG_INT8) {
		for (size_t i = 0; i < n; i++)
			dst[i] = (int16_t)(signed_src[i] - zp);
	} else {
		for (size_t i = 0; i < n; i++)
			dst[i] = (int16_t)(src[i] - zp);
	}
}

size_t nnfw_qgemm_tile(size_t rows, size_t k)
{
	/* the left side of a tile stays in the first cache levels beside a few rows of weights */
	size_t tile = 65536 / (nnfw_qgemm_pad(k) * sizeof(int16_t));

	tile = tile < 8 ? 8 : tile > 128 ? 128 : tile & ~(size_t)1;
	return tile < rows ? tile : rows;
}

/*
 * Dot products of 4 weight rows with one row, or with two at once. @k is a multiple of the padding.
 */
NNFW_INLINE void dot_1x4(const int16_t *a, const int16_t *b, size_t stride, size_t k, uint32_t *c)
{
	const int16_t *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
	int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	k &= ~(size_t)(NNFW_QGEMM_PAD - 1);
	for (size_t i = 0; i < k; i++) {
		s0 += a[i] * b[i];
		s1 += a[i] * b1[i];
		s2 += a[i] * b2[i];
		s3 += a[i] * b3[i];
	}
	c[0] += (uint32_t)s0;
	c[1] += (uint32_t)s1;
	c[2] += (uint32_t)s2;
	c[3] += (uint32_t)s3;
}

NNFW_INLINE void dot_2x4(const int16_t *a, const int16_t *a1, const int16_t *b, size_t stride,
			 size_t k, uint32_t *c, uint32_t *c1)
{
	const int16_t *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
	int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;

	k &= ~(size_t)(NNFW_QGEMM_PAD - 1);
	for (size_t i = 0; i < k; i++) {
		s0 += a[i] * b[i];
		s1 += a[i] * b1[i];
		s2 += a[i] * b2[i];
		s3 += a[i] * b3[i];
		t0 += a1[i] * b[i];
		t1 += a1[i] * b1[i];
		t2 += a1[i] * b2[i];
		t3 += a1[i] * b3[i];
	}
	c[0] += (uint32_t)s0;
	c[1] += (uint32_t)s1;
	c[2] += (uint32_t)s2;
	c[3] += (uint32_t)s3;
	c1[0] += (uint32_t)t0;
	c1[1] += (uint32_t)t1;
	c1[2] += (uint32_t)t2;
	c1[3] += (uint32_t)t3;
}

NNFW_INLINE uint32_t dot_1x1(const int16_t *a, const int16_t *b, size_t k)
{
	int32_t s = 0;

	k &= ~(size_t)(NNFW_QGEMM_PAD - 1);
	for (size_t i = 0; i < k; i++)
		s += a[i] * b[i];
	return (uint32_t)s;
}

/* c[rows][ldc] += a[rows][k] * b[n][k]; rows of both are @kp apart, @k is at most EXACT_K. */
NNFW_INLINE void gemm_body(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp,
			   size_t k, uint32_t *c, size_t ldc)
{
	size_t j = 0;

	for (; j + 4 <= n; j += 4) {
		const int16_t *bj = b + j * kp;
		size_t i = 0;

		for (; i + 2 <= rows; i += 2)
			dot_2x4(a + i * kp, a + (i + 1) * kp, bj, kp, k, c + i * ldc + j,
				c + (i + 1) * ldc + j);
		if (i < rows)
			dot_1x4(a + i * kp, bj, kp, k, c + i * ldc + j);
	}
	for (; j < n; j++) {
		for (size_t i = 0; i < rows; i++)
			c[i * ldc + j] += dot_1x1(a + i * kp, b + j * kp, k);
	}
}

typedef void gemm_fn(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp, size_t k,
		     uint32_t *c, size_t ldc);

static void gemm_any(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp, size_t k,
		     uint32_t *c, size_t ldc)
{
	gemm_body(a, rows, b, n, kp, k, c, ldc);
}

#ifdef NNFW_X86
NNFW_TARGET("avx2")
static void gemm_avx2(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp,
		      size_t k, uint32_t *c, size_t ldc)
{
	gemm_body(a, rows, b, n, kp, k, c, ldc);
}
#endif

static gemm_fn *select_gemm(void)
{
#ifdef NNFW_X86
	if (NNFW_HAVE("avx2"))
		return gemm_avx2;
#endif
	return gemm_any;
}

/* Multiply-adds between two ticks: some hundred microseconds. */
#define TICK ((size_t)4 << 20)

int nnfw_qgemm(struct nnfw_progress *progress, const int16_t *a, size_t rows,
	       const struct nnfw_qweights *w, size_t first, size_t n, int32_t *c)
{
	const int16_t *b = w->rows + first * w->kp;
	size_t deep = w->kp < EXACT_K ? w->kp : EXACT_K,
	       columns = TICK / (deep * rows) & ~(size_t)3, done = 0;
	gemm_fn *gemm = select_gemm();
	uint32_t *sums = (uint32_t *)c;

	columns = columns < 4 ? 4 : columns;
	memset(sums, 0, rows * n * sizeof(*sums));
	for (size_t from = 0; from < w->kp; from += EXACT_K) {
		size_t k = w->kp - from < EXACT_K ? w->kp - from : EXACT_K;

		for (size_t j = 0; j < n; j += columns) {
			size_t count = n - j < columns ? n - j : columns;

			/* the caller has ticked for the first */
			done += rows * count * k;
			if (done > TICK) {
				int ret = nnfw_progress_tick(progress);

				if (ret)
					return ret;
				done = rows * count * k;
			}
			gemm(a + from, rows, b + j * w->kp + from, count, w->kp, k, sums + j, n);
		}
	}
	return 0;
}

int nnfw_qgemm_store(struct nnfw_work *work, const int32_t *c, size_t rows, size_t n,
		     const int32_t *bias, const float *multipliers, const struct nnfw_requant *q,
		     uint8_t *out, size_t stride)
{
	for (size_t i = 0; i < rows; i++) {
		for (size_t j = 0; j < n; j += NNFW_WORK_TICK) {
			size_t count = n - j < NNFW_WORK_TICK ? n - j : NNFW_WORK_TICK;
			int ret = nnfw_work(work, count);

			if (ret)
				return ret;
			nnfw_requantize_row(c + i * n + j, bias + j, multipliers + j, count, q,
					    out + i * stride + j);
		}
	}
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "qgemm.h"

/* Products are at most 255 * 255: this many sums stay below 2^31; a multiple of NNFW_QGEMM_PAD. */
#define EXACT_K 32768u

size_t nnfw_qweights_size(size_t n, size_t k)
{
	return nnfw_align(sizeof(struct nnfw_qweights)) + nnfw_align(n * sizeof(float)) +
	       nnfw_align(n * nnfw_qgemm_pad(k) * sizeof(int16_t));
}

const struct nnfw_qweights *nnfw_qweights_pack(void *mem, const struct nnfw_tensor *in,
					       const struct nnfw_tensor *filter,
					       const struct nnfw_tensor *out, size_t n, size_t k)
{
	uint8_t *next = mem;
	struct nnfw_qweights *w = nnfw_take(&next, sizeof(*w));
	float *multipliers = nnfw_take(&next, n * sizeof(float));
	int16_t *rows = nnfw_take(&next, n * nnfw_qgemm_pad(k) * sizeof(int16_t));
	int32_t zero_point = filter->num_scales ? 0 : filter->zero_point;

	*w = (struct nnfw_qweights){
		.n = n, .k = k, .kp = nnfw_qgemm_pad(k), .multipliers = multipliers, .rows = rows,
	};
	for (size_t j = 0; j < n; j++) {
		float scale = filter->num_scales ? filter->scales[j] : filter->scale;

		multipliers[j] = (float)((double)in->scale * scale / out->scale);
		nnfw_widen(rows + j * w->kp, (const uint8_t *)filter->data + j * k, k, filter->dtype,
			   zero_point);
		memset(rows + j * w->kp + k, 0, (w->kp - k) * sizeof(int16_t));
	}
	return w;
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

/* Dot products of 4 weight rows with one row, or with two at once. @k is a multiple of the padding. */
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

NNFW_INLINE void dot_2x4(const int16_t *a, const int16_t *a1, const int16_t *b, size_t stride, size_t k,
			 uint32_t *c, uint32_t *c1)
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

NNFW_INLINE void gemm_body(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp,
			   uint32_t *c)
{
	memset(c, 0, rows * n * sizeof(*c));
	for (size_t from = 0; from < kp; from += EXACT_K) {
		size_t k = kp - from < EXACT_K ? kp - from : EXACT_K;
		size_t j = 0;

		for (; j + 4 <= n; j += 4) {
			const int16_t *bj = b + j * kp + from;
			size_t i = 0;

			for (; i + 2 <= rows; i += 2)
				dot_2x4(a + i * kp + from, a + (i + 1) * kp + from, bj, kp, k,
					c + i * n + j, c + (i + 1) * n + j);
			if (i < rows)
				dot_1x4(a + i * kp + from, bj, kp, k, c + i * n + j);
		}
		for (; j < n; j++) {
			for (size_t i = 0; i < rows; i++)
				c[i * n + j] += dot_1x1(a + i * kp + from, b + j * kp + from, k);
		}
	}
}

typedef void gemm_fn(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp, uint32_t *c);

static void gemm_any(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp, uint32_t *c)
{
	gemm_body(a, rows, b, n, kp, c);
}

#ifdef NNFW_X86
NNFW_TARGET("avx2")
static void gemm_avx2(const int16_t *a, size_t rows, const int16_t *b, size_t n, size_t kp, uint32_t *c)
{
	gemm_body(a, rows, b, n, kp, c);
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

void nnfw_qgemm(const int16_t *a, size_t rows, const struct nnfw_qweights *w, size_t first, size_t n,
		int32_t *c)
{
	select_gemm()(a, rows, w->rows + first * w->kp, n, w->kp, (uint32_t *)c);
}

void nnfw_qgemm_store(const int32_t *c, size_t rows, size_t n, const int32_t *bias,
		      const float *multipliers, const struct nnfw_requant *q, uint8_t *out, size_t stride)
{
	for (size_t i = 0; i < rows; i++)
		nnfw_requantize_row(c + i * n, bias, multipliers, n, q, out + i * stride);
}

// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kernels/conv_geometry.h"
#include "half/half.h"
#include "kernels/im2col.h"
#include "kernels/kernel.h"
#include "nnprog_shape.h"

/* Copies @n input elements from element offset @from to the row; one per kind of input. */
typedef void copy_fn(const struct nnfw_im2col *s, void *dst, size_t from, size_t n);

static void copy_f32(const struct nnfw_im2col *s, void *dst, size_t from, size_t n)
{
	memcpy(dst, (const float *)s->in + from, n * sizeof(float));
}

static void copy_f16(const struct nnfw_im2col *s, void *dst, size_t from, size_t n)
{
	nnfw_half_load(dst, (const uint16_t *)s->in + from, n);
}

/* A patch that takes long: the same with ticks. */
static int clear_long(const struct nnfw_im2col *s, uint8_t *dst, size_t n, size_t size)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(s->work, i, n);
		if (!end)
			return -ECANCELED;
		memset(dst + i * size, 0, (end - i) * size);
	}
	return 0;
}

static int copy_long(const struct nnfw_im2col *s, uint8_t *dst, size_t from, size_t n, size_t size,
		     copy_fn *copy)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(s->work, i, n);
		if (!end)
			return -ECANCELED;
		copy(s, dst + i * size, from + i, end - i);
	}
	return 0;
}

static int patch_long(const struct nnfw_im2col *s, size_t group, size_t image, size_t oy, size_t ox,
		      uint8_t *dst, size_t stride, size_t size, copy_fn *copy)
{
	const struct nnfw_conv_geometry *g = s->g;
	bool run = g->dilation_w == 1 && g->depth == g->in_c;
	size_t ky0, ky1, kx0, kx1;

	nnfw_taps(oy, g->stride_h, g->dilation_h, g->top, g->filter_h, g->in_h, &ky0, &ky1);
	nnfw_taps(ox, g->stride_w, g->dilation_w, g->left, g->filter_w, g->in_w, &kx0, &kx1);
	if ((ky1 - ky0 < g->filter_h || kx1 - kx0 < g->filter_w) && clear_long(s, dst, g->k, size))
		return -ECANCELED;
	memset(dst + g->k * size, 0, (stride - g->k) * size);
	for (size_t ky = ky0; ky < ky1 && kx0 < kx1; ky++) {
		size_t y = oy * g->stride_h + ky * g->dilation_h - g->top;
		size_t x = ox * g->stride_w + kx0 * g->dilation_w - g->left;
		size_t from = ((image * g->in_h + y) * g->in_w + x) * g->in_c + group * g->depth;
		uint8_t *to = dst + (ky * g->filter_w + kx0) * g->depth * size;
		size_t times = run ? 1 : kx1 - kx0, n = run ? (kx1 - kx0) * g->depth : g->depth;

		for (size_t i = 0; i < times; i++) {
			if (copy_long(s, to, from, n, size, copy))
				return -ECANCELED;
			to += n * size;
			from += g->dilation_w * g->in_c;
		}
	}
	return 0;
}

/* One patch. Where a filter row's taps are neighbours in memory they are copied as one run. */
NNFW_INLINE void patch(const struct nnfw_im2col *s, size_t group, size_t image, size_t oy,
		       size_t ox, uint8_t *dst, size_t stride, size_t size, copy_fn *copy)
{
	const struct nnfw_conv_geometry *g = s->g;
	bool run = g->dilation_w == 1 && g->depth == g->in_c;
	size_t ky0, ky1, kx0, kx1;

	nnfw_taps(oy, g->stride_h, g->dilation_h, g->top, g->filter_h, g->in_h, &ky0, &ky1);
	nnfw_taps(ox, g->stride_w, g->dilation_w, g->left, g->filter_w, g->in_w, &kx0, &kx1);
	if (ky1 - ky0 < g->filter_h || kx1 - kx0 < g->filter_w)
		memset(dst, 0, g->k * size);
	memset(dst + g->k * size, 0, (stride - g->k) * size);
	if (kx0 == kx1)
		return;
	for (size_t ky = ky0; ky < ky1; ky++) {
		size_t y = oy * g->stride_h + ky * g->dilation_h - g->top;
		size_t x = ox * g->stride_w + kx0 * g->dilation_w - g->left;
		size_t from = ((image * g->in_h + y) * g->in_w + x) * g->in_c + group * g->depth;
		uint8_t *to = dst + (ky * g->filter_w + kx0) * g->depth * size;

		if (run) {
			copy(s, to, from, (kx1 - kx0) * g->depth);
			continue;
		}
		for (size_t kx = kx0; kx < kx1; kx++) {
			copy(s, to, from, g->depth);
			to += g->depth * size;
			from += g->dilation_w * g->in_c;
		}
	}
}

NNFW_INLINE int patches(const struct nnfw_im2col *s, size_t group, size_t first, size_t count,
			uint8_t *dst, size_t stride, size_t size, copy_fn *copy)
{
	const struct nnfw_conv_geometry *g = s->g;
	size_t ox = first % g->out_w, oy = first / g->out_w % g->out_h;
	size_t image = first / g->out_w / g->out_h;

	for (size_t r = 0; r < count; r++) {
		if (g->k < NNFW_WORK_TICK)
			patch(s, group, image, oy, ox, dst + r * stride * size, stride, size, copy);
		else if (patch_long(s, group, image, oy, ox, dst + r * stride * size, stride, size,
				    copy))
			return -ECANCELED;
		if (++ox < g->out_w)
			continue;
		ox = 0;
		if (++oy < g->out_h)
			continue;
		oy = 0;
		image++;
	}
	return 0;
}

int nnfw_im2col_f32(const struct nnfw_im2col *s, size_t group, size_t first, size_t count,
		    float *dst, size_t stride)
{
	if (s->dtype == NNPROG_FLOAT16)
		return patches(s, group, first, count, (uint8_t *)dst, stride, sizeof(*dst),
			       copy_f16);
	return patches(s, group, first, count, (uint8_t *)dst, stride, sizeof(*dst), copy_f32);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * DEPTHWISE_CONV_2D: output channel k * multiplier + q reads input channel k. The filter is
 * [taps][channels], so channels are the vector dimension. The portable loops say what is computed;
 * the AVX2 variant keeps the sums of a block of channels in registers.
 */
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/conv_geometry.h"
#include "kernels/fgemm.h"
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "kernels/variant.h"
#include "nnfw_ops.h"

#ifdef NNFW_X86
#include <immintrin.h>
#endif

/* State of 8-bit filters: codes less the zero point, and the multipliers. */
struct packed {
	const float *multipliers; /* [out_c] */
	const int16_t *taps; /* [filter_h * filter_w][out_c] */
};

static size_t packed_size(size_t taps, size_t channels)
{
	return nnfw_align(sizeof(struct packed)) + nnfw_align(channels * sizeof(float)) +
	       nnfw_align(taps * channels * sizeof(int16_t));
}

static int pack(struct nnfw_progress *progress, void *mem, const struct nnfw_tensor *in,
		const struct nnfw_tensor *filter, const struct nnfw_tensor *out,
		const struct packed **packed)
{
	struct nnfw_work work = { .progress = progress };
	size_t channels = filter->dims[3];
	uint8_t *next = mem;
	struct packed *p = nnfw_take(&next, sizeof(*p));
	float *multipliers = nnfw_take(&next, channels * sizeof(float));
	int16_t *taps = nnfw_take(&next, filter->elements * sizeof(int16_t));
	const uint8_t *codes = filter->data;
	int32_t zero_point = filter->num_scales ? 0 : filter->zero_point;

	for (size_t c = 0; c < channels;) {
		size_t end = nnfw_slice(&work, c, channels);

		if (!end)
			return -ECANCELED;
		for (; c < end; c++) {
			float scale = filter->num_scales ? filter->scales[c] : filter->scale;

			multipliers[c] = (float)((double)in->scale * scale / out->scale);
		}
	}
	for (size_t i = 0; i < filter->elements;) {
		size_t end = filter->elements - i < NNFW_WORK_TICK ? filter->elements
								   : i + NNFW_WORK_TICK;
		int ret = nnfw_work(&work, end - i);

		if (ret)
			return ret;
		for (; i < end; i++)
			taps[i] = (int16_t)(nnfw_code(filter->dtype, codes[i]) - zero_point);
	}
	*p = (struct packed){ multipliers, taps };
	*packed = p;
	return 0;
}

/* What an output pixel costs, as elements that are moved: vectors are multiplied. */
static size_t pixel_work(const struct nnfw_conv_geometry *g)
{
	return g->filter_h * g->filter_w * g->out_c / 4;
}

/* Taps of one output pixel that lie in the image. */
struct window {
	size_t ky0, ky1, kx0, kx1;
	size_t offset; /* input element of tap (ky0, kx0) */
};

static struct window window_at(const struct nnfw_conv_geometry *g, size_t image, size_t oy,
			       size_t ox)
{
	struct window w;
	size_t y, x;

	nnfw_taps(oy, g->stride_h, g->dilation_h, g->top, g->filter_h, g->in_h, &w.ky0, &w.ky1);
	nnfw_taps(ox, g->stride_w, g->dilation_w, g->left, g->filter_w, g->in_w, &w.kx0, &w.kx1);
	if (w.ky0 == w.ky1 || w.kx0 == w.kx1) {
		w = (struct window){ 0 };
		return w;
	}
	y = oy * g->stride_h + w.ky0 * g->dilation_h - g->top;
	x = ox * g->stride_w + w.kx0 * g->dilation_w - g->left;
	w.offset = ((image * g->in_h + y) * g->in_w + x) * g->in_c;
	return w;
}

/*
 * Pixels of so many products, or channels, are computed in slices with ticks: NAME() adds to @sums,
 * channel by channel in the order of the taps as the others do, so that the bits are the same.
 * VALUE is what an element of @x stands for.
 */
#define LONG_PIXEL(name, xtype, ttype, stype, VALUE)                                        \
	static int name(const struct nnfw_conv_geometry *g, const struct window *w,         \
			struct nnfw_work *work, const xtype *in, int32_t zero_point,        \
			bool is_signed, const ttype *taps, size_t m, stype *sums)           \
	{                                                                                   \
		(void)zero_point;                                                           \
		(void)is_signed;                                                            \
		for (size_t c = 0, end; c < g->out_c; c = end) {                            \
			end = nnfw_slice(work, c, g->out_c);                                \
			if (!end)                                                           \
				return -ECANCELED;                                          \
			memset(sums + c, 0, (end - c) * sizeof(*sums));                     \
		}                                                                           \
		for (size_t ky = w->ky0; ky < w->ky1; ky++) {                               \
			const xtype *x = in + w->offset +                                   \
					 (ky - w->ky0) * g->dilation_h * g->in_w * g->in_c; \
			const ttype *t = taps + (ky * g->filter_w + w->kx0) * g->out_c;     \
                                                                                            \
			for (size_t kx = w->kx0; kx < w->kx1; kx++) {                       \
				for (size_t c = 0; c < g->out_c;) {                         \
					size_t end = nnfw_slice(work, c, g->out_c);         \
                                                                                            \
					if (!end)                                           \
						return -ECANCELED;                          \
					for (; c < end; c++)                                \
						sums[c] += (stype)(VALUE(x[c / m]) * t[c]); \
				}                                                           \
				x += g->dilation_w * g->in_c;                               \
				t += g->out_c;                                              \
			}                                                                   \
		}                                                                           \
		return 0;                                                                   \
	}

#define CODE(x) ((int16_t)((is_signed ? (int8_t)(x) : (x)) - zero_point))
#define FLOAT(x) (x)
LONG_PIXEL(long_sums, uint8_t, int16_t, uint32_t, CODE)
LONG_PIXEL(long_float_pixel, float, float, float, FLOAT)

static bool is_long(const struct nnfw_conv_geometry *g)
{
	return pixel_work(g) >= NNFW_WORK_TICK || g->out_c >= NNFW_WORK_TICK;
}

/* ---- 8 bits ---- */

/* Sums of one output pixel, modulo 2^32; one input channel per output channel. */
NNFW_INLINE void pixel_sums(const struct nnfw_conv_geometry *g, const struct window *w,
			    const uint8_t *in, bool is_signed, int16_t zero_point,
			    const int16_t *taps, uint32_t *restrict sums)
{
	memset(sums, 0, g->out_c * sizeof(*sums));
	for (size_t ky = w->ky0; ky < w->ky1; ky++) {
		const uint8_t *x =
			in + w->offset + (ky - w->ky0) * g->dilation_h * g->in_w * g->in_c;
		const int16_t *t = taps + (ky * g->filter_w + w->kx0) * g->out_c;

		for (size_t kx = w->kx0; kx < w->kx1; kx++) {
			for (size_t c = 0; c < g->out_c; c++) {
				int16_t v = is_signed ? (int8_t)x[c] : x[c];

				v = (int16_t)(v - zero_point);
				sums[c] += (uint32_t)(v * t[c]);
			}
			x += g->dilation_w * g->in_c;
			t += g->out_c;
		}
	}
}

/* The same with a multiplier: one input channel for @m neighbouring output channels. */
NNFW_INLINE void pixel_sums_multiplied(const struct nnfw_conv_geometry *g, const struct window *w,
				       const uint8_t *in, bool is_signed, int16_t zero_point,
				       const int16_t *taps, size_t m, uint32_t *sums)
{
	memset(sums, 0, g->out_c * sizeof(*sums));
	for (size_t ky = w->ky0; ky < w->ky1; ky++) {
		const uint8_t *x =
			in + w->offset + (ky - w->ky0) * g->dilation_h * g->in_w * g->in_c;
		const int16_t *t = taps + (ky * g->filter_w + w->kx0) * g->out_c;

		for (size_t kx = w->kx0; kx < w->kx1; kx++) {
			for (size_t c = 0; c < g->in_c; c++) {
				int16_t v =
					(int16_t)((is_signed ? (int8_t)x[c] : x[c]) - zero_point);

				for (size_t q = 0; q < m; q++)
					sums[c * m + q] += (uint32_t)(v * t[c * m + q]);
			}
			x += g->dilation_w * g->in_c;
			t += g->out_c;
		}
	}
}

/* Sums of one output pixel; a variant is chosen once a run. */
typedef void sums_fn(const struct nnfw_conv_geometry *g, const struct window *w, const uint8_t *in,
		     int16_t zero_point, const int16_t *taps, size_t m, uint32_t *sums);

#define SUMS_VARIANT(name, is_signed)                                                          \
	static void name(const struct nnfw_conv_geometry *g, const struct window *w,           \
			 const uint8_t *in, int16_t zero_point, const int16_t *taps, size_t m, \
			 uint32_t *sums)                                                       \
	{                                                                                      \
		if (m == 1)                                                                    \
			pixel_sums(g, w, in, is_signed, zero_point, taps, sums);               \
		else                                                                           \
			pixel_sums_multiplied(g, w, in, is_signed, zero_point, taps, m, sums); \
	}

SUMS_VARIANT(sums_u8, false)
SUMS_VARIANT(sums_s8, true)

#ifdef NNFW_X86
#define LANES 8u
#define MAX_BLOCK 4u

/* @n times LANES channels from @c, their sums in registers over the taps. */
NNFW_TARGET("avx2")
NNFW_INLINE void block_sums_avx2(const struct nnfw_conv_geometry *g, const struct window *w,
				 const uint8_t *in, bool is_signed, __m256i zero_point,
				 const int16_t *taps, size_t c, const size_t n, uint32_t *sums)
{
	const size_t in_row = g->dilation_h * g->in_w * g->in_c, in_step = g->dilation_w * g->in_c;
	const uint8_t *row = in + w->offset + c;
	__m256i acc[MAX_BLOCK];

	for (size_t i = 0; i < n; i++)
		acc[i] = _mm256_setzero_si256();
	for (size_t ky = w->ky0; ky < w->ky1; ky++, row += in_row) {
		const int16_t *t = taps + (ky * g->filter_w + w->kx0) * g->out_c + c;
		const uint8_t *x = row;

		for (size_t kx = w->kx0; kx < w->kx1; kx++, x += in_step, t += g->out_c) {
			for (size_t i = 0; i < n; i++) {
				__m128i codes = _mm_loadl_epi64((const void *)(x + i * LANES));
				__m256i v = is_signed ? _mm256_cvtepi8_epi32(codes)
						      : _mm256_cvtepu8_epi32(codes);
				__m256i f = _mm256_cvtepi16_epi32(
					_mm_loadu_si128((const void *)(t + i * LANES)));

				v = _mm256_sub_epi32(v, zero_point);
				acc[i] = _mm256_add_epi32(acc[i], _mm256_mullo_epi32(v, f));
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		_mm256_storeu_si256((void *)(sums + c + i * LANES), acc[i]);
}

#define SUMS_VARIANT_AVX2(name, portable, is_signed)                                           \
	NNFW_TARGET("avx2")                                                                    \
	static void name(const struct nnfw_conv_geometry *g, const struct window *w,           \
			 const uint8_t *in, int16_t zero_point, const int16_t *taps, size_t m, \
			 uint32_t *sums)                                                       \
	{                                                                                      \
		const __m256i zero = _mm256_set1_epi32(zero_point);                            \
		size_t c = 0;                                                                  \
                                                                                               \
		if (m != 1 || g->out_c < LANES) {                                              \
			portable(g, w, in, zero_point, taps, m, sums);                         \
			return;                                                                \
		}                                                                              \
		for (; c + MAX_BLOCK * LANES <= g->out_c; c += MAX_BLOCK * LANES)              \
			block_sums_avx2(g, w, in, is_signed, zero, taps, c, MAX_BLOCK, sums);  \
		for (; c + LANES <= g->out_c; c += LANES)                                      \
			block_sums_avx2(g, w, in, is_signed, zero, taps, c, 1, sums);          \
		/* the last vector may overlap the one before: the same sums again */          \
		if (c < g->out_c)                                                              \
			block_sums_avx2(g, w, in, is_signed, zero, taps, g->out_c - LANES, 1,  \
					sums);                                                 \
	}

SUMS_VARIANT_AVX2(sums_u8_avx2, sums_u8, false)
SUMS_VARIANT_AVX2(sums_s8_avx2, sums_s8, true)
#endif

static sums_fn *select_sums(uint32_t dtype)
{
#ifdef NNFW_X86
	if (NNFW_HAVE("avx2"))
		return dtype == NNPROG_INT8 ? sums_s8_avx2 : sums_u8_avx2;
#endif
	return dtype == NNPROG_INT8 ? sums_s8 : sums_u8;
}

static int run_quant(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const struct nnfw_requant q = nnfw_requant_output(out, a->activation);
	const int32_t *bias = ctx->in[2].data;
	const struct packed *p = ctx->state;
	sums_fn *sums = select_sums(in->dtype);
	uint8_t *next = ctx->scratch, *to = out->data;
	uint32_t *acc = nnfw_take(&next, g->out_c * sizeof(*acc));
	struct nnfw_work work = { .progress = ctx->progress };
	int ret = 0;

	if (!p)
		ret = pack(ctx->progress, next, in, &ctx->in[1], out, &p);
	for (size_t row = 0; row < g->batch * g->out_h && !ret; row++) {
		ret = nnfw_progress_tick(ctx->progress);
		for (size_t ox = 0; ox < g->out_w && !ret; ox++) {
			struct window w = window_at(g, row / g->out_h, row % g->out_h, ox);

			ret = nnfw_work(&work, pixel_work(g));
			if (ret)
				return ret;
			if (is_long(g))
				ret = long_sums(g, &w, &work, in->data, in->zero_point,
						in->dtype == NNPROG_INT8, p->taps, a->multiplier,
						acc);
			else
				sums(g, &w, in->data, (int16_t)in->zero_point, p->taps,
				     a->multiplier, acc);
			for (size_t c = 0, end; c < g->out_c && !ret; c = end) {
				end = nnfw_slice(&work, c, g->out_c);
				if (!end)
					return -ECANCELED;
				nnfw_requantize_row((const int32_t *)acc + c, bias + c,
						    p->multipliers + c, end - c, &q, to + c);
			}
			to += g->out_c;
		}
	}
	return ret;
}

/* ---- floats ---- */

/* Adds the window's products to @sums. */
static void float_pixel(const struct nnfw_conv_geometry *g, const struct window *w, const float *in,
			const float *taps, size_t m, float *restrict sums)
{
	for (size_t ky = w->ky0; ky < w->ky1; ky++) {
		const float *x = in + w->offset + (ky - w->ky0) * g->dilation_h * g->in_w * g->in_c;
		const float *t = taps + (ky * g->filter_w + w->kx0) * g->out_c;

		for (size_t kx = w->kx0; kx < w->kx1; kx++) {
			if (m == 1) {
				for (size_t c = 0; c < g->out_c; c++)
					sums[c] += x[c] * t[c];
			} else {
				for (size_t c = 0; c < g->in_c; c++) {
					for (size_t i = 0; i < m; i++)
						sums[c * m + i] += x[c] * t[c * m + i];
				}
			}
			x += g->dilation_w * g->in_c;
			t += g->out_c;
		}
	}
}

static int run_float(struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	bool half = in->dtype == NNPROG_FLOAT16;
	uint8_t *next = ctx->scratch;
	float *acc = nnfw_take(&next, half ? g->out_c * sizeof(*acc) : 0);
	float *image = nnfw_take(&next, half ? in->elements * sizeof(*image) : 0);
	float *bias_mem = nnfw_take(&next, half ? g->out_c * sizeof(*bias_mem) : 0);
	struct nnfw_work work = { .progress = ctx->progress };
	const float *x, *bias, *taps;
	size_t done = 0;
	float lo, hi;
	int ret;

	nnfw_activation_range(a->activation, &lo, &hi);
	ret = nnfw_float_operand(ctx->progress, in, NULL, image, &x);
	if (!ret)
		ret = nnfw_float_operand(ctx->progress, &ctx->in[2], NULL, bias_mem, &bias);
	if (!ret)
		ret = nnfw_float_operand(ctx->progress, &ctx->in[1], ctx->state, next, &taps);
	for (size_t row = 0; row < g->batch * g->out_h && !ret; row++) {
		ret = nnfw_progress_tick(ctx->progress);
		for (size_t ox = 0; ox < g->out_w && !ret; ox++) {
			struct window w = window_at(g, row / g->out_h, row % g->out_h, ox);
			float *to = half ? acc : (float *)out->data + done;

			ret = nnfw_work(&work, pixel_work(g));
			if (ret)
				return ret;

			if (is_long(g)) {
				ret = long_float_pixel(g, &w, &work, x, 0, false, taps,
						       a->multiplier, to);
			} else {
				memset(to, 0, g->out_c * sizeof(*to));
				float_pixel(g, &w, x, taps, a->multiplier, to);
			}
			for (size_t c = 0; c < g->out_c && !ret;) {
				size_t end = nnfw_slice(&work, c, g->out_c);

				if (!end)
					return -ECANCELED;
				for (; c < end; c++)
					to[c] = nnfw_clampf(to[c] + bias[c], lo, hi);
			}
			if (half && !ret)
				ret = nnfw_half_store_long(&work, (uint16_t *)out->data + done, acc,
							   g->out_c);
			done += g->out_c;
		}
	}
	return ret;
}

/* ---- the operation ---- */

static int depthwise_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	const struct packed *packed;
	size_t bytes;

	*state = NULL;
	*size = 0;
	if (!filter->constant || !filter->data)
		return 0;
	if (!nnfw_is_quant8(ctx->in[0].dtype))
		return nnfw_load_half(ctx, filter, state, size);
	bytes = packed_size((size_t)filter->dims[1] * filter->dims[2], filter->dims[3]);
	*state = nnfw_alloc_state(ctx, bytes);
	if (!*state)
		return -ENOMEM;
	*size = nnfw_align(bytes);
	return pack(ctx->progress, *state, &ctx->in[0], filter, &ctx->out[0], &packed);
}

static size_t depthwise_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *filter = &ctx->in[1];
	size_t channels = filter->dims[3], size;

	if (nnfw_is_quant8(ctx->in[0].dtype)) {
		size = nnfw_align(channels * sizeof(uint32_t));
		if (!ctx->state)
			size += packed_size((size_t)filter->dims[1] * filter->dims[2], channels);
		return size;
	}
	if (ctx->in[0].dtype == NNPROG_FLOAT32)
		return 0;
	size = 2 * nnfw_align(channels * sizeof(float)) +
	       nnfw_align(ctx->in[0].elements * sizeof(float));
	return size + (ctx->state ? 0 : nnfw_align(filter->elements * sizeof(float)));
}

static int depthwise_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_conv_geometry g = nnfw_conv_geometry(ctx);

	if (!ctx->out[0].elements)
		return 0;
	return nnfw_is_quant8(ctx->in[0].dtype) ? run_quant(ctx, &g) : run_float(ctx, &g);
}

const struct nnfw_op nnfw_op_depthwise = {
	.opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.load = depthwise_load,
	.unload = free,
	.scratch = depthwise_scratch,
	.run = depthwise_run,
};

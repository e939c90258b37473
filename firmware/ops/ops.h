/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the operations. Private to firmware/ops. */
#ifndef NNFW_OPS_H
#define NNFW_OPS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "nnfw_op.h"

#define NNFW_INLINE static inline __attribute__((always_inline))

#define NNFW_ALIGN 64u

/** Progress of a run that knows how many elements, of a few ns each, it has done. */
struct nnfw_work {
	struct nnfw_progress *progress;
	size_t since;
};

#define NNFW_WORK_TICK 65536u

/** @n more elements. 0 or -ECANCELED. */
static inline int nnfw_work(struct nnfw_work *w, size_t n)
{
	w->since += n;
	if (w->since < NNFW_WORK_TICK)
		return 0;
	w->since = 0;
	return nnfw_progress_tick(w->progress);
}

/** Where the next slice of @n elements ends that begins at @from, counted as work. 0: canceled. */
static inline size_t nnfw_slice(struct nnfw_work *work, size_t from, size_t n)
{
	size_t end = n - from < 16384 ? n : from + 16384;

	return nnfw_work(work, end - from) ? 0 : end;
}

/**
 * Runs a statement for @i of [0, @n), with ticks. Returns -ECANCELED from the function when it is
 * canceled.
 */
#define NNFW_EACH(work, i, n, statement)                            \
	do {                                                        \
		for (size_t i = 0; i < (n);) {                      \
			const size_t end_ = nnfw_slice(work, i, n); \
                                                                    \
			if (!end_)                                  \
				return -ECANCELED;                  \
			for (; i < end_; i++)                       \
				statement;                          \
		}                                                   \
	} while (0)

static inline size_t nnfw_align(size_t n)
{
	return (n + NNFW_ALIGN - 1) & ~(size_t)(NNFW_ALIGN - 1);
}

/** Take @n bytes, aligned, from the front of scratch memory at *@next. */
static inline void *nnfw_take(uint8_t **next, size_t n)
{
	uint8_t *p = *next;

	*next = p + nnfw_align(n);
	return p;
}

/** Fill ctx->error and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int nnfw_refuse(struct nnfw_op_ctx *ctx, const char *fmt,
						      ...);

/**
 * A 64-byte aligned block of a program's state; free() releases it. NULL: no memory, or beyond the
 * quota.
 */
void *nnfw_alloc_state(const struct nnfw_op_ctx *ctx, size_t size);

static inline bool nnfw_is_quant8(uint32_t dtype)
{
	return dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
}

/** Product of dims [from, to). Within a tensor whose size has been checked: cannot overflow unless
 * a dimension outside the range is 0, and then the product is not used to address anything. */
static inline size_t nnfw_extent(const struct nnfw_tensor *t, uint32_t from, uint32_t to)
{
	size_t n = 1;

	for (uint32_t i = from; i < to; i++)
		n *= t->dims[i];
	return n;
}

/** Axis in [-rank, rank), checked by the descriptor, as [0, rank). */
static inline uint32_t nnfw_axis(int32_t axis, uint32_t rank)
{
	return axis < 0 ? (uint32_t)(axis + (int32_t)rank) : (uint32_t)axis;
}

/* ---- float16: load to float32, compute, store with rounding to nearest even ---- */

static inline float nnfw_half_to_float(uint16_t h)
{
	const uint32_t magic = 113u << 23;
	uint32_t bits = (uint32_t)(h & 0x7fff) << 13, exp = bits & 0x0f800000u;
	union {
		uint32_t u;
		float f;
	} v, m = { .u = magic };

	bits += (127u - 15u) << 23;
	v.u = bits + (exp == 0x0f800000u ? (128u - 16u) << 23 : 0);
	if (!exp) {
		/* subnormal: let the float unit normalize it */
		v.u = bits + (1u << 23);
		v.f -= m.f;
	}
	v.u |= (uint32_t)(h & 0x8000) << 16;
	return v.f;
}

static inline uint16_t nnfw_float_to_half(float f)
{
	union {
		float f;
		uint32_t u;
	} v = { .f = f }, denormal = { .u = ((127u - 15u) + (23u - 10u) + 1u) << 23 };
	uint32_t sign = v.u & 0x80000000u;
	uint16_t out;

	v.u ^= sign;
	if (v.u >= (127u + 16u) << 23) {
		out = v.u > 0x7f800000u ? 0x7e00 : 0x7c00;
	} else if (v.u < 113u << 23) {
		/* subnormal or zero: adding aligns the mantissa, rounding to nearest even */
		v.f += denormal.f;
		out = (uint16_t)(v.u - denormal.u);
	} else {
		uint32_t odd = (v.u >> 13) & 1;

		v.u += ((uint32_t)(15 - 127) << 23) + 0xfff + odd;
		out = (uint16_t)(v.u >> 13);
	}
	return (uint16_t)(out | sign >> 16);
}

/** half.c; with F16C where the processor has it, same bits but for the payload of NaNs. */
void nnfw_half_load(float *dst, const uint16_t *src, size_t n);
void nnfw_half_store(uint16_t *dst, const float *src, size_t n);
/** The same of any length: with ticks. 0 or -ECANCELED. */
int nnfw_half_load_long(struct nnfw_work *work, float *dst, const uint16_t *src, size_t n);
int nnfw_half_store_long(struct nnfw_work *work, uint16_t *dst, const float *src, size_t n);

/** Elements that float16 kernels convert at a time, on the stack. */
#define NNFW_CHUNK 256u

/* ---- fused activation ---- */

/** NaN passes. */
static inline float nnfw_clampf(float x, float lo, float hi)
{
	x = x < lo ? lo : x;
	return x > hi ? hi : x;
}

/** Bounds of a fused activation for floats; NONE is the finite range. */
void nnfw_activation_range(uint32_t activation, float *lo, float *hi);

extern const struct nnfw_op nnfw_op_conv2d, nnfw_op_depthwise, nnfw_op_fully_connected,
	nnfw_op_pool2d, nnfw_op_binary, nnfw_op_unary, nnfw_op_softmax, nnfw_op_reshape,
	nnfw_op_concat, nnfw_op_pad, nnfw_op_reduce, nnfw_op_resize, nnfw_op_convert,
	nnfw_op_transpose, nnfw_op_arg_minmax, nnfw_op_lstm, nnfw_op_if, nnfw_op_while, nnfw_op_rnn,
	nnfw_op_svdf, nnfw_op_quantized_lstm, nnfw_op_quantized_16bit_lstm, nnfw_op_roi_align,
	nnfw_op_roi_pooling, nnfw_op_heatmap, nnfw_op_bbox_transform, nnfw_op_box_nms,
	nnfw_op_proposals, nnfw_op_detection, nnfw_op_lsh_projection, nnfw_op_random_multinomial,
	nnfw_op_densify;

extern const struct nnfw_op nnfw_op_compare, nnfw_op_select, nnfw_op_squeeze, nnfw_op_expand_dims,
	nnfw_op_slice, nnfw_op_strided_slice, nnfw_op_split, nnfw_op_gather,
	nnfw_op_hashtable_lookup, nnfw_op_tile, nnfw_op_mirror_pad, nnfw_op_reverse,
	nnfw_op_space_depth, nnfw_op_space_batch, nnfw_op_channel_shuffle, nnfw_op_topk,
	nnfw_op_fill, nnfw_op_rank, nnfw_op_l2_normalization, nnfw_op_lrn,
	nnfw_op_instance_normalization, nnfw_op_batch_matmul, nnfw_op_transpose_conv;

#define NNFW_TYPE(t) (1u << NNPROG_##t)
#define NNFW_TYPES_FLOAT (NNFW_TYPE(FLOAT32) | NNFW_TYPE(FLOAT16))
#define NNFW_TYPES_QUANT8 (NNFW_TYPE(UINT8) | NNFW_TYPE(INT8))

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels share: operands, loops over them, conversions. */
#ifndef NNACCEL_KERNEL_H
#define NNACCEL_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nnfw_op.h"
#include "nnprog_shape.h"
#include "nnutil_align.h"

/* kernel.c: shared by the operations. */

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
	return nnutil_align_up(n, NNFW_ALIGN);
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
/**
 * In load(), before all of @size bytes of a state are written: give them their pages, on the
 * threads there are. 0 or -ECANCELED.
 */
int nnfw_state_pages(const struct nnfw_op_ctx *ctx, void *state, size_t size);

/**
 * Call @fn for all of @elements, in ranges of multiples of @piece: elements of some 2 us of work.
 * Ranges have no effect on each other: threads divide them, with ticks between. 0 or -ECANCELED.
 */
int nnfw_each_range(struct nnfw_op_ctx *ctx, size_t elements, size_t piece,
		    void (*fn)(void *arg, size_t from, size_t n), void *arg);

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

/** In load(): whether the shape is that of every run. */
static inline bool nnfw_shape_known(const struct nnfw_tensor *t)
{
	bool known = t->rank <= NNPROG_MAX_RANK;

	for (uint32_t i = 0; known && i < t->rank; i++)
		known = t->dims[i] != NNPROG_DIM_UNKNOWN;
	return known;
}

/** Axis in [-rank, rank), checked by the descriptor, as [0, rank). */
static inline uint32_t nnfw_axis(int32_t axis, uint32_t rank)
{
	return axis < 0 ? (uint32_t)(axis + (int32_t)rank) : (uint32_t)axis;
}

/** NaN passes. */
static inline float nnfw_clampf(float x, float lo, float hi)
{
	x = x < lo ? lo : x;
	return x > hi ? hi : x;
}

#define NNFW_TYPE(t) (1u << NNPROG_##t)
#define NNFW_TYPES_FLOAT (NNFW_TYPE(FLOAT32) | NNFW_TYPE(FLOAT16))
#define NNFW_TYPES_QUANT8 (NNFW_TYPE(UINT8) | NNFW_TYPE(INT8))

/* Operands that are float32 or float16, as float32. */

/** *@out = @t as float32: its own memory, or converted into @mem. 0 or -ECANCELED. */
int nnfw_float_view(struct nnfw_work *work, const struct nnfw_tensor *t, float *mem,
		    const float **out);

/** load() of a constant float16 operand: as float32. 0, -ENOMEM or -ECANCELED. */
int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t, void **state,
		   size_t *size);

/* move.c: shared by the operations that move data: fills, and copies along strides. */

#define NNFW_TYPES_ALL ((1u << NNPROG_DTYPE_COUNT) - 1)

/**
 * The value of a border or an empty place: the zero point, or 0, as bytes that any element repeats.
 */
uint32_t nnfw_zero_value(const struct nnfw_tensor *t);

/** @n elements of @size bytes, all like @value. */
void nnfw_fill(void *to, size_t n, size_t size, const void *value);

/** The same, and memcpy(), of any length: with ticks. 0 or -ECANCELED. */
int nnfw_fill_long(struct nnfw_work *work, void *to, size_t n, size_t size, const void *value);
int nnfw_copy_long(struct nnfw_work *work, void *to, const void *from, size_t bytes);

/**
 * A line of a float tensor, of any length, its elements @inner apart, as floats. 0 or -ECANCELED.
 */
int nnfw_line_load(struct nnfw_work *work, float *line, const struct nnfw_tensor *t, size_t from,
		   size_t n, size_t inner);
int nnfw_line_store(struct nnfw_work *work, const float *line, const struct nnfw_tensor *t,
		    size_t to, size_t n, size_t inner);

/**
 * Dimensions of a copy, outermost first: the result is dense, the source is walked in these
 * strides.
 */
struct nnfw_strided {
	uint32_t rank; /* at most NNPROG_MAX_RANK + 2 */
	size_t extent[NNPROG_MAX_RANK + 2];
	ptrdiff_t stride[NNPROG_MAX_RANK + 2]; /* elements */
};

static inline void nnfw_strided_add(struct nnfw_strided *s, size_t extent, ptrdiff_t stride)
{
	s->extent[s->rank] = extent;
	s->stride[s->rank++] = stride;
}

/** Element strides of a dense tensor. */
static inline void nnfw_dense_strides(const struct nnfw_tensor *t, ptrdiff_t *strides)
{
	ptrdiff_t stride = 1;

	for (uint32_t i = t->rank; i-- > 0;) {
		strides[i] = stride;
		stride *= (ptrdiff_t)t->dims[i];
	}
}

#define NNFW_COPY_STRIDED(T)                             \
	do {                                             \
		const T *s = (const T *)src;             \
		T *d = (T *)dst;                         \
		for (size_t i = 0; i < n; i++)           \
			d[i] = s[(ptrdiff_t)i * stride]; \
	} while (0)

/** @n elements of @size bytes, @stride elements apart in @src, to a dense row. */
NNFW_INLINE void nnfw_copy_row(uint8_t *dst, const uint8_t *src, size_t n, ptrdiff_t stride,
			       size_t size)
{
	if (stride == 1)
		memcpy(dst, src, n * size);
	else if (size == 1)
		NNFW_COPY_STRIDED(uint8_t);
	else if (size == 2)
		NNFW_COPY_STRIDED(uint16_t);
	else
		NNFW_COPY_STRIDED(uint32_t);
}

/**
 * Copy to @to from @from, which points at the element of index 0 in all dimensions; elements of
 * @size bytes. Every extent is above 0. 0 or -ECANCELED.
 */
int nnfw_strided_copy(struct nnfw_progress *progress, const struct nnfw_strided *s, void *to,
		      const void *from, size_t size);

/*
 * real.c: operations that compute real numbers whatever the type of their operands: float32 views
 * of tensors.
 */

/** dst[i] = the real value of element from + i: (float)(q - zero_point) * scale for integers. */
void nnfw_real_load(float *dst, const struct nnfw_tensor *t, size_t from, size_t n);

/** Store real values: float16 by rounding to nearest even, integers as CONVERT does. */
void nnfw_real_store(const struct nnfw_tensor *t, size_t to, const float *src, size_t n);

/** Scratch memory that nnfw_real_view() takes. */
static inline size_t nnfw_real_view_size(const struct nnfw_tensor *t)
{
	return t->omitted || t->dtype == NNPROG_FLOAT32 ? 0
							: nnfw_align(t->elements * sizeof(float));
}

/** Both of any length: with ticks. 0 or -ECANCELED. */
int nnfw_real_load_long(struct nnfw_work *work, float *dst, const struct nnfw_tensor *t,
			size_t from, size_t n);
int nnfw_real_store_long(struct nnfw_work *work, const struct nnfw_tensor *t, size_t to,
			 const float *src, size_t n);

/**
 * *@view = the whole tensor as float32: its own memory, or a copy at *@next; NULL when omitted. 0
 * or -ECANCELED.
 */
int nnfw_real_view(struct nnfw_progress *progress, const struct nnfw_tensor *t, uint8_t **next,
		   const float **view);

/* fingerprint.c */

/** FarmHash's Fingerprint64 of @len bytes: the same on every machine. */
uint64_t nnfw_fingerprint64(const uint8_t *s, size_t len);

/* turn.c: planes turned over: rows become columns. */

/** Bytes of a row that nnfw_turn() does best at a time: a cache line. */
#define NNFW_TURN_LINE 64u

/**
 * to[j][i] = from[i][j] for @i below @rows and @j below @columns, elements of @size 1, 2 or 4
 * bytes; rows of @from are @from_stride bytes apart, those of @to @to_stride.
 */
void nnfw_turn(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t rows,
	       size_t columns, size_t size);

#endif

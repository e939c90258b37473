/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the operations. Private to firmware/ops. */
#ifndef NNFW_KERNEL_H
#define NNFW_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "nnfw_op.h"
#include "nnprog_shape.h"
#include "nnutil_align.h"

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

#endif

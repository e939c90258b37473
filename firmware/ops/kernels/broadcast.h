/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of two tensors that broadcast. Dimensions that both operands walk alike are merged; the
 * innermost one is a row in which each operand either moves by one element or stands still.
 */
#ifndef NNFW_BROADCAST_H
#define NNFW_BROADCAST_H

#include "half/half.h"
#include "kernels/kernel.h"

/** A row of @n; step_a and step_b are 1 or 0. */
typedef void nnfw_row_fn(const void *params, const void *a, const void *b, void *out, size_t n,
			 size_t step_a, size_t step_b);

/** Dimensions of the walk, innermost first; strides in elements, 0 where an operand stands still.
 */
struct nnfw_walk {
	uint32_t rank;
	size_t extent[NNPROG_MAX_RANK], stride_a[NNPROG_MAX_RANK], stride_b[NNPROG_MAX_RANK];
};

/** The walk of ctx->in[0] and ctx->in[1], whose shapes are complete. */
struct nnfw_walk nnfw_broadcast_plan(const struct nnfw_op_ctx *ctx);

/** Rows of ctx->in[0] and ctx->in[1] to ctx->out[0], whose type may be another. 0 or -ECANCELED. */
int nnfw_broadcast_walk(struct nnfw_op_ctx *ctx, const struct nnfw_walk *walk, nnfw_row_fn *row,
			const void *params);
int nnfw_broadcast(struct nnfw_op_ctx *ctx, nnfw_row_fn *row, const void *params);

/**
 * The body of a row function: loops over the three ways to walk, for @a, @b, @out, @n, @step_a and
 * @step_b; EXPR is of x and y, in loops that the vectorizer takes.
 */
#define NNFW_WALK(type, EXPR)                            \
	do {                                             \
		if (step_a && step_b) {                  \
			for (size_t i = 0; i < n; i++) { \
				type x = a[i], y = b[i]; \
				out[i] = EXPR;           \
			}                                \
		} else if (step_a) {                     \
			type y = *b;                     \
			for (size_t i = 0; i < n; i++) { \
				type x = a[i];           \
				out[i] = EXPR;           \
			}                                \
		} else if (step_b) {                     \
			type x = *a;                     \
			for (size_t i = 0; i < n; i++) { \
				type y = b[i];           \
				out[i] = EXPR;           \
			}                                \
		} else {                                 \
			type x = *a, y = *b;             \
			for (size_t i = 0; i < n; i++)   \
				out[i] = EXPR;           \
		}                                        \
	} while (0)

/**
 * A row of float16 by the function for float32 @row_f32. @truth: its result is a byte for each
 * element, and not float16.
 */
NNFW_INLINE void nnfw_half_row(nnfw_row_fn *row_f32, const void *params, const void *va,
			       const void *vb, void *vout, size_t n, size_t step_a, size_t step_b,
			       bool truth)
{
	float a[NNFW_CHUNK], b[NNFW_CHUNK], out[NNFW_CHUNK];
	const uint16_t *ha = va, *hb = vb;

	for (size_t i = 0; i < n; i += NNFW_CHUNK) {
		size_t count = n - i < NNFW_CHUNK ? n - i : NNFW_CHUNK;

		nnfw_half_load(a, ha + i * step_a, step_a ? count : 1);
		nnfw_half_load(b, hb + i * step_b, step_b ? count : 1);
		row_f32(params, a, b, truth ? (void *)((uint8_t *)vout + i) : out, count, step_a,
			step_b);
		if (!truth)
			nnfw_half_store((uint16_t *)vout + i, out, count);
	}
}

#endif

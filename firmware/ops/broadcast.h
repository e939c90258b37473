/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of two tensors that broadcast. Dimensions that both operands walk alike are merged; the
 * innermost one is a row in which each operand either moves by one element or stands still.
 */
#ifndef NNFW_BROADCAST_H
#define NNFW_BROADCAST_H

#include "ops.h"

/** A row of @n; step_a and step_b are 1 or 0. */
typedef void nnfw_row_fn(const void *params, const void *a, const void *b, void *out, size_t n,
			 size_t step_a, size_t step_b);

/** Rows of ctx->in[0] and ctx->in[1] to ctx->out[0], whose type may be another. 0 or -ECANCELED. */
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

/** binary_choice.c: MAXIMUM, MINIMUM, POW, PRELU, AND, OR. 0, -EINVAL or -ECANCELED. */
int nnfw_binary_choice(struct nnfw_op_ctx *ctx);

#endif

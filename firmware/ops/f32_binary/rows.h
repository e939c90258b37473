/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, which the vectorizer takes as they are; a file per instruction set includes this. */
#ifndef NNFW_F32_BINARY_ROWS_H
#define NNFW_F32_BINARY_ROWS_H

#include "f32_binary/f32_binary.h"
#include "kernels/broadcast.h"

#define ROW(name, EXPR)                                                                            \
	static void name(const void *params, const void *va, const void *vb, void *vout, size_t n, \
			 size_t step_a, size_t step_b)                                             \
	{                                                                                          \
		const struct nnfw_f32_binary *p = params;                                          \
		const float *a = va, *b = vb, lo = p->lo, hi = p->hi;                              \
		float *out = vout;                                                                 \
                                                                                                   \
		NNFW_WALK(float, nnfw_clampf(EXPR, lo, hi));                                       \
	}

ROW(add, x + y)
ROW(sub, x - y)
ROW(mul, x *y)
ROW(div, x / y)

/* The struct of a file that includes this. */
#define NNFW_F32_BINARY_ROW                                     \
	{                                                       \
		.add = add, .sub = sub, .mul = mul, .div = div, \
	}

#endif

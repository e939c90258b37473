/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that compute real numbers whatever the type of their operands: float32 views of
 * tensors.
 */
#ifndef NNFW_REAL_H
#define NNFW_REAL_H

#include "nnprog_shape.h"
#include "kernels/kernel.h"

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

#endif

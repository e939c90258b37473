/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations that move data share: fills, and copies along strides. */
#ifndef NNFW_MOVE_H
#define NNFW_MOVE_H

#include <string.h>

#include "nnprog_shape.h"
#include "kernels/kernel.h"

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

#endif

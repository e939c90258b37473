/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data types and shapes of tensors.
 *
 * Shapes: dims are counts of elements, outermost first. NNPROG_DIM_UNKNOWN and NNPROG_RANK_UNKNOWN
 * mark what only the run knows; 0 is a zero-sized dimension.
 */
#ifndef NNPROG_SHAPE_H
#define NNPROG_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNPROG_MAX_RANK 10u
#define NNPROG_RANK_UNKNOWN 0xffffffffu
#define NNPROG_DIM_UNKNOWN 0xffffffffu

/** Largest static tensor, bytes. */
#define NNPROG_MAX_TENSOR_SIZE (1ull << 31)

/**
 * Data types. Quantization is a property of the tensor, not of the type. Bits of masks are 1 <<
 * type.
 */
enum nnprog_dtype {
	NNPROG_FLOAT32 = 0,
	NNPROG_FLOAT16 = 1,
	NNPROG_INT32 = 2,
	NNPROG_UINT32 = 3,
	NNPROG_BOOL8 = 4, /* 0 false, else true; written as 0 or 1 */
	NNPROG_UINT8 = 5, /* real = (q - zero_point) * scale */
	NNPROG_INT8 = 6, /* as UINT8, or per channel: real = q * scales[c] */
	NNPROG_INT16 = 7,
	NNPROG_UINT16 = 8,
	NNPROG_DTYPE_COUNT,
	/* beyond: for operations of extensions alone, which say themselves what the bits mean */
	NNPROG_INT64 = NNPROG_DTYPE_COUNT,
	NNPROG_DTYPE_END
};

/** Shape of a tensor; rank or dims may be unknown. */
struct nnprog_shape {
	uint32_t rank;
	uint32_t dims[NNPROG_MAX_RANK];
};

/** Bytes of an element; 0 for an unknown type. */
size_t nnprog_dtype_size(uint32_t dtype);
const char *nnprog_dtype_name(uint32_t dtype);

/** Whether rank and every dim are known. */
bool nnprog_shape_complete(const struct nnprog_shape *shape);

/**
 * Elements and bytes of a complete shape. 0, -EINVAL (incomplete), -EOVERFLOW (>
 * NNPROG_MAX_TENSOR_SIZE).
 */
int nnprog_shape_elements(const struct nnprog_shape *shape, uint64_t *elements);
int nnprog_shape_bytes(const struct nnprog_shape *shape, uint32_t dtype, uint64_t *bytes);

/** Merge what two shapes know of the same tensor into @into. 0, or -EINVAL when they contradict. */
int nnprog_shape_merge(struct nnprog_shape *into, const struct nnprog_shape *other);

/**
 * Output extent and padding of a sliding window, shared by shape rules and kernels: SAME, VALID and
 * EXPLICIT as operations.md 0.1. 0, or -EINVAL when no output element exists (in 0 gives out 0).
 */
int nnprog_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t dilation,
		  uint32_t padding, uint32_t pad_head, uint32_t pad_tail, uint32_t *out,
		  uint32_t *head, uint32_t *tail);

/**
 * TRANSPOSE_CONV_2D along one dimension: the output's extent, and the head padding that is cut off
 * it. SAME derives it from @wanted, the extent asked for (above 0), as operations.md 0.1; EXPLICIT
 * takes the paddings. 0, or -EINVAL when no output element exists or the extent is too large.
 */
int nnprog_transpose_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t padding,
			    uint32_t wanted, int32_t pad_head, int32_t pad_tail, uint32_t *out,
			    int64_t *head);

/**
 * STRIDED_SLICE along one dimension: the first element and how many follow at @stride. Masked ends
 * are those of the dimension. 0, or -EINVAL when the stride is 0.
 */
int nnprog_strided_range(uint32_t dim, int32_t begin, int32_t end, int32_t stride,
			 bool begin_masked, bool end_masked, int64_t *start, uint32_t *count);

/** Broadcast two shapes (trailing alignment). 0 or -EINVAL; unknown parts stay unknown. */
int nnprog_broadcast(const struct nnprog_shape *a, const struct nnprog_shape *b,
		     struct nnprog_shape *out);

#endif

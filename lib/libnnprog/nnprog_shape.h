/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data types and shapes of tensors.
 *
 * Shapes: dims are counts of elements, outermost first. NNPROG_DIM_UNKNOWN and NNPROG_RANK_UNKNOWN
 * mark parts that only the run knows; 0 is a zero-sized dimension.
 */
#ifndef NNPROG_SHAPE_H
#define NNPROG_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNPROG_MAX_RANK 10u
#define NNPROG_RANK_UNKNOWN 0xffffffffu
#define NNPROG_DIM_UNKNOWN 0xffffffffu

/* Largest static tensor, bytes. */
#define NNPROG_MAX_TENSOR_SIZE (1ull << 31)

/**
 * enum nnprog_dtype - data types
 * @NNPROG_FLOAT32: IEEE 754 binary32
 * @NNPROG_FLOAT16: IEEE 754 binary16
 * @NNPROG_INT32: two's complement
 * @NNPROG_UINT32: unsigned
 * @NNPROG_BOOL8: 0 is false, all else true; written as 0 or 1
 * @NNPROG_UINT8: real = (q - zero_point) * scale
 * @NNPROG_INT8: as UINT8, or per channel: real = q * scales[c]
 * @NNPROG_INT16: as UINT8
 * @NNPROG_UINT16: as UINT8
 * @NNPROG_DTYPE_COUNT: number of the types of libnnprog's own operations
 * @NNPROG_INT64: for operations of extensions only, which define what the bits mean
 * @NNPROG_DTYPE_END: number of all types
 *
 * Quantization is a property of the tensor, not of the type. Bits of masks are 1 << type.
 */
enum nnprog_dtype {
	NNPROG_FLOAT32 = 0,
	NNPROG_FLOAT16 = 1,
	NNPROG_INT32 = 2,
	NNPROG_UINT32 = 3,
	NNPROG_BOOL8 = 4,
	NNPROG_UINT8 = 5,
	NNPROG_INT8 = 6,
	NNPROG_INT16 = 7,
	NNPROG_UINT16 = 8,
	NNPROG_DTYPE_COUNT,
	NNPROG_INT64 = NNPROG_DTYPE_COUNT,
	NNPROG_DTYPE_END
};

/**
 * struct nnprog_shape - shape of a tensor
 * @rank: number of dimensions, or %NNPROG_RANK_UNKNOWN
 * @dims: extents, outermost first; %NNPROG_DIM_UNKNOWN where unknown
 */
struct nnprog_shape {
	uint32_t rank;
	uint32_t dims[NNPROG_MAX_RANK];
};

/**
 * nnprog_dtype_size() - bytes of an element
 * @dtype: data type
 *
 * Return: the size, 0 for an unknown type.
 */
size_t nnprog_dtype_size(uint32_t dtype);

/**
 * nnprog_dtype_name() - name of a data type
 * @dtype: data type
 *
 * Return: the name, for messages.
 */
const char *nnprog_dtype_name(uint32_t dtype);

/**
 * nnprog_shape_complete() - whether rank and all dimensions are known
 * @shape: the shape
 *
 * Return: true when they are.
 */
bool nnprog_shape_complete(const struct nnprog_shape *shape);

/**
 * nnprog_shape_elements() - number of elements of a complete shape
 * @shape: the shape
 * @elements: the number
 *
 * Return: 0, -EINVAL (incomplete) or -EOVERFLOW (more than %NNPROG_MAX_TENSOR_SIZE).
 */
int nnprog_shape_elements(const struct nnprog_shape *shape, uint64_t *elements);

/**
 * nnprog_shape_bytes() - bytes of a tensor of a complete shape
 * @shape: the shape
 * @dtype: data type of the tensor
 * @bytes: the size
 *
 * Return: as nnprog_shape_elements().
 */
int nnprog_shape_bytes(const struct nnprog_shape *shape, uint32_t dtype, uint64_t *bytes);

/**
 * nnprog_shape_merge() - merge what two shapes say of one tensor
 * @into: one of them, and the result
 * @other: the other
 *
 * Return: 0, or -EINVAL when they contradict each other.
 */
int nnprog_shape_merge(struct nnprog_shape *into, const struct nnprog_shape *other);

/**
 * nnprog_window() - output extent and padding of a sliding window along one dimension
 * @in: extent of the input; 0 gives @out 0
 * @filter: extent of the filter
 * @stride: step of the window
 * @dilation: distance of the filter's elements
 * @padding: enum nnprog_padding: "Padding" in Documentation/operations.rst
 * @pad_head: padding before the input, with EXPLICIT
 * @pad_tail: padding behind the input, with EXPLICIT
 * @out: extent of the output
 * @head: padding before the input
 * @tail: padding behind the input
 *
 * Shared by shape rules and kernels.
 *
 * Return: 0, or -EINVAL when there is no output element.
 */
int nnprog_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t dilation,
		  uint32_t padding, uint32_t pad_head, uint32_t pad_tail, uint32_t *out,
		  uint32_t *head, uint32_t *tail);

/**
 * nnprog_transpose_window() - TRANSPOSE_CONV_2D along one dimension
 * @in: extent of the input
 * @filter: extent of the filter
 * @stride: step of the window
 * @padding: enum nnprog_padding: SAME derives @head from @wanted, EXPLICIT takes the paddings
 * @wanted: the requested output extent, above 0; SAME only
 * @pad_head: padding at the start, with EXPLICIT
 * @pad_tail: padding at the end, with EXPLICIT; may be negative
 * @out: extent of the output
 * @head: elements that are cut off the start of the output
 *
 * Return: 0, or -EINVAL when there is no output element or the extent is too large.
 */
int nnprog_transpose_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t padding,
			    uint32_t wanted, int32_t pad_head, int32_t pad_tail, uint32_t *out,
			    int64_t *head);

/**
 * nnprog_strided_range() - STRIDED_SLICE along one dimension
 * @dim: extent of the input
 * @begin: first element; negative numbers count from the end
 * @end: end of the range, as @begin
 * @stride: step; negative: backwards
 * @begin_masked: begin at the first element, or for a negative @stride at the last, instead
 * @end_masked: go to the end, or for a negative @stride to the start, instead
 * @start: first element
 * @count: number of elements
 *
 * Return: 0, or -EINVAL when @stride is 0.
 */
int nnprog_strided_range(uint32_t dim, int32_t begin, int32_t end, int32_t stride,
			 bool begin_masked, bool end_masked, int64_t *start, uint32_t *count);

/**
 * nnprog_broadcast() - broadcast two shapes, aligned at their last dimensions
 * @a: one shape
 * @b: the other
 * @out: the result; unknown parts stay unknown
 *
 * Return: 0 or -EINVAL.
 */
int nnprog_broadcast(const struct nnprog_shape *a, const struct nnprog_shape *b,
		     struct nnprog_shape *out);

#endif

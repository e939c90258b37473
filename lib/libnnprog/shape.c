// SPDX-License-Identifier: Apache-2.0
/* Data types, shapes, and the two shape rules that kernels share with the descriptors. */
#include <errno.h>

#include "nnprog_attrs.h"
#include "nnprog_shape.h"

static const struct {
	const char *name;
	size_t size;
} dtypes[NNPROG_DTYPE_END] = {
	[NNPROG_FLOAT32] = { "float32", 4 }, [NNPROG_FLOAT16] = { "float16", 2 },
	[NNPROG_INT32] = { "int32", 4 },     [NNPROG_UINT32] = { "uint32", 4 },
	[NNPROG_BOOL8] = { "bool8", 1 },     [NNPROG_UINT8] = { "uint8", 1 },
	[NNPROG_INT8] = { "int8", 1 },	     [NNPROG_INT16] = { "int16", 2 },
	[NNPROG_UINT16] = { "uint16", 2 },   [NNPROG_INT64] = { "int64", 8 },
};

size_t nnprog_dtype_size(uint32_t dtype)
{
	return dtype < NNPROG_DTYPE_END ? dtypes[dtype].size : 0;
}

const char *nnprog_dtype_name(uint32_t dtype)
{
	return dtype < NNPROG_DTYPE_END ? dtypes[dtype].name : "?";
}

bool nnprog_shape_complete(const struct nnprog_shape *shape)
{
	if (shape->rank > NNPROG_MAX_RANK)
		return false;
	for (uint32_t i = 0; i < shape->rank; i++) {
		if (shape->dims[i] == NNPROG_DIM_UNKNOWN)
			return false;
	}
	return true;
}

int nnprog_shape_elements(const struct nnprog_shape *shape, uint64_t *elements)
{
	uint64_t n = 1;
	bool empty = false;

	if (!nnprog_shape_complete(shape))
		return -EINVAL;
	/* a zero dimension does not excuse an absurd product of the others */
	for (uint32_t i = 0; i < shape->rank; i++) {
		if (!shape->dims[i])
			empty = true;
		else if (__builtin_mul_overflow(n, (uint64_t)shape->dims[i], &n) ||
			 n > NNPROG_MAX_TENSOR_SIZE)
			return -EOVERFLOW;
	}
	*elements = empty ? 0 : n;
	return 0;
}

int nnprog_shape_bytes(const struct nnprog_shape *shape, uint32_t dtype, uint64_t *bytes)
{
	size_t size = nnprog_dtype_size(dtype);
	uint64_t n;
	int ret = nnprog_shape_elements(shape, &n);

	if (ret)
		return ret;
	if (!size)
		return -EINVAL;
	n *= size;
	if (n > NNPROG_MAX_TENSOR_SIZE)
		return -EOVERFLOW;
	*bytes = n;
	return 0;
}

int nnprog_shape_merge(struct nnprog_shape *into, const struct nnprog_shape *other)
{
	struct nnprog_shape merged = *into;

	if (other->rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (into->rank == NNPROG_RANK_UNKNOWN) {
		*into = *other;
		return 0;
	}
	if (into->rank != other->rank || into->rank > NNPROG_MAX_RANK)
		return -EINVAL;
	for (uint32_t i = 0; i < into->rank; i++) {
		if (merged.dims[i] == NNPROG_DIM_UNKNOWN)
			merged.dims[i] = other->dims[i];
		else if (other->dims[i] != NNPROG_DIM_UNKNOWN && merged.dims[i] != other->dims[i])
			return -EINVAL;
	}
	*into = merged;
	return 0;
}

int nnprog_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t dilation,
		  uint32_t padding, uint32_t pad_head, uint32_t pad_tail, uint32_t *out,
		  uint32_t *head, uint32_t *tail)
{
	uint64_t effective, extent, needed, n;

	*out = *head = *tail = 0;
	if (!filter || !stride || !dilation || padding >= NNPROG_PAD_COUNT)
		return -EINVAL;
	if (!in)
		return 0;
	effective = (uint64_t)(filter - 1) * dilation + 1;
	if (padding == NNPROG_PAD_SAME) {
		n = ((uint64_t)in + stride - 1) / stride;
		needed = (n - 1) * stride;
		if (effective > UINT32_MAX || needed + effective > UINT32_MAX)
			return -EINVAL;
		needed += effective;
		if (needed > in) {
			*head = (uint32_t)((needed - in) / 2);
			*tail = (uint32_t)(needed - in) - *head;
		}
		*out = (uint32_t)n;
		return 0;
	}
	extent = in;
	if (padding == NNPROG_PAD_EXPLICIT) {
		extent += (uint64_t)pad_head + pad_tail;
		*head = pad_head;
		*tail = pad_tail;
	}
	if (effective > extent)
		return -EINVAL;
	n = (extent - effective) / stride + 1;
	if (n >= NNPROG_DIM_UNKNOWN)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

int nnprog_transpose_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t padding,
			    uint32_t wanted, int32_t pad_head, int32_t pad_tail, uint32_t *out,
			    int64_t *head)
{
	int64_t needed, tail = 0;
	__int128 n;

	*out = 0;
	*head = 0;
	if (!in || !filter || !stride || padding >= NNPROG_PAD_COUNT)
		return -EINVAL;
	if (padding == NNPROG_PAD_SAME) {
		if (!wanted)
			return -EINVAL;
		/* below wanted + filter */
		needed = (((int64_t)wanted + stride - 1) / stride - 1) * stride + filter;
		*head = needed > wanted ? (needed - wanted) / 2 : 0;
		tail = needed - wanted - *head;
	} else if (padding == NNPROG_PAD_EXPLICIT) {
		*head = pad_head;
		tail = pad_tail;
	}
	n = (__int128)(in - 1) * stride + filter - *head - tail;
	if (n <= 0 || n >= NNPROG_DIM_UNKNOWN)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

int nnprog_strided_range(uint32_t dim, int32_t begin, int32_t end, int32_t stride,
			 bool begin_masked, bool end_masked, int64_t *start, uint32_t *count)
{
	int64_t lo = stride > 0 ? 0 : -1, hi = stride > 0 ? dim : (int64_t)dim - 1;
	int64_t first = begin < 0 ? (int64_t)begin + dim : begin;
	int64_t last = end < 0 ? (int64_t)end + dim : end, span;

	*start = 0;
	*count = 0;
	if (!stride)
		return -EINVAL;
	first = first < lo ? lo : first > hi ? hi : first;
	last = last < lo ? lo : last > hi ? hi : last;
	if (begin_masked)
		first = stride > 0 ? lo : hi;
	if (end_masked)
		last = stride > 0 ? hi : lo;
	span = stride > 0 ? last - first : first - last;
	*start = first;
	if (span > 0) {
		int64_t step = stride > 0 ? stride : -(int64_t)stride;

		*count = (uint32_t)((span + step - 1) / step);
	}
	return 0;
}

int nnprog_broadcast(const struct nnprog_shape *a, const struct nnprog_shape *b,
		     struct nnprog_shape *out)
{
	uint32_t rank;

	*out = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	if (a->rank == NNPROG_RANK_UNKNOWN || b->rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (a->rank > NNPROG_MAX_RANK || b->rank > NNPROG_MAX_RANK)
		return -EINVAL;
	rank = a->rank > b->rank ? a->rank : b->rank;
	for (uint32_t i = 0; i < rank; i++) {
		/* from the last dimension backwards */
		uint32_t da = i < a->rank ? a->dims[a->rank - 1 - i] : 1;
		uint32_t db = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
		uint32_t d;

		if (da == db || db == 1)
			d = da;
		else if (da == 1)
			d = db;
		else if (da == NNPROG_DIM_UNKNOWN)
			d = db; /* db is known and not 1: the unknown one is 1 or db */
		else if (db == NNPROG_DIM_UNKNOWN)
			d = da;
		else
			return -EINVAL;
		out->dims[rank - 1 - i] = d;
	}
	out->rank = rank;
	return 0;
}

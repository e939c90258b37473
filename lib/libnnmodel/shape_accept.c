// SPDX-License-Identifier: Apache-2.0
/* Shapes that are not known completely, and which complete shapes they accept. */
#include "nnmodel_shape.h"

#include <errno.h>
#include <string.h>

bool nnmodel_shape_complete(uint32_t rank, const uint32_t *dims)
{
	for (uint32_t i = 0; i < rank; i++)
		if (!dims[i])
			return false;
	return rank > 0;
}

bool nnmodel_shape_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank,
			 const uint32_t *other_dims)
{
	if (!other_rank)
		return true;
	if (!*rank) {
		*rank = other_rank;
		memcpy(dims, other_dims, other_rank * sizeof(*dims));
		return true;
	}
	if (*rank != other_rank)
		return false;
	for (uint32_t i = 0; i < other_rank; i++)
		if (dims[i] && other_dims[i] && dims[i] != other_dims[i])
			return false;
	for (uint32_t i = 0; i < other_rank; i++)
		if (!dims[i])
			dims[i] = other_dims[i];
	return true;
}

int nnmodel_shape_bytes(uint64_t element, uint32_t rank, const uint32_t *dims, uint64_t *bytes)
{
	uint64_t n = element;

	if (n > UINT32_MAX)
		return -EOVERFLOW;
	/* no product of two numbers below 2^32 overflows */
	for (uint32_t i = 0; i < rank; i++) {
		n *= dims[i] ? dims[i] : 1;
		if (n > UINT32_MAX)
			return -EOVERFLOW;
	}
	*bytes = n;
	return 0;
}

enum nnmodel_verdict nnmodel_shape_accept(const struct nnmodel_declared *declared,
					  const struct nnmodel_reported *reported, uint64_t *bytes)
{
	const uint32_t rank = reported->rank;
	bool empty = false;

	if (rank > declared->max_rank || (declared->rank && rank != declared->rank))
		return NNMODEL_OTHER_SHAPE;
	for (uint32_t i = 0; i < rank; i++) {
		if (declared->rank && declared->dims[i] && reported->dims[i] != declared->dims[i])
			return NNMODEL_OTHER_SHAPE;
		empty = empty || !reported->dims[i];
	}
	*bytes = 0;
	if (!empty && nnmodel_shape_bytes(declared->element, rank, reported->dims, bytes))
		return NNMODEL_TOO_LARGE;
	return reported->sufficient == (*bytes <= declared->room) ? NNMODEL_ACCEPTED
								  : NNMODEL_FALSE_SUFFICIENCY;
}

// SPDX-License-Identifier: Apache-2.0
/* Shapes that are not known completely. */
#include <string.h>

#include "runtime.h"

bool nnr_dims_complete(uint32_t type, const uint32_t *dims, uint32_t rank)
{
	uint32_t i;

	if (!nnr_type_is_tensor(type))
		return true;
	for (i = 0; i < rank; i++)
		if (!dims[i])
			return false;
	return rank > 0;
}

bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank, const uint32_t *other_dims)
{
	uint32_t i;

	if (!other_rank)
		return true;
	if (other_rank > NNR_MAX_RANK)
		return false;
	if (!*rank) {
		*rank = other_rank;
		memcpy(dims, other_dims, other_rank * sizeof(*dims));
		return true;
	}
	if (*rank != other_rank)
		return false;
	for (i = 0; i < other_rank; i++)
		if (dims[i] && other_dims[i] && dims[i] != other_dims[i])
			return false;
	for (i = 0; i < other_rank; i++)
		if (!dims[i])
			dims[i] = other_dims[i];
	return true;
}

// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "nnprog_shape.h"
#include "core_program.h"

bool nnfw_tensor_complete(const struct nnfw_tensor *t)
{
	if (t->omitted || t->rank > NNPROG_MAX_RANK)
		return false;
	for (uint32_t i = 0; i < t->rank; i++)
		if (t->dims[i] == NNPROG_DIM_UNKNOWN)
			return false;
	return true;
}

void nnfw_tensor_shape(const struct nnfw_tensor *t, struct nnprog_shape *shape)
{
	shape->rank = t->rank;
	memcpy(shape->dims, t->dims, sizeof(shape->dims));
}

void nnfw_tensor_set_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape)
{
	t->rank = shape->rank;
	memcpy(t->dims, shape->dims, sizeof(t->dims));
}

int nnfw_tensor_sizes(struct nnfw_tensor *t)
{
	struct nnprog_shape shape;
	uint64_t bytes;

	nnfw_tensor_shape(t, &shape);
	if (nnprog_shape_elements(&shape, &t->elements) ||
	    nnprog_shape_bytes(&shape, t->dtype, &bytes))
		return -EOVERFLOW;
	t->size = bytes;
	return 0;
}

bool nnfw_tensor_take_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape)
{
	struct nnprog_shape merged;

	nnfw_tensor_shape(t, &merged);
	if (nnprog_shape_merge(&merged, shape))
		return false;
	nnfw_tensor_set_shape(t, &merged);
	return !nnfw_tensor_sizes(t);
}

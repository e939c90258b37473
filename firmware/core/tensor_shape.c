// SPDX-License-Identifier: Apache-2.0
/* Shapes and sizes of tensors, and what an operation on them has to do. */
#include <errno.h>
#include <string.h>

#include "nnfw_ops.h"
#include "nnprog_desc.h"
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

struct op_work nnfw_op_work(const struct nnfw_op_ctx *ctx)
{
	const uint32_t opcode = ctx->desc->opcode;
	const struct nnfw_op *op = opcode < NNPROG_OP_COUNT ? nnfw_op_table[opcode] : NULL;
	struct op_work work = { 0 };

	for (uint32_t i = 0; i < ctx->num_in; i++)
		if (!ctx->in[i].omitted)
			work.bytes += ctx->in[i].size;
	for (uint32_t i = 0; i < ctx->num_out; i++) {
		work.elements += ctx->out[i].elements;
		work.bytes += ctx->out[i].size;
	}
	if (op && op->macs)
		work.macs = op->macs(ctx);
	return work;
}

// SPDX-License-Identifier: Apache-2.0
/* Entries of a tensor by index or by key. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* Entries of input @values along @axis that input @indices names; @embedding: EMBEDDING_LOOKUP. */
static int gather_emit(struct lower *l, uint32_t values, uint32_t indices, int32_t axis,
		       bool embedding)
{
	const struct nnprog_attr_axis a = { .axis = axis, .pack = embedding };
	uint32_t in[2], out;
	int ret;

	ret = lower_in(l, values, &in[0]);
	if (!ret)
		ret = lower_in(l, indices, &in[1]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_GATHER, &a, sizeof(a), in, 2, &out, 1);
}

static int lower_gather(struct lower *l)
{
	int32_t axis;
	const int ret = lower_int32(l, 1, &axis);

	return ret ? ret : gather_emit(l, 0, 2, axis, false);
}

static int lower_embedding_lookup(struct lower *l)
{
	const struct nnmodel_operand *lookups = lower_operand(l, 0), *values = lower_operand(l, 1);

	if (lookups->rank && lookups->rank != 1)
		return lower_refuse(l, l->op->inputs[0],
				    "lookups (operand %u) have rank %u, must be 1",
				    l->op->inputs[0], lookups->rank);
	if (values->rank == 1)
		return lower_refuse(l, l->op->inputs[1],
				    "values (operand %u) have rank 1, must be 2 or more",
				    l->op->inputs[1]);
	return gather_emit(l, 1, 0, 0, true);
}

static int lower_hashtable_lookup(struct lower *l)
{
	uint32_t in[3], out[2], i;
	int ret = 0;

	for (i = 0; !ret && i < 3; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[2], &out[0]);
	if (!ret)
		ret = lower_out_quant(l, 1, 1, 0, &out[1]);
	return ret ? ret : lower_emit(l, NNPROG_OP_HASHTABLE_LOOKUP, NULL, 0, in, 3, out, 2);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_GATHER, .lower = lower_gather },
	{ .opcode = NNMODEL_EMBEDDING_LOOKUP, .lower = lower_embedding_lookup },
	{ .opcode = NNMODEL_HASHTABLE_LOOKUP, .lower = lower_hashtable_lookup },
};
LOWER_FAMILY(gather, rows);

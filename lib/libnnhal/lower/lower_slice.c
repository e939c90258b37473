// SPDX-License-Identifier: Apache-2.0
/*
 * SLICE, STRIDED_SLICE, SPLIT, GATHER, TILE, TOPK_V2, MIRROR_PAD, REVERSE and the lookups: parts of
 * a tensor, in its quantization.
 */
#include <errno.h>
#include <stdlib.h>

#include "context.h"

/* Inputs 0 .. @n - 1, all tensors, to output 0 of input 0's quantization. */
static int move(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size, uint32_t n)
{
	uint32_t in[4], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}

int lower_slice(struct lower *l)
{
	return move(l, NNPROG_OP_SLICE, NULL, 0, 3);
}

/* Bits beyond the greatest rank say nothing. */
static int mask(struct lower *l, uint32_t i, uint32_t *bits)
{
	int32_t v = 0;
	const int ret = lower_int32(l, i, &v);

	*bits = (uint32_t)v & ((1u << NNPROG_MAX_RANK) - 1);
	return ret;
}

int lower_strided_slice(struct lower *l)
{
	struct nnprog_attr_strided_slice a = { 0 };
	int ret;

	ret = mask(l, 4, &a.begin_mask);
	if (!ret)
		ret = mask(l, 5, &a.end_mask);
	if (!ret)
		ret = mask(l, 6, &a.shrink_mask);
	return ret ? ret : move(l, NNPROG_OP_STRIDED_SLICE, &a, sizeof(a), 4);
}

int lower_tile(struct lower *l)
{
	return move(l, NNPROG_OP_TILE, NULL, 0, 2);
}

int lower_reverse(struct lower *l)
{
	struct nnprog_operand x, axis;
	uint32_t in[2], i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++)
		ret = lower_in(l, i, &in[i]);
	if (ret)
		return ret;
	/* one that comes with the run is judged there */
	x = lower_get(l, in[0]);
	axis = lower_get(l, in[1]);
	if (axis.data && x.shape.rank != NNPROG_RANK_UNKNOWN) {
		const int32_t v = *(const int32_t *)axis.data;

		if (v < 0 || (uint32_t)v >= x.shape.rank)
			return lower_refuse(l, l->op->inputs[1],
					    "axis (operand %u) is %d for rank %u", l->op->inputs[1],
					    v, x.shape.rank);
	}
	return move(l, NNPROG_OP_REVERSE, NULL, 0, 2);
}

int lower_mirror_pad(struct lower *l)
{
	struct nnprog_attr_mirror_pad a = { 0 };
	uint32_t mode;
	int ret = lower_uint(l, 2, 0, &mode);

	if (!ret && mode > 1)
		ret = lower_refuse(l, l->op->inputs[2], "mode (operand %u) is %u, must be 0 or 1",
				   l->op->inputs[2], mode);
	a.symmetric = mode;
	return ret ? ret : move(l, NNPROG_OP_MIRROR_PAD, &a, sizeof(a), 2);
}

int lower_split(struct lower *l)
{
	struct nnprog_attr_axis a = { 0 };
	const uint32_t n = l->op->num_outputs;
	uint32_t in, *out, parts, i;
	int ret;

	ret = lower_int32(l, 1, &a.axis);
	if (!ret)
		ret = lower_uint(l, 2, 1, &parts);
	if (!ret && parts != n)
		ret = lower_refuse(l, l->op->inputs[2], "%u parts (operand %u), but %u outputs",
				   parts, l->op->inputs[2], n);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (ret)
		return ret;
	out = calloc(n, sizeof(*out));
	if (!out)
		return -ENOMEM;
	for (i = 0; !ret && i < n; i++)
		ret = lower_out_like(l, i, in, &out[i]);
	if (!ret)
		ret = lower_emit(l, NNPROG_OP_SPLIT, &a, sizeof(a), &in, 1, out, n);
	free(out);
	return ret;
}

/* Entries of input @values along @axis that input @indices names; @embedding: EMBEDDING_LOOKUP. */
static int gather(struct lower *l, uint32_t values, uint32_t indices, int32_t axis, bool embedding)
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

int lower_gather(struct lower *l)
{
	int32_t axis;
	const int ret = lower_int32(l, 1, &axis);

	return ret ? ret : gather(l, 0, 2, axis, false);
}

int lower_embedding_lookup(struct lower *l)
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
	return gather(l, 1, 0, 0, true);
}

int lower_hashtable_lookup(struct lower *l)
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

int lower_topk(struct lower *l)
{
	struct nnprog_attr_topk a = { 0 };
	uint32_t in, out[2];
	int ret;

	ret = lower_uint(l, 1, 1, &a.k);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out[0]);
	if (!ret)
		ret = lower_out(l, 1, &out[1]);
	return ret ? ret : lower_emit(l, NNPROG_OP_TOPK, &a, sizeof(a), &in, 1, out, 2);
}

// SPDX-License-Identifier: Apache-2.0
/* SLICE, STRIDED_SLICE, SPLIT. */
#include <errno.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

static int lower_slice(struct lower *l)
{
	return lower_move(l, NNPROG_OP_SLICE, NULL, 0, 3, false);
}

/* Bits beyond the greatest rank are ignored. */
static int slice_mask(struct lower *l, uint32_t i, uint32_t *bits)
{
	int32_t v = 0;
	const int ret = lower_int32(l, i, &v);

	*bits = (uint32_t)v & ((1u << NNPROG_MAX_RANK) - 1);
	return ret;
}

static int lower_strided_slice(struct lower *l)
{
	struct nnprog_attr_strided_slice a = { 0 };
	int ret;

	ret = slice_mask(l, 4, &a.begin_mask);
	if (!ret)
		ret = slice_mask(l, 5, &a.end_mask);
	if (!ret)
		ret = slice_mask(l, 6, &a.shrink_mask);
	return ret ? ret : lower_move(l, NNPROG_OP_STRIDED_SLICE, &a, sizeof(a), 4, false);
}

static int lower_split(struct lower *l)
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

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_SLICE, .lower = lower_slice },
	{ .opcode = NNMODEL_STRIDED_SLICE, .lower = lower_strided_slice },
	{ .opcode = NNMODEL_SPLIT, .lower = lower_split },
};
LOWER_FAMILY(slice, rows);

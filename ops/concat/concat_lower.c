// SPDX-License-Identifier: Apache-2.0
/* CONCATENATION and PACK. */
#include <errno.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/* Inputs @first .. @first + @n - 1 along the axis in @a. */
static int concatenate(struct lower *l, const struct nnprog_attr_axis *a, uint32_t first,
		       uint32_t n)
{
	uint32_t *in = calloc(n, sizeof(*in));
	uint32_t out, i;
	int ret = 0;

	if (!in)
		return -ENOMEM;
	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, first + i, &in[i]);
	if (!ret)
		ret = a->pack ? lower_out_like(l, 0, in[0], &out) : lower_out(l, 0, &out);
	if (!ret)
		ret = lower_emit(l, NNPROG_OP_CONCATENATION, a, sizeof(*a), in, n, &out, 1);
	free(in);
	return ret;
}

static int axis_from(struct lower *l, uint32_t i, struct nnprog_attr_axis *a)
{
	uint32_t axis;
	const int ret = lower_uint(l, i, 0, &axis);

	if (!ret)
		a->axis = (int32_t)axis;
	return ret;
}

static int lower_concatenation(struct lower *l)
{
	const uint32_t n = l->op->num_inputs - 1;
	struct nnprog_attr_axis a = { 0 };
	const int ret = axis_from(l, n, &a);

	return ret ? ret : concatenate(l, &a, 0, n);
}

static int lower_pack(struct lower *l)
{
	struct nnprog_attr_axis a = { .pack = 1 };
	const int ret = axis_from(l, 0, &a);

	return ret ? ret : concatenate(l, &a, 1, l->op->num_inputs - 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_CONCATENATION, .lower = lower_concatenation },
	{ .opcode = NNMODEL_PACK, .lower = lower_pack },
};
LOWER_FAMILY(concat, rows);

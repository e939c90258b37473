// SPDX-License-Identifier: Apache-2.0
/* DENSIFY. */
#include <errno.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_opcode.h"

static int lower_densify(struct lower *l)
{
	const uint32_t n = l->op->num_inputs;
	uint32_t *in = calloc(n, sizeof(*in)), out, i;
	int ret = 0;

	if (!in)
		return -ENOMEM;
	/* the block map, and operands that a level's format does not use, may be omitted */
	for (i = 0; !ret && i < n; i++)
		ret = i == 2 || i > 4 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	if (!ret)
		ret = lower_emit(l, NNPROG_OP_DENSIFY, NULL, 0, in, n, &out, 1);
	free(in);
	return ret;
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_DENSIFY, .lower = lower_densify },
};
LOWER_FAMILY(densify, rows);

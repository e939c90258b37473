// SPDX-License-Identifier: Apache-2.0
/* TILE and FILL. */
#include "nnhal_lowering.h"
#include "nnprog_opcode.h"

static int lower_tile(struct lower *l)
{
	return lower_move(l, NNPROG_OP_TILE, NULL, 0, 2, false);
}

static int lower_fill(struct lower *l)
{
	uint32_t in[2], out;
	int ret;

	ret = lower_in(l, 0, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_FILL, NULL, 0, in, 2, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_TILE, .lower = lower_tile },
	{ .opcode = NNMODEL_FILL, .lower = lower_fill },
};
LOWER_FAMILY(tile, rows);

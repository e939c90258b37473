// SPDX-License-Identifier: Apache-2.0
/* Comparisons, and SELECT. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_compare(struct lower *l)
{
	const struct nnprog_attr_compare a = { .kind = l->row->kind };

	return lower_all_inputs(l, NNPROG_OP_COMPARE, &a, sizeof(a));
}

static int lower_select(struct lower *l)
{
	return lower_all_inputs(l, NNPROG_OP_SELECT, NULL, 0);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_EQUAL, .lower = lower_compare, .kind = NNPROG_COMPARE_EQUAL },
	{ .opcode = NNMODEL_NOT_EQUAL, .lower = lower_compare, .kind = NNPROG_COMPARE_NOT_EQUAL },
	{ .opcode = NNMODEL_GREATER, .lower = lower_compare, .kind = NNPROG_COMPARE_GREATER },
	{ .opcode = NNMODEL_GREATER_EQUAL,
	  .lower = lower_compare,
	  .kind = NNPROG_COMPARE_GREATER_EQUAL },
	{ .opcode = NNMODEL_LESS, .lower = lower_compare, .kind = NNPROG_COMPARE_LESS },
	{ .opcode = NNMODEL_LESS_EQUAL, .lower = lower_compare, .kind = NNPROG_COMPARE_LESS_EQUAL },
	{ .opcode = NNMODEL_SELECT, .lower = lower_select },
};
LOWER_FAMILY(compare, rows);

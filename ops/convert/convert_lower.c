// SPDX-License-Identifier: Apache-2.0
/* Conversions between types and quantizations. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_convert(struct lower *l)
{
	const struct nnprog_attr_convert a = { .kind = l->row->kind };
	uint32_t in, out;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_CONVERT, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_QUANTIZE,
	  .lower = lower_convert,
	  .kind = NNPROG_CONVERT_REAL,
	  .requantize = LOWER_FROM_REAL },
	{ .opcode = NNMODEL_DEQUANTIZE,
	  .lower = lower_convert,
	  .kind = NNPROG_CONVERT_REAL,
	  .requantize = LOWER_TO_REAL },
	{ .opcode = NNMODEL_CAST, .lower = lower_convert, .kind = NNPROG_CONVERT_CAST },
};
LOWER_FAMILY(convert, rows);

// SPDX-License-Identifier: Apache-2.0
/* QUANTIZE, DEQUANTIZE, CAST. */
#include "context.h"

int lower_convert(struct lower *l)
{
	const struct nnprog_attr_convert a = { .kind = l->row->kind };
	uint32_t in, out;
	int ret;

	ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_CONVERT, &a, sizeof(a), &in, 1, &out, 1);
}

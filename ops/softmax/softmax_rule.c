// SPDX-License-Identifier: Apache-2.0
/* SOFTMAX and its logarithm. */
#include <math.h>

#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_softmax(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_softmax *a = attrs;

	if (!(a->beta > 0) || !isfinite(a->beta))
		return nnprog_refuse(err, "beta %g is not above 0", (double)a->beta);
	if (a->log > 1 || a->reserved)
		return nnprog_refuse(err, "log %u, reserved %u", a->log, a->reserved);
	return 0;
}

static int infer_softmax(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_softmax *a = attrs;
	uint32_t axis;
	int ret;

	(void)num_in;
	(void)num_out;
	ret = nnprog_need_type(&out[0], in[0].dtype, "output", err);
	if (ret)
		return ret;
	if (nnprog_is_quant8(in[0].dtype)) {
		if (a->log)
			return nnprog_refuse(err, "LOG_SOFTMAX takes floats only");
		ret = nnprog_need_scale(&in[0], "input", err);
		if (!ret)
			ret = nnprog_need_scale(&out[0], "output", err);
		if (ret)
			return ret;
	}
	if (nnprog_rank_known(&in[0])) {
		ret = nnprog_resolve_axis(a->axis, in[0].shape.rank, &axis, err);
		if (ret)
			return ret;
	}
	out[0].shape = in[0].shape;
	return nnprog_check_size(&out[0].shape, in[0].dtype, err);
}

static enum nnprog_empty softmax_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	const struct nnprog_attr_softmax *a = attrs;

	(void)rank;
	(void)input;
	return a->log ? NNPROG_EMPTY_FAILS : NNPROG_EMPTY_RUNS;
}

#define NNPROG_FAMILY_SOFTMAX
#include "nnprog_described.h"

// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED and BATCH_MATMUL. */
#include "nnmodel_rows.h"
#include "work.h"

static const struct nnmodel_sig_combo types[] = {
	{ 1, { F32, F32, F32, F32 } },
	{ 1, { Q8, Q8, I32, Q8 } },
	{ 3, { F16, F16, F16, F16 } },
	{ 4, { Q8S, Q8S, I32, Q8S } },
};

/* x, weights, bias, activation */
static const struct nnmodel_sig_form forms[] = {
	{ 1, "012i", "3" },
};

static int check(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *weights = nnmodel_sig_in(c, 1);
	const struct nnmodel_operand *bias = nnmodel_sig_in(c, 2), *out = nnmodel_sig_out(c, 0);
	uint64_t elements = 1;
	uint32_t i;

	if (in->rank && (in->rank < 2 || in->rank > 4))
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input 0 (operand %u) has rank %u, must be 2 to 4",
					  c->op->inputs[0], in->rank);
	if (weights->rank && bias->rank && weights->dims[0] && bias->dims[0] &&
	    weights->dims[0] != bias->dims[0])
		return nnmodel_sig_refuse(c, c->op->inputs[2],
					  "bias (operand %u) has %u elements for %u units",
					  c->op->inputs[2], bias->dims[0], weights->dims[0]);
	/* operands of 4 GiB and more were refused before: no overflow */
	for (i = 0; i < in->rank; i++)
		elements *= in->dims[i];
	if (in->rank && weights->rank && elements && weights->dims[1] &&
	    elements % weights->dims[1])
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input (operand %u) cannot be divided into rows of %u",
					  c->op->inputs[0], weights->dims[1]);
	/* the ratio of scales was limited before feature level 3 */
	if (in->type == Q8 && !(out->scale > in->scale * weights->scale))
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static const struct nnmodel_sig_form matmul_forms[] = {
	{ 6, "00bb", "0" }, /* x, y, adjoint of x, of y */
};

static const struct nnmodel_sig_combo matmul[] = {
	{ 6, { F32 } },
	{ 6, { F16 } },
	{ 6, { I32 } },
	{ 6, { Q8S } },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG_WORK(FULLY_CONNECTED, 1, types, forms, ".21", check,
			 nnmodel_work_fully_connected),
	NNMODEL_SIG_WORK(BATCH_MATMUL, 6, matmul, matmul_forms, NULL, NULL, nnmodel_work_matmul),
};
NNMODEL_FAMILY(matmul, sigs);

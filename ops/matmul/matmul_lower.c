// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED (the device reads any rank as [batch, in], as NNAPI does) and BATCH_MATMUL. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_fully_connected(struct lower *l)
{
	struct nnprog_attr_act a = { 0 };
	uint32_t in[3], out, i;
	int ret;

	ret = lower_activation(l, 3, &a.activation);
	for (i = 0; !ret && i < 3; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_FULLY_CONNECTED, &a, sizeof(a), in, 3, &out, 1);
}

static uint32_t fully_connected_activation(const struct nnmodel_subgraph *g,
					   const struct nnmodel_operation *op)
{
	(void)g;
	(void)op;
	return 3;
}

static int lower_batch_matmul(struct lower *l)
{
	struct nnprog_attr_batch_matmul a;
	bool adjoint[2] = { false, false };
	uint32_t in[2], out, i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		ret = lower_bool(l, 2 + i, &adjoint[i]);
		if (!ret)
			ret = lower_in(l, i, &in[i]);
	}
	a = (struct nnprog_attr_batch_matmul){ adjoint[0], adjoint[1] };
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_BATCH_MATMUL, &a, sizeof(a), in, 2, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_FULLY_CONNECTED,
	  .lower = lower_fully_connected,
	  .activation_input = fully_connected_activation },
	{ .opcode = NNMODEL_BATCH_MATMUL, .lower = lower_batch_matmul },
};
LOWER_FAMILY(matmul, rows);

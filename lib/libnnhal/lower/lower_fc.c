// SPDX-License-Identifier: Apache-2.0
/* FULLY_CONNECTED: the device reads any rank as [batch, in], as NNAPI does. */
#include "context.h"

int lower_fully_connected(struct lower *l)
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

// SPDX-License-Identifier: Apache-2.0
/* Outputs of bidirectional operations. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

int lower_two_outputs(struct lower *l, bool merge, uint32_t num_states, uint32_t *forward,
		      uint32_t *backward, uint32_t *states)
{
	const uint32_t sequences = merge ? 1 : 2, n = l->op->num_outputs;
	uint32_t x;
	int ret;

	if (n != sequences && n != sequences + num_states)
		return lower_refuse(l, LOWER_NONE, "%u outputs, must be %u or %u with %s outputs",
				    n, sequences, sequences + num_states,
				    merge ? "merged" : "separate");
	*states = n > sequences ? sequences : LOWER_NONE;
	if (!merge) {
		ret = lower_out(l, 0, forward);
		return ret ? ret : lower_out(l, 1, backward);
	}
	ret = lower_in(l, 0, &x);
	if (!ret) {
		const struct nnprog_operand op = {
			.dtype = lower_get(l, x).dtype,
			.shape = { .rank = NNPROG_RANK_UNKNOWN },
		};

		ret = lower_temp(l, &op, forward);
		if (!ret)
			ret = lower_temp(l, &op, backward);
	}
	return ret;
}

int lower_merge(struct lower *l, uint32_t forward, uint32_t backward)
{
	const struct nnprog_attr_axis a = { .axis = 2 };
	const uint32_t in[2] = { forward, backward };
	uint32_t out;
	const int ret = lower_out(l, 0, &out);

	return ret ? ret : lower_emit(l, NNPROG_OP_CONCATENATION, &a, sizeof(a), in, 2, &out, 1);
}

// SPDX-License-Identifier: Apache-2.0
/* RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN, SVDF. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

/*
 * x, then weights, recurrent weights, bias and state from input @cell on; @num_aux auxiliary
 * operands, or 0: it, its weights, those of the other direction.
 */
static int emit_cell(struct lower *l, const struct nnprog_attr_rnn *a, uint32_t cell,
		     const uint32_t *aux, uint32_t num_aux, const uint32_t *out, uint32_t num_out)
{
	uint32_t in[8], i;
	int ret;

	ret = lower_in(l, 0, &in[0]);
	for (i = 0; !ret && i < 4; i++)
		ret = lower_in(l, cell + i, &in[1 + i]);
	for (i = 0; !ret && i < num_aux; i++)
		ret = lower_in_opt(l, aux[i], &in[5 + i]);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_SEQUENCE_RNN, a, sizeof(*a), in, 5 + num_aux, out,
				num_out);
}

static int lower_rnn(struct lower *l)
{
	struct nnprog_attr_rnn a = { 0 };
	uint32_t out[2];
	int ret;

	if (lower_operand(l, 0)->rank && lower_operand(l, 0)->rank != 2)
		return lower_refuse(l, l->op->inputs[0],
				    "input 0 (operand %u) has rank %u, must be 2", l->op->inputs[0],
				    lower_operand(l, 0)->rank);
	ret = lower_uint(l, 5, 0, &a.activation);
	if (!ret)
		ret = lower_out(l, 1, &out[0]);
	if (!ret)
		ret = lower_out(l, 0, &out[1]);
	return ret ? ret : emit_cell(l, &a, 1, NULL, 0, out, 2);
}

/* Only RNN takes a single step. */
static int check_sequence(struct lower *l)
{
	const uint32_t rank = lower_operand(l, 0)->rank;

	return rank && rank != 3 ? lower_refuse(l, l->op->inputs[0],
						"input 0 (operand %u) has rank %u, must be 3",
						l->op->inputs[0], rank)
				 : 0;
}

static int lower_sequence_rnn(struct lower *l)
{
	struct nnprog_attr_rnn a = { 0 };
	uint32_t out[2], i;
	int ret;

	ret = check_sequence(l);
	if (!ret)
		ret = lower_uint(l, 5, 0, &a.activation);
	if (!ret)
		ret = lower_uint(l, 6, 0, &a.time_major);
	if (!ret && a.time_major > 1)
		ret = lower_refuse(l, l->op->inputs[6],
				   "time major (operand %u) is %u, must be 0 or 1",
				   l->op->inputs[6], a.time_major);
	for (i = 0; !ret && i < l->op->num_outputs; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret : emit_cell(l, &a, 1, NULL, 0, out, l->op->num_outputs);
}

static int lower_bidirectional_rnn(struct lower *l)
{
	/* the device decides which of them are given together and what an auxiliary input without
	 * weights means: a request may omit model inputs */
	const uint32_t aux[2][3] = { { 9, 10, 11 }, { 9, 11, 10 } };
	struct nnprog_attr_rnn a = { 0 };
	bool time_major = false, merge = false;
	uint32_t out[2][2], states, i;
	int ret;

	ret = check_sequence(l);
	if (!ret)
		ret = lower_uint(l, 12, 0, &a.activation);
	if (!ret)
		ret = lower_bool(l, 13, &time_major);
	if (!ret)
		ret = lower_bool(l, 14, &merge);
	a.time_major = time_major;
	if (!ret)
		ret = lower_two_outputs(l, merge, 2, &out[0][0], &out[1][0], &states);
	for (i = 0; !ret && i < 2; i++) {
		a.reverse = i;
		if (states != LOWER_NONE)
			ret = lower_out(l, states + i, &out[i][1]);
		if (!ret)
			ret = emit_cell(l, &a, 1 + 4 * i, aux[i], 3, out[i],
					states == LOWER_NONE ? 1 : 2);
	}
	return ret || !merge ? ret : lower_merge(l, out[0][0], out[1][0]);
}

static int lower_svdf(struct lower *l)
{
	struct nnprog_attr_svdf a = { 0 };
	uint32_t in[5], out[2], i;
	int ret;

	ret = lower_uint(l, 5, 1, &a.rank);
	if (!ret)
		ret = lower_activation(l, 6, &a.activation);
	for (i = 0; !ret && i < 5; i++)
		ret = i == 3 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	for (i = 0; !ret && i < 2; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret : lower_emit(l, NNPROG_OP_SVDF, &a, sizeof(a), in, 5, out, 2);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_RNN, .lower = lower_rnn },
	{ .opcode = NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN, .lower = lower_sequence_rnn },
	{ .opcode = NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN, .lower = lower_bidirectional_rnn },
	{ .opcode = NNMODEL_SVDF, .lower = lower_svdf },
};
LOWER_FAMILY(rnn, rows);

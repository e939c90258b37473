// SPDX-License-Identifier: Apache-2.0
/* UNIDIRECTIONAL_SEQUENCE_LSTM: the device's operand order, with the scalars taken out. */
#include "context.h"

#define NUM_TENSORS	20	/* inputs 0 .. 19 are tensors */
#define ACTIVATION	20
#define CELL_CLIP	21
#define PROJECTION_CLIP	22
#define TIME_MAJOR	23
#define LAYER_NORM	24	/* 24 .. 27 */
#define CELL_TO_INPUT	9

/* Bit i: input i may be omitted. The rest the device's own rule judges: which go together. */
#define OPTIONAL	(1u << 1 | 1u << 5 | 7u << 9 | 1u << 12 | 3u << 16)

static bool omitted(const struct lower *l, uint32_t i)
{
	return lower_operand(l, i)->lifetime == NNMODEL_NO_VALUE;
}

int lower_sequence_lstm(struct lower *l)
{
	struct nnprog_attr_lstm a = { 0 };
	uint32_t in[NUM_TENSORS + 4], out[3], i;
	bool time_major = false;
	int ret = 0;

	ret = lower_uint(l, ACTIVATION, 0, &a.activation);
	if (!ret)
		ret = lower_float(l, CELL_CLIP, &a.cell_clip);
	if (!ret)
		ret = lower_float(l, PROJECTION_CLIP, &a.projection_clip);
	if (!ret)
		ret = lower_bool(l, TIME_MAJOR, &time_major);
	a.time_major = time_major;
	for (i = 0; !ret && i < NUM_TENSORS; i++) {
		/* without an input gate its peephole has nothing to feed: ignored, as NNAPI's CPU does */
		if (i == CELL_TO_INPUT && omitted(l, 1))
			ret = lower_omitted(l, &in[i]);
		else
			ret = OPTIONAL & 1u << i ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	}
	for (i = 0; !ret && i < 4; i++)
		ret = lower_in_opt(l, LAYER_NORM + i, &in[NUM_TENSORS + i]);
	for (i = 0; !ret && i < l->op->num_outputs; i++)
		ret = lower_out(l, i, &out[i]);
	return ret ? ret : lower_emit(l, NNPROG_OP_SEQUENCE_LSTM, &a, sizeof(a), in, NUM_TENSORS + 4, out,
				      l->op->num_outputs);
}

// SPDX-License-Identifier: Apache-2.0
/* Blocks of pixels to depth or batch and back, and CHANNEL_SHUFFLE. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_space_depth(struct lower *l)
{
	struct nnprog_attr_space_depth a = { .to_depth = l->row->kind };
	bool nchw = false;
	uint32_t in, out;
	int ret;

	ret = lower_uint(l, 1, 1, &a.block);
	if (!ret && l->op->num_inputs > 2)
		ret = lower_bool(l, 2, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, in, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_SPACE_DEPTH, &a, sizeof(a), &in, 1, &out, 1);
}

static int lower_space_batch(struct lower *l)
{
	const struct nnprog_attr_space_batch a = { .to_batch = l->row->kind };
	const uint32_t layout = a.to_batch ? 3 : 2;
	bool nchw = false;
	uint32_t in[3], out;
	int ret = 0;

	if (l->op->num_inputs > layout)
		ret = lower_bool(l, layout, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = a.to_batch ? lower_in(l, 2, &in[2]) : lower_omitted(l, &in[2]);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, in[0], &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_SPACE_BATCH, &a, sizeof(a), in, 3, &out, 1);
}

static int lower_channel_shuffle(struct lower *l)
{
	struct nnprog_attr_channel_shuffle a = { 0 };
	uint32_t in, out;
	int ret;

	ret = lower_uint(l, 1, 1, &a.groups);
	if (!ret)
		ret = lower_int32(l, 2, &a.axis);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out_like(l, 0, in, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_CHANNEL_SHUFFLE, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_DEPTH_TO_SPACE, .lower = lower_space_depth },
	{ .opcode = NNMODEL_SPACE_TO_DEPTH, .lower = lower_space_depth, .kind = 1 },
	{ .opcode = NNMODEL_BATCH_TO_SPACE_ND, .lower = lower_space_batch },
	{ .opcode = NNMODEL_SPACE_TO_BATCH_ND, .lower = lower_space_batch, .kind = 1 },
	{ .opcode = NNMODEL_CHANNEL_SHUFFLE, .lower = lower_channel_shuffle },
};
LOWER_FAMILY(space, rows);

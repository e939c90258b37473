// SPDX-License-Identifier: Apache-2.0
/* AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static bool explicit_padding(const struct nnmodel_operation *op)
{
	return op->num_inputs >= 10;
}

static uint32_t activation_input(const struct nnmodel_subgraph *g,
				 const struct nnmodel_operation *op)
{
	(void)g;
	return explicit_padding(op) ? 9 : 6;
}

static int lower_pool(struct lower *l)
{
	struct nnprog_attr_pool2d a = { .kind = l->row->kind };
	struct lower_padding padding;
	uint32_t in, out, i;
	bool nchw = false;
	int ret;

	ret = lower_paddings(l, explicit_padding(l->op), 1, &padding, &i);
	if (ret)
		return ret;
	i++;
	a.padding = padding.mode;
	a.pad_left = padding.left;
	a.pad_right = padding.right;
	a.pad_top = padding.top;
	a.pad_bottom = padding.bottom;
	ret = lower_uint(l, i++, 1, &a.stride_w);
	if (!ret)
		ret = lower_uint(l, i++, 1, &a.stride_h);
	if (!ret)
		ret = lower_uint(l, i++, 1, &a.filter_w);
	if (!ret)
		ret = lower_uint(l, i++, 1, &a.filter_h);
	if (!ret)
		ret = lower_activation(l, i++, &a.activation);
	if (!ret && l->op->num_inputs > i)
		ret = lower_bool(l, i, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, in, &out);
	return ret ? ret : lower_emit(l, NNPROG_OP_POOL_2D, &a, sizeof(a), &in, 1, &out, 1);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_AVERAGE_POOL_2D,
	  .lower = lower_pool,
	  .kind = NNPROG_POOL_AVERAGE,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_MAX_POOL_2D,
	  .lower = lower_pool,
	  .kind = NNPROG_POOL_MAX,
	  .activation_input = activation_input },
	{ .opcode = NNMODEL_L2_POOL_2D,
	  .lower = lower_pool,
	  .kind = NNPROG_POOL_L2,
	  .activation_input = activation_input },
};
LOWER_FAMILY(pool, rows);

// SPDX-License-Identifier: Apache-2.0
/*
 * A firmware with one unit of its own: CONV_2D runs on the unit where it takes the operation, and
 * in nnaccel's kernel otherwise. The linker puts this entry into nnfw_op_table[] in place of
 * nnaccel's (-Wl,--wrap=nnfw_op_conv_2d), so no file of the firmware changes.
 *
 * load() and run() choose by what a program fixes, so they choose the same: a program that
 * nnaccel's kernel has loaded does not run on the unit.
 */
#include <errno.h>
#include <stdlib.h>

#include "conv_unit.h"
#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

extern const struct nnfw_op __real_nnfw_op_conv_2d, __wrap_nnfw_op_conv_2d;

#define nnaccel_conv __real_nnfw_op_conv_2d

/* What the unit keeps of a loaded program. */
struct unit_state {
	int32_t lowest, highest;
	float multipliers[];
};

static struct conv_unit_form operation_form(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *filter = &ctx->in[1];

	return (struct conv_unit_form){
		.in_channels = filter->dims[3],
		.out_channels = filter->dims[0],
		.filter_height = filter->dims[1],
		.filter_width = filter->dims[2],
		.stride_height = a->stride_h,
		.stride_width = a->stride_w,
		.dilation_height = a->dilation_h,
		.dilation_width = a->dilation_w,
		.filter_zero_point = filter->zero_point,
	};
}

/* A constant filter has all of its shape, in load() as well. */
static bool unit_takes(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	struct conv_unit_form form;
	char why[128];

	if (ctx->in[0].dtype != NNPROG_INT8 || ctx->in[1].dtype != NNPROG_INT8 ||
	    !ctx->in[1].constant || a->groups != 1)
		return false;
	form = operation_form(ctx);
	return !conv_unit_refuses(&form, why, sizeof(why));
}

static int unit_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *filter = &ctx->in[1], *out = &ctx->out[0];
	struct unit_state *s;

	*state = NULL;
	*size = 0;
	if (!unit_takes(ctx))
		return nnaccel_conv.load(ctx, state, size);
	*size = sizeof(*s) + filter->dims[0] * sizeof(s->multipliers[0]);
	if (ctx->reserve && ctx->reserve(ctx->loading, *size))
		return -ENOMEM;
	s = malloc(*size);
	if (!s)
		return -ENOMEM;
	conv_unit_bounds(a->activation, out->scale, out->zero_point, &s->lowest, &s->highest);
	for (uint32_t i = 0; i < filter->dims[0]; i++)
		s->multipliers[i] = conv_unit_multiplier(
			ctx->in[0].scale, filter->num_scales ? filter->scales[i] : filter->scale,
			out->scale);
	*state = s;
	return 0;
}

static size_t unit_scratch(const struct nnfw_op_ctx *ctx)
{
	return ctx->state && unit_takes(ctx) ? 0 : nnaccel_conv.scratch(ctx);
}

static int unit_rows(void *job, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	(void)slot;
	for (size_t row = first; row < end; row++) {
		int err = nnfw_progress_tick(progress);

		if (err)
			return err;
		conv_unit_run(job, row, row + 1);
	}
	return 0;
}

static int unit_run(struct nnfw_op_ctx *ctx)
{
	const struct unit_state *state = ctx->state;
	struct conv_unit_job job;
	struct nnfw_conv_geometry g;

	if (!state || !unit_takes(ctx))
		return nnaccel_conv.run(ctx);
	g = nnfw_conv_geometry(ctx);
	job = (struct conv_unit_job){
		.form = operation_form(ctx),
		.batch = (uint32_t)g.batch,
		.in_height = (uint32_t)g.in_h,
		.in_width = (uint32_t)g.in_w,
		.out_height = (uint32_t)g.out_h,
		.out_width = (uint32_t)g.out_w,
		.top = (uint32_t)g.top,
		.left = (uint32_t)g.left,
		.in_zero_point = ctx->in[0].zero_point,
		.out_zero_point = ctx->out[0].zero_point,
		.lowest = state->lowest,
		.highest = state->highest,
		.multipliers = state->multipliers,
		.bias = ctx->in[2].data,
		.filter = ctx->in[1].data,
		.in = ctx->in[0].data,
		.out = ctx->out[0].data,
	};
	return nnfw_split(ctx, g.batch * g.out_h, 1, unit_rows, &job);
}

static uint64_t unit_macs(const struct nnfw_op_ctx *ctx)
{
	return nnaccel_conv.macs(ctx);
}

const struct nnfw_op __wrap_nnfw_op_conv_2d = {
	.opcode = NNPROG_OP_CONV_2D,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.products = true,
	.macs = unit_macs,
	.load = unit_load,
	.unload = free,
	.scratch = unit_scratch,
	.run = unit_run,
};

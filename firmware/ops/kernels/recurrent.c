// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "f32_math/f32_math_kernels.h"
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "kernels/recurrent.h"
#include "nnprog_shape.h"

static void recurrent_clamp(float *x, size_t n, float lo, float hi)
{
	for (size_t i = 0; i < n; i++)
		x[i] = nnfw_clampf(x[i], lo, hi);
}

static void recurrent_activate(float *x, size_t n, uint32_t code)
{
	switch (code) {
	case 1:
		recurrent_clamp(x, n, 0, INFINITY);
		break;
	case 2:
		recurrent_clamp(x, n, -1, 1);
		break;
	case 3:
		recurrent_clamp(x, n, 0, 6);
		break;
	case 4:
		NNFW_KERNELS(f32_math)->tanh(x, n);
		break;
	case 6:
		NNFW_KERNELS(f32_math)->sigmoid(x, n);
		break;
	default:
		break;
	}
}

int nnfw_recurrent_activate(struct nnfw_work *work, float *x, size_t n, uint32_t code)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		recurrent_activate(x + i, end - i, code);
	}
	return 0;
}

/* ---- sequences ---- */

struct nnfw_sequence nnfw_sequence_of(const struct nnfw_tensor *t, bool time_major)
{
	struct nnfw_sequence s = { .batch = t->dims[0], .time = 1, .n = t->dims[t->rank - 1] };

	s.step = s.batch * s.n;
	s.row = s.n;
	if (t->rank == 2)
		return s;
	s.batch = t->dims[time_major ? 1 : 0];
	s.time = t->dims[time_major ? 0 : 1];
	s.step = time_major ? s.batch * s.n : s.n;
	s.row = time_major ? s.n : s.time * s.n;
	return s;
}

#define ROWS 72u

int nnfw_recurrent_inputs(const struct nnfw_op_ctx *ctx, const struct nnfw_sequence *s,
			  const float *x, size_t first, size_t steps, bool reverse,
			  const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to)
{
	const size_t count = steps * s->batch;
	struct nnfw_f32_result part = *to;
	const float *rows[ROWS];
	struct nnfw_f32_left left = { .rows = rows, .stride = ROWS, .segments = 1, .length = w->k };
	size_t n = first, b = 0;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i += left.m, part.data += left.m * part.ld) {
		left.m = count - i < ROWS ? count - i : ROWS;
		for (size_t r = 0; r < left.m; r++) {
			rows[r] = x + (reverse ? s->time - 1 - n : n) * s->step + b * s->row;
			b = b + 1 == s->batch ? 0 : b + 1;
			n += !b;
		}
		ret = nnfw_f32_gemm_split(ctx, &left, w, &part);
	}
	return ret;
}

/* ---- operands ---- */

/* What load() prepares. */
struct state {
	const float *op[NNFW_RECURRENT_MAX_OPERANDS]; /* NULL: not by load() */
	const float *group[NNFW_RECURRENT_MAX_GROUPS];
};

static bool in_group(const struct nnfw_recurrent_group *groups, uint32_t num_groups, uint32_t k)
{
	for (uint32_t g = 0; g < num_groups; g++)
		for (uint32_t i = 0; i < groups[g].count; i++)
			if (groups[g].operands[i] == k)
				return true;
	return false;
}

static bool there(const struct nnfw_op_ctx *ctx, uint32_t k)
{
	return k < ctx->num_in && !ctx->in[k].omitted;
}

/* Extents and kind of a group; n is 0 when all is omitted. */
static struct nnfw_f32_weights recurrent_extents(const struct nnfw_op_ctx *ctx,
						 const struct nnfw_recurrent_group *group)
{
	struct nnfw_f32_weights w = { .far = ctx->far, .half = true };

	for (uint32_t i = 0; i < group->count; i++) {
		if (there(ctx, group->operands[i])) {
			w.n += ctx->in[group->operands[i]].dims[0];
			w.k = ctx->in[group->operands[i]].dims[1];
			w.half &= ctx->in[group->operands[i]].dtype == NNPROG_FLOAT16;
		}
	}
	w.half &= nnfw_f32_takes_half(w.n);
	return w;
}

/* All that is there is the program's. */
static bool is_constant(const struct nnfw_op_ctx *ctx, const struct nnfw_recurrent_group *group)
{
	bool any = false;

	for (uint32_t i = 0; i < group->count; i++) {
		const struct nnfw_tensor *t = &ctx->in[group->operands[i]];

		if (!there(ctx, group->operands[i]))
			continue;
		if (!t->constant || !t->data)
			return false;
		any = true;
	}
	return any;
}

static int recurrent_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_recurrent_group *group,
			  float *mem)
{
	const struct nnfw_f32_weights w = recurrent_extents(ctx, group);
	size_t column = 0;
	int ret = 0;

	for (uint32_t i = 0; i < group->count && !ret; i++) {
		const struct nnfw_tensor *t = &ctx->in[group->operands[i]];
		const struct nnfw_f32_source from = {
			.data = t->data,
			.half = t->dtype == NNPROG_FLOAT16,
			.keep = w.half,
			.column = w.k,
			.depth = 1,
		};

		if (!there(ctx, group->operands[i]))
			continue;
		ret = nnfw_f32_pack_split(ctx, mem, w.n, w.k, column, t->dims[0], &from);
		column += t->dims[0];
	}
	return ret;
}

static bool converted_by_load(const struct nnfw_tensor *t)
{
	return !t->omitted && t->constant && t->dtype == NNPROG_FLOAT16 && t->data;
}

static size_t state_size(const struct nnfw_op_ctx *ctx, const struct nnfw_recurrent_group *groups,
			 uint32_t num_groups)
{
	size_t bytes = 0;

	for (uint32_t g = 0; g < num_groups; g++) {
		const struct nnfw_f32_weights w = recurrent_extents(ctx, &groups[g]);

		if (is_constant(ctx, &groups[g]))
			bytes += nnfw_f32_packed_size(w.n, w.k, w.half);
	}
	for (uint32_t k = 0; k < ctx->num_in; k++)
		if (converted_by_load(&ctx->in[k]) && !in_group(groups, num_groups, k))
			bytes += nnfw_align(ctx->in[k].elements * sizeof(float));
	return bytes;
}

int nnfw_recurrent_load(const struct nnfw_op_ctx *ctx, const struct nnfw_recurrent_group *groups,
			uint32_t num_groups, void **state, size_t *size)
{
	size_t bytes = state_size(ctx, groups, num_groups);
	struct nnfw_work work = { .progress = ctx->progress };
	struct state *s;
	uint8_t *next;
	int ret = 0;

	*state = NULL;
	*size = 0;
	if (!bytes)
		return 0;
	bytes += nnfw_align(sizeof(*s));
	next = nnfw_alloc_state(ctx, bytes);
	if (!next)
		return -ENOMEM;
	*state = next;
	*size = bytes;
	s = nnfw_take(&next, sizeof(*s));
	memset(s, 0, sizeof(*s));
	ret = nnfw_state_pages(ctx, *state, bytes);
	for (uint32_t g = 0; g < num_groups && !ret; g++) {
		const struct nnfw_f32_weights w = recurrent_extents(ctx, &groups[g]);
		float *mem;

		if (!is_constant(ctx, &groups[g]))
			continue;
		mem = nnfw_take(&next, nnfw_f32_packed_size(w.n, w.k, w.half));
		s->group[g] = mem;
		ret = recurrent_pack(ctx, &groups[g], mem);
	}
	for (uint32_t k = 0; k < ctx->num_in && !ret; k++) {
		float *mem;

		if (!converted_by_load(&ctx->in[k]) || in_group(groups, num_groups, k))
			continue;
		mem = nnfw_take(&next, ctx->in[k].elements * sizeof(float));
		s->op[k] = mem;
		ret = nnfw_half_load_long(&work, mem, ctx->in[k].data, ctx->in[k].elements);
	}
	return ret;
}

size_t nnfw_recurrent_operands_size(const struct nnfw_op_ctx *ctx,
				    const struct nnfw_recurrent_group *groups, uint32_t num_groups)
{
	const struct state *s = ctx->state;
	size_t bytes = 0;

	for (uint32_t k = 0; k < ctx->num_in; k++)
		if (!(s && s->op[k]) && !in_group(groups, num_groups, k))
			bytes += nnfw_real_view_size(&ctx->in[k]);
	for (uint32_t g = 0; g < num_groups; g++) {
		const struct nnfw_f32_weights w = recurrent_extents(ctx, &groups[g]);

		if (!(s && s->group[g]))
			bytes += nnfw_f32_packed_size(w.n, w.k, w.half);
	}
	return bytes;
}

int nnfw_recurrent_operands(const struct nnfw_op_ctx *ctx,
			    const struct nnfw_recurrent_group *groups, uint32_t num_groups,
			    struct nnfw_recurrent_operands *operands, uint8_t **next)
{
	const struct state *s = ctx->state;
	int ret = 0;

	memset(operands, 0, sizeof(*operands));
	for (uint32_t k = 0; k < ctx->num_in && !ret; k++) {
		if (in_group(groups, num_groups, k))
			continue;
		operands->op[k] = s ? s->op[k] : NULL;
		if (!operands->op[k])
			ret = nnfw_real_view(ctx->progress, &ctx->in[k], next, &operands->op[k]);
	}
	for (uint32_t g = 0; g < num_groups && !ret; g++) {
		struct nnfw_f32_weights *w = &operands->group[g];
		float *mem;

		*w = recurrent_extents(ctx, &groups[g]);
		w->data = s ? s->group[g] : NULL;
		if (w->data || !w->n)
			continue;
		mem = nnfw_take(next, nnfw_f32_packed_size(w->n, w->k, w->half));
		w->data = mem;
		ret = recurrent_pack(ctx, &groups[g], mem);
	}
	return ret;
}

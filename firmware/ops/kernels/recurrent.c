// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kernels/fgemm.h"
#include "kernels/half.h"
#include "kernels/kernel.h"
#include "kernels/real.h"
#include "kernels/recurrent.h"
#include "nnprog_shape.h"

float nnfw_sigmoid(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

static void activate(float *x, size_t n, uint32_t code)
{
	switch (code) {
	case 1:
		for (size_t i = 0; i < n; i++)
			x[i] = nnfw_clampf(x[i], 0, INFINITY);
		break;
	case 2:
		for (size_t i = 0; i < n; i++)
			x[i] = nnfw_clampf(x[i], -1, 1);
		break;
	case 3:
		for (size_t i = 0; i < n; i++)
			x[i] = nnfw_clampf(x[i], 0, 6);
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			x[i] = tanhf(x[i]);
		break;
	case 6:
		for (size_t i = 0; i < n; i++)
			x[i] = nnfw_sigmoid(x[i]);
		break;
	default:
		break;
	}
}

/* Elements between two ticks. */
#define SLICE 16384u

int nnfw_recurrent_activate(struct nnfw_progress *progress, float *x, size_t n, uint32_t code)
{
	for (; n > SLICE; n -= SLICE, x += SLICE) {
		activate(x, SLICE, code);
		if (nnfw_progress_tick(progress))
			return -ECANCELED;
	}
	activate(x, n, code);
	return 0;
}

int nnfw_recurrent_product(struct nnfw_progress *progress, size_t batch, size_t n, size_t k,
			   const float *a, size_t lda, const float *w, float *c, float keep)
{
	return nnfw_gemm(progress, &(struct nnfw_gemm){ .trans_y = true,
							.m = batch,
							.n = n,
							.k = k,
							.x = a,
							.ldx = lda,
							.y = w,
							.ldy = k,
							.c = c,
							.ldc = n,
							.keep = keep });
}

int nnfw_recurrent_add_row(struct nnfw_work *work, float *x, size_t batch, size_t n,
			   const float *row)
{
	for (size_t b = 0; b < batch; b++, x += n)
		NNFW_EACH(work, i, n, x[i] += row[i]);
	return 0;
}

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

/* ---- operands ---- */

/* Data that load() prepares for a float16 program. */
struct state {
	const float *op[NNFW_RECURRENT_MAX_OPERANDS]; /* NULL: not constant */
};

static bool converted_by_load(const struct nnfw_tensor *t)
{
	return !t->omitted && t->constant && t->dtype == NNPROG_FLOAT16 && t->data;
}

int nnfw_recurrent_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	size_t bytes = nnfw_align(sizeof(struct state));
	struct nnfw_work work = { .progress = ctx->progress };
	struct state *s;
	uint8_t *next;

	*state = NULL;
	*size = 0;
	if (ctx->in[0].dtype != NNPROG_FLOAT16)
		return 0;
	for (uint32_t k = 0; k < ctx->num_in; k++) {
		if (converted_by_load(&ctx->in[k]))
			bytes += nnfw_align(ctx->in[k].elements * sizeof(float));
	}
	next = nnfw_alloc_state(ctx, bytes);
	if (!next)
		return -ENOMEM;
	*state = next;
	*size = bytes;
	s = nnfw_take(&next, sizeof(*s));
	for (uint32_t k = 0; k < ctx->num_in; k++) {
		float *mem;

		s->op[k] = NULL;
		if (!converted_by_load(&ctx->in[k]))
			continue;
		mem = nnfw_take(&next, ctx->in[k].elements * sizeof(float));
		if (nnfw_half_load_long(&work, mem, ctx->in[k].data, ctx->in[k].elements))
			return -ECANCELED;
		s->op[k] = mem;
	}
	return 0;
}

size_t nnfw_recurrent_operands_size(const struct nnfw_op_ctx *ctx)
{
	const struct state *s = ctx->state;
	size_t bytes = 0;

	for (uint32_t k = 0; k < ctx->num_in; k++) {
		if (!(s && s->op[k]))
			bytes += nnfw_real_view_size(&ctx->in[k]);
	}
	return bytes;
}

int nnfw_recurrent_operands(const struct nnfw_op_ctx *ctx, const float **op, uint8_t **next)
{
	const struct state *s = ctx->state;
	int ret = 0;

	for (uint32_t k = 0; k < ctx->num_in && !ret; k++) {
		op[k] = s ? s->op[k] : NULL;
		if (!op[k])
			ret = nnfw_real_view(ctx->progress, &ctx->in[k], next, &op[k]);
	}
	return ret;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * BATCH_MATMUL of int8: for each of the batch a product of 8-bit matrices (q8_gemm/), whose right
 * side is packed in the run. A transposed left side is turned first.
 */
#include "matmul.h"

#include "nnprog_attrs.h"
#include "q8_gemm/q8_gemm.h"

/* Side of a square that is turned at a time: each of its lines is a cache line. */
#define SQUARE 64u

/* What the preparation of a product costs beside its elements. */
#define OVERHEAD 2048u

/* One product as an operation of its own. */
struct product {
	struct nnfw_tensor in[2], out;
	struct nnfw_q8_conv conv;
	struct nnfw_op_ctx ctx;
};

static struct nnfw_tensor matrix(const struct nnfw_tensor *t, size_t rows, size_t columns)
{
	struct nnfw_tensor m = *t;

	m.constant = false;
	m.rank = 2;
	m.dims[0] = (uint32_t)rows;
	m.dims[1] = (uint32_t)columns;
	m.elements = m.size = rows * columns;
	return m;
}

static void product_init(struct product *p, const struct nnfw_op_ctx *ctx,
			 const struct nnfw_matmul_shape *s)
{
	p->in[0] = matrix(&ctx->in[0], s->m, s->k);
	p->in[1] = matrix(&ctx->in[1], s->n, s->k);
	p->out = matrix(&ctx->out[0], s->m, s->n);
	p->conv = (struct nnfw_q8_conv){
		.shape = {
			.columns = s->n,
			.groups = 1,
			.depth = { .segments = 1, .length = s->k },
			.column = s->adj_y ? s->k : 1,
			.element = s->adj_y ? 1 : s->n,
		},
		.activation = NNPROG_ACT_NONE,
		.geometry = nnfw_q8_matrix_geometry,
	};
	p->ctx = *ctx;
	p->ctx.in = p->in;
	p->ctx.num_in = 2;
	p->ctx.out = &p->out;
	p->ctx.state = NULL;
}

/* @dst, [rows][k], of @src, [k][rows]. 0 or -ECANCELED. */
static int matmul_q8_turn(struct nnfw_work *work, int8_t *dst, const int8_t *src, size_t rows,
			  size_t k)
{
	for (size_t r = 0; r < rows; r += SQUARE) {
		size_t r_end = rows - r < SQUARE ? rows : r + SQUARE;

		for (size_t j = 0; j < k; j += SQUARE) {
			size_t j_end = k - j < SQUARE ? k : j + SQUARE;

			if (nnfw_work(work, (r_end - r) * (j_end - j)))
				return -ECANCELED;
			for (size_t y = r; y < r_end; y++)
				for (size_t x = j; x < j_end; x++)
					dst[y * k + x] = src[x * rows + y];
		}
	}
	return 0;
}

size_t nnfw_matmul_q8_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	struct product p;

	product_init(&p, ctx, s);
	return (s->adj_x ? nnfw_align(s->m * s->k) : 0) + nnfw_q8_conv_scratch(&p.ctx, &p.conv);
}

int nnfw_matmul_q8_run(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	int8_t *turned = s->adj_x ? nnfw_take(&next, s->m * s->k) : NULL;
	struct product p;
	int ret = 0;

	product_init(&p, ctx, s);
	p.ctx.scratch = next;
	for (size_t b = 0; b < s->batch && !ret; b++) {
		int8_t *x = (int8_t *)ctx->in[0].data + b * s->m * s->k;

		p.in[0].data = turned ? turned : x;
		p.in[1].data = (int8_t *)ctx->in[1].data + b * s->k * s->n;
		p.out.data = (int8_t *)ctx->out[0].data + b * s->m * s->n;
		ret = nnfw_work(&work, s->m * s->n + OVERHEAD);
		if (!ret && turned)
			ret = matmul_q8_turn(&work, turned, x, s->m, s->k);
		if (!ret)
			ret = nnfw_q8_conv_run(&p.ctx, &p.conv);
	}
	return ret;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * FULLY_CONNECTED and BATCH_MATMUL of floats. The right side is packed: once by load() if it is
 * constant, else in each run. float16 is converted some rows at a time.
 */
#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "matmul.h"

/* Rows that are converted together, and those of the smallest piece of work. */
#define ROWS 120u
#define UNIT 24u
/* Depth that is transposed at a time. */
#define DEPTH 16u

/* One product: x[m][k], or stored [k][m], times packed weights. */
struct product {
	const uint8_t *x;
	bool half, transposed;
	size_t m;
	struct nnfw_f32_weights w;
	const float *bias;
	float lo, hi;
	uint8_t *out;
};

static size_t matmul_float_element(const struct product *p)
{
	return p->half ? sizeof(uint16_t) : sizeof(float);
}

/* Rows together: fewer of long ones. */
static size_t chunk(size_t m, size_t k)
{
	size_t rows = k > 16384 ? UNIT : ROWS;

	return rows < m ? rows : m;
}

static size_t rows_size(const struct product *p)
{
	return p->half || p->transposed ? nnfw_align(chunk(p->m, p->w.k) * p->w.k * sizeof(float))
					: 0;
}

static size_t results_size(const struct product *p)
{
	return p->half ? nnfw_align(chunk(p->m, p->w.k) * p->w.n * sizeof(float)) : 0;
}

/* Rows [@first, @first + @count) of a transposed left side. */
static int transpose(struct nnfw_work *work, const struct product *p, size_t first, size_t count,
		     float *to)
{
	const size_t k = p->w.k;
	float block[DEPTH][ROWS];

	for (size_t i = 0; i < k; i += DEPTH) {
		size_t depth = k - i < DEPTH ? k - i : DEPTH, stride = p->half ? ROWS : p->m;
		const float *from = p->half ? block[0] : (const float *)p->x + i * p->m + first;
		int ret = nnfw_work(work, 2 * depth * count);

		if (ret)
			return ret;
		for (size_t d = 0; d < depth && p->half; d++)
			nnfw_half_load(block[d], (const uint16_t *)p->x + (i + d) * p->m + first,
				       count);
		for (size_t r = 0; r < count; r++)
			for (size_t d = 0; d < depth; d++)
				to[r * k + i + d] = from[d * stride + r];
	}
	return 0;
}

/* Rows [@first, @last) and columns [@c, @end) of a product. @mem: rows and results. */
static int matmul_float_part(const struct product *p, uint8_t *mem, size_t first, size_t last,
			     size_t c, size_t end, struct nnfw_progress *progress)
{
	struct nnfw_work work = { .progress = progress };
	const size_t k = p->w.k, n = p->w.n;
	/* without copies all rows at once: nnfw_f32_product() divides them */
	const size_t step = p->half || p->transposed ? chunk(p->m, k) : last - first;
	float *rows = nnfw_take(&mem, rows_size(p)), *results = nnfw_take(&mem, results_size(p));
	int ret = 0;

	for (size_t r = first; r < last && !ret; r += step) {
		size_t count = last - r < step ? last - r : step;
		const struct nnfw_f32_result to = {
			.data = p->half ? results : (float *)p->out + r * n,
			.ld = n,
			.bias = p->bias,
			.lo = p->lo,
			.hi = p->hi,
		};
		const float *x = (const float *)p->x + r * k;

		ret = nnfw_progress_tick(progress);
		if (p->transposed && !ret)
			ret = transpose(&work, p, r, count, rows);
		else if (p->half && !ret)
			ret = nnfw_half_load_long(&work, rows, (const uint16_t *)p->x + r * k,
						  count * k);
		if (p->transposed || p->half)
			x = rows;
		if (!ret)
			ret = nnfw_f32_product(&work, x, k, count, &p->w, c, end, &to);
		for (size_t i = 0; i < count && p->half && !ret; i++)
			ret = nnfw_half_store_long(&work, (uint16_t *)p->out + (r + i) * n + c,
						   results + i * n + c, end - c);
	}
	return ret;
}

/* ---- one product on all threads ---- */

struct shared {
	const struct product *product;
	uint8_t *slots;
	size_t slot; /* bytes of one */
};

static int by_rows(void *arg, uint32_t slot, size_t first, size_t end,
		   struct nnfw_progress *progress)
{
	const struct shared *s = arg;
	size_t m = s->product->m;

	return matmul_float_part(s->product, s->slots + slot * s->slot, first * UNIT,
				 end * UNIT < m ? end * UNIT : m, 0, s->product->w.n, progress);
}

static int by_columns(void *arg, uint32_t slot, size_t first, size_t end,
		      struct nnfw_progress *progress)
{
	const struct shared *s = arg;
	size_t n = s->product->w.n, c = first * NNFW_F32_COLUMNS, last = end * NNFW_F32_COLUMNS;

	return matmul_float_part(s->product, s->slots + slot * s->slot, 0, s->product->m, c,
				 last < n ? last : n, progress);
}

/* Threads that divide the columns read each of the weights once; but each makes its own copies. */
static bool reads_heavy(const struct product *p)
{
	return !p->half && !p->transposed && nnfw_f32_heavy(p->w.n, p->w.k);
}

static int run_product(struct nnfw_op_ctx *ctx, const struct product *p, uint8_t *slots)
{
	struct shared s = { p, slots, rows_size(p) + results_size(p) };

	if (p->w.n > 2 * NNFW_F32_COLUMNS && (p->m < 2 * UNIT || reads_heavy(p)))
		return nnfw_split(ctx, (p->w.n + NNFW_F32_COLUMNS - 1) / NNFW_F32_COLUMNS,
				  nnfw_f32_grain(p->m * NNFW_F32_COLUMNS * p->w.k), by_columns, &s);
	return nnfw_split(ctx, (p->m + UNIT - 1) / UNIT, nnfw_f32_grain(UNIT * p->w.n * p->w.k),
			  by_rows, &s);
}

/* ---- FULLY_CONNECTED ---- */

static int fc_pack(const struct nnfw_op_ctx *ctx, float *mem, const struct nnfw_tensor *weights)
{
	const struct nnfw_f32_source from = {
		.data = weights->data,
		.half = weights->dtype == NNPROG_FLOAT16,
		.column = weights->dims[1],
		.depth = 1,
	};

	return nnfw_f32_pack_split(ctx, mem, weights->dims[0], weights->dims[1], 0,
				   weights->dims[0], &from);
}

static struct product fc_product(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_act *a = ctx->attrs;
	struct product p = {
		.x = ctx->in[0].data,
		.half = ctx->in[0].dtype == NNPROG_FLOAT16,
		.m = ctx->out[0].dims[0],
		.w = { .n = ctx->out[0].dims[1],
		       .k = ctx->in[1].dims[1],
		       .data = ctx->state,
		       .far = ctx->far },
		.out = ctx->out[0].data,
	};

	nnfw_activation_range(a->activation, &p.lo, &p.hi);
	return p;
}

int nnfw_fully_connected_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnfw_tensor *weights = &ctx->in[1];

	*size = nnfw_f32_weights_size(weights->dims[0], weights->dims[1]);
	*state = nnfw_alloc_state(ctx, *size);
	if (!*state)
		return -ENOMEM;
	if (nnfw_state_pages(ctx, *state, *size))
		return -ECANCELED;
	nnfw_leave_unread(ctx, 1);
	return fc_pack(ctx, *state, weights);
}

size_t nnfw_fully_connected_float_scratch(const struct nnfw_op_ctx *ctx)
{
	struct product p = fc_product(ctx);

	return nnfw_slots(ctx) * (rows_size(&p) + results_size(&p)) +
	       (p.half ? nnfw_align(p.w.n * sizeof(float)) : 0) +
	       (ctx->state ? 0 : nnfw_f32_weights_size(p.w.n, p.w.k));
}

int nnfw_fully_connected_float_run(struct nnfw_op_ctx *ctx)
{
	struct nnfw_work work = { .progress = ctx->progress };
	struct product p = fc_product(ctx);
	uint8_t *next = ctx->scratch;
	uint8_t *slots = nnfw_take(&next, nnfw_slots(ctx) * (rows_size(&p) + results_size(&p)));
	float *bias = nnfw_take(&next, p.half ? p.w.n * sizeof(*bias) : 0);
	int ret = nnfw_float_view(&work, &ctx->in[2], bias, &p.bias);

	if (!p.w.data && !ret) {
		ret = fc_pack(ctx, (float *)next, &ctx->in[1]);
		p.w.data = (const float *)next;
	}
	return ret ? ret : run_product(ctx, &p, slots);
}

/* ---- BATCH_MATMUL ---- */

struct matmul {
	const struct nnfw_op_ctx *ctx;
	const struct nnfw_matmul_shape *s;
	uint8_t *slots;
	size_t slot;
};

/* The right side of batch @b, @n by @k. */
static struct nnfw_f32_source right_side(const struct nnfw_tensor *y, bool adj, size_t b, size_t n,
					 size_t k)
{
	bool half = y->dtype == NNPROG_FLOAT16;

	return (struct nnfw_f32_source){
		.data = (const uint8_t *)y->data +
			b * n * k * (half ? sizeof(uint16_t) : sizeof(float)),
		.half = half,
		.column = adj ? k : 1,
		.depth = adj ? 1 : n,
	};
}

static struct product matmul_product(const struct nnfw_op_ctx *ctx,
				     const struct nnfw_matmul_shape *s, size_t b)
{
	struct product p = {
		.half = ctx->in[0].dtype == NNPROG_FLOAT16,
		.transposed = s->adj_x,
		.m = s->m,
		.w = { .n = s->n, .k = s->k, .far = ctx->far },
	};

	if (ctx->state)
		p.w.data = (const float *)((const uint8_t *)ctx->state +
					   b * nnfw_f32_weights_size(s->n, s->k));
	p.x = (const uint8_t *)ctx->in[0].data + b * s->m * s->k * matmul_float_element(&p);
	p.out = (uint8_t *)ctx->out[0].data + b * s->m * s->n * matmul_float_element(&p);
	p.lo = -__builtin_inff();
	p.hi = __builtin_inff();
	return p;
}

static size_t slot_size(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	struct product p = matmul_product(ctx, s, 0);

	return rows_size(&p) + results_size(&p) +
	       (ctx->state ? 0 : nnfw_f32_weights_size(s->n, s->k));
}

int nnfw_matmul_float_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size)
{
	const struct nnprog_attr_batch_matmul *a = ctx->attrs;
	const struct nnfw_tensor *y = &ctx->in[1];
	size_t n, k, batch, bytes;
	int ret = 0;

	*state = NULL;
	*size = 0;
	if (!y->constant || !y->data || !y->elements ||
	    (y->dtype != NNPROG_FLOAT32 && y->dtype != NNPROG_FLOAT16))
		return 0;
	n = y->dims[a->adjoint_y ? y->rank - 2 : y->rank - 1];
	k = y->dims[a->adjoint_y ? y->rank - 1 : y->rank - 2];
	batch = nnfw_extent(y, 0, y->rank - 2);
	bytes = nnfw_f32_weights_size(n, k);
	*size = batch * bytes;
	*state = nnfw_alloc_state(ctx, *size);
	if (!*state)
		return -ENOMEM;
	nnfw_leave_unread(ctx, 1);
	ret = nnfw_state_pages(ctx, *state, *size);
	for (size_t b = 0; b < batch && !ret; b++) {
		const struct nnfw_f32_source from = right_side(y, a->adjoint_y, b, n, k);

		ret = nnfw_f32_pack_split(ctx, (float *)((uint8_t *)*state + b * bytes), n, k, 0, n,
					  &from);
	}
	return ret;
}

size_t nnfw_matmul_float_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	return nnfw_slots(ctx) * slot_size(ctx, s);
}

static int batches(void *arg, uint32_t slot, size_t first, size_t end,
		   struct nnfw_progress *progress)
{
	const struct matmul *m = arg;
	const struct nnfw_matmul_shape *s = m->s;
	struct nnfw_work work = { .progress = progress };
	int ret = 0;

	for (size_t b = first; b < end && !ret; b++) {
		struct product p = matmul_product(m->ctx, s, b);
		uint8_t *next = m->slots + slot * m->slot;

		if (!p.w.data) {
			const struct nnfw_f32_source from =
				right_side(&m->ctx->in[1], s->adj_y, b, s->n, s->k);
			float *packed = nnfw_take(&next, nnfw_f32_weights_size(s->n, s->k));

			ret = nnfw_f32_pack(&work, packed, s->n, s->k, 0, s->n, &from);
			p.w.data = packed;
		}
		if (!ret)
			ret = matmul_float_part(&p, next, 0, s->m, 0, s->n, progress);
	}
	return ret;
}

int nnfw_matmul_float_run(struct nnfw_op_ctx *ctx, const struct nnfw_matmul_shape *s)
{
	struct matmul m = { ctx, s, ctx->scratch, slot_size(ctx, s) };
	uint8_t *next = ctx->scratch;
	struct product p;

	if (s->batch != 1)
		return nnfw_split(ctx, s->batch, nnfw_f32_grain(s->m * s->n * s->k), batches, &m);
	p = matmul_product(ctx, s, 0);
	if (!p.w.data) {
		const struct nnfw_f32_source from =
			right_side(&ctx->in[1], s->adj_y, 0, s->n, s->k);
		float *packed = nnfw_take(&next, nnfw_f32_weights_size(s->n, s->k));
		int ret = nnfw_f32_pack_split(ctx, packed, s->n, s->k, 0, s->n, &from);

		if (ret)
			return ret;
		p.w.data = packed;
	}
	return run_product(ctx, &p, next);
}

// SPDX-License-Identifier: Apache-2.0
/* Weights in panels, and products cut so that there is a tick each millisecond. */
#include <math.h>
#include <string.h>

#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "isa/isa.h"
#include "nnutil_align.h"
#include "nnutil_process.h"

/* Multiplications of a call of the kernel: less than a millisecond of the scalar one. */
#define CALL ((size_t)2 << 20)
/* Rows that fill the registers of every kernel. */
#define ROWS 24u
/* Rows of a left side whose addresses are made here. */
#define MOST_ROWS NNFW_F32_MOST_ROWS
/* Rows that stay in the first-level cache, about, while light weights go by. */
#define LIGHT_ROWS (5 * ROWS)
/* Multiplications that take as long as an element of struct nnfw_work. */
#define PER_ELEMENT 4u
/* Elements of a column that are packed at a time. */
#define DEPTH 64u

/* @n in equal parts of at most @most, but for the last. */
static size_t f32_gemm_even(size_t n, size_t most)
{
	const size_t parts = (n + most - 1) / most;

	return (n + parts - 1) / parts;
}

static size_t width_of(size_t n)
{
	return n < NNFW_F32_PANEL ? n : NNFW_F32_PANEL;
}

static size_t element_size(bool half)
{
	return half ? sizeof(uint16_t) : sizeof(float);
}

size_t nnfw_f32_packed_size(size_t n, size_t k, bool half)
{
	size_t columns = n < NNFW_F32_PANEL ? n : nnutil_align_up(n, NNFW_F32_PANEL);

	return nnfw_align(columns * k * element_size(half));
}

size_t nnfw_f32_weights_size(size_t n, size_t k)
{
	return nnfw_f32_packed_size(n, k, false);
}

bool nnfw_f32_takes_half(size_t n)
{
	return NNFW_KERNELS(f32_gemm)->half && n >= NNFW_F32_PANEL;
}

/* ---- packing ---- */

/* Elements [@i, @end) of @count columns of one panel. */
static void pack_part(float *to, size_t width, size_t count, const struct nnfw_f32_source *from,
		      size_t c, size_t i, size_t end)
{
	const struct nnfw_f32_gemm_kernels *kernels = NNFW_KERNELS(f32_gemm);
	const float *x = (const float *)from->data + c * from->column + i * from->depth;
	const uint16_t *h = (const uint16_t *)from->data + c * from->column + i * from->depth;
	float block[NNFW_F32_PANEL][DEPTH];
	struct nnfw_f32_turn turn = {
		.to = to,
		.width = width,
		.from = from->half ? block[0] : x,
		.column = from->half ? DEPTH : from->column,
		.columns = count,
		.depth = end - i,
	};

	if (from->column == 1) {
		for (; i < end; i++, to += width, x += from->depth, h += from->depth) {
			if (from->half)
				nnfw_half_load(to, h, count);
			else if (count == NNFW_F32_PANEL)
				memcpy(to, x, NNFW_F32_PANEL * sizeof(*to));
			else
				memcpy(to, x, count * sizeof(*to));
		}
		return;
	}
	for (size_t j = 0; j < count && from->half; j++)
		nnfw_half_load(block[j], h + j * from->column, end - i);
	if (kernels->turn)
		kernels->turn(&turn);
	else
		nnfw_f32_turn_rest(&turn, 0, 0);
}

/* Elements [@i, @end) of columns [@lane, @lane + @columns) of a panel; @last: there are no others.
 */
static void pack_depth(void *panel, size_t width, size_t lane, size_t columns,
		       const struct nnfw_f32_source *from, size_t c, size_t i, size_t end,
		       bool last)
{
	float block[DEPTH * NNFW_F32_PANEL];
	uint16_t *half = (uint16_t *)panel + i * width + lane;
	float *to = from->keep ? block : (float *)panel + i * width + lane;

	pack_part(to, width, columns, from, c, i, end);
	/* after the last column */
	for (size_t d = 0; last && d < end - i; d++)
		for (size_t j = columns; lane + j < width; j++)
			to[d * width + j] = 0;
	for (size_t d = 0; from->keep && d < end - i; d++)
		nnfw_half_store(half + d * width, block + d * width, last ? width - lane : columns);
}

int nnfw_f32_pack(struct nnfw_work *work, float *packed, size_t n, size_t k, size_t first,
		  size_t count, const struct nnfw_f32_source *from)
{
	const size_t width = width_of(n);

	for (size_t c = 0, columns; c < count; c += columns) {
		size_t lane = (first + c) % NNFW_F32_PANEL;
		uint8_t *panel =
			(uint8_t *)packed + (first + c - lane) * k * element_size(from->keep);

		columns = count - c < NNFW_F32_PANEL - lane ? count - c : NNFW_F32_PANEL - lane;
		for (size_t i = 0, end; i < k; i = end) {
			int ret = nnfw_work(work, columns * DEPTH / 4);

			if (ret)
				return ret;
			end = k - i < DEPTH ? k : i + DEPTH;
			pack_depth(panel, width, lane, columns, from, c, i, end,
				   first + c + columns == n);
		}
	}
	return 0;
}

/* ---- on threads ---- */

/* Floats that are worth a thread. */
#define GRAIN 4096u

/* A unit of work is the columns of a panel that are to be packed. */
struct packing {
	float *packed;
	size_t n, k, first, end;
	const struct nnfw_f32_source *from;
};

static int pack_panels(void *arg, uint32_t slot, size_t first, size_t end,
		       struct nnfw_progress *progress)
{
	const struct packing *p = arg;
	const size_t panel = p->first / NNFW_F32_PANEL;
	struct nnfw_work work = { .progress = progress };
	struct nnfw_f32_source from = *p->from;
	size_t c = (panel + first) * NNFW_F32_PANEL, last = (panel + end) * NNFW_F32_PANEL;

	(void)slot;
	c = c > p->first ? c : p->first;
	last = last < p->end ? last : p->end;
	from.data = (const uint8_t *)from.data +
		    (c - p->first) * from.column * (from.half ? sizeof(uint16_t) : sizeof(float));
	return nnfw_f32_pack(&work, p->packed, p->n, p->k, c, last - c, &from);
}

int nnfw_f32_pack_split(const struct nnfw_op_ctx *ctx, float *packed, size_t n, size_t k,
			size_t first, size_t count, const struct nnfw_f32_source *from)
{
	struct packing p = { packed, n, k, first, first + count, from };

	if (!count)
		return 0;
	return nnfw_split(ctx, (p.end - 1) / NNFW_F32_PANEL - first / NNFW_F32_PANEL + 1,
			  GRAIN / (NNFW_F32_PANEL * k + 1) + 1, pack_panels, &p);
}

/* ---- products ---- */

/* Rows of a tile of registers, about. */
#define TILE 8u

/* Of @m rows, of which each is @bytes. */
static size_t heavy_rows(size_t m, size_t n, size_t k, size_t bytes)
{
	const size_t half = nnutil_caches().second / 2;
	size_t best = SIZE_MAX, rows = m;

	/* each pass reads the weights; and the rows, again for each column that is computed if they
	 * do not stay in the second-level cache */
	for (size_t passes = (m + MOST_ROWS - 1) / MOST_ROWS;
	     passes == 1 || (passes - 1) * ROWS < m; passes++) {
		const size_t part = (m + passes - 1) / passes;
		const size_t again = part * bytes > half ? n / NNFW_F32_COLUMNS + 1 : 1;
		const size_t cost = passes * n * k * sizeof(float) + again * m * bytes;

		if (cost < best) {
			best = cost;
			rows = part;
		}
	}
	return rows;
}

size_t nnfw_f32_rows(size_t m, size_t n, size_t k, size_t bytes)
{
	size_t rows;

	if (!m)
		return 0;
	rows = nnfw_f32_heavy(n, k) ? heavy_rows(m, n, k, bytes) : f32_gemm_even(m, LIGHT_ROWS);
	rows = nnutil_align_up(rows, TILE);
	return rows < m ? rows : m;
}

bool nnfw_f32_heavy(size_t n, size_t k)
{
	return n * k * sizeof(float) > nnutil_caches().second / 2;
}

/* How a product is cut: depth and rows of a call of the kernel. */
struct cut {
	size_t segments, length; /* of the left side: one segment, or all of its length */
	size_t rows;
};

static struct cut cut_of(const struct nnfw_f32_left *x, size_t k, size_t n)
{
	const size_t cache = nnutil_caches().second / 2 / (NNFW_F32_COLUMNS * sizeof(float));
	const size_t tiles = (x->m + TILE - 1) / TILE;
	size_t depth = CALL / ((x->m < ROWS ? x->m : ROWS) * n), tile;
	struct cut cut = { x->segments, x->length, x->m };

	/* the weights of a call stay in the cache for all rows, if there are more than a call takes
	 */
	if (x->m > ROWS)
		depth = depth < cache ? depth : cache;
	if (depth < k && depth > x->length)
		cut.segments = f32_gemm_even(x->segments, depth / x->length);
	else if (depth < k) {
		cut.segments = 1;
		cut.length = f32_gemm_even(x->length, depth);
	}
	tile = (x->m + tiles - 1) / tiles;
	cut.rows = CALL / (n * cut.segments * cut.length + 1) / tile * tile;
	cut.rows = cut.rows > tile ? cut.rows : tile;
	return cut;
}

/* Rows of one part of the depth: @b has their pieces. */
static int part_rows(struct nnfw_work *work, const struct nnfw_f32_block *part, size_t m,
		     size_t rows)
{
	const struct nnfw_f32_gemm_kernels *kernels = NNFW_KERNELS(f32_gemm);

	for (size_t r = 0; r < m; r += rows) {
		struct nnfw_f32_block b = *part;
		int ret;

		b.m = m - r < rows ? m - r : rows;
		b.rows += r;
		b.out += r * b.ld;
		ret = nnfw_work(work, b.m * b.n * b.segments * b.length / PER_ELEMENT);
		if (ret)
			return ret;
		kernels->block(&b);
	}
	return 0;
}

static const float *weights_at(const float *weights, bool half, size_t n)
{
	return (const float *)((const uint8_t *)weights + n * element_size(half));
}

/* The columns of @whole, which has all of the depth. */
static int columns(struct nnfw_work *work, const struct nnfw_f32_left *x,
		   const struct nnfw_f32_block *whole, const struct cut *cut)
{
	struct nnfw_f32_block b = *whole;
	int ret = 0;

	/* without depth the result is the bias */
	if (!x->segments || !x->length)
		return part_rows(work, &b, x->m, cut->rows);
	for (size_t s = 0; s < x->segments && !ret; s += cut->segments) {
		b.segments = x->segments - s < cut->segments ? x->segments - s : cut->segments;
		b.rows = whole->rows + s * x->stride;
		for (size_t i = 0; i < x->length && !ret; i += cut->length) {
			bool last;

			b.length = x->length - i < cut->length ? x->length - i : cut->length;
			b.offset = i;
			last = s + b.segments == x->segments && i + b.length == x->length;
			b.lo = last ? whole->lo : -INFINITY;
			b.hi = last ? whole->hi : INFINITY;
			ret = part_rows(work, &b, x->m, cut->rows);
			b.weights = weights_at(b.weights, b.half, b.segments * b.length * b.width);
			b.more = true;
		}
	}
	return ret;
}

int nnfw_f32_gemm(struct nnfw_work *work, const struct nnfw_f32_left *x,
		  const struct nnfw_f32_weights *w, size_t first, size_t end,
		  const struct nnfw_f32_result *to)
{
	struct cut cut = { 0 };

	for (size_t c = first, n; c < end && x->m; c += n) {
		struct nnfw_f32_block b = {
			.rows = x->rows,
			.stride = x->stride,
			.weights = weights_at(w->data, w->half, c * w->k),
			.half = w->half,
			.panel = NNFW_F32_PANEL * w->k,
			.width = width_of(w->n),
			.far = w->far,
			.bias = to->bias ? to->bias + c : NULL,
			.more = to->more,
			.lo = to->lo,
			.hi = to->hi,
			.out = to->data + c,
			.ld = to->ld,
		};
		int ret;

		n = end - c < NNFW_F32_COLUMNS ? end - c : NNFW_F32_COLUMNS;
		b.n = n;
		/* the same for all but fewer columns at the end */
		if (c == first || n < NNFW_F32_COLUMNS)
			cut = cut_of(x, w->k, n);
		ret = columns(work, x, &b, &cut);
		if (ret)
			return ret;
	}
	return 0;
}

/* The rows of @x from @r on, of @m, as a left side. */
static struct nnfw_f32_left left_rows(const float **rows, const float *x, size_t ldx, size_t r,
				      size_t m, size_t k)
{
	const struct nnfw_f32_left left = {
		.rows = rows,
		.stride = m,
		.m = m,
		.segments = 1,
		.length = k,
	};

	for (size_t i = 0; i < m; i++)
		rows[i] = x + (r + i) * ldx;
	return left;
}

int nnfw_f32_product(struct nnfw_work *work, const float *x, size_t ldx, size_t m,
		     const struct nnfw_f32_weights *w, size_t first, size_t end,
		     const struct nnfw_f32_result *to)
{
	const size_t step = nnfw_f32_rows(m, end - first, w->k, w->k * sizeof(float));
	const float *rows[MOST_ROWS];
	struct nnfw_f32_result part = *to;
	int ret = 0;

	for (size_t r = 0; r < m && !ret; r += step, part.data += step * part.ld) {
		const struct nnfw_f32_left left =
			left_rows(rows, x, ldx, r, m - r < step ? m - r : step, w->k);

		ret = nnfw_f32_gemm(work, &left, w, first, end, &part);
	}
	return ret;
}

/* ---- products on threads ---- */

/* Multiplications of a thread if each weight is used by so few rows that reading it takes longer.
 */
#define READ_GRAIN 65536u
#define FEW_ROWS 4u

/* A unit of work is a panel. */
struct product {
	const struct nnfw_f32_left *x;
	const struct nnfw_f32_weights *w;
	const struct nnfw_f32_result *to;
};

static int product_panels(void *arg, uint32_t slot, size_t first, size_t end,
			  struct nnfw_progress *progress)
{
	const struct product *p = arg;
	struct nnfw_work work = { .progress = progress };
	size_t last = end * NNFW_F32_PANEL < p->w->n ? end * NNFW_F32_PANEL : p->w->n;

	(void)slot;
	return nnfw_f32_gemm(&work, p->x, p->w, first * NNFW_F32_PANEL, last, p->to);
}

int nnfw_f32_gemm_split(const struct nnfw_op_ctx *ctx, const struct nnfw_f32_left *x,
			const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to)
{
	struct product p = { x, w, to };
	size_t products = x->m * w->k * NNFW_F32_PANEL;

	return nnfw_split(ctx, (w->n + NNFW_F32_PANEL - 1) / NNFW_F32_PANEL,
			  x->m > FEW_ROWS ? nnfw_f32_grain(products)
					  : 1 + READ_GRAIN / (products + 1),
			  product_panels, &p);
}

int nnfw_f32_product_split(const struct nnfw_op_ctx *ctx, const float *x, size_t ldx, size_t m,
			   const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to)
{
	const size_t step = nnfw_f32_rows(m, w->n, w->k, w->k * sizeof(float));
	const float *rows[MOST_ROWS];
	struct nnfw_f32_result part = *to;
	int ret = 0;

	for (size_t r = 0; r < m && !ret; r += step, part.data += step * part.ld) {
		const struct nnfw_f32_left left =
			left_rows(rows, x, ldx, r, m - r < step ? m - r : step, w->k);

		ret = nnfw_f32_gemm_split(ctx, &left, w, &part);
	}
	return ret;
}

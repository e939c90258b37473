// SPDX-License-Identifier: Apache-2.0
/*
 * AMX, on AVX512-VNNI's packed weights: four neighbouring rows of elements are a row of a tile. A
 * block is four tiles of sums, which stay in tiles over the whole depth: 2 groups of 16 rows by 2
 * vectors of 16 columns, so that each tile that is loaded meets two others; 4 by 1 where a panel
 * has an odd vector, 1 by 4 for a single group. Sums go through memory to AVX512, which finds the
 * codes of a block between the products of the next.
 */
#include "q8_gemm/avx512.h"

/* Rows and bytes of a row of a tile. */
#define ROWS 16u
#define BYTES 64u
/* Groups of rows of a block. */
#define GROUPS 4u
/* Rows that are not worth the tiles. */
#define FEW_ROWS 5u

/* LDTILECFG's operand (palette 1). */
struct config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct config) == 64, "tile configuration");

/* ---- how a product is cut ---- */

struct cut {
	size_t chunk, chunks; /* bytes of a row that a tile takes; of a segment */
	size_t group; /* rows of a group */
	size_t groups; /* of all rows */
	/*
	 * Groups are of neighbouring rows of a run. Short runs are one with the gaps between them:
	 * of each @pitch rows of it the first @real are rows of the product.
	 */
	size_t run, pitch, real;
};

/* In tiles of equal chunks, which waste at most a third. False: there is no such cut. */
static bool cut_depth(struct cut *cut, size_t length)
{
	size_t fours = (length + 3) / 4, least = (fours + BYTES / 4 - 1) / (BYTES / 4);

	for (cut->chunks = least; cut->chunks * 3 <= least * 4; cut->chunks++) {
		if (fours % cut->chunks)
			continue;
		cut->chunk = fours / cut->chunks * 4;
		return true;
	}
	return false;
}

/* Runs of @run rows; the last group of each may repeat rows of the one before. */
static void cut_runs(struct cut *cut, size_t run, size_t runs)
{
	cut->run = cut->pitch = cut->real = run;
	cut->group = run < ROWS ? run : ROWS;
	cut->groups = runs * ((run + cut->group - 1) / cut->group);
}

/* False: the rows are no whole runs, or too few. */
static bool cut_rows(struct cut *cut, const struct nnfw_q8_job *job)
{
	/* runs that follow each other are one */
	const bool flat = job->run >= job->rows || job->run_stride == job->run * job->row_stride;
	const size_t run = flat ? job->rows : job->run, runs = job->rows / run;
	struct cut with_gaps;

	if (job->rows % run)
		return false;
	cut_runs(cut, run, runs);
	if (runs > 1 && job->row_stride && job->run_stride % job->row_stride == 0 &&
	    job->run_stride > run * job->row_stride) {
		with_gaps = *cut;
		cut_runs(&with_gaps, (runs - 1) * (job->run_stride / job->row_stride) + run, 1);
		with_gaps.pitch = job->run_stride / job->row_stride;
		with_gaps.real = run;
		if (with_gaps.groups < cut->groups)
			*cut = with_gaps;
	}
	return cut->group >= FEW_ROWS;
}

static void tiles_configure(const struct cut *cut)
{
	struct config c = { .palette = 1 };

	/* the sums; then the left and right sides, whose numbers depend on the block's form */
	for (size_t i = 0; i < 4; i++) {
		c.rows[i] = (uint8_t)cut->group;
		c.row_bytes[i] = BYTES;
	}
	for (size_t i = 4; i < 6; i++) {
		c.rows[i] = (uint8_t)cut->group;
		c.row_bytes[i] = (uint16_t)cut->chunk;
	}
	for (size_t i = 6; i < 8; i++) {
		c.rows[i] = (uint8_t)(cut->chunk / 4);
		c.row_bytes[i] = BYTES;
	}
	/* GCC 12 takes it for a read of 8 bytes, and would leave out the rest */
	__asm__ volatile("" : : "r"(&c) : "memory");
	_tile_loadconfig(&c);
}

/* ---- blocks ---- */

/* Rows of sums, and those behind them that are computed with the last ones. */
#define BLOCK_ROWS (GROUPS * ROWS + 3)

struct block {
	const uint8_t *left[GROUPS];
	/* by row: where its codes go, from the strip's first column; and its term */
	uint8_t *out[BLOCK_ROWS];
	int32_t terms[BLOCK_ROWS];
	int32_t sums[BLOCK_ROWS * 16] __attribute__((aligned(64))); /* [row][vector] */
};

/* Vectors of neighbouring columns of a panel. */
struct strip {
	const uint8_t *weights;
	size_t pitch; /* bytes of four rows of weights */
	size_t column;
	uint64_t mask; /* of the columns to compute */
};

struct product;

/* A block whose codes are not all found yet. */
struct codes {
	const struct block *block;
	const float *multipliers;
	uint64_t mask;
	size_t row, rows; /* rows [row, rows) remain */
	size_t each; /* rows of four vectors */
	/* those of the next rows, @times four vectors */
	void (*find)(struct product *x, size_t times);
};

struct product {
	const struct nnfw_q8_job *job;
	struct cut cut;
	struct nnfw_q8_rule rule;
	size_t steps; /* chunks of all segments */
	/* the weights that come next, from far, and how many lines of them a step fetches */
	const uint8_t *ahead, *ahead_end;
	size_t ahead_lines;
	/* the next group */
	const uint8_t *left; /* of the run */
	size_t before, in_run; /* rows before the run, and of it */
	struct codes codes;
	size_t now; /* the block that is computed */
	struct block blocks[2];
	uint8_t waste[BYTES]; /* codes of what is no row */
};

static void walk_begin(struct product *x)
{
	x->left = x->job->left;
	x->before = x->in_run = 0;
}

/* The next group's rows become rows @at of @b. Behind the last one comes the last one again. */
static void block_add_group(struct product *x, const struct strip *s, struct block *b, size_t g)
{
	const struct nnfw_q8_job *job = x->job;
	const struct cut *cut = &x->cut;
	const size_t at = g * cut->group;
	size_t column, row;

	if (x->in_run + cut->group > cut->run)
		x->in_run = cut->run - cut->group;
	b->left[g] = x->left + x->in_run * job->row_stride;
	column = x->in_run % cut->pitch;
	row = x->before + x->in_run / cut->pitch * cut->real +
	      (column < cut->real ? column : cut->real);
	for (size_t r = at; r < at + cut->group; r++) {
		const bool real = column < cut->real;

		b->out[r] = real ? job->out + row * job->out_stride + s->column : x->waste;
		b->terms[r] = job->row_terms && real ? job->row_terms[row] : 0;
		row += real;
		column = column + 1 < cut->pitch ? column + 1 : 0;
	}
	x->in_run += cut->group;
	if (x->in_run < cut->run || row >= job->rows)
		return;
	x->in_run = 0;
	x->before += cut->run;
	x->left += job->run_stride;
}

static void block_fill(struct product *x, const struct strip *s, struct block *b, size_t groups)
{
	size_t rows = groups * x->cut.group;

	for (size_t g = 0; g < groups; g++)
		block_add_group(x, s, b, g);
	for (size_t r = rows; r < rows + 3; r++) {
		b->out[r] = x->waste;
		b->terms[r] = 0;
	}
}

/* ---- codes ---- */

/* Those of @rows rows from @row of a strip of @columns vectors; four vectors in all. */
INLINE void codes_store(const struct codes *c, size_t row, size_t columns, __m512i codes)
{
	uint8_t *const *out = c->block->out + row;

	if (columns == 4) {
		_mm512_mask_storeu_epi8(out[0], c->mask, codes);
	} else if (columns == 2) {
		_mm256_mask_storeu_epi8(out[0], (__mmask32)c->mask, _mm512_castsi512_si256(codes));
		_mm256_mask_storeu_epi8(out[1], (__mmask32)c->mask,
					_mm512_extracti64x4_epi64(codes, 1));
	} else {
		_mm_mask_storeu_epi8(out[0], (__mmask16)c->mask, _mm512_castsi512_si128(codes));
		_mm_mask_storeu_epi8(out[1], (__mmask16)c->mask,
				     _mm512_extracti32x4_epi32(codes, 1));
		_mm_mask_storeu_epi8(out[2], (__mmask16)c->mask,
				     _mm512_extracti32x4_epi32(codes, 2));
		_mm_mask_storeu_epi8(out[3], (__mmask16)c->mask,
				     _mm512_extracti32x4_epi32(codes, 3));
	}
}

INLINE void codes_find(struct product *x, size_t times, size_t columns, bool tame, bool with_rows)
{
	struct codes *c = &x->codes;
	const float *const m = c->multipliers;
	const float *const multipliers[4] = { m, m + (columns > 1 ? 16 : 0),
					      m + (columns > 2 ? 32 : 0),
					      m + (columns == 2	 ? 16
						   : columns > 3 ? 48
								 : 0) };
	const struct block *b = c->block;

	for (; times && c->row < c->rows; times--, c->row += 4 / columns) {
		const int32_t *sums = b->sums + c->row * columns * 16;
		__m512i four[4];

		for (size_t i = 0; i < 4; i++) {
			four[i] = _mm512_load_si512(sums + i * 16);
			if (with_rows)
				four[i] = _mm512_add_epi32(
					four[i], _mm512_set1_epi32(b->terms[c->row + i / columns]));
		}
		codes_store(c, c->row, columns, codes_of(four, multipliers, &x->rule, tame));
	}
}

#define CODES(columns, name, tame, with_rows)                                   \
	static void codes_find_##columns##name(struct product *x, size_t times) \
	{                                                                       \
		codes_find(x, times, columns, tame, with_rows);                 \
	}
#define CODES_OF(columns)                       \
	CODES(columns, _wild, false, false)     \
	CODES(columns, _wild_rows, false, true) \
	CODES(columns, _tame, true, false)      \
	CODES(columns, _tame_rows, true, true)

CODES_OF(1)
CODES_OF(2)
CODES_OF(4)

#define CODES_ENTRIES(columns)                                                        \
	{                                                                             \
		{ codes_find_##columns##_wild, codes_find_##columns##_wild_rows },    \
		{                                                                     \
			codes_find_##columns##_tame, codes_find_##columns##_tame_rows \
		}                                                                     \
	}

/* By half the number of vectors, tame, with rows' terms. */
static void (*const codes_finders[3][2][2])(struct product *x, size_t times) = { CODES_ENTRIES(1),
										 CODES_ENTRIES(2),
										 CODES_ENTRIES(4) };

static void codes_rest(struct product *x)
{
	if (x->codes.row < x->codes.rows)
		x->codes.find(x, SIZE_MAX);
}

/* ---- sums ---- */

/*
 * Tile numbers are constants in the instructions: sums are 0 to 3, the left side 4 and 5, the right
 * side 6 and 7.
 */
#define LOAD_LEFT(t, group) _tile_loadd(t, b->left[group] + at, stride)
#define LOAD_RIGHT(t, z) _tile_loadd(t, w + (z)*BYTES, s->pitch)

/* The same row 16 times. */
#define START(t, z) _tile_loadd(t, terms + (z)*16, 0)

INLINE void sums_start(const int32_t *terms, size_t groups, size_t columns)
{
	START(0, 0);
	if (columns > 1)
		START(1, 1);
	else if (groups > 1)
		START(1, 0);
	if (columns > 2) {
		START(2, 2);
		START(3, 3);
	} else if (groups > 1 && columns == 2) {
		START(2, 0);
		START(3, 1);
	} else if (groups > 2) {
		START(2, 0);
		START(3, 0);
	}
}

/* A chunk at @at of all rows. */
INLINE void sums_add(const struct strip *s, const struct block *b, size_t stride, size_t at,
		     const uint8_t *w, size_t groups, size_t columns)
{
	LOAD_LEFT(4, 0);
	LOAD_RIGHT(6, 0);
	_tile_dpbusd(0, 4, 6);
	if (columns > 1) {
		LOAD_RIGHT(7, 1);
		_tile_dpbusd(1, 4, 7);
	}
	if (columns > 2) {
		LOAD_RIGHT(6, 2);
		_tile_dpbusd(2, 4, 6);
		LOAD_RIGHT(7, 3);
		_tile_dpbusd(3, 4, 7);
	}
	if (groups > 1) {
		LOAD_LEFT(5, 1);
		if (columns == 1) {
			_tile_dpbusd(1, 5, 6);
		} else {
			_tile_dpbusd(2, 5, 6);
			_tile_dpbusd(3, 5, 7);
		}
	}
	if (groups > 2) {
		LOAD_LEFT(4, 2);
		_tile_dpbusd(2, 4, 6);
		LOAD_LEFT(5, 3);
		_tile_dpbusd(3, 5, 6);
	}
}

INLINE void sums_store(int32_t *sums, size_t group, size_t groups, size_t columns)
{
	const size_t pitch = columns * BYTES, next = group * columns * 16;

	_tile_stored(0, sums, pitch);
	if (columns > 1)
		_tile_stored(1, sums + 16, pitch);
	else if (groups > 1)
		_tile_stored(1, sums + next, pitch);
	if (columns > 2) {
		_tile_stored(2, sums + 32, pitch);
		_tile_stored(3, sums + 48, pitch);
	} else if (groups > 1 && columns == 2) {
		_tile_stored(2, sums + next, pitch);
		_tile_stored(3, sums + next + 16, pitch);
	} else if (groups > 2) {
		_tile_stored(2, sums + 2 * next, pitch);
		_tile_stored(3, sums + 3 * next, pitch);
	}
}

/* The sums of @b, and in between the codes of the block before and lines of the next weights. */
INLINE void block_multiply(struct product *x, const struct strip *s, struct block *b, size_t groups,
			   size_t columns)
{
	const struct nnfw_q8_job *job = x->job;
	const size_t step = x->cut.chunk / 4 * s->pitch, stride = job->row_stride;
	const size_t a_step = x->steps * x->codes.each;
	const size_t times = (x->codes.rows + a_step - 1) / a_step;
	const uint8_t *w = s->weights;
	size_t from = 0;

	sums_start(job->column_terms + s->column, groups, columns);
	for (size_t g = 0; g < job->depth.segments; g++, from += job->segment_stride) {
		for (size_t i = 0, at = from; i < x->cut.chunks; i++, at += x->cut.chunk) {
			sums_add(s, b, stride, at, w, groups, columns);
			w += step;
			for (size_t n = x->ahead_lines; n && x->ahead < x->ahead_end; n--) {
				_mm_prefetch((const char *)x->ahead, _MM_HINT_T1);
				x->ahead += BYTES;
			}
			if (x->codes.row < x->codes.rows)
				x->codes.find(x, times);
		}
	}
	codes_rest(x);
	sums_store(b->sums, x->cut.group, groups, columns);
}

#define FORM(groups, columns)                                                \
	static __attribute__((noinline)) void multiply_##groups##x##columns( \
		struct product *x, const struct strip *s, struct block *b)   \
	{                                                                    \
		block_multiply(x, s, b, groups, columns);                    \
	}

FORM(1, 1)
FORM(1, 2)
FORM(1, 4)
FORM(2, 2)
FORM(4, 1)

static const struct form {
	size_t groups, columns;
	void (*multiply)(struct product *x, const struct strip *s, struct block *b);
} single[] = { { 1, 4, multiply_1x4 }, { 1, 2, multiply_1x2 }, { 1, 1, multiply_1x1 } },
  several[] = { { 2, 2, multiply_2x2 }, { 4, 1, multiply_4x1 } };

/* ---- the product ---- */

static void strip_multiply(struct product *x, const struct strip *s, const struct form *form)
{
	const struct nnfw_q8_job *job = x->job;

	walk_begin(x);
	for (size_t g = 0; g < x->cut.groups; g += form->groups) {
		struct block *b = &x->blocks[x->now];

		block_fill(x, s, b, form->groups);
		form->multiply(x, s, b);
		x->codes = (struct codes){
			.block = b,
			.multipliers = job->multipliers + s->column,
			.mask = s->mask,
			.rows = form->groups * x->cut.group,
			.each = 4 / form->columns,
			.find = codes_finders[form->columns / 2][job->tame][job->row_terms != NULL],
		};
		x->now ^= 1;
	}
}

/* The panel's weights at @weights, of @columns vectors, of which the columns of @mask count. */
static void panel_multiply(struct product *x, const uint8_t *weights, size_t column, size_t columns,
			   uint64_t mask)
{
	const struct form *form = x->cut.groups > 1 ? several : single;

	for (size_t z = 0; z < columns && mask >> z * 16; z += form->columns) {
		struct strip s = {
			.weights = weights + z * BYTES,
			.pitch = columns * BYTES,
			.column = column + z * 16,
			.mask = mask >> z * 16,
		};

		while (form->columns > columns - z)
			form++;
		strip_multiply(x, &s, form);
	}
}

static void q8_gemm_multiply(const struct nnfw_q8_job *job)
{
	const size_t fours = job->depth.segments * ((job->depth.length + 3) / 4);
	struct product x;
	size_t steps;

	/* the blocks of a product are not set before they are used: they would cost as much as a
	 * small one */
	x.job = job;
	x.rule = rule_of(job);
	x.codes = (struct codes){ .each = 1 };
	x.ahead_lines = 0;
	x.now = 0;
	if (!cut_rows(&x.cut, job) || !cut_depth(&x.cut, job->depth.length)) {
		nnfw_q8_avx512vnni_multiply(job);
		return;
	}
	x.steps = job->depth.segments * x.cut.chunks;
	tiles_configure(&x.cut);
	for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
		const uint8_t *weights = (const uint8_t *)job->weights + c * fours * 4;
		size_t n = job->end - c;

		if (job->far && c + 2 * NNFW_Q8_PANEL <= job->columns) {
			x.ahead = weights + NNFW_Q8_PANEL * fours * 4;
			x.ahead_end = x.ahead + NNFW_Q8_PANEL * fours * 4;
			steps = x.steps * ((x.cut.groups + 1) / 2) * 2;
			x.ahead_lines = (fours * 4 + steps - 1) / steps;
		}
		panel_multiply(&x, weights, c, nnfw_q8_avx512vnni_width(job->columns, c) / 16,
			       n < NNFW_Q8_PANEL ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0);
	}
	codes_rest(&x);
	/* what a thread holds in tiles is saved whenever it gives up its processor */
	_tile_release();
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_amx = {
	.unit = NNFW_Q8_AVX512VNNI_UNIT,
	.block = 12000000,
	.size = nnfw_q8_avx512vnni_size,
	.pack = nnfw_q8_avx512vnni_pack,
	.multiply = q8_gemm_multiply,
	.add = nnfw_q8_avx512vnni_add,
	.finish = nnfw_q8_avx512vnni_finish,
	.row_sums = nnfw_q8_avx512vnni_row_sums,
	.copy = nnfw_q8_avx512vnni_copy,
};

// SPDX-License-Identifier: Apache-2.0
/*
 * AMX, on AVX512-VNNI's packed weights: four neighbouring rows of elements are a row of a tile. A
 * block is groups of up to 16 rows by vectors of 16 columns, four tiles of sums at most. Its sums
 * go through memory to AVX512, which finds their codes while the tiles of the next block are
 * computed.
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

/* How a product is cut. */
struct cut {
	size_t chunk, chunks; /* bytes of a row that a tile takes; of a segment */
	size_t group; /* rows of a group */
	size_t row_stride, segment_stride, segments;
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

static void configure(const struct cut *cut)
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

/* A block of the result. */
struct block {
	const uint8_t *left[GROUPS];
	size_t row[GROUPS]; /* the group's first row */
};

/* What all blocks of a panel share. */
struct panel {
	const struct nnfw_q8_job *job;
	const struct cut *cut;
	const uint8_t *weights;
	size_t pitch; /* bytes of four rows of weights */
	size_t column;
	struct nnfw_q8_rule rule;
	uint64_t mask; /* of a row's columns */
};

/* ---- sums ---- */

/*
 * Tile numbers are constants in the instructions: sums are 0 to 3, the left side 4 and 5, the right
 * side 6 and 7.
 */
#define LOAD_LEFT(t, group) _tile_loadd(t, b->left[group] + at, p->cut->row_stride)
#define LOAD_RIGHT(t, z) _tile_loadd(t, w + (z)*BYTES, p->pitch)

INLINE void start(const struct panel *p, size_t groups, size_t columns)
{
	const int32_t *terms = p->job->column_terms + p->column;

	/* the same row 16 times */
	_tile_loadd(0, terms, 0);
	if (columns > 1)
		_tile_loadd(1, terms + 16, 0);
	else if (groups > 1)
		_tile_loadd(1, terms, 0);
	if (columns > 2)
		_tile_loadd(2, terms + 32, 0);
	else if (groups * columns > 2)
		_tile_loadd(2, terms, 0);
	if (columns > 3)
		_tile_loadd(3, terms + 48, 0);
	else if (groups * columns > 3)
		_tile_loadd(3, columns == 2 ? terms + 16 : terms, 0);
}

INLINE void chunk(const struct panel *p, const struct block *b, size_t at, const uint8_t *w,
		  size_t groups, size_t columns)
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
	}
	if (columns > 3) {
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

INLINE void multiply_block(const struct panel *p, const struct block *b, size_t groups,
			   size_t columns)
{
	const struct cut *cut = p->cut;
	const uint8_t *w = p->weights;
	const size_t step = cut->chunk / 4 * p->pitch;
	size_t from = 0;

	start(p, groups, columns);
	for (size_t s = 0; s < cut->segments; s++, from += cut->segment_stride)
		for (size_t i = 0, at = from; i < cut->chunks; i++, at += cut->chunk, w += step)
			chunk(p, b, at, w, groups, columns);
}

/* ---- codes ---- */

/* Sums in memory: [group][row][vector]. */
typedef int32_t block_sums[GROUPS * ROWS * 16] __attribute__((aligned(64)));

INLINE void store_sums(const struct panel *p, int32_t *sums, size_t groups, size_t columns)
{
	const size_t pitch = columns * BYTES, group = p->cut->group * columns * 16;

	_tile_stored(0, sums, pitch);
	if (columns > 1)
		_tile_stored(1, sums + 16, pitch);
	else if (groups > 1)
		_tile_stored(1, sums + group, pitch);
	if (columns > 2)
		_tile_stored(2, sums + 32, pitch);
	else if (groups > 1 && columns == 2)
		_tile_stored(2, sums + group, pitch);
	else if (groups > 2)
		_tile_stored(2, sums + 2 * group, pitch);
	if (columns > 3)
		_tile_stored(3, sums + 48, pitch);
	else if (groups > 1 && columns == 2)
		_tile_stored(3, sums + group + 16, pitch);
	else if (groups > 2)
		_tile_stored(3, sums + 3 * group, pitch);
}

/* Rows [@r, @r + 4 / @columns) of a group, or what there is of them. */
INLINE void store_codes(const struct panel *p, uint8_t *out, size_t rows, size_t columns,
			__m512i codes)
{
	const size_t stride = p->job->out_stride;

	if (columns > 2) {
		_mm512_mask_storeu_epi8(out, p->mask, codes);
	} else if (columns == 2) {
		_mm256_mask_storeu_epi8(out, (__mmask32)p->mask, _mm512_castsi512_si256(codes));
		if (rows > 1)
			_mm256_mask_storeu_epi8(out + stride, (__mmask32)p->mask,
						_mm512_extracti64x4_epi64(codes, 1));
	} else {
		_mm_mask_storeu_epi8(out, (__mmask16)p->mask, _mm512_castsi512_si128(codes));
		if (rows > 1)
			_mm_mask_storeu_epi8(out + stride, (__mmask16)p->mask,
					     _mm512_extracti32x4_epi32(codes, 1));
		if (rows > 2)
			_mm_mask_storeu_epi8(out + 2 * stride, (__mmask16)p->mask,
					     _mm512_extracti32x4_epi32(codes, 2));
		if (rows > 3)
			_mm_mask_storeu_epi8(out + 3 * stride, (__mmask16)p->mask,
					     _mm512_extracti32x4_epi32(codes, 3));
	}
}

INLINE void finish_group(const struct panel *p, const int32_t *sums, size_t first, size_t columns,
			 bool tame, bool with_rows)
{
	const struct nnfw_q8_job *job = p->job;
	const float *const m = job->multipliers + p->column;
	const float *const multipliers[4] = { m, m + (columns > 1 ? 16 : 0),
					      m + (columns > 2 ? 32 : 0),
					      m + (columns == 2	 ? 16
						   : columns > 3 ? 48
								 : 0) };
	const size_t step = columns == 3 ? 1 : 4 / columns, rows = p->cut->group;
	uint8_t *out = job->out + first * job->out_stride + p->column;

	for (size_t r = 0; r < rows; r += step) {
		const int32_t *at = sums + r * columns * 16;
		__m512i four[4];

		for (size_t i = 0; i < 4; i++) {
			const size_t v = columns == 3 && i == 3 ? 0 : i;

			four[i] = _mm512_load_si512(at + v * 16);
			if (with_rows) {
				/* behind the last row there are the sums of none */
				const size_t row = r + v / columns;

				four[i] = _mm512_add_epi32(
					four[i],
					_mm512_set1_epi32(
						job->row_terms[first +
							       (row < rows ? row : rows - 1)]));
			}
		}
		store_codes(p, out + r * job->out_stride, rows - r, columns,
			    codes_of(four, multipliers, &p->rule, tame));
	}
}

INLINE void finish_block(const struct panel *p, const struct block *b, const int32_t *sums,
			 size_t groups, size_t columns, bool tame, bool with_rows)
{
	for (size_t g = 0; g < groups; g++)
		finish_group(p, sums + g * p->cut->group * columns * 16, b->row[g], columns, tame,
			     with_rows);
}

/* ---- blocks ---- */

/* The groups of a product's rows, in turn; the last of a run may repeat rows of the one before. */
struct walk {
	const uint8_t *left; /* of the run */
	size_t run; /* rows */
	size_t first, x; /* rows before the run, and of it */
};

INLINE void next_group(const struct panel *p, struct walk *w, const uint8_t **left, size_t *row)
{
	const size_t group = p->cut->group;

	if (w->x + group > w->run)
		w->x = w->run - group;
	*left = w->left + w->x * p->job->row_stride;
	*row = w->first + w->x;
	w->x += group;
	if (w->x < w->run)
		return;
	w->x = 0;
	w->first += w->run;
	w->left += p->job->run_stride;
}

/* The next @n blocks. */
INLINE void do_blocks(const struct panel *p, struct walk *walk, size_t n, size_t groups,
		      size_t columns, bool tame, bool with_rows)
{
	struct block b[2];
	block_sums sums[2];
	size_t i = 0;

	if (!n)
		return;
	/* the codes of a block are found when the products of the next have been begun */
	for (size_t done = 0; done < n; done++, i ^= 1) {
		for (size_t g = 0; g < groups; g++)
			next_group(p, walk, &b[i].left[g], &b[i].row[g]);
		multiply_block(p, &b[i], groups, columns);
		if (done)
			finish_block(p, &b[i ^ 1], sums[i ^ 1], groups, columns, tame, with_rows);
		store_sums(p, sums[i], groups, columns);
	}
	finish_block(p, &b[i ^ 1], sums[i ^ 1], groups, columns, tame, with_rows);
}

INLINE void do_panel(const struct panel *p, size_t run, size_t total, size_t columns, bool tame,
		     bool with_rows)
{
	/* as many tiles of sums as there are: each waits for its last product */
	const size_t groups = columns > 2 ? 1 : 4 / columns;
	struct walk walk = { .left = p->job->left, .run = run };

	do_blocks(p, &walk, total / groups, groups, columns, tame, with_rows);
	if (groups > 1)
		do_blocks(p, &walk, total % groups, 1, columns, tame, with_rows);
}

#define PANEL(columns, name, tame, with_rows)                                                 \
	static __attribute__((noinline)) void panel_##columns##name(const struct panel *p,    \
								    size_t run, size_t total) \
	{                                                                                     \
		do_panel(p, run, total, columns, tame, with_rows);                            \
	}
#define PANELS(columns)                         \
	PANEL(columns, _wild, false, false)     \
	PANEL(columns, _wild_rows, false, true) \
	PANEL(columns, _tame, true, false)      \
	PANEL(columns, _tame_rows, true, true)

PANELS(1)
PANELS(2)
PANELS(3)
PANELS(4)

#define ENTRIES(columns)                                                    \
	{                                                                   \
		{ panel_##columns##_wild, panel_##columns##_wild_rows },    \
		{                                                           \
			panel_##columns##_tame, panel_##columns##_tame_rows \
		}                                                           \
	}

static void (*const panels[4][2][2])(const struct panel *p, size_t run,
				     size_t total) = { ENTRIES(1), ENTRIES(2), ENTRIES(3),
						       ENTRIES(4) };

static void multiply(const struct nnfw_q8_job *job)
{
	const size_t fours = job->depth.segments * ((job->depth.length + 3) / 4);
	/* runs that follow each other are one */
	const bool flat = job->run >= job->rows || job->run_stride == job->run * job->row_stride;
	const size_t run = flat ? job->rows : job->run;
	struct cut cut = {
		.group = run < ROWS ? run : ROWS,
		.row_stride = job->row_stride,
		.segment_stride = job->segment_stride,
		.segments = job->depth.segments,
	};
	const size_t total = job->rows / run * ((run + cut.group - 1) / cut.group);

	if (cut.group < FEW_ROWS || job->rows % run || !cut_depth(&cut, job->depth.length)) {
		nnfw_q8_vnni_multiply(job);
		return;
	}
	configure(&cut);
	for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
		size_t n = job->end - c, left = job->columns - c;
		size_t columns = ((left < NNFW_Q8_PANEL ? left : NNFW_Q8_PANEL) + 15) / 16;
		const struct panel p = {
			.job = job,
			.cut = &cut,
			.weights = (const uint8_t *)job->weights + c * fours * 4,
			.pitch = columns * BYTES,
			.column = c,
			.rule = rule_of(job),
			.mask = n < NNFW_Q8_PANEL ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0,
		};

		panels[columns - 1][job->tame][job->row_terms != NULL](&p, run, total);
	}
	/* what a thread holds in tiles is saved whenever it gives up its processor */
	_tile_release();
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_amx = {
	.unit = NNFW_Q8_VNNI_UNIT,
	.block = 5600000,
	.size = nnfw_q8_vnni_size,
	.pack = nnfw_q8_vnni_pack,
	.multiply = multiply,
	.add = nnfw_q8_vnni_add,
	.finish = nnfw_q8_vnni_finish,
	.row_sums = nnfw_q8_vnni_row_sums,
	.copy = nnfw_q8_vnni_copy,
};

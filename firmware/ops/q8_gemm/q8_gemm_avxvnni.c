// SPDX-License-Identifier: Apache-2.0
/*
 * AVX-VNNI: sums of up to 6 rows and a panel of 16 columns, two vectors, in registers, over the
 * whole depth; four neighbouring elements of a row are broadcast. One or two rows take more panels
 * at once, for sums that do not wait for each other.
 */
#include "q8_gemm/avx2.h"
#include "q8_gemm/written_out.h"

#define ROWS 6u
#define LANES 16u

/* Rows, and neighbouring panels. */
struct tile {
	const uint8_t *rows[ROWS];
	size_t segments, fours, segment_stride;
	const uint8_t *weights; /* of the first panel */
	size_t pitch; /* bytes of a panel */
};

INLINE __m256i four_of(const uint8_t *row)
{
	int32_t four;

	memcpy(&four, row, sizeof(four));
	return _mm256_set1_epi32(four);
}

/* sums[r * 2 * np + v] += the product of row r and vector v of @np panels; 6 rows at most. */
INLINE void product(const struct tile *t, size_t mr, size_t np, __m256i *sums)
{
	const uint8_t *w = t->weights;
	size_t from = 0;

	for (size_t s = 0; s < t->segments; s++, from += t->segment_stride) {
		const size_t end = from + 4 * t->fours;

		for (size_t k = from; k < end; k += 4, w += 4 * LANES) {
			NNFW_Q8_EACH_VECTOR(p, np, {
				const void *panel = w + p * t->pitch;
				const __m256i low = _mm256_loadu_si256(panel);
				const __m256i high = _mm256_loadu_si256((const __m256i *)panel + 1);

				NNFW_Q8_EACH_OF_SIX(r, mr, {
					const __m256i x = four_of(t->rows[r] + k);
					__m256i *const at = sums + (r * np + p) * 2;

					at[0] = _mm256_dpbusd_avx_epi32(at[0], x, low);
					at[1] = _mm256_dpbusd_avx_epi32(at[1], x, high);
				});
			});
		}
	}
}

/* Where results go. */
struct target {
	const struct nnfw_q8_job *job;
	const struct nnfw_q8_rule *rule;
	size_t row, column; /* the first */
};

INLINE void start(const struct target *g, size_t mr, size_t np, __m256i *sums)
{
	const int32_t *columns = g->job->column_terms + g->column;

	NNFW_Q8_EACH_OF_SIX(r, mr, {
		const int32_t *rows = g->job->row_terms;
		const __m256i term = _mm256_set1_epi32(rows ? rows[g->row + r] : 0);

		NNFW_Q8_EACH_VECTOR(p, np, {
			const __m256i *terms = (const void *)(columns + p * LANES);
			__m256i *const at = sums + (r * np + p) * 2;

			at[0] = _mm256_add_epi32(_mm256_loadu_si256(terms), term);
			at[1] = _mm256_add_epi32(_mm256_loadu_si256(terms + 1), term);
		});
	});
}

/* Panels by pairs of rows; a last row is its own pair. */
INLINE void end(const struct target *g, size_t mr, size_t np, const __m256i *sums)
{
	const struct nnfw_q8_job *job = g->job;

	NNFW_Q8_EACH_VECTOR(p, np, {
		const size_t column = g->column + p * LANES;
		const float *m = job->multipliers + column;
		const float *const multipliers[4] = { m, m + 8, m, m + 8 };
		uint8_t *out = job->out + g->row * job->out_stride + column;

		NNFW_Q8_EACH_OF_SIX(
			r, mr, if (r % 2 == 0) {
				const __m256i *a = sums + (r * np + p) * 2;
				const __m256i *b = r + 1 < mr ? a + 2 * np : a;
				const __m256i four[4] = { a[0], a[1], b[0], b[1] };
				const __m256i codes = codes_of(four, multipliers, g->rule);

				bytes_store(out + r * job->out_stride,
					    _mm256_castsi256_si128(codes), job->end - column);
				if (r + 1 < mr)
					bytes_store(out + (r + 1) * job->out_stride,
						    _mm256_extracti128_si256(codes, 1),
						    job->end - column);
			});
	});
}

#define TILE(mr, np)                                                                   \
	static __attribute__((noinline)) void tile_##mr##x##np(const struct tile *t,   \
							       const struct target *g) \
	{                                                                              \
		__m256i sums[12];                                                      \
                                                                                       \
		start(g, mr, np, sums);                                                \
		product(t, mr, np, sums);                                              \
		end(g, mr, np, sums);                                                  \
	}

TILE(1, 1)
TILE(2, 1)
TILE(3, 1)
TILE(4, 1)
TILE(5, 1)
TILE(6, 1)
TILE(2, 2)
TILE(3, 2)
TILE(1, 4)

/* By rows: the most panels, and their tile; and that of one panel. */
static const struct form {
	size_t panels;
	void (*wide)(const struct tile *t, const struct target *g);
	void (*narrow)(const struct tile *t, const struct target *g);
} forms[ROWS] = {
	{ 4, tile_1x4, tile_1x1 }, { 2, tile_2x2, tile_2x1 }, { 2, tile_3x2, tile_3x1 },
	{ 1, tile_4x1, tile_4x1 }, { 1, tile_5x1, tile_5x1 }, { 1, tile_6x1, tile_6x1 },
};

static struct tile tile_of(const struct nnfw_q8_job *job)
{
	return (struct tile){
		.segments = job->depth.segments,
		.fours = (job->depth.length + 3) / 4,
		.segment_stride = job->segment_stride,
		.pitch = nnfw_q8_avx2_depth(job->depth, NNFW_Q8_AVXVNNI_UNIT) * LANES,
	};
}

/* Where the next row of the left side begins. */
struct walk {
	const uint8_t *run;
	size_t x; /* row of the run */
};

/* The next rows, @left at most. */
static size_t take_rows(struct tile *t, const struct nnfw_q8_job *job, struct walk *w, size_t left)
{
	/* two tiles of the same height: one of few rows takes nearly as long as a full one */
	const size_t n = left >= 2 * ROWS ? ROWS : left > ROWS ? (left + 1) / 2 : left;

	for (size_t r = 0; r < n; r++) {
		t->rows[r] = w->run + w->x * job->row_stride;
		if (++w->x == job->run) {
			w->x = 0;
			w->run += job->run_stride;
		}
	}
	return n;
}

/* The columns of @job from @first to @last, rows after rows. */
static void columns_multiply(const struct nnfw_q8_job *job, const struct nnfw_q8_rule *rule,
			     size_t first, size_t last)
{
	struct target g = { .job = job, .rule = rule };
	struct walk walk = { .run = job->left };
	struct tile t = tile_of(job);
	const size_t panels = (last - first + LANES - 1) / LANES;

	for (size_t n; g.row < job->rows; g.row += n) {
		const struct form *form;
		size_t p = 0;

		n = take_rows(&t, job, &walk, job->rows - g.row);
		form = &forms[n - 1];
		t.weights = (const uint8_t *)job->weights + first / LANES * t.pitch;
		for (g.column = first; p < panels;) {
			const size_t now = panels - p >= form->panels ? form->panels : 1;

			(now > 1 ? form->wide : form->narrow)(&t, &g);
			p += now;
			t.weights += now * t.pitch;
			g.column += now * LANES;
		}
	}
}

static void q8_gemm_multiply(const struct nnfw_q8_job *job)
{
	const struct nnfw_q8_rule rule = rule_of(job);

	for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL)
		columns_multiply(job, &rule, c,
				 job->end - c < NNFW_Q8_PANEL ? job->end : c + NNFW_Q8_PANEL);
}

/* ---- sums that are added ---- */

#define SUMS(mr)                                                                                 \
	static __attribute__((noinline)) void sums_##mr(const struct tile *t, uint32_t *to)      \
	{                                                                                        \
		__m256i sums[12];                                                                \
                                                                                                 \
		NNFW_Q8_EACH_ROW(i, 2 * mr, sums[i] = _mm256_setzero_si256());                   \
		product(t, mr, 1, sums);                                                         \
		NNFW_Q8_EACH_ROW(i, 2 * mr, _mm256_storeu_si256((void *)(to + 8 * i), sums[i])); \
	}

SUMS(1)
SUMS(2)
SUMS(3)
SUMS(4)
SUMS(5)
SUMS(6)

static void (*const sums_of[ROWS])(const struct tile *t, uint32_t *to) = {
	sums_1, sums_2, sums_3, sums_4, sums_5, sums_6,
};

static void q8_gemm_add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride)
{
	struct tile t = tile_of(job);
	struct walk walk;

	for (size_t c = job->first; c < job->end; c += LANES) {
		const size_t n = job->end - c < LANES ? job->end - c : LANES;

		t.weights = (const uint8_t *)job->weights + c / LANES * t.pitch;
		walk = (struct walk){ .run = job->left };
		for (size_t row = 0, rows; row < job->rows; row += rows) {
			uint32_t new[ROWS][LANES];

			rows = take_rows(&t, job, &walk, job->rows - row);
			sums_of[rows - 1](&t, new[0]);
			for (size_t r = 0; r < rows; r++)
				for (size_t i = 0; i < n; i++)
					sums[(row + r) * stride + c - job->first + i] += new[r][i];
		}
	}
}

static size_t q8_gemm_size(size_t columns, struct nnfw_q8_depth depth)
{
	return (columns + LANES - 1) / LANES * LANES *
	       nnfw_q8_avx2_depth(depth, NNFW_Q8_AVXVNNI_UNIT);
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_avxvnni = {
	.unit = NNFW_Q8_AVXVNNI_UNIT,
	.block = 1800000,
	.size = q8_gemm_size,
	.pack = nnfw_q8_avxvnni_pack,
	.multiply = q8_gemm_multiply,
	.add = q8_gemm_add,
	.finish = nnfw_q8_avx2_finish,
	.row_sums = nnfw_q8_avx2_row_sums,
	.copy = nnfw_q8_avx2_copy,
};

// SPDX-License-Identifier: Apache-2.0
/*
 * AVX512-VNNI, on the packed weights of q8_pack_avx512vnni.c. A tile is some rows by a panel, whose
 * sums stay in registers from their terms to the stored codes.
 */
#include "q8_gemm/avx512.h"
#include "q8_gemm/written_out.h"

/* ---- the end of a tile ---- */

/* Where a tile's codes go. */
struct target {
	uint8_t *out;
	size_t stride;
	__mmask64 mask; /* of a row's columns */
	bool dense; /* rows of whole vectors, one after the other */
};

INLINE void store_row(const struct target *t, size_t r, size_t nz, __m512i codes)
{
	uint8_t *to = t->out + r * t->stride;

	if (nz == 1)
		_mm_mask_storeu_epi8(to, (__mmask16)t->mask, _mm512_castsi512_si128(codes));
	else if (nz == 2)
		_mm256_mask_storeu_epi8(to, (__mmask32)t->mask, _mm512_castsi512_si256(codes));
	else
		_mm512_mask_storeu_epi8(to, t->mask, codes);
}

/* Rows [@r, @r + @n) of a tile, a vector of codes. */
INLINE void store_rows(const struct target *t, size_t r, size_t n, size_t nz, __m512i codes)
{
	if (n * nz == 4 && t->dense) {
		_mm512_storeu_si512(t->out + r * t->stride, codes);
		return;
	}
	store_row(t, r, nz, codes);
	if (nz == 2 && n > 1)
		store_row(t, r + 1, nz,
			  _mm512_castsi256_si512(_mm512_extracti64x4_epi64(codes, 1)));
	if (nz == 1 && n > 1)
		store_row(t, r + 1, nz,
			  _mm512_castsi128_si512(_mm512_extracti32x4_epi32(codes, 1)));
	if (nz == 1 && n > 2)
		store_row(t, r + 2, nz,
			  _mm512_castsi128_si512(_mm512_extracti32x4_epi32(codes, 2)));
	if (nz == 1 && n > 3)
		store_row(t, r + 3, nz,
			  _mm512_castsi128_si512(_mm512_extracti32x4_epi32(codes, 3)));
}

/* ---- tiles ---- */

/* A tile's sums are [row][vector], in registers (written_out.h). */

/* A tile's operands. */
struct tile {
	const uint8_t *const *rows;
	const uint8_t *weights;
	const uint8_t *ahead; /* lines to fetch, one with each four elements of the depth */
	size_t segments, length, segment_stride;
};

INLINE __m512i four_of(const uint8_t *row)
{
	int32_t four;

	memcpy(&four, row, sizeof(four));
	return _mm512_set1_epi32(four);
}

/* sums += the product, of @nz vectors of columns. @fetch: t->ahead. */
INLINE void product(const struct tile *t, size_t mr, size_t nz, __m512i *sums, bool fetch)
{
	const uint8_t *w = t->weights, *ahead = t->ahead;
	const uint8_t *rows[12];
	const size_t length = t->length;
	size_t segments = t->segments, from = 0;

	NNFW_Q8_EACH_ROW(r, mr, rows[r] = t->rows[r]);
	do {
		size_t i = from;

		do {
			__m512i right[4];

			if (fetch) {
				__builtin_prefetch(ahead, 0, 2);
				ahead += 64;
			}
			NNFW_Q8_EACH_VECTOR(z, nz, right[z] = _mm512_loadu_si512(w + z * 64));
			NNFW_Q8_EACH_ROW(r, mr, {
				__m512i left = four_of(rows[r] + i);

				NNFW_Q8_EACH_VECTOR(z, nz,
						    sums[r * nz + z] = _mm512_dpbusd_epi32(
							    sums[r * nz + z], left, right[z]));
			});
			i += 4;
			w += nz * 64;
		} while (i < from + length);
		from += t->segment_stride;
	} while (--segments);
}

/* The same of one row: several chains of sums, as each waits for its last one. */
INLINE void product_of_row(const struct tile *t, size_t nz, __m512i *sums)
{
	const uint8_t *w = t->weights, *row = t->rows[0];
	__m512i more[12];

	NNFW_Q8_EACH_VECTOR(z, nz, more[z] = more[4 + z] = more[8 + z] = _mm512_setzero_si512());
	for (size_t s = 0; s < t->segments; s++, row += t->segment_stride) {
		size_t i = 0;

		for (; i + 16 <= t->length; i += 16, w += nz * 256) {
			__m512i left = four_of(row + i);

			NNFW_Q8_EACH_VECTOR(z, nz,
					    sums[z] = _mm512_dpbusd_epi32(
						    sums[z], left, _mm512_loadu_si512(w + z * 64)));
			NNFW_Q8_EACH_ROW(j, 3, {
				const uint8_t *at = w + (j + 1) * nz * 64;

				left = four_of(row + i + 4 + j * 4);
				NNFW_Q8_EACH_VECTOR(z, nz,
						    more[j * 4 + z] = _mm512_dpbusd_epi32(
							    more[j * 4 + z], left,
							    _mm512_loadu_si512(at + z * 64)));
			});
		}
		for (; i < t->length; i += 4, w += nz * 64) {
			__m512i left = four_of(row + i);

			NNFW_Q8_EACH_VECTOR(z, nz,
					    sums[z] = _mm512_dpbusd_epi32(
						    sums[z], left, _mm512_loadu_si512(w + z * 64)));
		}
	}
	NNFW_Q8_EACH_VECTOR(z, nz,
			    sums[z] = _mm512_add_epi32(_mm512_add_epi32(sums[z], more[z]),
						       _mm512_add_epi32(more[4 + z], more[8 + z])));
}

/* What all tiles of a panel share. */
struct panel {
	struct tile tile;
	struct target target;
	struct nnfw_q8_rule rule;
	const int32_t *column_terms, *row_terms; /* of the tile's first column and row */
	const float *multipliers;
	bool tame;
};

INLINE void start(const struct panel *p, size_t mr, size_t nz, __m512i *sums)
{
	__m512i terms[4];

	NNFW_Q8_EACH_VECTOR(z, nz, terms[z] = _mm512_loadu_si512(p->column_terms + z * 16));
	if (!p->row_terms) {
		NNFW_Q8_EACH_ROW(r, mr, NNFW_Q8_EACH_VECTOR(z, nz, sums[r * nz + z] = terms[z]));
		return;
	}
	NNFW_Q8_EACH_ROW(r, mr, {
		__m512i term = _mm512_set1_epi32(p->row_terms[r]);

		NNFW_Q8_EACH_VECTOR(z, nz, sums[r * nz + z] = _mm512_add_epi32(terms[z], term));
	});
}

/* Store a tile's results. */
INLINE void end(const struct panel *p, size_t mr, size_t nz, const __m512i *sums, bool tame)
{
	const float *const m = p->multipliers;
	const float *const multipliers[4] = { m, m + (nz > 1 ? 16 : 0), m + (nz > 2 ? 32 : 0),
					      m + (nz == 2  ? 16
						   : nz > 3 ? 48
							    : 0) };

	/* as many rows at a time as make four vectors */
	NNFW_Q8_EACH_ROW(
		r, mr, if (r % (4 / nz) == 0) {
			const size_t n = mr - r < 4 / nz ? mr - r : 4 / nz, at = r * nz,
				     have = n * nz;
			const __m512i four[4] = { sums[at], sums[at + (have > 1 ? 1 : 0)],
						  sums[at + (have > 2 ? 2 : 0)],
						  sums[at + (have > 3 ? 3 : 0)] };

			store_rows(&p->target, r, n, nz,
				   codes_of(four, multipliers, &p->rule, tame));
		});
}

INLINE void do_tile(const struct panel *p, size_t mr, size_t nz, bool fetch)
{
	__m512i sums[24];

	start(p, mr, nz, sums);
	if (mr == 1)
		product_of_row(&p->tile, nz, sums);
	else
		product(&p->tile, mr, nz, sums, fetch);
	if (p->tame)
		end(p, mr, nz, sums, true);
	else
		end(p, mr, nz, sums, false);
}

#define TILE(mr, nz)                                                                  \
	static __attribute__((noinline)) void tile_##mr##x##nz(const struct panel *p) \
	{                                                                             \
		do_tile(p, mr, nz, false);                                            \
	}

TILE(1, 1)
TILE(2, 1)
TILE(4, 1)
TILE(8, 1)
TILE(12, 1)
TILE(1, 2)
TILE(2, 2)
TILE(4, 2)
TILE(8, 2)
TILE(12, 2)
TILE(1, 3)
TILE(2, 3)
TILE(4, 3)
TILE(8, 3)
TILE(1, 4)
TILE(2, 4)
TILE(3, 4)
TILE(4, 4)
TILE(6, 4)

static __attribute__((noinline)) void tile_6x4_fetch(const struct panel *p)
{
	do_tile(p, 6, 4, true);
}

/* Tiles by vectors of columns, most rows first. */
static const struct choice {
	size_t rows;
	void (*tile)(const struct panel *p);
} choices[4][5] = {
	{ { 12, tile_12x1 }, { 8, tile_8x1 }, { 4, tile_4x1 }, { 2, tile_2x1 }, { 1, tile_1x1 } },
	{ { 12, tile_12x2 }, { 8, tile_8x2 }, { 4, tile_4x2 }, { 2, tile_2x2 }, { 1, tile_1x2 } },
	{ { 8, tile_8x3 }, { 4, tile_4x3 }, { 2, tile_2x3 }, { 1, tile_1x3 } },
	{ { 6, tile_6x4 }, { 4, tile_4x4 }, { 3, tile_3x4 }, { 2, tile_2x4 }, { 1, tile_1x4 } },
};

/*
 * All rows of a panel. @next: the panel that comes next, whose first tile would wait for each of
 * its lines: four tiles of this one fetch a quarter each. NULL: it is near.
 */
static void do_panel(struct panel *p, const struct nnfw_q8_job *job, const struct choice *choice,
		     const uint8_t *next)
{
	const size_t quarter = nnfw_q8_avx512vnni_depth(job->depth) * NNFW_Q8_PANEL / 4;
	const uint8_t *rows[12], *run = job->left, *end = next ? next + 4 * quarter : NULL;
	size_t x = 0;

	p->tile.rows = rows;
	p->row_terms = job->row_terms;
	for (size_t left = job->rows; left;) {
		while (choice->rows > left)
			choice++;
		for (size_t r = 0; r < choice->rows; r++) {
			rows[r] = run + x * job->row_stride;
			if (++x == job->run) {
				x = 0;
				run += job->run_stride;
			}
		}
		if (left < job->rows && next != end && choice->tile == tile_6x4) {
			p->tile.ahead = next;
			next += quarter;
			tile_6x4_fetch(p);
		} else {
			choice->tile(p);
		}
		p->target.out += choice->rows * p->target.stride;
		if (p->row_terms)
			p->row_terms += choice->rows;
		left -= choice->rows;
	}
}

void nnfw_q8_avx512vnni_multiply(const struct nnfw_q8_job *job)
{
	struct panel p = {
		.tile = {
			.segments = job->depth.segments,
			.length = job->depth.length,
			.segment_stride = job->segment_stride,
		},
		.target = { .stride = job->out_stride },
		.rule = rule_of(job),
		.tame = job->tame,
	};
	size_t k = nnfw_q8_avx512vnni_depth(job->depth);

	for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
		size_t width = nnfw_q8_avx512vnni_width(job->columns, c), n = job->end - c;

		p.tile.weights = (const uint8_t *)job->weights + c * k;
		p.column_terms = job->column_terms + c;
		p.multipliers = job->multipliers + c;
		p.target.out = job->out + c;
		p.target.mask = mask_64(n);
		p.target.dense = n == width && job->out_stride == width;
		do_panel(&p, job, choices[width / 16 - 1],
			 job->far ? p.tile.weights + NNFW_Q8_PANEL * k : NULL);
	}
}

/* ---- the rest ---- */

/* The first @n of 16; none if it wrapped below 0. */
INLINE __mmask16 mask_above(size_t n)
{
	if ((ptrdiff_t)n < 0)
		return 0;
	return mask_16(n);
}

/* A tile whose sums come from memory and go back there: @n of its columns. */
INLINE void add_tile(const struct tile *t, size_t mr, size_t nz, size_t n, uint32_t *to,
		     size_t stride)
{
	__m512i sums[24];

	NNFW_Q8_EACH_ROW(
		r, mr,
		NNFW_Q8_EACH_VECTOR(z, nz,
				    sums[r * nz + z] = _mm512_maskz_loadu_epi32(
					    mask_above(n - z * 16), to + r * stride + z * 16)));
	if (mr == 1)
		product_of_row(t, nz, sums);
	else
		product(t, mr, nz, sums, false);
	NNFW_Q8_EACH_ROW(r, mr,
			 NNFW_Q8_EACH_VECTOR(z, nz,
					     _mm512_mask_storeu_epi32(to + r * stride + z * 16,
								      mask_above(n - z * 16),
								      sums[r * nz + z])));
}

#define ADD_TILE(mr, nz)                                                                           \
	static __attribute__((noinline)) void add_tile_##mr##x##nz(const struct tile *t, size_t n, \
								   uint32_t *to, size_t stride)    \
	{                                                                                          \
		add_tile(t, mr, nz, n, to, stride);                                                \
	}

ADD_TILE(1, 1)
ADD_TILE(2, 1)
ADD_TILE(6, 1)
ADD_TILE(1, 2)
ADD_TILE(2, 2)
ADD_TILE(6, 2)
ADD_TILE(1, 3)
ADD_TILE(2, 3)
ADD_TILE(6, 3)
ADD_TILE(1, 4)
ADD_TILE(2, 4)
ADD_TILE(6, 4)

/* By vectors of columns, most rows first. */
static const struct add_choice {
	size_t rows;
	void (*tile)(const struct tile *t, size_t n, uint32_t *to, size_t stride);
} add_choices[4][3] = {
	{ { 6, add_tile_6x1 }, { 2, add_tile_2x1 }, { 1, add_tile_1x1 } },
	{ { 6, add_tile_6x2 }, { 2, add_tile_2x2 }, { 1, add_tile_1x2 } },
	{ { 6, add_tile_6x3 }, { 2, add_tile_2x3 }, { 1, add_tile_1x3 } },
	{ { 6, add_tile_6x4 }, { 2, add_tile_2x4 }, { 1, add_tile_1x4 } },
};

void nnfw_q8_avx512vnni_add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride)
{
	size_t k = nnfw_q8_avx512vnni_depth(job->depth);
	struct tile t = {
		.segments = job->depth.segments,
		.length = job->depth.length,
		.segment_stride = job->segment_stride,
	};

	for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
		size_t width = nnfw_q8_avx512vnni_width(job->columns, c), n = job->end - c;
		const struct add_choice *choice = add_choices[width / 16 - 1];
		const uint8_t *rows[6];

		t.rows = rows;
		t.weights = (const uint8_t *)job->weights + c * k;
		n = n < width ? n : width;
		for (size_t r = 0; r < job->rows; r += choice->rows) {
			while (choice->rows > job->rows - r)
				choice++;
			for (size_t i = 0; i < choice->rows; i++)
				rows[i] = nnfw_q8_row(job, r + i);
			choice->tile(&t, n, sums + r * stride + c - job->first, stride);
		}
	}
}

void nnfw_q8_avx512vnni_finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride)
{
	struct nnfw_q8_rule rule = rule_of(job);

	for (size_t r = 0; r < job->rows; r++) {
		uint8_t *out = job->out + r * job->out_stride;
		__m512i row = _mm512_set1_epi32(job->row_terms ? job->row_terms[r] : 0);

		for (size_t c = job->first; c < job->end; c += 16) {
			__mmask16 mask = mask_16(job->end - c);
			const float *multipliers = job->multipliers + c;
			__m512i sum =
				_mm512_maskz_loadu_epi32(mask, sums + r * stride + c - job->first);
			__m512i four[4];

			sum = _mm512_add_epi32(sum, row);
			sum = _mm512_add_epi32(sum, _mm512_loadu_si512(job->column_terms + c));
			four[0] = four[1] = four[2] = four[3] = sum;
			_mm_mask_storeu_epi8(
				out + c, mask,
				_mm512_castsi512_si128(codes_of(
					four,
					(const float *const[4]){ multipliers, multipliers,
								 multipliers, multipliers },
					&rule, false)));
		}
	}
}

/* The sums of 16 parts each of four vectors. */
INLINE __m128i sums_of_four(const __m512i v[4])
{
	__m512i a = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]),
				     _mm512_unpackhi_epi32(v[0], v[1]));
	__m512i b = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]),
				     _mm512_unpackhi_epi32(v[2], v[3]));
	__m512i c = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
	__m256i d = _mm256_add_epi32(_mm512_castsi512_si256(c), _mm512_extracti64x4_epi64(c, 1));

	return _mm_add_epi32(_mm256_castsi256_si128(d), _mm256_extracti128_si256(d, 1));
}

/* The sum of a row, in 16 parts. */
INLINE __m512i row_sum(const struct nnfw_q8_job *job, const uint8_t *row, size_t whole,
		       __mmask64 rest)
{
	const __m512i ones = _mm512_set1_epi8(1);
	__m512i sum = _mm512_setzero_si512();

	for (size_t s = 0; s < job->depth.segments; s++, row += job->segment_stride) {
		for (size_t i = 0; i < whole; i += 64)
			sum = _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(row + i), ones);
		if (rest)
			sum = _mm512_dpbusd_epi32(sum, _mm512_maskz_loadu_epi8(rest, row + whole),
						  ones);
	}
	return sum;
}

void nnfw_q8_avx512vnni_row_sums(const struct nnfw_q8_job *job, uint32_t *sums)
{
	size_t length = job->depth.length, whole = length & ~(size_t)63;
	__mmask64 rest = ((__mmask64)1 << (length - whole)) - 1;
	const uint8_t *run = job->left;

	for (size_t first = 0, n; first < job->rows; first += n, run += job->run_stride) {
		const uint8_t *row = run;
		uint32_t *to = sums + first;
		size_t r = 0;

		n = job->rows - first < job->run ? job->rows - first : job->run;
		for (; r + 4 <= n; r += 4, row += 4 * job->row_stride) {
			const size_t stride = job->row_stride;
			const __m512i four[4] = {
				row_sum(job, row, whole, rest),
				row_sum(job, row + stride, whole, rest),
				row_sum(job, row + 2 * stride, whole, rest),
				row_sum(job, row + 3 * stride, whole, rest),
			};

			_mm_storeu_si128((void *)(to + r),
					 _mm_add_epi32(_mm_loadu_si128((const void *)(to + r)),
						       sums_of_four(four)));
		}
		for (; r < n; r++, row += job->row_stride)
			to[r] += (uint32_t)_mm512_reduce_add_epi32(row_sum(job, row, whole, rest));
	}
}

void nnfw_q8_avx512vnni_copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip)
{
	const __m512i change = _mm512_set1_epi8((char)flip);
	size_t i = 0;

	for (; i + 64 <= n; i += 64)
		_mm512_storeu_si512(dst + i, _mm512_xor_si512(_mm512_loadu_si512(src + i), change));
	if (i < n) {
		__mmask64 rest = ((__mmask64)1 << (n - i)) - 1;

		_mm512_mask_storeu_epi8(dst + i, rest,
					_mm512_xor_si512(_mm512_maskz_loadu_epi8(rest, src + i),
							 change));
	}
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_avx512vnni = {
	.unit = NNFW_Q8_AVX512VNNI_UNIT,
	.block = 2800000,
	.size = nnfw_q8_avx512vnni_size,
	.pack = nnfw_q8_avx512vnni_pack,
	.multiply = nnfw_q8_avx512vnni_multiply,
	.add = nnfw_q8_avx512vnni_add,
	.finish = nnfw_q8_avx512vnni_finish,
	.row_sums = nnfw_q8_avx512vnni_row_sums,
	.copy = nnfw_q8_avx512vnni_copy,
};

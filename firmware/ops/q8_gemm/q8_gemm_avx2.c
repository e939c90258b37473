// SPDX-License-Identifier: Apache-2.0
/*
 * AVX2: the exact product is that of 16-bit pairs. Packed weights (pack_avx2.h) stay at 8 bits;
 * they are widened in registers. Some rows of the left side are widened into a buffer, part by
 * part, and multiplied with 64 columns.
 */
#include "q8_gemm/avx2.h"
#include "q8_gemm/written_out.h"

#define ROWS 6u
/* Elements of a part; even. */
#define PART 512u

/* Rows and columns that are computed at a time. */
struct block {
	size_t rows, width; /* width: padded to 16 */
	const uint8_t *row[ROWS];
	int16_t left[ROWS][PART];
	_Alignas(32) int32_t sums[ROWS][NNFW_Q8_PANEL];
};

static size_t q8_gemm_even(size_t n)
{
	return (n + 1) & ~(size_t)1;
}

static size_t q8_gemm_padded(size_t columns)
{
	return (columns + 15) & ~(size_t)15;
}

/* ---- products ---- */

static void q8_gemm_widen(int16_t *dst, const uint8_t *src, size_t n)
{
	size_t i = 0;

	for (; i + 16 <= n; i += 16)
		_mm256_storeu_si256((void *)(dst + i),
				    _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(src + i))));
	if (i + 8 <= n) {
		_mm_storeu_si128((void *)(dst + i),
				 _mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)(src + i))));
		i += 8;
	}
	for (; i < n; i++)
		dst[i] = src[i];
	if (n & 1)
		dst[n] = 0;
}

/* Where a part of the rows begins. */
struct position {
	size_t segment, offset;
};

/* The next part, widened; its elements. */
static size_t next_part(struct block *b, const struct nnfw_q8_job *job, struct position *at)
{
	size_t k = 0;

	while (k < PART && at->segment < job->depth.segments) {
		size_t n = job->depth.length - at->offset,
		       from = at->segment * job->segment_stride + at->offset;

		n = n < PART - k ? n : PART - k;
		for (size_t r = 0; r < b->rows; r++)
			q8_gemm_widen(b->left[r] + k, b->row[r] + from, n);
		k += q8_gemm_even(n);
		at->offset += n;
		if (at->offset == job->depth.length) {
			at->offset = 0;
			at->segment++;
		}
	}
	return k;
}

INLINE __m256i pair_of(const int16_t *left)
{
	int32_t pair;

	memcpy(&pair, left, sizeof(pair));
	return _mm256_set1_epi32(pair);
}

/* Sums of 16 columns from @c of a block += the product of a part. */
INLINE void product(struct block *b, size_t mr, size_t c, const uint8_t *weights, size_t k)
{
	const int16_t *left = b->left[0];
	__m256i sums[12];

	NNFW_Q8_EACH_OF_SIX(r, mr, {
		sums[2 * r] = _mm256_load_si256((const void *)(b->sums[r] + c));
		sums[2 * r + 1] = _mm256_load_si256((const void *)(b->sums[r] + c + 8));
	});
	for (const int16_t *stop = left + k; left < stop; left += 2, weights += 32) {
		__m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)weights));
		__m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(weights + 16)));

		NNFW_Q8_EACH_OF_SIX(r, mr, {
			__m256i pair = pair_of(left + r * PART);

			sums[2 * r] = _mm256_add_epi32(sums[2 * r], _mm256_madd_epi16(pair, w0));
			sums[2 * r + 1] =
				_mm256_add_epi32(sums[2 * r + 1], _mm256_madd_epi16(pair, w1));
		});
	}
	NNFW_Q8_EACH_OF_SIX(r, mr, {
		_mm256_store_si256((void *)(b->sums[r] + c), sums[2 * r]);
		_mm256_store_si256((void *)(b->sums[r] + c + 8), sums[2 * r + 1]);
	});
}

#define PRODUCT(mr)                                                                           \
	static void product_##mr(struct block *b, size_t c, const uint8_t *weights, size_t k) \
	{                                                                                     \
		product(b, mr, c, weights, k);                                                \
	}

PRODUCT(1)
PRODUCT(2)
PRODUCT(3)
PRODUCT(4)
PRODUCT(5)
PRODUCT(6)

static void (*const products[ROWS])(struct block *b, size_t c, const uint8_t *weights, size_t k) = {
	product_1, product_2, product_3, product_4, product_5, product_6,
};

/* Add the product of a block whose columns begin at @first to its sums. */
static void multiply_block(struct block *b, const struct nnfw_q8_job *job, size_t first)
{
	const size_t depth = nnfw_q8_avx2_depth(job->depth, NNFW_Q8_AVX2_UNIT);
	const uint8_t *weights = (const uint8_t *)job->weights + first * depth;
	struct position at = { 0 };

	while (at.segment < job->depth.segments) {
		size_t k = next_part(b, job, &at);

		for (size_t c = 0; c < b->width; c += 16)
			products[b->rows - 1](b, c, weights + c * depth, k);
		weights += k * 16;
	}
}

/* ---- results ---- */

/* A block's results: @columns from @first of rows from @row. */
static void store_block(const struct block *b, const struct nnfw_q8_job *job,
			const struct nnfw_q8_rule *rule, size_t row, size_t first, size_t columns)
{
	for (size_t r = 0; r < b->rows; r++) {
		uint8_t *out = job->out + (row + r) * job->out_stride + first;

		for (size_t c = 0; c < columns; c += 32) {
			const int32_t *sums = b->sums[r] + c;
			const __m256i four[4] = {
				_mm256_load_si256((const void *)sums),
				_mm256_load_si256((const void *)(sums + 8)),
				_mm256_load_si256((const void *)(sums + 16)),
				_mm256_load_si256((const void *)(sums + 24)),
			};
			const float *m = job->multipliers + first + c;
			const __m256i codes = codes_of(
				four, (const float *const[4]){ m, m + 8, m + 16, m + 24 }, rule);
			uint8_t some[32];

			if (columns - c >= 32) {
				_mm256_storeu_si256((void *)(out + c), codes);
			} else {
				_mm256_storeu_si256((void *)some, codes);
				memcpy(out + c, some, columns - c);
			}
		}
	}
}

static void start_block(struct block *b, const struct nnfw_q8_job *job, size_t row, size_t first)
{
	for (size_t r = 0; r < b->rows; r++) {
		__m256i term = _mm256_set1_epi32(job->row_terms ? job->row_terms[row + r] : 0);

		for (size_t c = 0; c < NNFW_Q8_PANEL; c += 8) {
			const void *terms = job->column_terms + first + c;

			_mm256_store_si256((void *)(b->sums[r] + c),
					   _mm256_add_epi32(_mm256_loadu_si256(terms), term));
		}
	}
}

/* ---- the functions ---- */

/* The block of rows from @row. */
static void take_rows(struct block *b, const struct nnfw_q8_job *job, size_t row)
{
	b->rows = job->rows - row < ROWS ? job->rows - row : ROWS;
	for (size_t r = 0; r < b->rows; r++)
		b->row[r] = nnfw_q8_row(job, row + r);
}

static size_t columns_at(const struct nnfw_q8_job *job, size_t first)
{
	return job->end - first < NNFW_Q8_PANEL ? job->end - first : NNFW_Q8_PANEL;
}

static void q8_gemm_multiply(const struct nnfw_q8_job *job)
{
	const struct nnfw_q8_rule rule = rule_of(job);
	struct block b;

	for (size_t row = 0; row < job->rows; row += b.rows) {
		take_rows(&b, job, row);
		for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
			size_t columns = columns_at(job, c);

			b.width = q8_gemm_padded(columns);
			start_block(&b, job, row, c);
			multiply_block(&b, job, c);
			store_block(&b, job, &rule, row, c, columns);
		}
	}
}

static void q8_gemm_add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride)
{
	struct block b;

	for (size_t row = 0; row < job->rows; row += b.rows) {
		take_rows(&b, job, row);
		for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
			size_t columns = columns_at(job, c);

			b.width = q8_gemm_padded(columns);
			memset(b.sums, 0, sizeof(b.sums));
			multiply_block(&b, job, c);
			for (size_t r = 0; r < b.rows; r++) {
				uint32_t *to = sums + (row + r) * stride + c - job->first;

				for (size_t i = 0; i < columns; i++)
					to[i] += (uint32_t)b.sums[r][i];
			}
		}
	}
}

void nnfw_q8_avx2_finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride)
{
	const struct nnfw_q8_rule rule = rule_of(job);
	struct block b = { .rows = 1 };

	for (size_t row = 0; row < job->rows; row++) {
		for (size_t c = job->first; c < job->end; c += NNFW_Q8_PANEL) {
			const uint32_t *from = sums + row * stride + c - job->first;
			size_t columns = columns_at(job, c);

			start_block(&b, job, row, c);
			for (size_t i = 0; i < columns; i++)
				b.sums[0][i] = (int32_t)((uint32_t)b.sums[0][i] + from[i]);
			store_block(&b, job, &rule, row, c, columns);
		}
	}
}

void nnfw_q8_avx2_row_sums(const struct nnfw_q8_job *job, uint32_t *sums)
{
	for (size_t r = 0; r < job->rows; r++) {
		const uint8_t *row = nnfw_q8_row(job, r);
		__m256i four = _mm256_setzero_si256();
		uint32_t sum = 0;

		for (size_t s = 0; s < job->depth.segments; s++, row += job->segment_stride) {
			size_t i = 0;

			for (; i + 32 <= job->depth.length; i += 32)
				four = _mm256_add_epi64(
					four,
					_mm256_sad_epu8(_mm256_loadu_si256((const void *)(row + i)),
							_mm256_setzero_si256()));
			for (; i < job->depth.length; i++)
				sum += row[i];
		}
		sums[r] += sum + (uint32_t)_mm256_extract_epi32(four, 0) +
			   (uint32_t)_mm256_extract_epi32(four, 2) +
			   (uint32_t)_mm256_extract_epi32(four, 4) +
			   (uint32_t)_mm256_extract_epi32(four, 6);
	}
}

void nnfw_q8_avx2_copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip)
{
	const __m256i change = _mm256_set1_epi8((char)flip);
	size_t i = 0;

	for (; i + 32 <= n; i += 32)
		_mm256_storeu_si256((void *)(dst + i),
				    _mm256_xor_si256(_mm256_loadu_si256((const void *)(src + i)),
						     change));
	for (; i < n; i++)
		dst[i] = src[i] ^ flip;
}

static size_t q8_gemm_size(size_t columns, struct nnfw_q8_depth depth)
{
	return q8_gemm_padded(columns) * nnfw_q8_avx2_depth(depth, NNFW_Q8_AVX2_UNIT);
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_avx2 = {
	.unit = 1,
	.block = 700000,
	.size = q8_gemm_size,
	.pack = nnfw_q8_avx2_pack,
	.multiply = q8_gemm_multiply,
	.add = q8_gemm_add,
	.finish = nnfw_q8_avx2_finish,
	.row_sums = nnfw_q8_avx2_row_sums,
	.copy = nnfw_q8_avx2_copy,
};

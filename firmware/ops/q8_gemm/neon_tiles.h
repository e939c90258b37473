/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of arm64's instruction sets around one function each, which a file defines before it
 * includes this one: product(), the sums of some rows by 16 columns. Packed weights: panels of 16
 * columns; in a panel, for each UNIT elements of a row, UNIT bytes of each column.
 */
#ifndef NNFW_Q8_GEMM_NEON_TILES_H
#define NNFW_Q8_GEMM_NEON_TILES_H

#include <string.h>

#include "simd/simd_neon.h"

/* Bytes of a column of packed weights. */
static size_t packed_depth(struct nnfw_q8_depth depth)
{
	return depth.segments * ((depth.length + UNIT - 1) & ~(size_t)(UNIT - 1));
}

static size_t size(size_t columns, struct nnfw_q8_depth depth)
{
	return ((columns + COLUMNS - 1) & ~(size_t)(COLUMNS - 1)) * packed_depth(depth);
}

/* One column into its places of a panel; returns the sum of its codes: of a product, it fits. */
static uint32_t pack_column(uint8_t *to, struct nnfw_q8_depth depth, const uint8_t *from,
			    const struct nnfw_q8_codes *codes)
{
	int32_t sum = 0;

	for (size_t s = 0; s < depth.segments; s++) {
		for (size_t i = 0; i < depth.length; i += UNIT, to += COLUMNS * UNIT) {
			for (size_t j = 0; j < UNIT && i + j < depth.length; j++) {
				to[j] = from[(i + j) * codes->element] ^ codes->flip;
				sum += (int8_t)to[j];
			}
		}
		from += depth.length * codes->element;
	}
	return (uint32_t)sum;
}

static void pack(const struct nnfw_q8_packing *p)
{
	size_t k = packed_depth(p->depth);

	for (size_t first = p->first; first < p->end; first += COLUMNS) {
		uint8_t *panel = (uint8_t *)p->weights + first * k;

		memset(panel, 0, COLUMNS * k);
		for (size_t c = first; c < first + COLUMNS && c < p->columns; c++)
			p->sums[c] += pack_column(panel + (c - first) * UNIT, p->depth,
						  nnfw_q8_column(&p->codes, c), &p->codes);
	}
}

/* What all tiles of a panel share. */
struct panel {
	const struct nnfw_q8_job *job;
	const int8_t *weights;
	size_t column, width; /* width: of its columns, those to store */
};

/* A row's sums, which have no terms yet. */
INLINE void store_row(const struct panel *p, size_t row, const int32x4_t sums[4])
{
	const struct nnfw_q8_job *job = p->job;
	const int32x4_t term = vdupq_n_s32(job->row_terms ? job->row_terms[row] : 0);
	int32x4_t all[4];

	for (size_t z = 0; z < 4; z++)
		all[z] = vaddq_s32(vaddq_s32(sums[z], term),
				   vld1q_s32(job->column_terms + p->column + z * 4));
	store_codes(job->out + row * job->out_stride + p->column,
		    codes_of(all, job->multipliers + p->column, job->rule.lo, job->rule.hi,
			     job->rule.zero_point),
		    p->width);
}

INLINE void rows_of(const struct nnfw_q8_job *job, size_t first, size_t n, const uint8_t *rows[])
{
	for (size_t r = 0; r < n; r++)
		rows[r] = nnfw_q8_row(job, first + r);
}

INLINE void multiply_rows(const struct panel *p, size_t first, size_t n)
{
	const uint8_t *rows[ROWS];
	int32x4_t sums[ROWS][4];

	rows_of(p->job, first, n, rows);
	product(p->job, rows, p->weights, n, sums);
	for (size_t r = 0; r < n; r++)
		store_row(p, first + r, sums[r]);
}

static struct panel panel_at(const struct nnfw_q8_job *job, size_t column)
{
	return (struct panel){
		.job = job,
		.weights = job->weights ? (const int8_t *)job->weights +
						  column * packed_depth(job->depth)
					: NULL,
		.column = column,
		.width = job->end - column < COLUMNS ? job->end - column : COLUMNS,
	};
}

static void multiply(const struct nnfw_q8_job *job)
{
	for (size_t c = job->first; c < job->end; c += COLUMNS) {
		struct panel p = panel_at(job, c);
		size_t r = 0;

		for (; r + ROWS <= job->rows; r += ROWS)
			multiply_rows(&p, r, ROWS);
		for (; r + 2 <= job->rows; r += 2)
			multiply_rows(&p, r, 2);
		if (r < job->rows)
			multiply_rows(&p, r, 1);
	}
}

static void add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride)
{
	for (size_t c = job->first; c < job->end; c += COLUMNS) {
		struct panel p = panel_at(job, c);

		for (size_t r = 0; r < job->rows; r++) {
			uint32_t *to = sums + r * stride + c - job->first;
			uint32_t products[COLUMNS];
			const uint8_t *rows[ROWS];
			int32x4_t tile[ROWS][4];

			rows_of(job, r, 1, rows);
			product(job, rows, p.weights, 1, tile);
			for (size_t z = 0; z < 4; z++)
				vst1q_u32(products + z * 4, vreinterpretq_u32_s32(tile[0][z]));
			for (size_t i = 0; i < p.width; i++)
				to[i] += products[i];
		}
	}
}

static void finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride)
{
	for (size_t c = job->first; c < job->end; c += COLUMNS) {
		struct panel p = panel_at(job, c);

		for (size_t r = 0; r < job->rows; r++) {
			uint32_t row[COLUMNS] = { 0 };
			int32x4_t tile[4];

			memcpy(row, sums + r * stride + c - job->first, p.width * sizeof(*row));
			for (size_t z = 0; z < 4; z++)
				tile[z] = vreinterpretq_s32_u32(vld1q_u32(row + z * 4));
			store_row(&p, r, tile);
		}
	}
}

static void row_sums(const struct nnfw_q8_job *job, uint32_t *sums)
{
	for (size_t r = 0; r < job->rows; r++) {
		const int8_t *row = (const int8_t *)nnfw_q8_row(job, r);
		int32x4_t sum = vdupq_n_s32(0);
		int32_t rest = 0;

		for (size_t s = 0; s < job->depth.segments; s++, row += job->segment_stride) {
			size_t i = 0;

			for (; i + 16 <= job->depth.length; i += 16)
				sum = vpadalq_s16(sum, vpaddlq_s8(vld1q_s8(row + i)));
			/* a product has at most 16384 elements: sums stay below 2^31 */
			for (; i < job->depth.length; i++)
				rest += row[i];
		}
		sums[r] += (uint32_t)(rest + vaddvq_s32(sum));
	}
}

static void copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip)
{
	const uint8x16_t change = vdupq_n_u8(flip);
	size_t i = 0;

	for (; i + 16 <= n; i += 16)
		vst1q_u8(dst + i, veorq_u8(vld1q_u8(src + i), change));
	for (; i < n; i++)
		dst[i] = src[i] ^ flip;
}

/* clang-format off */
#define KERNELS(block_)               \
	{                             \
		.left_signed = true,  \
		.unit = UNIT,         \
		.block = (block_),    \
		.size = size,         \
		.pack = pack,         \
		.multiply = multiply, \
		.add = add,           \
		.finish = finish,     \
		.row_sums = row_sums, \
		.copy = copy,         \
	}
/* clang-format on */

#endif

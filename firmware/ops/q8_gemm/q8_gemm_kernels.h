/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of 8-bit matrices with requantization, per instruction set: the same bits from each.
 *
 *   out[r][c] = rule(sum over k of left[r][k] * right[k][c] + row_terms[r] + column_terms[c])
 *
 * The left side is activations, as unsigned codes (or signed ones, as the kernels want it), the
 * right side weights as signed codes; zero points are in the terms (q8_gemm.h). Sums are modulo
 * 2^32, the rule is
 * kernels/requant.h's.
 */
#ifndef NNFW_Q8_GEMM_KERNELS_H
#define NNFW_Q8_GEMM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/requant.h"

/**
 * Ranges of columns begin at multiples of it; kernels pack columns in panels of a width that
 * divides it.
 */
#define NNFW_Q8_PANEL 64u

/** Bytes that kernels may read, and do not use, behind a left side that was copied for them. */
#define NNFW_Q8_SLACK 64u

/** The elements of a row: @segments runs of @length neighbouring bytes. */
struct nnfw_q8_depth {
	size_t segments, length;
};

/** Weights as they come. */
struct nnfw_q8_codes {
	const uint8_t *data; /* element e of column c at data[c * column + e * element] */
	size_t column, element; /* one of both is 1 */
	/*
	 * not 0, where element is 1: so many columns are a run, which begins run_stride behind the
	 * last one's begin
	 */
	size_t run, run_stride;
	uint8_t flip; /* makes them signed: 0x80 for uint8, else 0 */
};

/** The first element of column @c. */
static inline const uint8_t *nnfw_q8_column(const struct nnfw_q8_codes *codes, size_t c)
{
	if (!codes->run)
		return codes->data + c * codes->column;
	return codes->data + c / codes->run * codes->run_stride + c % codes->run * codes->column;
}

/** Columns are packed by so many, which divides NNFW_Q8_PANEL. */
#define NNFW_Q8_LANES 16u

/** Columns to pack. */
struct nnfw_q8_packing {
	struct nnfw_q8_codes codes;
	struct nnfw_q8_depth depth;
	void *weights; /* packed, all columns */
	size_t columns; /* of the weights */
	size_t first, end; /* to pack: multiples of NNFW_Q8_LANES, or the end of all */
	uint32_t *sums; /* [columns]: what a column's signed codes add up to is added */
};

/** A product. */
struct nnfw_q8_job {
	/*
	 * Segment s of row r begins at left + (r / run) * run_stride + (r % run) * row_stride +
	 * s * segment_stride. What lies between a segment's end and the next multiple of
	 * kernels.unit may be read: it meets weights of 0.
	 */
	const uint8_t *left;
	size_t rows, run, run_stride, row_stride, segment_stride;
	struct nnfw_q8_depth depth;
	const void *weights; /* packed, all columns */
	bool far; /* they come from beyond the second-level cache */
	size_t columns; /* of the weights */
	size_t first, end; /* the columns to compute; first is a multiple of NNFW_Q8_PANEL */
	const int32_t *row_terms; /* [rows]; NULL: all 0 */
	/* both of all columns, with zeros up to a multiple of NNFW_Q8_PANEL */
	const int32_t *column_terms;
	const float *multipliers;
	struct nnfw_requant rule;
	bool is_signed; /* out is int8 */
	/*
	 * Every multiplier is between -1 and 1: products fit into int32, so that a kernel may
	 * convert first and clamp afterwards.
	 */
	bool tame;
	uint8_t *out; /* column c of row r at out[r * out_stride + c] */
	size_t out_stride;
};

struct nnfw_q8_gemm_kernels {
	/** The left side is of signed codes. */
	bool left_signed;
	/** Segments are read in units of so many bytes. */
	size_t unit;
	/** Multiply-adds of a block of results: some 15 us. */
	size_t block;

	/** Bytes of packed weights. */
	size_t (*size)(size_t columns, struct nnfw_q8_depth depth);
	/** Pack columns; calls for others at the same time do not disturb it. */
	void (*pack)(const struct nnfw_q8_packing *p);

	/** job.out = the result. */
	void (*multiply)(const struct nnfw_q8_job *job);
	/**
	 * sums[r * stride + c - first] += the product without terms; of the job only the sides and
	 * the range of columns count.
	 */
	void (*add)(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride);
	/** job.out = the result of sums that are laid out like this; the sides do not count. */
	void (*finish)(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride);

	/** sums[r] += the codes of the left side's row r. */
	void (*row_sums)(const struct nnfw_q8_job *job, uint32_t *sums);
	/** dst[i] = src[i] ^ @flip */
	void (*copy)(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip);
};

/**
 * @depth as one segment, if segments of whole groups of @group elements follow each other in the
 * packed weights as they do in the codes.
 */
static inline struct nnfw_q8_depth nnfw_q8_joined(struct nnfw_q8_depth depth, size_t group)
{
	if (depth.length % group)
		return depth;
	return (struct nnfw_q8_depth){ .segments = 1, .length = depth.segments * depth.length };
}

/** Where row @r of the left side begins. */
static inline const uint8_t *nnfw_q8_row(const struct nnfw_q8_job *job, size_t r)
{
	return job->left + r / job->run * job->run_stride + r % job->run * job->row_stride;
}

#endif

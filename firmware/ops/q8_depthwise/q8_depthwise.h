/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of 8-bit depthwise convolutions.
 *
 * Four taps of a filter at a time: the elements that they read lie beside each other in a strip of
 * scratch memory, four bytes per channel, as dot products of four bytes want them. weave() makes a
 * strip: lane t of the element i is byte i of row t. A pixel of the output is a sum of products of
 * the strip at some places, which differ by the tap only, with packed weights.
 *
 * Channels go by units of 16 and pixels of the output lie behind each other, so that a unit may
 * span pixels of few channels; 4 units are a vector.
 */
#ifndef NNFW_Q8_DEPTHWISE_H
#define NNFW_Q8_DEPTHWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNFW_Q8DW_LANES 16u /* channels of a unit */
#define NNFW_Q8DW_UNITS 4u /* units of a vector */
#define NNFW_Q8DW_TAPS 4u /* taps that are summed at a time */
#define NNFW_Q8DW_VECTOR (NNFW_Q8DW_LANES * NNFW_Q8DW_UNITS)
/** Bytes of a unit in a strip. */
#define NNFW_Q8DW_STRIP (NNFW_Q8DW_LANES * NNFW_Q8DW_TAPS)

/**
 * A packed unit: what its sums begin with, its multipliers, and for each part and each place the
 * weights of four taps.
 *
 * Wide kernels have 16-bit weights, all in one part: for the taps 0 and 2 of each channel, then for
 * 1 and 3. Others have 8-bit weights, taps beside each other; weights beyond that are the sum of
 * up to NNFW_Q8DW_PARTS.
 */
struct nnfw_q8dw_unit {
	int32_t init[NNFW_Q8DW_LANES];
	float multipliers[NNFW_Q8DW_LANES];
	int8_t weights[];
};

#define NNFW_Q8DW_PARTS 3u

/** Results of an operation: the rule of kernels/requant.h, in integers. */
struct nnfw_q8dw_finish {
	int32_t zero_point, lo, hi; /* bounds of the result */
	bool is_signed;
	/** No product leaves the range of int32_t: multipliers are below 1. */
	bool tame;
};

/** Vectors of the output with the same packed units. */
struct nnfw_q8dw_run {
	/** Of each unit: the strip at the first place of the first vector, and what is packed. */
	const uint8_t *src[NNFW_Q8DW_UNITS];
	const struct nnfw_q8dw_unit *units[NNFW_Q8DW_UNITS];
	/** Products of a result: with the weights behind each other, of a strip so much further. */
	size_t terms;
	const size_t *offsets;
	/**
	 * Rows of the output, 1 or 2: the second has the weights one lane further, of a single
	 * group whose lane 3 has none.
	 */
	uint32_t rows;
	uint8_t *dst[2];
	size_t n, src_step, dst_step; /* vectors, and bytes from one to the next */
	size_t bytes; /* of a vector that are stored, at most NNFW_Q8DW_VECTOR */
	const struct nnfw_q8dw_finish *finish;
};

struct nnfw_q8_depthwise_kernels {
	bool wide;
	/**
	 * to[4 * i + t] = rows[t][i] ^ flip, i below @n; @fill takes the place of the bytes from @n
	 * up to the next multiple of NNFW_Q8DW_VECTOR, as far as they are written. A row of @steps
	 * 0 has NNFW_Q8DW_VECTOR bytes, again and again; others have the step NNFW_Q8DW_VECTOR.
	 */
	void (*weave)(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
		      const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill, uint8_t flip);
	void (*product)(const struct nnfw_q8dw_run *run);
};

#endif

// SPDX-License-Identifier: Apache-2.0
#include "kernels/requant.h"
#include "q8_depthwise/q8_depthwise.h"

static void q8_depthwise_weave(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
			       const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill,
			       uint8_t flip)
{
	(void)fill;
	for (size_t t = 0; t < NNFW_Q8DW_TAPS; t++) {
		for (size_t i = 0; i < n; i++) {
			const uint8_t *x = steps[t] ? rows[t] + i : rows[t];

			to[NNFW_Q8DW_TAPS * i + t] = *x ^ flip;
		}
	}
}

/* The sums of a unit at a place of row @row of the output. */
static void sum_up(const uint8_t *x, const int16_t *w, uint32_t row, uint32_t sums[NNFW_Q8DW_LANES])
{
	for (size_t i = 0; i < NNFW_Q8DW_LANES; i++) {
		/* taps 0 and 2, 1 and 3 */
		const int16_t *even = w + 2 * i, *odd = w + 2 * NNFW_Q8DW_LANES + 2 * i;
		const uint8_t *a = x + NNFW_Q8DW_TAPS * i + row;
		int32_t sum = a[0] * even[0] + a[1] * odd[0] + a[2] * even[1];

		/* the tap 3 of row 1 has no weight */
		sums[i] += (uint32_t)(row ? sum : sum + a[3] * odd[1]);
	}
}

static void one_unit(const struct nnfw_q8dw_run *run, size_t i, size_t unit, uint32_t row)
{
	const struct nnfw_q8dw_finish *f = run->finish;
	const struct nnfw_q8dw_unit *packed = run->units[unit];
	const struct nnfw_requant q = { f->zero_point, (float)(f->lo - f->zero_point),
					(float)(f->hi - f->zero_point) };
	const int16_t *w = (const void *)packed->weights;
	size_t first = unit * NNFW_Q8DW_LANES, end = first + NNFW_Q8DW_LANES;
	uint32_t sums[NNFW_Q8DW_LANES];

	for (size_t c = 0; c < NNFW_Q8DW_LANES; c++)
		sums[c] = (uint32_t)packed->init[c];
	for (size_t t = 0; t < run->terms; t++)
		sum_up(run->src[unit] + i * run->src_step + run->offsets[t],
		       w + t * NNFW_Q8DW_STRIP, row, sums);
	for (size_t c = first; c < end && c < run->bytes; c++)
		run->dst[row][i * run->dst_step + c] = (uint8_t)nnfw_requantize(
			(int32_t)sums[c - first], packed->multipliers[c - first], &q);
}

static void q8_depthwise_product(const struct nnfw_q8dw_run *run)
{
	for (uint32_t row = 0; row < run->rows; row++)
		for (size_t i = 0; i < run->n; i++)
			for (size_t unit = 0; unit * NNFW_Q8DW_LANES < run->bytes; unit++)
				one_unit(run, i, unit, row);
}

const struct nnfw_q8_depthwise_kernels nnfw_q8_depthwise_scalar = {
	.wide = true,
	.weave = q8_depthwise_weave,
	.product = q8_depthwise_product,
};

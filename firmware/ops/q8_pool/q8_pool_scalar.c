// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"
#include "q8_pool/q8_pool.h"

/* Channels at a time. */
#define BLOCK 64u

NNFW_INLINE int32_t number(uint8_t code, bool is_signed)
{
	return is_signed ? (int8_t)code : code;
}

NNFW_INLINE uint8_t clamped(const struct nnfw_q8_window *w, int32_t x)
{
	return (uint8_t)(x < w->lo ? w->lo : x > w->hi ? w->hi : x);
}

NNFW_INLINE void average_block(const struct nnfw_q8_window *w, bool is_signed, size_t first,
			       size_t n, uint8_t *restrict out)
{
	int32_t count = (int32_t)(w->rows * w->columns), half = count / 2, sums[BLOCK] = { 0 };

	for (size_t y = 0; y < w->rows; y++) {
		for (size_t x = 0; x < w->columns; x++) {
			const uint8_t *in = w->in + y * w->row_pitch + x * w->pixel_pitch + first;

			for (size_t c = 0; c < n; c++)
				sums[c] += number(in[c], is_signed);
		}
	}
	for (size_t c = 0; c < n; c++)
		out[first + c] =
			clamped(w, (sums[c] > 0 ? sums[c] + half : sums[c] - half) / count);
}

NNFW_INLINE void max_block(const struct nnfw_q8_window *w, bool is_signed, size_t first, size_t n,
			   uint8_t *restrict out)
{
	int32_t most[BLOCK];

	for (size_t c = 0; c < n; c++)
		most[c] = number(w->in[first + c], is_signed);
	for (size_t y = 0; y < w->rows; y++) {
		for (size_t x = 0; x < w->columns; x++) {
			const uint8_t *in = w->in + y * w->row_pitch + x * w->pixel_pitch + first;

			for (size_t c = 0; c < n; c++) {
				int32_t v = number(in[c], is_signed);

				most[c] = v > most[c] ? v : most[c];
			}
		}
	}
	for (size_t c = 0; c < n; c++)
		out[first + c] = clamped(w, most[c]);
}

#define EACH_BLOCK(block)                                                     \
	for (size_t c = 0; c < w->channels; c += BLOCK) {                     \
		size_t n = w->channels - c < BLOCK ? w->channels - c : BLOCK; \
                                                                              \
		if (w->is_signed)                                             \
			block(w, true, c, n, out);                            \
		else                                                          \
			block(w, false, c, n, out);                           \
	}

static void q8_pool_average(const struct nnfw_q8_window *w, uint8_t *out)
{
	EACH_BLOCK(average_block)
}

static void q8_pool_max(const struct nnfw_q8_window *w, uint8_t *out)
{
	EACH_BLOCK(max_block)
}

const struct nnfw_q8_pool_kernels nnfw_q8_pool_scalar = { .average = q8_pool_average,
							  .max = q8_pool_max };

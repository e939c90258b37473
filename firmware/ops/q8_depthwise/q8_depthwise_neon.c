// SPDX-License-Identifier: Apache-2.0
/* Weights of 16 bits, as unsigned codes make no int8: even and odd taps are multiplied apart. */
#include <string.h>

#include "simd/simd_neon.h"
#include "q8_depthwise/q8_depthwise.h"

/* Vectors of four channels of a unit. */
#define FOURS 4

static void q8_depthwise_weave(uint8_t *to, const uint8_t *const rows[NNFW_Q8DW_TAPS],
			       const size_t steps[NNFW_Q8DW_TAPS], size_t n, uint8_t fill,
			       uint8_t flip)
{
	const uint8x16_t change = vdupq_n_u8(flip);
	const uint8_t *x[4] = { rows[0], rows[1], rows[2], rows[3] };
	uint8_t rest[4][16];
	uint8x16x4_t four;

	for (size_t i = 0; n >= 16; n -= 16, i++, to += 64) {
		for (int t = 0; t < 4; t++) {
			const size_t at = steps[t] ? i * 16 : i * 16 % NNFW_Q8DW_VECTOR;

			four.val[t] = veorq_u8(vld1q_u8(rows[t] + at), change);
			x[t] = rows[t] + (steps[t] ? at + 16 : (at + 16) % NNFW_Q8DW_VECTOR);
		}
		vst4q_u8(to, four);
	}
	if (!n)
		return;
	for (int t = 0; t < 4; t++) {
		memset(rest[t], fill, sizeof(rest[t]));
		memcpy(rest[t], x[t], n);
		four.val[t] = veorq_u8(vld1q_u8(rest[t]), change);
	}
	vst4q_u8(to, four);
}

/* Sums of four channels: of two each, by taps. */
struct sums {
	int32x4_t low, high;
};

INLINE void add_products(struct sums *s, uint16x8_t x, int16x8_t w)
{
	const int16x8_t codes = vreinterpretq_s16_u16(x);

	s->low = vmlal_s16(s->low, vget_low_s16(codes), vget_low_s16(w));
	s->high = vmlal_high_s16(s->high, codes, w);
}

/* A unit's results. */
INLINE uint8x16_t finish(const struct nnfw_q8dw_finish *f, const struct nnfw_q8dw_unit *unit,
			 const struct sums sums[FOURS])
{
	int32x4_t all[FOURS];

	for (int z = 0; z < FOURS; z++)
		all[z] = vaddq_s32(vpaddq_s32(sums[z].low, sums[z].high),
				   vld1q_s32(unit->init + 4 * z));
	return codes_of(all, unit->multipliers, (float)(f->lo - f->zero_point),
			(float)(f->hi - f->zero_point), f->zero_point);
}

/* Unit @j of vector @i of @rows. */
INLINE void block(const struct nnfw_q8dw_run *run, size_t i, size_t j, const uint32_t rows)
{
	const struct nnfw_q8dw_unit *unit = run->units[j];
	const int16_t *w = (const void *)unit->weights;
	struct sums sums[2][FOURS];

	for (uint32_t r = 0; r < rows; r++)
		for (int z = 0; z < FOURS; z++)
			sums[r][z].low = sums[r][z].high = vdupq_n_s32(0);
	for (size_t t = 0; t < run->terms; t++, w += NNFW_Q8DW_STRIP) {
		const uint8_t *x = run->src[j] + i * run->src_step + run->offsets[t];

		for (int z = 0; z < FOURS; z++) {
			const uint16x8_t codes = vreinterpretq_u16_u8(vld1q_u8(x + 16 * z));
			const uint16x8_t even = vandq_u16(codes, vdupq_n_u16(0xff));
			const uint16x8_t odd = vshrq_n_u16(codes, 8);
			const int16x8_t we = vld1q_s16(w + 8 * z);
			const int16x8_t wo = vld1q_s16(w + 2 * NNFW_Q8DW_LANES + 8 * z);

			add_products(&sums[0][z], even, we);
			add_products(&sums[0][z], odd, wo);
			if (rows > 1) {
				/* one lane further: nothing, then the weight of tap 1 */
				add_products(&sums[1][z], even,
					     vreinterpretq_s16_s32(
						     vshlq_n_s32(vreinterpretq_s32_s16(wo), 16)));
				add_products(&sums[1][z], odd, we);
			}
		}
	}
	for (uint32_t r = 0; r < rows; r++)
		store_codes(run->dst[r] + i * run->dst_step + NNFW_Q8DW_LANES * j,
			    finish(run->finish, unit, sums[r]), run->bytes - NNFW_Q8DW_LANES * j);
}

static void q8_depthwise_product(const struct nnfw_q8dw_run *run)
{
	for (size_t j = 0; NNFW_Q8DW_LANES * j < run->bytes; j++) {
		for (size_t i = 0; i < run->n; i++) {
			if (run->rows > 1)
				block(run, i, j, 2);
			else
				block(run, i, j, 1);
		}
	}
}

const struct nnfw_q8_depthwise_kernels nnfw_q8_depthwise_neon = {
	.wide = true,
	.weave = q8_depthwise_weave,
	.product = q8_depthwise_product,
};

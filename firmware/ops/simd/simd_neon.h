/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels on NEON share: the requantization rule (requant.h) on vectors, and bounds. */
#ifndef NNFW_SIMD_NEON_H
#define NNFW_SIMD_NEON_H

#include <arm_neon.h>

#include "simd/simd.h"

/* A NaN passes: it is neither below nor above. */
INLINE float32x4_t clamp(float32x4_t x, float32x4_t lo, float32x4_t hi)
{
	x = vbslq_f32(vcltq_f32(x, lo), lo, x);
	return vbslq_f32(vcgtq_f32(x, hi), hi, x);
}

/* The 16 codes of sums; @lo and @hi are without the zero point. */
INLINE uint8x16_t codes_of(const int32x4_t sums[4], const float *multipliers, float lo, float hi,
			   int32_t zero_point)
{
	int16x4_t narrow[4];

	for (int z = 0; z < 4; z++) {
		float32x4_t r = vmulq_f32(vcvtq_f32_s32(sums[z]), vld1q_f32(multipliers + 4 * z));

		/* NaN gives the lower bound */
		r = vminnmq_f32(vmaxnmq_f32(r, vdupq_n_f32(lo)), vdupq_n_f32(hi));
		narrow[z] = vmovn_s32(vaddq_s32(vcvtnq_s32_f32(r), vdupq_n_s32(zero_point)));
	}
	return vreinterpretq_u8_s8(vcombine_s8(vmovn_s16(vcombine_s16(narrow[0], narrow[1])),
					       vmovn_s16(vcombine_s16(narrow[2], narrow[3]))));
}

/* The first @n of 16 bytes, or all of them. */
INLINE void store_codes(uint8_t *to, uint8x16_t codes, size_t n)
{
	uint8_t all[16];

	if (n >= sizeof(all)) {
		vst1q_u8(to, codes);
		return;
	}
	vst1q_u8(all, codes);
	__builtin_memcpy(to, all, n);
}

#endif

// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "half/half_kernels.h"

static void half_load(float *dst, const uint16_t *src, size_t n)
{
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		vst1q_f32(dst + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(src + i))));
	for (; i < n; i++)
		dst[i] = vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(src[i]))), 0);
}

/* In the default floating-point state, in which operations compute: to nearest, ties to even. */
static void half_store(uint16_t *dst, const float *src, size_t n)
{
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		vst1_u16(dst + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(src + i))));
	for (; i < n; i++)
		dst[i] = vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(vdupq_n_f32(src[i]))), 0);
}

const struct nnfw_half_kernels nnfw_half_neon = { .load = half_load, .store = half_store };

// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "q8_map/q8_map.h"

/* A table of 64 bytes gives 0, or leaves what is there, where the index is beyond it. */
static void q8_map_lookup(uint8_t *dst, const uint8_t *src, size_t n, const uint8_t *table)
{
	size_t i = 0;

	if (n >= 16) {
		const uint8x16x4_t a = vld1q_u8_x4(table), b = vld1q_u8_x4(table + 64),
				   c = vld1q_u8_x4(table + 128), d = vld1q_u8_x4(table + 192);
		const uint8x16_t next = vdupq_n_u8(64);

		for (; n - i >= 16; i += 16) {
			uint8x16_t x = vld1q_u8(src + i), to = vqtbl4q_u8(a, x);

			x = vsubq_u8(x, next);
			to = vqtbx4q_u8(to, b, x);
			x = vsubq_u8(x, next);
			to = vqtbx4q_u8(to, c, x);
			x = vsubq_u8(x, next);
			vst1q_u8(dst + i, vqtbx4q_u8(to, d, x));
		}
	}
	for (; i < n; i++)
		dst[i] = table[src[i]];
}

/* The compiler makes vectors of the others. */
const struct nnfw_q8_map_kernels nnfw_q8_map_neon = {
	.lookup = q8_map_lookup,
	.dequantize = nnfw_q8_dequantize_scalar,
	.quantize = nnfw_q8_quantize_scalar,
};

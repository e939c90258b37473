// SPDX-License-Identifier: Apache-2.0
/*
 * Every arm64 processor: products of 8 bits in 16, added in pairs to sums of 32. Two products may
 * not be added in 16 bits: -128 * -128, twice, is no int16.
 */
#include <arm_neon.h>

#include "q8_gemm/q8_gemm_kernels.h"

#define UNIT 4u
#define COLUMNS 16u
#define ROWS 2u

static inline __attribute__((always_inline)) void product(const struct nnfw_q8_job *job,
							  const uint8_t *const rows[],
							  const int8_t *w, const size_t n,
							  int32x4_t sums[][4])
{
	/* of two columns each: the sums of even and of odd pairs of elements */
	int32x4_t pairs[ROWS][8];
	size_t from = 0;

	for (size_t r = 0; r < n; r++)
		for (size_t z = 0; z < 8; z++)
			pairs[r][z] = vdupq_n_s32(0);
	for (size_t s = 0; s < job->depth.segments; s++, from += job->segment_stride) {
		for (size_t i = 0; i < job->depth.length; i += UNIT, w += COLUMNS * UNIT) {
			int8x8_t left[ROWS];

			for (size_t r = 0; r < n; r++) {
				int32_t four;

				__builtin_memcpy(&four, rows[r] + from + i, sizeof(four));
				left[r] = vreinterpret_s8_s32(vdup_n_s32(four));
			}
			for (size_t z = 0; z < 8; z++) {
				const int8x8_t right = vld1_s8(w + z * 8);

				for (size_t r = 0; r < n; r++)
					pairs[r][z] =
						vpadalq_s16(pairs[r][z], vmull_s8(right, left[r]));
			}
		}
	}
	for (size_t r = 0; r < n; r++)
		for (size_t z = 0; z < 4; z++)
			sums[r][z] = vpaddq_s32(pairs[r][2 * z], pairs[r][2 * z + 1]);
}

#include "q8_gemm/neon_tiles.h"

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_neon = KERNELS(90000);

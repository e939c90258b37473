// SPDX-License-Identifier: Apache-2.0
/* arm64 with products of matrices of 8 bits: two rows of eight elements by two columns. */
#include <arm_neon.h>

#include "q8_gemm/q8_gemm_kernels.h"

#define UNIT 8u
#define COLUMNS 16u
#define ROWS 4u
#define PAIRS (ROWS / 2)

static inline __attribute__((always_inline)) void product(const struct nnfw_q8_job *job,
							  const uint8_t *const rows[],
							  const int8_t *w, const size_t n,
							  int32x4_t sums[][4])
{
	const size_t pairs = (n + 1) / 2;
	/* [row of the pair][column of the pair] */
	int32x4_t squares[PAIRS][8];
	size_t from = 0;

	for (size_t r = 0; r < pairs; r++)
		for (size_t z = 0; z < 8; z++)
			squares[r][z] = vdupq_n_s32(0);
	for (size_t s = 0; s < job->depth.segments; s++, from += job->segment_stride) {
		for (size_t i = 0; i < job->depth.length; i += UNIT, w += COLUMNS * UNIT) {
			int8x16_t left[PAIRS];

			/* a single row counts twice */
			for (size_t r = 0; r < pairs; r++)
				left[r] = vreinterpretq_s8_u8(vcombine_u8(
					vld1_u8(rows[2 * r] + from + i),
					vld1_u8(rows[2 * r + (2 * r + 1 < n)] + from + i)));
			for (size_t z = 0; z < 8; z++) {
				const int8x16_t right = vld1q_s8(w + z * 16);

				for (size_t r = 0; r < pairs; r++)
					squares[r][z] = vmmlaq_s32(squares[r][z], left[r], right);
			}
		}
	}
	for (size_t r = 0; r < n; r++) {
		for (size_t z = 0; z < 4; z++) {
			const int64x2_t a = vreinterpretq_s64_s32(squares[r / 2][2 * z]);
			const int64x2_t b = vreinterpretq_s64_s32(squares[r / 2][2 * z + 1]);

			sums[r][z] =
				vreinterpretq_s32_s64(r % 2 ? vzip2q_s64(a, b) : vzip1q_s64(a, b));
		}
	}
}

#include "q8_gemm/neon_tiles.h"

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_i8mm = KERNELS(700000);

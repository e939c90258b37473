// SPDX-License-Identifier: Apache-2.0
/* arm64 with the dot products of Armv8.2: four elements of a row by four columns. */
#include <arm_neon.h>

#include "q8_gemm/q8_gemm_kernels.h"

#define UNIT 4u
#define COLUMNS 16u
#define ROWS 4u

/* Four elements of each row, of lane @lane of @left, by all columns. */
#define FOUR_ELEMENTS(lane)                                                                     \
	do {                                                                                    \
		for (size_t z = 0; z < 4; z++) {                                                \
			const int8x16_t right = vld1q_s8(w + z * 16);                           \
                                                                                                \
			for (size_t r = 0; r < n; r++)                                          \
				sums[r][z] = vdotq_laneq_s32(sums[r][z], right, left[r], lane); \
		}                                                                               \
		w += COLUMNS * UNIT;                                                            \
	} while (0)

static inline __attribute__((always_inline)) void product(const struct nnfw_q8_job *job,
							  const uint8_t *const rows[],
							  const int8_t *w, const size_t n,
							  int32x4_t sums[][4])
{
	size_t from = 0;

	for (size_t r = 0; r < n; r++)
		for (size_t z = 0; z < 4; z++)
			sums[r][z] = vdupq_n_s32(0);
	for (size_t s = 0; s < job->depth.segments; s++, from += job->segment_stride) {
		int8x16_t left[ROWS];
		size_t i = 0;

		for (; i + 16 <= job->depth.length; i += 16) {
			for (size_t r = 0; r < n; r++)
				left[r] = vreinterpretq_s8_u8(vld1q_u8(rows[r] + from + i));
			FOUR_ELEMENTS(0);
			FOUR_ELEMENTS(1);
			FOUR_ELEMENTS(2);
			FOUR_ELEMENTS(3);
		}
		for (; i < job->depth.length; i += UNIT) {
			for (size_t r = 0; r < n; r++) {
				int32_t four;

				__builtin_memcpy(&four, rows[r] + from + i, sizeof(four));
				left[r] = vreinterpretq_s8_s32(vdupq_n_s32(four));
			}
			FOUR_ELEMENTS(0);
		}
	}
}

#include "q8_gemm/neon_tiles.h"

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_dotprod = KERNELS(350000);

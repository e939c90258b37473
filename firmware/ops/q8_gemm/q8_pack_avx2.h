/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed weights of AVX2: panels of 16 columns, and in a panel, for each 2 elements of a row, 2
 * bytes of each column.
 */
#ifndef NNFW_Q8_PACK_AVX2_H
#define NNFW_Q8_PACK_AVX2_H

#include "q8_gemm/q8_gemm_kernels.h"

/** Bytes of a column of packed weights. */
static inline size_t nnfw_q8_avx2_depth(struct nnfw_q8_depth depth)
{
	return depth.segments * ((depth.length + 1) & ~(size_t)1);
}

/** As of struct nnfw_q8_gemm_kernels. */
size_t nnfw_q8_avx2_size(size_t columns, struct nnfw_q8_depth depth);
void nnfw_q8_avx2_pack(const struct nnfw_q8_packing *p);

#endif

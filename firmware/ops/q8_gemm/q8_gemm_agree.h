/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_Q8_GEMM_AGREE_H
#define NNFW_Q8_GEMM_AGREE_H

#include "q8_gemm/q8_gemm_kernels.h"

/**
 * Whether @other multiplies as @known does, from weights that @known has packed: products of each
 * form of blocks, compared byte by byte. Some 50 us. False, too: there is no memory.
 */
bool nnfw_q8_gemm_agree(const struct nnfw_q8_gemm_kernels *known,
			const struct nnfw_q8_gemm_kernels *other);

#endif

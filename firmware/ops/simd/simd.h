/* SPDX-License-Identifier: Apache-2.0 */
/* For files that are compiled for an instruction set: none of their functions is another's. */
#ifndef NNFW_SIMD_H
#define NNFW_SIMD_H

#define INLINE static inline __attribute__((always_inline))

#endif

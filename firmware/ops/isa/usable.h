/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction sets the processor has and the operating system saves. */
#ifndef NNFW_USABLE_H
#define NNFW_USABLE_H

#include <stdbool.h>

bool nnfw_usable_always(void);
/* AVX2, FMA and F16C. */
bool nnfw_usable_avx2(void);
/* Those and AVX-VNNI: processors of desktops without AVX-512. */
bool nnfw_usable_avxvnni(void);
/* AVX2's, and AVX-512 F, BW, DQ and VL. */
bool nnfw_usable_avx512(void);
/* Those and AVX-512 VNNI. */
bool nnfw_usable_avx512vnni(void);
/*
 * Those, AMX-TILE and AMX-INT8: Sapphire Rapids and later. A process has to ask for the tiles
 * (nnutil_machine.c).
 */
bool nnfw_usable_amx(void);
bool nnfw_usable_dotprod(void);
/* Int8 matrix products, and dotprod. */
bool nnfw_usable_i8mm(void);

#endif

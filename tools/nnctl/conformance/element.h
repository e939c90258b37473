/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of NNAPI tensors. */
#ifndef NNCTL_ELEMENT_H
#define NNCTL_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/** Element @i as it is stored, not dequantized; of BOOL8 0 or 1. @data is aligned to nothing. */
double element_read(uint32_t type, const void *data, size_t i);

#endif

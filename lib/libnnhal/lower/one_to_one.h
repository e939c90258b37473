/* SPDX-License-Identifier: Apache-2.0 */
/* NNAPI operations whose inputs are tensors, and which become one device operation on the same
 * tensors. */
#ifndef NNHAL_LOWER_ONE_TO_ONE_H
#define NNHAL_LOWER_ONE_TO_ONE_H

#include "lowering.h"

/**
 * Inputs 0 .. @n - 1 (at most 4) to output 0 with the quantization of input 0. @optional: input @n
 * - 1 may be omitted.
 */
int lower_move(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size, uint32_t n,
	       bool optional);
/** All inputs (at most 4) to output 0 as declared. */
int lower_all_inputs(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size);

#endif

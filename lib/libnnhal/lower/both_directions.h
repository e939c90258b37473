/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that bidirectional operations share. */
#ifndef NNHAL_LOWER_BOTH_DIRECTIONS_H
#define NNHAL_LOWER_BOTH_DIRECTIONS_H

#include "lowering.h"

/**
 * Outputs of a bidirectional operation: tensors of both sequences (temporaries for lower_merge()
 * with
 * @merge), and in *@states the number of the first of @num_states state outputs, or LOWER_NONE.
 */
int lower_two_outputs(struct lower *l, bool merge, uint32_t num_states, uint32_t *forward,
		      uint32_t *backward, uint32_t *states);
int lower_merge(struct lower *l, uint32_t forward, uint32_t backward);

#endif

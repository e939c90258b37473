/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of models in which some inputs are constants. */
#ifndef NNR_SPECIALIZE_H
#define NNR_SPECIALIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "nnmodel.h"

/** What a request gives for one input of main. */
struct nnr_given {
	bool bound; /* becomes a constant, or is omitted; else it stays an input */
	bool omitted;
	const void *value; /* of a bound input that is not omitted */
	size_t size;
	uint32_t rank; /* shape of an input that stays; 0: the model's */
	const void *dims; /* @rank values of uint32_t, perhaps not aligned */
};

/**
 * Copy @model with main's inputs as @given says (one entry per input; NULL: all stay). RANK of a
 * tensor with known rank becomes a constant. Constants that IF and WHILE pass on become constants
 * in their models, but for values that a loop changes. 0, -ENOMEM.
 */
int nnr_specialize(const struct nnmodel *model, const struct nnr_given *given,
		   struct nnmodel **specialized);
/** Whether nnr_specialize() without @given changes anything. */
bool nnr_has_constants(const struct nnmodel *model);
/**
 * Set @parameter (one per input of main) for scalars that are inputs of operations that are not
 * @supported (one per operation). Of IF and WHILE these are the scalars that they pass on. 0,
 * -ENOMEM.
 */
int nnr_mark_parameters(const struct nnmodel *model, const bool *supported, bool *parameter);

#endif

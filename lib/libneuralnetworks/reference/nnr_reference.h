/* SPDX-License-Identifier: Apache-2.0 */
/* nnapi-reference: the in-process device, and models that a request specializes. */
#ifndef NNR_REFERENCE_H
#define NNR_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "nnhal.h"
#include "nnmodel.h"

/* specialize.c: copies of models in which some inputs are constants. */

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

/*
 * reference_device.c: the device nnapi-reference: the in-process device of the HAL, which lowers a
 * model before it knows a request. NNAPI lets an application give parameters of operations
 * (activations, paddings, strides, axes) with the request, omit optional inputs in it, and compile
 * a model that can only fail. Such models are kept, and specialized when a request comes: what the
 * request gives becomes part of the model, which is then prepared. Documentation/runtime.rst has
 * the rules.
 */

/** nnapi-reference over @inner, which it owns afterwards. NULL: out of memory. */
struct nnhal_device *nnr_reference_new(struct nnhal_device *inner);

/* reference_model.c: models of nnapi-reference that are specialized by each request. */

/**
 * A prepared model for @model, which @device refused with the reason @why. Its executions
 * specialize it. It has only execute_synchronously(), and may be destroyed while none of them runs.
 * @parameter: one per input of main. Copies all but @device. NULL: out of memory.
 */
struct nnhal_prepared_model *nnr_reference_model_new(struct nnhal_device *device,
						     const struct nnmodel *model,
						     const struct nnhal_prepare_config *config,
						     const bool *parameter, const char *why);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nnapi-reference over the in-process device of the HAL. That device lowers a model before it knows
 * a request; NNAPI lets an application give parameters of operations (activations, paddings,
 * strides, axes) with the request, omit optional inputs in it, and compile what can only fail. Such
 * models are kept and specialized when a request comes: what it gives becomes part of the model,
 * which is then prepared. Documentation/runtime.rst has the rules.
 */
#ifndef NNR_REFERENCE_H
#define NNR_REFERENCE_H

#include "runtime.h"

/* ---- specialize.c ---- */

/** What a request says of one input of main. */
struct nnr_given {
	bool bound; /* becomes a constant, or is omitted; else it stays an input */
	bool omitted;
	const void *value; /* of a bound one that is there */
	size_t size;
	uint32_t rank; /* of one that stays: its shape; 0: as the model says */
	const void *dims; /* that many uint32_t, perhaps not aligned */
};

/**
 * A copy of @model in which main's inputs are what @given (one per input; NULL: nothing) says; RANK
 * of what has one is a constant, and what IF and WHILE are given as constants is constant in their
 * models as well, but for what a loop changes. 0, -ENOMEM.
 */
int nnr_specialize(const struct nnmodel *model, const struct nnr_given *given,
		   struct nnmodel **specialized);
/** Whether nnr_specialize() without @given has something to do. */
bool nnr_has_constants(const struct nnmodel *model);
/**
 * Marks main's inputs (@parameter: one each) that are parameters of operations that are not
 * @supported (one per operation): scalars, and of control flow those that it passes on to its
 * models. 0, -ENOMEM.
 */
int nnr_mark_parameters(const struct nnmodel *model, const bool *supported, bool *parameter);

/* ---- reference_model.c ---- */

/**
 * A model that @device refused to prepare, saying @why: executions specialize it. It can be
 * destroyed when none of them runs, and has only execute_synchronously(). Copies all but @device.
 * NULL: out of memory.
 */
struct nnhal_prepared_model *nnr_reference_model_new(struct nnhal_device *device,
						     const struct nnmodel *model,
						     const struct nnhal_prepare_config *config,
						     const bool *parameter, const char *why);

/* ---- reference.c ---- */

/** The device of nnapi-reference over @inner, which it takes over. NULL: out of memory. */
struct nnhal_device *nnr_reference_new(struct nnhal_device *inner);

/* ---- prepare.c ---- */

/** Prepare and wait. *@prepared on NONE; else @message (of @size bytes) says why not. */
enum nnhal_status nnr_prepare_on(struct nnhal_device *hal, const struct nnmodel *model,
				 const struct nnhal_prepare_config *config,
				 struct nnhal_prepared_model **prepared, char *message,
				 size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device nnapi-reference: the in-process device of the HAL, which lowers a model before it
 * knows a request. NNAPI lets an application give parameters of operations (activations, paddings,
 * strides, axes) with the request, omit optional inputs in it, and compile a model that can only
 * fail. Such models are kept, and specialized when a request comes: what the request gives becomes
 * part of the model, which is then prepared. Documentation/runtime.rst has the rules.
 */
#ifndef NNR_REFERENCE_DEVICE_H
#define NNR_REFERENCE_DEVICE_H

#include "nnhal.h"

/** nnapi-reference over @inner, which it owns afterwards. NULL: out of memory. */
struct nnhal_device *nnr_reference_new(struct nnhal_device *inner);

#endif

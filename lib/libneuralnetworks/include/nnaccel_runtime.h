/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nnaccel's runtime offers beyond NNAPI, for its tools. Version node NNACCEL_PRIVATE: may
 * change.
 */
#ifndef NNACCEL_RUNTIME_H
#define NNACCEL_RUNTIME_H

#include "android/NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Which device runs what, why not elsewhere, and the cost that decided, as JSON
 * (Documentation/runtime.rst has its fields). Of a compilation whose finish() was called, even when
 * it failed for want of a device. malloc'ed, *@json is the caller's. UNEXPECTED_NULL, BAD_STATE,
 * OUT_OF_MEMORY, NO_ERROR.
 */
int nnaccelCompilation_explain(const ANeuralNetworksCompilation *compilation, char **json);

#ifdef __cplusplus
}
#endif

#endif

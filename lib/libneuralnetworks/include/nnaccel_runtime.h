/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of nnaccel's runtime beyond NNAPI, for its tools. Their symbol version is
 * NNACCEL_PRIVATE: they may change.
 */
#ifndef NNACCEL_RUNTIME_H
#define NNACCEL_RUNTIME_H

#include "android/NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nnaccelCompilation_explain() - explain a compilation
 * @compilation: finish() was called; it may have failed
 * @json: the explanation; the caller frees it
 *
 * The explanation says which device runs which operation, why no other device does, and the costs
 * that decided (Documentation/runtime.rst, "Output of explain").
 *
 * Return: NO_ERROR, UNEXPECTED_NULL, BAD_STATE or OUT_OF_MEMORY.
 */
int nnaccelCompilation_explain(const ANeuralNetworksCompilation *compilation, char **json);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of nnaccel's runtime beyond NNAPI, for its tools. They may change. */
#ifndef NNACCEL_RUNTIME_H
#define NNACCEL_RUNTIME_H

#include "android/NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nnaccelCompilation_explain() - report a compilation's partitioning as JSON
 * @compilation: finish() was called, whatever its result
 * @json: the text, malloc'ed, the caller's; NULL on failure
 *
 * The report has the device of each operation, why other devices did not get it, and the costs that
 * decided. Documentation/runtime.rst has its fields.
 *
 * Return: NO_ERROR; UNEXPECTED_NULL; BAD_STATE: finish() was not called; OUT_OF_MEMORY.
 */
int nnaccelCompilation_explain(const ANeuralNetworksCompilation *compilation, char **json);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of nnaccel's runtime beyond NNAPI, for its tools. Their symbol version is
 * NNACCEL_PRIVATE: they may change.
 */
#ifndef NNACCEL_RUNTIME_H
#define NNACCEL_RUNTIME_H

#include <stdbool.h>

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

/**
 * nnaccelRuntime_setIsolation() - choose where vendor libraries run
 * @isolation: "auto", "none", "worker" or "service" (Documentation/isolation.rst)
 *
 * In place of the setting "isolation", for the whole process. It comes before the first call that
 * needs devices or settings: they are read once. Any thread.
 *
 * Return: NO_ERROR, also if the process uses @isolation already; UNEXPECTED_NULL; BAD_DATA: no such
 * value; BAD_STATE: the process uses another one.
 */
int nnaccelRuntime_setIsolation(const char *isolation);

/**
 * nnaccelRuntime_setAmx() - choose whether programs in the process may use AMX
 * @use: false: never; true: those with many 8-bit multiply-adds (Documentation/manners.rst)
 *
 * In place of the setting "amx", for the whole process. It comes before the first call that needs
 * devices or settings: they are read once. With NNACCEL_AMX=0 libnnhal refuses AMX in any case. Any
 * thread.
 *
 * Return: NO_ERROR, also if the process uses @use already; BAD_STATE: it uses the other.
 */
int nnaccelRuntime_setAmx(bool use);

#ifdef __cplusplus
}
#endif

#endif

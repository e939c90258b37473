/* SPDX-License-Identifier: Apache-2.0 */
/* Computing a model through libneuralnetworks. */
#ifndef NNCTL_RUNTIME_H
#define NNCTL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "android/NeuralNetworks.h"
#include "nnclient.h"
#include "nnhal.h"

/* computation.c: computing through the NNAPI runtime. */

/** An input or output. Inputs are only read. @data is NULL for an omitted one. */
struct runtime_argument {
	void *data;
	size_t size;
};

struct runtime_arguments {
	const struct runtime_argument *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
};

/**
 * Compute a finished compilation once. @loop_timeout_ns 0 is the default. @result->shapes: one per
 * output, with NO_ERROR and OUTPUT_INSUFFICIENT_SIZE. @result->timing: with @measure, when the
 * compilation is for exactly one device. @result->message: the call that failed. Returns a result
 * code; the caller calls nnhal_execution_result_clear() in any case.
 */
int runtime_compute(ANeuralNetworksCompilation *compilation,
		    const struct runtime_arguments *arguments, uint64_t loop_timeout_ns,
		    bool measure, struct nnhal_execution_result *result);
/** The HAL status of a result code; GENERAL_FAILURE for codes without one. */
enum nnhal_status runtime_status(int result);

/*
 * late_refusal.c: the runtime compiles some models whose executions fail, as Android's does. Its
 * explanation of the compilation has the reason.
 */

/**
 * The first reason for which executions of @compilation fail, and the operation of the main model
 * that it is about, as addOperation() counted; UINT32_MAX: the runtime made it. False: there is
 * none, or no memory.
 */
bool late_refusal_find(const ANeuralNetworksCompilation *compilation, char *reason, size_t size,
		       uint32_t *operation);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and computing through the NNAPI runtime. */
#ifndef NNCTL_COMPUTATION_H
#define NNCTL_COMPUTATION_H

#include "nnhal.h"
#include "runtime/model_builder.h"

/**
 * Create a compilation, which is not finished yet. @devices: names separated by commas; NULL: all
 * devices. Returns a result code; on failure @message has the reason and lists the devices.
 */
int runtime_compilation_create(ANeuralNetworksModel *model, const char *devices,
			       ANeuralNetworksCompilation **compilation, char *message,
			       size_t size);

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

#endif

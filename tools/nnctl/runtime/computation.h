/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and computing by the NNAPI runtime, for the commands that can do it either way. */
#ifndef NNCTL_COMPUTATION_H
#define NNCTL_COMPUTATION_H

#include "nnhal.h"
#include "runtime/model_builder.h"

/**
 * A compilation, not finished. @devices: names with commas between them, for exactly these; NULL:
 * for all. Result code; @message says what was wrong, and which devices there are.
 */
int runtime_compilation_create(ANeuralNetworksModel *model, const char *devices,
			       ANeuralNetworksCompilation **compilation, char *message,
			       size_t size);

/** An input or output; inputs are only read. @data NULL: omitted. */
struct runtime_argument {
	void *data;
	size_t size;
};

struct runtime_arguments {
	const struct runtime_argument *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
};

/**
 * One computation of a finished compilation. @loop_timeout_ns 0: the default. @result->shapes: one
 * per output, malloc'ed on NO_ERROR and OUTPUT_INSUFFICIENT_SIZE; @result->timing: with @measure,
 * if the compilation is for exactly one device; @result->message: which call failed. Result code;
 * nnhal_execution_result_clear() in any case.
 */
int runtime_compute(ANeuralNetworksCompilation *compilation,
		    const struct runtime_arguments *arguments, uint64_t loop_timeout_ns,
		    bool measure, struct nnhal_execution_result *result);
/** As a status of the HAL; what has none is GENERAL_FAILURE. */
enum nnhal_status runtime_status(int result);

#endif

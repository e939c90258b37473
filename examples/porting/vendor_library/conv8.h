/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libnnhal-conv8.so: a vendor library whose device has one unit, for int8 convolutions
 * (conv_unit.h). It refuses everything else with the reason; the runtime then gives that to other
 * devices. nnhal.h is the interface, and all that the library is linked with.
 */
#ifndef CONV8_H
#define CONV8_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conv_unit.h"
#include "nnhal.h"

#define CONV8_MESSAGE 256

/* device.c */

/** The device, for struct nnhal_driver's open(). 0, -ENOMEM. */
int conv8_device_create(struct nnhal_device **dev);

/* convolution.c: an operation of the model, as the unit sees it */

/** An NNAPI operation that the unit computes. Addresses and multipliers come later. */
struct conv8_convolution {
	uint32_t in, filter, bias, out; /* operands of the main subgraph */
	struct conv_unit_job job;
};

/** False: @why has the parameter that is in the way, and the change that lets it pass. */
bool conv8_convolution_read(const struct nnmodel *model, const struct nnmodel_operation *op,
			    struct conv8_convolution *conv, char *why, size_t size);

/* compile.c: a model that the unit computes as a whole */

/** A tensor of the model: constants are in the convolutions. */
struct conv8_tensor {
	size_t bytes; /* 0: not a tensor of data */
	uint32_t rank, dims[4];
	int input, output; /* number in a request; -1: none */
};

/** Read by any number of executions at once. */
struct conv8_program {
	uint32_t num_tensors, num_convolutions, num_inputs, num_outputs;
	struct conv8_tensor *tensors; /* by operand */
	struct conv8_convolution *convolutions;
	uint32_t *inputs, *outputs; /* operands */
};

enum nnhal_status conv8_compile(const struct nnmodel *model, struct conv8_program **program,
				char *message, size_t size);
void conv8_program_free(struct conv8_program *program);

/* request.c: the memory of a request */

struct conv8_mapping {
	void *start; /* NULL: none */
	size_t length;
	uint8_t *data;
};

struct conv8_binding {
	struct conv8_mapping *mappings; /* by pool */
	uint32_t num_mappings;
	uint8_t **tensors; /* by operand; NULL: not a tensor of the request */
};

/** Check a request and map its memory; with an error there is nothing to release. */
enum nnhal_status conv8_bind(const struct conv8_program *program,
			     const struct nnhal_request *request, struct conv8_binding *binding,
			     bool *sufficient, char *message, size_t size);
void conv8_unbind(struct conv8_binding *binding);

/* execute.c */

/** As execute_synchronously() of nnhal.h. */
enum nnhal_status conv8_execute(const struct conv8_program *program,
				const struct nnhal_request *request,
				const struct nnhal_execution_config *config, int64_t deadline_ns,
				struct nnhal_execution_result *result);

/* prepared.c */

/** Takes @program over. NULL: no memory. */
struct nnhal_prepared_model *conv8_prepared_create(struct conv8_program *program);

/* fenced.c */

/** As execute_fenced() of nnhal.h: it returns when the execution has finished. */
enum nnhal_status conv8_execute_fenced(const struct conv8_program *program,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback);

/** Write a message; returns @status. */
__attribute__((format(printf, 4, 5))) static inline enum nnhal_status
conv8_refuse(char *message, size_t size, enum nnhal_status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, size, fmt, args);
	va_end(args);
	return status;
}

#endif

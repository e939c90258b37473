/* SPDX-License-Identifier: Apache-2.0 */
/* Captures as model files, random weights, some operations of a model. */
#ifndef NNCTL_CAPTURE_H
#define NNCTL_CAPTURE_H

#include <stdbool.h>

#include "nncapture.h"
#include "nnimport.h"
#include "nnmodel.h"
#include "nnt.h"

/* capture_read.c: a capture as a model file: its inputs and outputs, and their values. */

/**
 * Read a conformance file that has one example. Takes its @size bytes, which are malloc'ed. @import
 * is filled in as nnimport_read() does, with the verdict and the message of a failure;
 * nnimport_free() and nnt_close() whatever the outcome. 0 or -1.
 */
int capture_read(void *bytes, size_t size, struct nnt *nnt, struct nnimport *import);

/** Values of input and output number @i; of an output that was not computed NULL. */
const void *capture_input(const struct nnt *nnt, uint32_t i);
const void *capture_output(const struct nnt *nnt, uint32_t i);
/** Whether the execution failed when it was captured. */
bool capture_failed(const struct nnt *nnt);
/** Limits of the execution; of those that the file does not have 0. */
struct nncapture_limits capture_limits(const struct nnt *nnt);
/** Who has written it, and on which device, as printable text: "" if unknown. */
void capture_origin(const struct nnt *nnt, char *text, size_t size);

/* NNAPI operands as tensors of a file, for values that no file describes. */

/**
 * Describe @operand, without a name. False: its shape is not known, or a file has no such type.
 */
bool operand_tensor(const struct nnmodel_operand *operand, struct nnimport_tensor *tensor);

/* operation_range.c: successive operations of a model, as a model of their own. */

struct operation_range {
	struct nnmodel *model; /* with the constants of the operations */
	/* Operands of the whole model that are the inputs and outputs of this one, in its order. */
	uint32_t *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
};

/**
 * Take @count operations of the main subgraph, from number @first on. Inputs: values that they read
 * and do not compute. Outputs: values that other operations or outputs of the model need, and those
 * of the last operation. 0, or -1 with the reason in @why: IF and WHILE are not taken.
 * operation_range_free() whatever the outcome.
 */
int operation_range_take(const struct nnmodel *from, uint32_t first, uint32_t count,
			 struct operation_range *range, char *why, size_t why_size);
void operation_range_free(struct operation_range *range);

/* random_weights.c */

/**
 * Replace the weights of a model by random numbers with their mean, deviation, least and largest
 * value: of each tensor of constants that are real numbers, quantized or not. Scalars, shapes, axes
 * and indices stay, so does the model's structure. The numbers are the same in each run. 0, or -1
 * after a complaint.
 */
int random_weights(struct nnmodel *model);

#endif

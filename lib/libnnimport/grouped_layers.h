/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of groups of channels, one by one. */
#ifndef NNIMPORT_GROUPED_LAYERS_H
#define NNIMPORT_GROUPED_LAYERS_H

#include "importer.h"

/** A grouped convolution, as operands and options of the plain one of each group. */
struct import_groups {
	int x, filter, bias, out; /* operands of the whole */
	int32_t count;
	const int *rest; /* inputs of the operation behind the bias */
	uint32_t num_rest;
};

/** SLICE of the channels, one operation @opcode for each group, CONCATENATION. */
int import_emit_groups(struct import *im, uint32_t opcode, const struct import_groups *g);

#endif

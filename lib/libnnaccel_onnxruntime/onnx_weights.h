/* SPDX-License-Identifier: Apache-2.0 */
/* Constant weights and biases of convolutions and matrix products. */
#ifndef ONNX_WEIGHTS_H
#define ONNX_WEIGHTS_H

#include "translator.h"

struct weights {
	const void *data; /* in the graph's order */
	size_t size; /* of an element: 4, float32; 1, 8 bits */
	uint32_t type; /* of the operand */
	float scale;
	int32_t zero_point;
	const float *scales; /* of each unit; NULL: one for all */
	uint32_t num_scales;
	float input_scale;
};

/**
 * Plan the current node, whose input 0 is data, 1 the weights, constant, with an output unit for
 * each place of @axis, 2 perhaps the bias. Sets @weights for the type that the node is computed in.
 */
struct result weights_plan(struct translator *t, uint32_t axis, struct weights *weights);
/** Operand of the weights, as @data, which has the order of @dims. */
int weights_operand(struct translator *t, const struct weights *weights, const uint32_t *dims,
		    uint32_t rank, uint32_t channel_dim, const void *data);
/** Operand of the bias, input 2 times @factor; zeros where there is none. */
int weights_bias(struct translator *t, const struct weights *weights, const struct result *r,
		 uint32_t units, float factor);

#endif

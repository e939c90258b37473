/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar parameters of an NNAPI operation. Functions return as those of lowering.h. */
#ifndef NNHAL_LOWER_PARAMS_H
#define NNHAL_LOWER_PARAMS_H

#include "lowering.h"

/** Scalar parameters: must be constants. FLOAT16 is widened. */
int lower_int32(struct lower *l, uint32_t i, int32_t *value);
int lower_bool(struct lower *l, uint32_t i, bool *value);
int lower_float(struct lower *l, uint32_t i, float *value);
/** The same, >= @least. */
int lower_uint(struct lower *l, uint32_t i, int32_t least, uint32_t *value);
/** Fused activation: the parameter, or what fusion added to NONE. */
int lower_activation(struct lower *l, uint32_t i, uint32_t *activation);
/** Inputs @first .. @first + @n - 1 as floats. */
int lower_floats(struct lower *l, uint32_t first, uint32_t n, float *const *values);
/** Whether input @i is a scalar INT32: forms of equal length differ by it. */
bool lower_input_is_int32(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op,
			  uint32_t i);

/**
 * Padding parameters that begin at input @i, with their number in *@num: one by one with @explicit,
 * else a code.
 */
struct lower_padding {
	uint32_t mode; /* enum nnprog_padding */
	uint32_t left, right, top, bottom;
};
int lower_paddings(struct lower *l, bool explicit, uint32_t i, struct lower_padding *padding,
		   uint32_t *num);

#endif

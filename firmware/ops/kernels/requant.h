/* SPDX-License-Identifier: Apache-2.0 */
/* Requantization: parameters of the rule (kernels/requant_rule.h), and tables. */
#ifndef NNFW_REQUANT_H
#define NNFW_REQUANT_H

#include "kernels/requant_rule.h"
#include "nnfw_op.h"
#include "nnprog_shape.h"

/** The rule's parameters for an output tensor of 8 or 16 bits with a fused activation. */
struct nnfw_requant nnfw_requant_output(const struct nnfw_tensor *out, uint32_t activation);

/** Least and greatest value of a quantized type. */
void nnfw_type_range(uint32_t dtype, int32_t *lo, int32_t *hi);

/**
 * NNAPI's QUANTIZE: saturate(zero_point + round(x / scale)), ties away from zero, the division in
 * float32. Infinities saturate; NaN gives the upper bound.
 */
int32_t nnfw_quantize(float x, float scale, int32_t zero_point, int32_t lo, int32_t hi);

/**
 * table[code of @in] = the same real value as a code of @out, both of 8 bits:
 * saturate(round((float)(q - z) * s / s_out + z_out)), the quotient in double, ties away from zero.
 */
void nnfw_requant_table(int16_t table[256], const struct nnfw_tensor *in,
			const struct nnfw_tensor *out);

/** Reads the 8-bit code @q of a tensor as its integer: int8 or uint8. */
static inline int32_t nnfw_code(uint32_t dtype, uint8_t q)
{
	return dtype == NNPROG_INT8 ? (int8_t)q : q;
}

/** Bounds of a fused activation for floats; NONE is the finite range. */
void nnfw_activation_range(uint32_t activation, float *lo, float *hi);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Parameters of the requantization rule, and quantization of single values (tables are made of
 * them).
 */
#include <float.h>
#include <math.h>

#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_attrs.h"
#include "nnprog_shape.h"

void nnfw_type_range(uint32_t dtype, int32_t *lo, int32_t *hi)
{
	switch (dtype) {
	case NNPROG_INT8:
		*lo = INT8_MIN;
		*hi = INT8_MAX;
		break;
	case NNPROG_INT16:
		*lo = INT16_MIN;
		*hi = INT16_MAX;
		break;
	case NNPROG_UINT16:
		*lo = 0;
		*hi = UINT16_MAX;
		break;
	case NNPROG_INT32:
		*lo = INT32_MIN;
		*hi = INT32_MAX;
		break;
	default:
		*lo = 0;
		*hi = UINT8_MAX;
		break;
	}
}

/* zero_point + round(bound / scale) within the type; a tiny scale makes the quotient huge */
static int32_t quantized_bound(float bound, const struct nnfw_tensor *out, int32_t lo, int32_t hi)
{
	return nnfw_quantize(bound, out->scale, out->zero_point, lo, hi);
}

struct nnfw_requant nnfw_requant_output(const struct nnfw_tensor *out, uint32_t activation)
{
	struct nnfw_requant q = { .zero_point = out->zero_point };
	int32_t type_lo, type_hi, lo, hi;

	nnfw_type_range(out->dtype, &type_lo, &type_hi);
	lo = type_lo;
	hi = type_hi;
	if (activation == NNPROG_ACT_RELU || activation == NNPROG_ACT_RELU6)
		lo = quantized_bound(0, out, type_lo, type_hi);
	if (activation == NNPROG_ACT_RELU6)
		hi = quantized_bound(6, out, type_lo, type_hi);
	if (activation == NNPROG_ACT_RELU1) {
		lo = quantized_bound(-1, out, type_lo, type_hi);
		hi = quantized_bound(1, out, type_lo, type_hi);
	}
	q.lo = (float)(lo - out->zero_point);
	q.hi = (float)(hi - out->zero_point);
	return q;
}

int32_t nnfw_quantize(float x, float scale, int32_t zero_point, int32_t lo, int32_t hi)
{
	double v = (double)roundf(x / scale) + zero_point;

	v = v < hi ? v : hi;
	v = v > lo ? v : lo;
	return (int32_t)v;
}

void nnfw_requant_table(int16_t table[256], const struct nnfw_tensor *in,
			const struct nnfw_tensor *out)
{
	int32_t lo, hi;

	nnfw_type_range(out->dtype, &lo, &hi);
	for (uint32_t i = 0; i < 256; i++) {
		float x = (float)(nnfw_code(in->dtype, (uint8_t)i) - in->zero_point) * in->scale;
		double v = round((double)x / out->scale + out->zero_point);

		v = v > lo ? v : lo;
		v = v < hi ? v : hi;
		table[i] = (int16_t)v;
	}
}

void nnfw_activation_range(uint32_t activation, float *lo, float *hi)
{
	*lo = -FLT_MAX;
	*hi = FLT_MAX;
	if (activation == NNPROG_ACT_RELU || activation == NNPROG_ACT_RELU6)
		*lo = 0;
	if (activation == NNPROG_ACT_RELU6)
		*hi = 6;
	if (activation == NNPROG_ACT_RELU1) {
		*lo = -1;
		*hi = 1;
	}
}

// SPDX-License-Identifier: Apache-2.0
#include "conformance/nnctl_conformance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnmodel.h"

double element_read(uint32_t type, const void *data, size_t i)
{
	_Float16 half;
	uint16_t u16;
	int16_t i16;
	int32_t i32;
	float f;

	switch (type) {
	case NNMODEL_TENSOR_FLOAT32:
		memcpy(&f, (const char *)data + 4 * i, sizeof(f));
		return f;
	case NNMODEL_TENSOR_FLOAT16:
		memcpy(&half, (const char *)data + 2 * i, sizeof(half));
		return half;
	case NNMODEL_TENSOR_INT32:
	case NNMODEL_INT32:
		memcpy(&i32, (const char *)data + 4 * i, sizeof(i32));
		return i32;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		memcpy(&i16, (const char *)data + 2 * i, sizeof(i16));
		return i16;
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		memcpy(&u16, (const char *)data + 2 * i, sizeof(u16));
		return u16;
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
	case NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL:
		return ((const int8_t *)data)[i];
	case NNMODEL_TENSOR_BOOL8:
		return ((const uint8_t *)data)[i] != 0;
	default:
		return ((const uint8_t *)data)[i];
	}
}

/* binary32 constants; sums are evaluated in double. */
#define FLOAT_ATOL 1e-5f
#define FLOAT_RTOL (5.0f * 1.1920928955078125e-7f)
#define HALF_TOL (5.0f * 0.0009765625f)

/* False: the type cannot be compared. */
static bool tolerance(const struct nnt *n, const struct nnt_example *ex, uint32_t type,
		      double *atol, double *rtol)
{
	bool wide = ex->flags & (NNT_RELAXED | NNT_HAS_FLOAT16);

	*rtol = 0;
	switch (type) {
	case NNMODEL_TENSOR_FLOAT32:
		*atol = wide ? (double)HALF_TOL : (double)FLOAT_ATOL;
		*rtol = wide ? (double)HALF_TOL : (double)FLOAT_RTOL;
		return true;
	case NNMODEL_TENSOR_FLOAT16:
		*atol = *rtol = (double)HALF_TOL;
		return true;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
		*atol = strstr(nnt_string(n, ex->name), "mobilenet") ? 3 : 1;
		return true;
	case NNMODEL_TENSOR_INT32:
	case NNMODEL_INT32:
	case NNMODEL_TENSOR_QUANT16_SYMM:
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		*atol = 1;
		return true;
	case NNMODEL_TENSOR_BOOL8:
		*atol = 0;
		return true;
	default:
		return false;
	}
}

/*
 * A NaN or infinity is wrong unless it is the expected value: every number has the same distance
 * from an infinity.
 */
static bool is_close(double actual, double expected, double atol, double rtol)
{
	if (isnan(expected))
		return isnan(actual);
	if (isinf(expected) || isinf(actual))
		return actual == expected;
	/* a NaN fails */
	return fabs(actual - expected) <= atol + rtol * fabs(expected);
}

bool judge_output(const struct nnt *n, const struct nnt_example *ex, const struct nnt_operand *o,
		  const void *actual, char *why, size_t why_size)
{
	const void *golden = nnt_data(n, o);
	double atol, rtol;
	size_t count;

	if (!tolerance(n, ex, o->type, &atol, &rtol)) {
		snprintf(why, why_size, "output %s: type %s cannot be compared",
			 nnt_string(n, o->name), nnmodel_type_name(o->type));
		return false;
	}
	count = o->data_size / nnmodel_type_size(o->type);
	for (size_t i = 0; i < count; i++) {
		double a = element_read(o->type, actual, i), e = element_read(o->type, golden, i);

		if (is_close(a, e, atol, rtol))
			continue;
		snprintf(why, why_size,
			 "output %s element %zu: got %.9g, expected %.9g, tolerance %.3g",
			 nnt_string(n, o->name), i, a, e, atol + rtol * fabs(e));
		return false;
	}
	return true;
}

bool judge_multinomial(const struct nnt *n, const struct nnt_example *ex, const void *actual,
		       char *why, size_t why_size)
{
	const struct nnt_operand *in = nnt_input(n, ex, 0), *out = nnt_output(n, ex, 0);
	size_t classes = n->pool[in->dims + 1], samples = n->pool[out->dims + 1];
	float *expected = calloc(classes, sizeof(*expected)), sum = 0;
	uint32_t *seen = calloc(classes, sizeof(*seen));
	bool ok = expected && seen;

	for (size_t c = 0; ok && c < classes; c++) {
		expected[c] = expf((float)element_read(in->type, nnt_data(n, in), c));
		sum += expected[c];
	}
	for (size_t i = 0; ok && i < samples; i++) {
		int32_t c = (int32_t)element_read(out->type, actual, i);

		ok = c >= 0 && (size_t)c < classes;
		if (ok)
			seen[c]++;
		else
			snprintf(why, why_size, "sample %zu is class %d of %zu", i, c, classes);
	}
	for (size_t c = 0; ok && c < classes; c++) {
		float share = (float)seen[c] / (float)samples;

		ok = fabsf(share - expected[c] / sum) <= ex->multinomial_tolerance;
		if (!ok)
			snprintf(why, why_size,
				 "class %zu: frequency %g, probability %g, tolerance %g", c, share,
				 expected[c] / sum, ex->multinomial_tolerance);
	}
	free(seen);
	free(expected);
	return ok;
}

// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <stdlib.h>
#include <string.h>

/* Constants of the file need not be aligned: every load is a copy. */
static int64_t load_int(const struct tflite_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->type);
	int64_t wide;
	int32_t word;
	int16_t half;

	switch (t->type) {
	case NNIMPORT_INT64:
		return memcpy(&wide, p, sizeof(wide)), wide;
	case NNIMPORT_INT32:
		return memcpy(&word, p, sizeof(word)), word;
	case NNIMPORT_INT16:
		return memcpy(&half, p, sizeof(half)), half;
	case NNIMPORT_INT8:
		return (int8_t)*p;
	default:
		return *p;
	}
}

static float load_float(const struct tflite_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->type);
	_Float16 half;
	float value;

	if (t->type == NNIMPORT_FLOAT16)
		return memcpy(&half, p, sizeof(half)), (float)half;
	return memcpy(&value, p, sizeof(value)), value;
}

bool fold_is_narrow(const struct tflite_tensor *t)
{
	for (size_t i = 0; i < tflite_elements(t); i++) {
		int64_t v = load_int(t, i);

		if (v < INT32_MIN || v > INT32_MAX)
			return false;
	}
	return true;
}

int32_t *fold_narrow(const struct tflite_tensor *t)
{
	size_t n = tflite_elements(t);
	int32_t *values = malloc((n + 1) * sizeof(*values));

	for (size_t i = 0; values && i < n; i++)
		values[i] = (int32_t)load_int(t, i);
	return values;
}

bool fold_has_real(const struct tflite_tensor *t)
{
	switch (t->type) {
	case NNIMPORT_FLOAT32:
	case NNIMPORT_FLOAT16:
		return true;
	case NNIMPORT_INT8:
	case NNIMPORT_UINT8:
	case NNIMPORT_INT16:
	case NNIMPORT_INT32:
		return t->num_scales > 0;
	default:
		return false;
	}
}

float *fold_real(const struct tflite_model *model, const struct tflite_tensor *t)
{
	size_t n = tflite_elements(t), inner = 1;
	float *values = malloc((n + 1) * sizeof(*values));

	if (!values)
		return NULL;
	for (uint32_t d = (uint32_t)t->quantized_dimension + 1; t->num_scales > 1 && d < t->rank;
	     d++)
		inner *= (size_t)t->dims[d];
	for (size_t i = 0; i < n; i++) {
		uint32_t channel = (uint32_t)(i / inner % (t->num_scales ? t->num_scales : 1));

		if (t->type == NNIMPORT_FLOAT32 || t->type == NNIMPORT_FLOAT16)
			values[i] = load_float(t, i);
		else
			values[i] = (float)((double)load_int(t, i) -
					    (double)tflite_zero_point(model, t, channel)) *
				    tflite_scale(model, t, channel);
	}
	return values;
}

// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <stdlib.h>
#include <string.h>

/*
 * A file can name one buffer often, and each time it becomes a constant of its own. INT4 takes
 * most: 2 bytes for each in the file, and 8 more as FLOAT32, in the file's tensor and in NNAPI's
 * operand.
 */
#define MADE_BYTES (48u << 20)
#define MADE_PER_BYTE 24u

bool tflite_may_make(struct tflite_model *model, size_t bytes)
{
	return !__builtin_add_overflow(model->made, bytes, &model->made) &&
	       model->made <= MADE_BYTES + MADE_PER_BYTE * model->fb.size;
}

void tflite_set_constant(struct tflite_tensor *t, void *data)
{
	free(t->owned);
	t->owned = data;
	t->data = data;
}

size_t tflite_elements(const struct tflite_tensor *t)
{
	size_t n = 1;

	for (uint32_t i = 0; i < t->rank; i++)
		n *= (size_t)t->dims[i];
	return n;
}

void tflite_free(struct tflite_model *model)
{
	for (uint32_t i = 0; model->operators && i < model->num_operators; i++) {
		free(model->operators[i].inputs);
		free(model->operators[i].outputs);
	}
	for (uint32_t i = 0; model->tensors && i < model->num_tensors; i++)
		free(model->tensors[i].owned);
	free(model->tensors);
	free(model->operators);
	free(model->inputs);
	free(model->outputs);
	memset(model, 0, sizeof(*model));
}

float tflite_scale(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t i)
{
	return t->scales ? t->scales[i] : fb_vec_f32(&model->fb, &t->scale, i);
}

int64_t tflite_zero_point(const struct tflite_model *model, const struct tflite_tensor *t,
			  uint32_t i)
{
	if (t->zero_points)
		return t->zero_points[i];
	return t->zero_point.count ? fb_vec_i64(&model->fb, &t->zero_point, i) : 0;
}

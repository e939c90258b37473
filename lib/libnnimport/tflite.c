// SPDX-License-Identifier: Apache-2.0
/*
 * Models of TensorFlow Lite as they are read: their constants, and the names of operators and
 * types.
 */
#include "tflite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnimport.h"

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

/* ---- names ---- */

/* names[], of the operators in ops/, by code */
#include "nnimport_operators.h"

const char *nnimport_operator_name(int opcode)
{
	static _Thread_local char buf[32];

	if (opcode >= 0 && (size_t)opcode < sizeof(names) / sizeof(names[0]))
		return names[opcode];
	snprintf(buf, sizeof(buf), "operator %d", opcode);
	return buf;
}

const char *tflite_operator_name(const struct tflite_operator *op)
{
	static _Thread_local char buf[96];

	if (!op->custom[0])
		return nnimport_operator_name(op->opcode);
	snprintf(buf, sizeof(buf), "CUSTOM(%s)", op->custom);
	return buf;
}

/* Names and sizes of the types of tensors. */

static const struct {
	const char *name;
	size_t size;
} types[NNIMPORT_TYPE_COUNT] = {
	[NNIMPORT_FLOAT32] = { "FLOAT32", 4 },
	[NNIMPORT_FLOAT16] = { "FLOAT16", 2 },
	[NNIMPORT_INT32] = { "INT32", 4 },
	[NNIMPORT_UINT8] = { "UINT8", 1 },
	[NNIMPORT_INT64] = { "INT64", 8 },
	[NNIMPORT_STRING] = { "STRING", 0 },
	[NNIMPORT_BOOL] = { "BOOL", 1 },
	[NNIMPORT_INT16] = { "INT16", 2 },
	[8] = { "COMPLEX64", 8 },
	[NNIMPORT_INT8] = { "INT8", 1 },
	[10] = { "FLOAT64", 8 },
	[11] = { "COMPLEX128", 16 },
	[12] = { "UINT64", 8 },
	[13] = { "RESOURCE", 0 },
	[14] = { "VARIANT", 0 },
	[15] = { "UINT32", 4 },
	[16] = { "UINT16", 2 },
	[17] = { "INT4", 0 },
	[18] = { "BFLOAT16", 2 },
	[19] = { "type 19", 0 },
};

const char *nnimport_type_name(int type)
{
	return type >= 0 && type < NNIMPORT_TYPE_COUNT ? types[type].name : "an unknown type";
}

size_t nnimport_type_size(int type)
{
	return type >= 0 && type < NNIMPORT_TYPE_COUNT ? types[type].size : 0;
}

// SPDX-License-Identifier: Apache-2.0
/* conv 3x3 and RELU; + depthwise 3x3, RELU; max pool 2x2; reshape; fully connected. */
#include "selftest/selftest_models.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(...) sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define LIST(...) (const uint32_t[]){ __VA_ARGS__ }, COUNT(__VA_ARGS__)

/* Of int8 tensors: RELU's results have all 8 bits. */
#define INPUT_ZERO 3
#define POSITIVE_ZERO (-128)
#define OUTPUT_ZERO (-5)

/* tests/nnctl/test_selftest_models.c computes them from the data. */
const int16_t selftest_answers[SELFTEST_INPUTS][SELFTEST_CLASSES] = {
	{ -19, -8, -27, 4, -4, -47, 52, 5, 5, 12 },
	{ -37, -4, -15, -3, -1, -7, 48, 33, 17, -50 },
	{ -71, -7, -3, 10, -1, -27, 15, 15, 26, -80 },
	{ -34, 20, -3, -10, 3, -19, 26, 11, 6, -6 },
};

/* ---- data ---- */

/* A number that only depends on its place: -@most to @most. */
static int scatter(uint32_t data, uint32_t i, uint32_t most)
{
	uint32_t h = i * 1103515245u + data * 40503u + 99991u;

	h = (h ^ h >> 15) * 2246822519u;
	h ^= h >> 13;
	return (int)(h % (2 * most + 1)) - (int)most;
}

int selftest_value(uint32_t data, uint32_t i)
{
	const uint32_t class = i / SELFTEST_FEATURES, feature = i % SELFTEST_FEATURES;

	switch (data) {
	case SELFTEST_CONV_WEIGHTS:
	case SELFTEST_DEPTHWISE_WEIGHTS:
		return scatter(data, i, 1);
	case SELFTEST_DENSE_WEIGHTS:
		/* few: an int8 output must have room for their sum */
		return (feature * 5 + class * 13) % 24 ? 0 : scatter(data, i, 1);
	case SELFTEST_CONV_BIAS:
	case SELFTEST_DEPTHWISE_BIAS:
	case SELFTEST_DENSE_BIAS:
		return scatter(data, i, 3);
	default:
		return scatter(data, i, 2);
	}
}

int selftest_conv_scale(uint32_t filter)
{
	return 1 + (int)(filter % 2);
}

int selftest_depthwise_scale(uint32_t filter)
{
	return 2 - (int)(filter % 2);
}

/* ---- building ---- */

/* After the first error the functions do nothing. */
struct build {
	struct nnmodel *m;
	bool int8;
	int error;
};

static uint32_t selftest_models_note(struct build *b, int n)
{
	if (n < 0 && !b->error)
		b->error = n;
	return n < 0 ? 0 : (uint32_t)n;
}

static uint32_t tensor(struct build *b, const uint32_t *dims, uint32_t rank, int zero)
{
	if (b->error)
		return 0;
	return selftest_models_note(b,
				    nnmodel_add_operand(b->m,
							b->int8 ? NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED
								: NNMODEL_TENSOR_FLOAT32,
							NNMODEL_TEMPORARY_VARIABLE, dims, rank,
							b->int8 ? 1.0f : 0, b->int8 ? zero : 0));
}

static uint32_t selftest_models_constant(struct build *b, uint32_t type, const uint32_t *dims,
					 uint32_t rank, float scale, const void *values,
					 size_t size)
{
	uint32_t n;

	if (b->error)
		return 0;
	n = selftest_models_note(b, nnmodel_add_operand(b->m, type, NNMODEL_CONSTANT_COPY, dims,
							rank, scale, 0));
	if (!b->error)
		selftest_models_note(b, nnmodel_set_value(b->m, n, values, size));
	return n;
}

static uint32_t selftest_models_int32(struct build *b, int32_t value)
{
	return b->error ? 0 : selftest_models_note(b, nnmodel_add_int32(b->m, value));
}

/* The scale of element @i's filter, for tensors that have one. */
static int scale_of(uint32_t data, uint32_t i)
{
	switch (data) {
	case SELFTEST_CONV_WEIGHTS:
		i /= SELFTEST_KERNEL * SELFTEST_KERNEL * SELFTEST_CHANNELS;
		return selftest_conv_scale(i);
	case SELFTEST_CONV_BIAS:
		return selftest_conv_scale(i);
	case SELFTEST_DEPTHWISE_WEIGHTS:
	case SELFTEST_DEPTHWISE_BIAS:
		return selftest_depthwise_scale(i % SELFTEST_FILTERS);
	default:
		return 1;
	}
}

static bool is_bias(uint32_t data)
{
	return data == SELFTEST_CONV_BIAS || data == SELFTEST_DEPTHWISE_BIAS ||
	       data == SELFTEST_DENSE_BIAS;
}

/* Weights or a bias. In int8 the scale is the operand's, not the value's. */
static uint32_t data_operand(struct build *b, uint32_t data, const uint32_t *dims, uint32_t rank)
{
	uint32_t elements = 1, n;
	int32_t *words;
	int8_t *bytes;
	float *reals;
	void *values;

	for (uint32_t i = 0; i < rank; i++)
		elements *= dims[i];
	values = calloc(elements, sizeof(int32_t));
	if (!values) {
		selftest_models_note(b, -ENOMEM);
		return 0;
	}
	reals = values;
	words = values;
	bytes = values;
	for (uint32_t i = 0; i < elements; i++) {
		const int value = selftest_value(data, i);

		if (!b->int8)
			reals[i] = (float)(value * scale_of(data, i));
		else if (is_bias(data))
			words[i] = value;
		else
			bytes[i] = (int8_t)value;
	}
	if (!b->int8)
		n = selftest_models_constant(b, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, values,
					     elements * 4);
	else if (is_bias(data))
		n = selftest_models_constant(b, NNMODEL_TENSOR_INT32, dims, rank,
					     data == SELFTEST_DENSE_BIAS ? 1.0f : 0, values,
					     elements * 4);
	else if (data == SELFTEST_DENSE_WEIGHTS)
		n = selftest_models_constant(b, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, dims, rank,
					     1.0f, values, elements);
	else
		n = selftest_models_constant(b, NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL, dims, rank,
					     0, values, elements);
	free(values);
	return n;
}

static void set_scales(struct build *b, uint32_t operand, uint32_t channel_dim,
		       int (*scale)(uint32_t filter))
{
	float scales[SELFTEST_FILTERS];

	for (uint32_t i = 0; i < SELFTEST_FILTERS; i++)
		scales[i] = (float)scale(i);
	if (b->int8 && !b->error)
		selftest_models_note(b, nnmodel_set_channel_quant(b->m, operand, channel_dim,
								  scales, SELFTEST_FILTERS));
}

static void selftest_models_operation(struct build *b, uint32_t type, const uint32_t *in,
				      uint32_t num_in, uint32_t out)
{
	if (!b->error)
		selftest_models_note(b, nnmodel_add_operation(b->m, type, in, num_in, &out, 1));
}

static uint32_t add_conv(struct build *b, uint32_t in)
{
	const uint32_t filter_dims[] = { SELFTEST_FILTERS, SELFTEST_KERNEL, SELFTEST_KERNEL,
					 SELFTEST_CHANNELS };
	const uint32_t out_dims[] = { 1, SELFTEST_SIDE, SELFTEST_SIDE, SELFTEST_FILTERS };
	const uint32_t filter = data_operand(b, SELFTEST_CONV_WEIGHTS, filter_dims, 4);
	const uint32_t bias = data_operand(b, SELFTEST_CONV_BIAS, filter_dims, 1);
	const uint32_t out = tensor(b, out_dims, 4, POSITIVE_ZERO);

	set_scales(b, filter, 0, selftest_conv_scale);
	selftest_models_operation(b, NNMODEL_CONV_2D,
				  LIST(in, filter, bias,
				       selftest_models_int32(b, NNMODEL_PADDING_SAME),
				       selftest_models_int32(b, 1), selftest_models_int32(b, 1),
				       selftest_models_int32(b, NNMODEL_FUSED_RELU)),
				  out);
	return out;
}

/* @in + its depthwise convolution */
static uint32_t add_depthwise(struct build *b, uint32_t in)
{
	const uint32_t filter_dims[] = { 1, SELFTEST_KERNEL, SELFTEST_KERNEL, SELFTEST_FILTERS };
	const uint32_t out_dims[] = { 1, SELFTEST_SIDE, SELFTEST_SIDE, SELFTEST_FILTERS };
	const uint32_t filter = data_operand(b, SELFTEST_DEPTHWISE_WEIGHTS, filter_dims, 4);
	const uint32_t bias = data_operand(b, SELFTEST_DEPTHWISE_BIAS, &filter_dims[3], 1);
	const uint32_t branch = tensor(b, out_dims, 4, 0);
	const uint32_t sum = tensor(b, out_dims, 4, POSITIVE_ZERO);

	set_scales(b, filter, 3, selftest_depthwise_scale);
	selftest_models_operation(
		b, NNMODEL_DEPTHWISE_CONV_2D,
		LIST(in, filter, bias, selftest_models_int32(b, NNMODEL_PADDING_SAME),
		     selftest_models_int32(b, 1), selftest_models_int32(b, 1),
		     selftest_models_int32(b, 1), selftest_models_int32(b, NNMODEL_FUSED_NONE)),
		branch);
	selftest_models_operation(b, NNMODEL_ADD,
				  LIST(in, branch, selftest_models_int32(b, NNMODEL_FUSED_RELU)),
				  sum);
	return sum;
}

static uint32_t add_classes(struct build *b, uint32_t in)
{
	const uint32_t pooled_dims[] = { 1, SELFTEST_POOLED, SELFTEST_POOLED, SELFTEST_FILTERS };
	const uint32_t flat_dims[] = { 1, SELFTEST_FEATURES };
	const uint32_t weights_dims[] = { SELFTEST_CLASSES, SELFTEST_FEATURES };
	const uint32_t out_dims[] = { 1, SELFTEST_CLASSES }, two = 2;
	const int32_t shape[] = { 1, (int32_t)SELFTEST_FEATURES };
	const uint32_t pooled = tensor(b, pooled_dims, 4, POSITIVE_ZERO);
	const uint32_t flat = tensor(b, flat_dims, 2, POSITIVE_ZERO);
	const uint32_t weights = data_operand(b, SELFTEST_DENSE_WEIGHTS, weights_dims, 2);
	const uint32_t bias = data_operand(b, SELFTEST_DENSE_BIAS, weights_dims, 1);
	const uint32_t out = tensor(b, out_dims, 2, OUTPUT_ZERO);

	selftest_models_operation(b, NNMODEL_MAX_POOL_2D,
				  LIST(in, selftest_models_int32(b, NNMODEL_PADDING_VALID),
				       selftest_models_int32(b, 2), selftest_models_int32(b, 2),
				       selftest_models_int32(b, 2), selftest_models_int32(b, 2),
				       selftest_models_int32(b, NNMODEL_FUSED_NONE)),
				  pooled);
	selftest_models_operation(b, NNMODEL_RESHAPE,
				  LIST(pooled,
				       selftest_models_constant(b, NNMODEL_TENSOR_INT32, &two, 1, 0,
								shape, sizeof(shape))),
				  flat);
	selftest_models_operation(
		b, NNMODEL_FULLY_CONNECTED,
		LIST(flat, weights, bias, selftest_models_int32(b, NNMODEL_FUSED_NONE)), out);
	return out;
}

struct nnmodel *selftest_model(enum selftest_model which)
{
	const uint32_t dims[] = { 1, SELFTEST_SIDE, SELFTEST_SIDE, SELFTEST_CHANNELS };
	struct build b = { .m = nnmodel_new(), .int8 = which == SELFTEST_INT8 };
	uint32_t in, out;

	if (!b.m)
		return NULL;
	in = tensor(&b, dims, 4, INPUT_ZERO);
	out = add_classes(&b, add_depthwise(&b, add_conv(&b, in)));
	if (!b.error)
		selftest_models_note(&b, nnmodel_set_io(b.m, &in, 1, &out, 1));
	if (!b.error)
		return b.m;
	nnmodel_free(b.m);
	return NULL;
}

/* ---- inputs and outputs ---- */

const char *selftest_name(enum selftest_model which)
{
	return which == SELFTEST_INT8 ? "int8" : "float32";
}

static size_t element_size(enum selftest_model which)
{
	return which == SELFTEST_INT8 ? sizeof(int8_t) : sizeof(float);
}

size_t selftest_input_size(enum selftest_model which)
{
	return SELFTEST_PIXELS * element_size(which);
}

size_t selftest_output_size(enum selftest_model which)
{
	return SELFTEST_CLASSES * element_size(which);
}

void selftest_fill_input(enum selftest_model which, uint32_t number, void *input)
{
	for (uint32_t i = 0; i < SELFTEST_PIXELS; i++) {
		const int value = selftest_value(SELFTEST_FIRST_INPUT + number, i);

		if (which == SELFTEST_INT8)
			((int8_t *)input)[i] = (int8_t)(value + INPUT_ZERO);
		else
			((float *)input)[i] = (float)value;
	}
}

static double output_at(enum selftest_model which, const void *output, uint32_t i)
{
	return which == SELFTEST_INT8 ? ((const int8_t *)output)[i] - OUTPUT_ZERO
				      : (double)((const float *)output)[i];
}

bool selftest_judge(enum selftest_model which, uint32_t number, const void *output, char *message,
		    size_t size)
{
	for (uint32_t i = 0; i < SELFTEST_CLASSES; i++) {
		const double value = output_at(which, output, i);

		/* written so that a NaN differs */
		if (value == selftest_answers[number][i])
			continue;
		snprintf(message, size, "output %u for input %u is %g, not %d", i, number, value,
			 selftest_answers[number][i]);
		return false;
	}
	return true;
}

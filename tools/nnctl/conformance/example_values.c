// SPDX-License-Identifier: Apache-2.0
/*
 * Inputs of the examples that "nnctl examples" writes: numbers that each operation takes. The same
 * in each run.
 */
#include "conformance/nnctl_conformance.h"

#include <math.h>
#include <string.h>

#include "probes/nnctl_probes.h"

#define BOX 4

/* A number from -1 to 1 for element @i of operand @number. */
static double random_real(uint32_t number, size_t i)
{
	uint64_t state = (0x9e3779b97f4a7c15u + number) * 6364136223846793005u + i;

	state ^= state >> 31;
	state *= 0xbf58476d1ce4e5b9u;
	state ^= state >> 29;
	return (double)(state >> 40) / (1 << 23) - 1;
}

/* Upper left and lower right, in the 4x4 maps of the probes. */
static double box_real(size_t i)
{
	static const double corners[BOX] = { 0.25, 0.5, 2.5, 3 };

	return corners[i % BOX] + 0.125 * (double)(i / BOX % 8);
}

static double example_real(enum probe_values values, uint32_t number, size_t i)
{
	const double real = random_real(number, i);

	switch (values) {
	case PROBE_VALUES_POSITIVE:
		return 1.25 + real;
	case PROBE_VALUES_NONZERO:
		return real < 0 ? real - 0.25 : real + 0.25;
	case PROBE_VALUES_ZERO:
		return 0;
	case PROBE_VALUES_ASCENDING:
		return (double)i;
	case PROBE_VALUES_BOXES:
		return box_real(i);
	case PROBE_VALUES_PICTURE:
		return 16;
	default:
		return real;
	}
}

static int32_t example_integer(enum probe_values values, uint32_t number, size_t i)
{
	switch (values) {
	case PROBE_VALUES_ZERO:
		return 0;
	case PROBE_VALUES_ASCENDING:
		return (int32_t)i;
	default:
		/* never 0: it may divide */
		return (int32_t)(20 * random_real(number, i)) | 1;
	}
}

static void real_store(const struct nnmodel_operand *operand, double real, void *at)
{
	const double scale = operand->scale > 0 ? (double)operand->scale : 1;
	const double quantized = nearbyint(real / scale) + operand->zero_point;
	const float single = (float)real;
	const _Float16 half = (_Float16)real;
	int16_t i16;
	uint16_t u16;

	switch (operand->type) {
	case NNMODEL_TENSOR_FLOAT32:
	case NNMODEL_FLOAT32:
		memcpy(at, &single, sizeof(single));
		break;
	case NNMODEL_TENSOR_FLOAT16:
	case NNMODEL_FLOAT16:
		memcpy(at, &half, sizeof(half));
		break;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		i16 = (int16_t)fmin(fmax(quantized, INT16_MIN), INT16_MAX);
		memcpy(at, &i16, sizeof(i16));
		break;
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		u16 = (uint16_t)fmin(fmax(quantized, 0), UINT16_MAX);
		memcpy(at, &u16, sizeof(u16));
		break;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
		*(uint8_t *)at = (uint8_t)fmin(fmax(quantized, 0), UINT8_MAX);
		break;
	default:
		*(int8_t *)at = (int8_t)fmin(fmax(quantized, INT8_MIN), INT8_MAX);
	}
}

/* Quantized numbers use the whole range, where any are taken. */
static double real_spread(enum probe_values values, const struct nnmodel_operand *operand,
			  double real)
{
	if (values != PROBE_VALUES_ANY)
		return real;
	switch (operand->type) {
	case NNMODEL_TENSOR_QUANT16_SYMM:
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		return real * 4096 * (double)operand->scale;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
		return real * 100 * (double)operand->scale;
	case NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL:
		return real * 100;
	default:
		return real;
	}
}

void example_fill(enum probe_values values, const struct nnmodel_operand *operand, uint32_t number,
		  void *data, size_t size)
{
	const size_t width = nnmodel_type_size(operand->type);
	int32_t integer;

	for (size_t i = 0; width && i < size / width; i++) {
		char *at = (char *)data + i * width;

		switch (operand->type) {
		case NNMODEL_TENSOR_INT32:
		case NNMODEL_INT32:
		case NNMODEL_UINT32:
			integer = example_integer(values, number, i);
			memcpy(at, &integer, sizeof(integer));
			break;
		case NNMODEL_TENSOR_BOOL8:
		case NNMODEL_BOOL:
			*at = random_real(number, i) > 0;
			break;
		default:
			real_store(operand,
				   real_spread(values, operand, example_real(values, number, i)),
				   at);
		}
	}
}

// SPDX-License-Identifier: Apache-2.0
#include "capture/nnctl_capture.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "conformance/nnctl_conformance.h"

struct statistics {
	double mean, deviation, least, largest;
};

/*
 * Whether an operation adds @number to products of weights per channel. Such a bias has no scale;
 * it is the first of the INT32 that the operation reads, a shape may be another one.
 */
static bool is_bias_of(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
		       uint32_t number)
{
	uint32_t first = UINT32_MAX;
	bool per_channel = false;

	for (uint32_t i = op->num_inputs; i--;) {
		const uint32_t type = graph->operands[op->inputs[i]].type;

		per_channel |= type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL;
		if (type == NNMODEL_TENSOR_INT32)
			first = op->inputs[i];
	}
	return per_channel && first == number;
}

static bool is_bias(const struct nnmodel_subgraph *graph, uint32_t number)
{
	for (uint32_t i = 0; i < graph->num_operations; i++)
		if (is_bias_of(graph, &graph->operations[i], number))
			return true;
	return false;
}

static bool is_weights(const struct nnmodel_subgraph *graph, uint32_t number)
{
	const struct nnmodel_operand *operand = &graph->operands[number];

	if (operand->lifetime != NNMODEL_CONSTANT_COPY &&
	    operand->lifetime != NNMODEL_CONSTANT_REFERENCE)
		return false;
	switch (operand->type) {
	case NNMODEL_TENSOR_FLOAT32:
	case NNMODEL_TENSOR_FLOAT16:
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
	case NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNMODEL_TENSOR_QUANT16_SYMM:
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		return true;
	case NNMODEL_TENSOR_INT32:
		/* shapes, axes and indices have no scale */
		return operand->scale > 0 || is_bias(graph, number);
	default:
		return false;
	}
}

/* @value is in the range of the type. */
static void element_set(uint32_t type, uint8_t *data, size_t i, double value)
{
	const size_t width = nnmodel_type_size(type);
	const float f = (float)value;
	const _Float16 half = (_Float16)value;
	/* little-endian: the low bytes are those of any integer type */
	const int64_t integer = llrint(value);

	if (type == NNMODEL_TENSOR_FLOAT32)
		memcpy(data + i * width, &f, width);
	else if (type == NNMODEL_TENSOR_FLOAT16)
		memcpy(data + i * width, &half, width);
	else
		memcpy(data + i * width, &integer, width);
}

static struct statistics statistics_of(uint32_t type, const uint8_t *data, size_t count)
{
	struct statistics s = { .least = INFINITY, .largest = -INFINITY };
	double sum = 0, squares = 0;
	size_t finite = 0;

	for (size_t i = 0; i < count; i++) {
		const double x = element_read(type, data, i);

		if (!isfinite(x))
			continue;
		finite++;
		sum += x;
		squares += x * x;
		s.least = fmin(s.least, x);
		s.largest = fmax(s.largest, x);
	}
	if (!finite)
		return (struct statistics){ 0 };
	s.mean = sum / (double)finite;
	s.deviation = sqrt(fmax(squares / (double)finite - s.mean * s.mean, 0));
	return s;
}

static double random_weights_uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(1ull << 53);
}

/* About normal: the sum of four uniform numbers has the variance 1/3. */
static double random_number(const struct statistics *s, uint64_t *state)
{
	double sum = -2;

	for (int i = 0; i < 4; i++)
		sum += random_weights_uniform(state);
	return fmin(fmax(s->mean + s->deviation * sqrt(3) * sum, s->least), s->largest);
}

/* The new contents are a constant by copy. 0 or -errno. */
static int operand_replace(struct nnmodel *model, const struct nnmodel_maps *maps,
			   struct nnmodel_operand *operand, uint64_t *state)
{
	struct nnmodel_location location;
	struct statistics s;
	const void *data;
	size_t size, count;
	uint8_t *values;
	int ret = nnmodel_constant(model, maps, operand, &data, &size);

	if (ret)
		return ret;
	values = malloc(size + 1);
	if (!values)
		return -ENOMEM;
	count = size / nnmodel_type_size(operand->type);
	s = statistics_of(operand->type, data, count);
	for (size_t i = 0; i < count; i++)
		element_set(operand->type, values, i, random_number(&s, state));
	ret = nnmodel_add_value(model, values, size, &location);
	free(values);
	if (ret)
		return ret;
	operand->lifetime = NNMODEL_CONSTANT_COPY;
	operand->location = location;
	return 0;
}

static int graph_replace(struct nnmodel *model, const struct nnmodel_maps *maps,
			 struct nnmodel_subgraph *graph, uint64_t *state)
{
	int ret = 0;

	for (uint32_t i = 0; i < graph->num_operands && !ret; i++)
		if (is_weights(graph, i))
			ret = operand_replace(model, maps, &graph->operands[i], state);
	return ret;
}

int random_weights(struct nnmodel *model)
{
	uint64_t state = 1;
	struct nnmodel_maps *maps;
	int ret = nnmodel_map_pools(model, &maps);

	if (!ret) {
		ret = graph_replace(model, maps, &model->main, &state);
		for (uint32_t i = 0; i < model->num_referenced && !ret; i++)
			ret = graph_replace(model, maps, &model->referenced[i], &state);
		nnmodel_unmap_pools(maps);
	}
	if (ret)
		complain("the weights cannot be replaced: %s", strerror(-ret));
	return ret ? -1 : 0;
}

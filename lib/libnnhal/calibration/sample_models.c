// SPDX-License-Identifier: Apache-2.0
/*
 * The models that are measured: one operation each, as large as in mobile models, so that the work
 * is measured and not the launch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/nnhal_calibration.h"

#define COUNT(...) sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define LIST(...) (const uint32_t[]){ __VA_ARGS__ }, COUNT(__VA_ARGS__)

#define SIDE 28u /* of images */
#define CHANNELS 32u
#define UNITS 512u
#define BATCH 16u
#define ELEMENTS 65536u
#define IFS 16u
#define ITERATIONS 256

static const char *const names[NNHAL_CAL_PROGRAMS] = {
	[NNHAL_CAL_FLOAT_CONV] = "float_conv",
	[NNHAL_CAL_FLOAT_GEMM] = "float_gemm",
	[NNHAL_CAL_FLOAT_ADD] = "float_add",
	[NNHAL_CAL_HALF_ADD] = "half_add",
	[NNHAL_CAL_INT32_ADD] = "int32_add",
	[NNHAL_CAL_INT8_CONV] = "int8_conv",
	[NNHAL_CAL_IF] = "if",
	[NNHAL_CAL_WHILE] = "while",
};

const char *nnhal_calibration_name(enum nnhal_calibration_program program)
{
	return names[program];
}

/* A model being built. After the first error the functions do nothing. */
struct build {
	struct nnmodel *m;
	int error;
};

static uint32_t sample_models_note(struct build *b, int n)
{
	if (n < 0 && !b->error)
		b->error = n;
	return n < 0 ? 0 : (uint32_t)n;
}

static uint32_t operand(struct build *b, uint32_t type, uint32_t lifetime, const uint32_t *dims,
			uint32_t rank, float scale)
{
	return b->error ? 0
			: sample_models_note(b, nnmodel_add_operand(b->m, type, lifetime, dims,
								    rank, scale, 0));
}

/* Small, varying numbers; @size bytes in elements of the type. */
static uint32_t sample_models_constant(struct build *b, uint32_t type, const uint32_t *dims,
				       uint32_t rank)
{
	uint32_t n = operand(b, type, NNMODEL_CONSTANT_COPY, dims, rank, 0);
	size_t elements = 1, size = nnmodel_type_size(type);
	uint8_t *values;

	for (uint32_t i = 0; i < rank; i++)
		elements *= dims[i];
	values = b->error ? NULL : calloc(elements, size);
	if (!values) {
		sample_models_note(b, -ENOMEM);
		return n;
	}
	for (size_t i = 0; i < elements; i++) {
		float f = (float)(i % 7) / 8.0f - 0.375f;

		if (type == NNMODEL_TENSOR_FLOAT32)
			memcpy(values + i * size, &f, size);
		else
			values[i * size] = (uint8_t)(i % 7);
	}
	sample_models_note(b, nnmodel_set_value(b->m, n, values, elements * size));
	free(values);
	return n;
}

static uint32_t sample_models_int32(struct build *b, int32_t value)
{
	return b->error ? 0 : sample_models_note(b, nnmodel_add_int32(b->m, value));
}

static void sample_models_operation(struct build *b, uint32_t type, const uint32_t *in,
				    uint32_t num_in, uint32_t out)
{
	if (!b->error)
		sample_models_note(b, nnmodel_add_operation(b->m, type, in, num_in, &out, 1));
}

static void io(struct build *b, uint32_t in, uint32_t out)
{
	if (!b->error)
		sample_models_note(b, nnmodel_set_io(b->m, &in, 1, &out, 1));
}

static void conv(struct build *b, bool quantized)
{
	const uint32_t image[] = { 1, SIDE, SIDE, CHANNELS },
		       filter_dims[] = { CHANNELS, 3, 3, CHANNELS };
	const uint32_t channels = CHANNELS;
	uint32_t type = quantized ? NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED : NNMODEL_TENSOR_FLOAT32;
	uint32_t in, filter, bias, out;
	float scales[CHANNELS];

	in = operand(b, type, NNMODEL_SUBGRAPH_INPUT, image, 4, quantized ? 0.5f : 0);
	filter = sample_models_constant(
		b, quantized ? NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL : NNMODEL_TENSOR_FLOAT32,
		filter_dims, 4);
	bias = sample_models_constant(b, quantized ? NNMODEL_TENSOR_INT32 : NNMODEL_TENSOR_FLOAT32,
				      &channels, 1);
	out = operand(b, type, NNMODEL_SUBGRAPH_OUTPUT, image, 4, quantized ? 4.0f : 0);
	for (uint32_t i = 0; i < CHANNELS; i++)
		scales[i] = 0.25f;
	if (quantized && !b->error)
		sample_models_note(b, nnmodel_set_channel_quant(b->m, filter, 0, scales, CHANNELS));
	sample_models_operation(b, NNMODEL_CONV_2D,
				LIST(in, filter, bias, sample_models_int32(b, NNMODEL_PADDING_SAME),
				     sample_models_int32(b, 1), sample_models_int32(b, 1),
				     sample_models_int32(b, NNMODEL_FUSED_RELU)),
				out);
	io(b, in, out);
}

static void gemm(struct build *b)
{
	const uint32_t in_dims[] = { BATCH, UNITS }, weights_dims[] = { UNITS, UNITS },
		       units = UNITS;
	uint32_t in, weights, bias, out;

	in = operand(b, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, in_dims, 2, 0);
	weights = sample_models_constant(b, NNMODEL_TENSOR_FLOAT32, weights_dims, 2);
	bias = sample_models_constant(b, NNMODEL_TENSOR_FLOAT32, &units, 1);
	out = operand(b, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, in_dims, 2, 0);
	sample_models_operation(b, NNMODEL_FULLY_CONNECTED,
				LIST(in, weights, bias, sample_models_int32(b, NNMODEL_FUSED_NONE)),
				out);
	io(b, in, out);
}

/* x + x */
static void sample_models_add(struct build *b, uint32_t type)
{
	const uint32_t elements = ELEMENTS;
	uint32_t in = operand(b, type, NNMODEL_SUBGRAPH_INPUT, &elements, 1, 0);
	uint32_t out = operand(b, type, NNMODEL_SUBGRAPH_OUTPUT, &elements, 1, 0);

	sample_models_operation(b, NNMODEL_ADD,
				LIST(in, in, sample_models_int32(b, NNMODEL_FUSED_NONE)), out);
	io(b, in, out);
}

/* ---- control flow ---- */

/* One element in, one out: @opcode with a constant of 1. */
static struct nnmodel *branch(uint32_t opcode, int32_t with)
{
	struct build b = { .m = nnmodel_new() };
	uint32_t one = 1, in, value, out;
	bool compare = opcode == NNMODEL_LESS;

	if (!b.m)
		return NULL;
	in = operand(&b, NNMODEL_TENSOR_INT32, NNMODEL_SUBGRAPH_INPUT, &one, 1, 0);
	value = operand(&b, NNMODEL_TENSOR_INT32, NNMODEL_CONSTANT_COPY, &one, 1, 0);
	if (!b.error)
		sample_models_note(&b, nnmodel_set_value(b.m, value, &with, sizeof(with)));
	out = operand(&b, compare ? NNMODEL_TENSOR_BOOL8 : NNMODEL_TENSOR_INT32,
		      NNMODEL_SUBGRAPH_OUTPUT, &one, 1, 0);
	if (compare)
		sample_models_operation(&b, opcode, LIST(in, value), out);
	else
		sample_models_operation(
			&b, opcode, LIST(in, value, sample_models_int32(&b, NNMODEL_FUSED_NONE)),
			out);
	io(&b, in, out);
	if (b.error) {
		nnmodel_free(b.m);
		return NULL;
	}
	return b.m;
}

/* Make main of @sub a subgraph of the model: an operand that names it. Frees @sub. */
static uint32_t refer(struct build *b, struct nnmodel *sub)
{
	struct nnmodel_subgraph *referenced;
	uint32_t n, scratch;

	if (!sub)
		sample_models_note(b, -ENOMEM);
	/* its constants are copied with the values of an operand, which is then dropped */
	for (uint32_t i = 0; !b->error && i < sub->main.num_operands; i++) {
		struct nnmodel_operand *o = &sub->main.operands[i];

		if (o->lifetime != NNMODEL_CONSTANT_COPY)
			continue;
		scratch = operand(b, o->type, NNMODEL_CONSTANT_COPY, NULL, 0, 0);
		if (b->error)
			break;
		sample_models_note(b, nnmodel_set_value(b->m, scratch,
							sub->values + o->location.offset,
							o->location.length));
		o->location = b->m->main.operands[scratch].location;
		b->m->main.num_operands--;
	}
	n = operand(b, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0);
	referenced = b->error ? NULL
			      : reallocarray(b->m->referenced, b->m->num_referenced + 1,
					     sizeof(*referenced));
	if (!referenced) {
		sample_models_note(b, -ENOMEM);
	} else {
		b->m->referenced = referenced;
		referenced[b->m->num_referenced] = sub->main;
		sub->main = (struct nnmodel_subgraph){ 0 };
		b->m->main.operands[n].location.offset = b->m->num_referenced++;
	}
	nnmodel_free(sub);
	return n;
}

static void loop(struct build *b)
{
	uint32_t one = 1, in, out, cond, body;

	in = operand(b, NNMODEL_TENSOR_INT32, NNMODEL_SUBGRAPH_INPUT, &one, 1, 0);
	out = operand(b, NNMODEL_TENSOR_INT32, NNMODEL_SUBGRAPH_OUTPUT, &one, 1, 0);
	cond = refer(b, branch(NNMODEL_LESS, ITERATIONS));
	body = refer(b, branch(NNMODEL_ADD, 1));
	sample_models_operation(b, NNMODEL_WHILE, LIST(cond, body, in), out);
	io(b, in, out);
}

static void choices(struct build *b)
{
	uint32_t one = 1, in, prev, next, condition, yes, no;
	const uint8_t truth = 1;

	in = prev = operand(b, NNMODEL_TENSOR_INT32, NNMODEL_SUBGRAPH_INPUT, &one, 1, 0);
	yes = refer(b, branch(NNMODEL_ADD, 1));
	no = refer(b, branch(NNMODEL_MUL, 2));
	for (uint32_t i = 0; i < IFS; i++) {
		condition = operand(b, NNMODEL_TENSOR_BOOL8, NNMODEL_CONSTANT_COPY, &one, 1, 0);
		if (!b->error)
			sample_models_note(b, nnmodel_set_value(b->m, condition, &truth, 1));
		next = operand(b, NNMODEL_TENSOR_INT32,
			       i + 1 < IFS ? NNMODEL_TEMPORARY_VARIABLE : NNMODEL_SUBGRAPH_OUTPUT,
			       &one, 1, 0);
		sample_models_operation(b, NNMODEL_IF, LIST(condition, yes, no, prev), next);
		prev = next;
	}
	io(b, in, prev);
}

struct nnmodel *nnhal_calibration_model(enum nnhal_calibration_program program)
{
	struct build b = { .m = nnmodel_new() };

	if (!b.m)
		return NULL;
	switch (program) {
	case NNHAL_CAL_FLOAT_CONV:
		conv(&b, false);
		break;
	case NNHAL_CAL_INT8_CONV:
		conv(&b, true);
		break;
	case NNHAL_CAL_FLOAT_GEMM:
		gemm(&b);
		break;
	case NNHAL_CAL_FLOAT_ADD:
		sample_models_add(&b, NNMODEL_TENSOR_FLOAT32);
		break;
	case NNHAL_CAL_HALF_ADD:
		sample_models_add(&b, NNMODEL_TENSOR_FLOAT16);
		break;
	case NNHAL_CAL_INT32_ADD:
		sample_models_add(&b, NNMODEL_TENSOR_INT32);
		break;
	case NNHAL_CAL_IF:
		choices(&b);
		break;
	case NNHAL_CAL_WHILE:
		loop(&b);
		break;
	default:
		b.error = -EINVAL;
	}
	if (b.error) {
		nnmodel_free(b.m);
		return NULL;
	}
	return b.m;
}

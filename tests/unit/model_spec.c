// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "model_spec.h"
#include "test_case.h"

static const struct {
	const char *name;
	uint32_t type;
} names[] = {
	{ "F32", NNMODEL_TENSOR_FLOAT32 },
	{ "F16", NNMODEL_TENSOR_FLOAT16 },
	{ "I32", NNMODEL_TENSOR_INT32 },
	{ "I", NNMODEL_TENSOR_INT32 },
	{ "Q8S", NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED },
	{ "Q8Y", NNMODEL_TENSOR_QUANT8_SYMM },
	{ "Q8", NNMODEL_TENSOR_QUANT8_ASYMM },
	{ "QPC", NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL },
	{ "Q16S", NNMODEL_TENSOR_QUANT16_SYMM },
	{ "Q16A", NNMODEL_TENSOR_QUANT16_ASYMM },
	{ "B8", NNMODEL_TENSOR_BOOL8 },
	{ "i", NNMODEL_INT32 },
	{ "b", NNMODEL_BOOL },
	{ "f", NNMODEL_FLOAT32 },
	{ "h", NNMODEL_FLOAT16 },
	{ "u", NNMODEL_UINT32 },
};

static bool needs_scale(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED ||
	       type == NNMODEL_TENSOR_QUANT8_SYMM || type == NNMODEL_TENSOR_QUANT16_SYMM ||
	       type == NNMODEL_TENSOR_QUANT16_ASYMM;
}

static void set_channel_scales(struct nnmodel *model, uint32_t operand, uint32_t dim)
{
	const struct nnmodel_operand *o = &model->main.operands[operand];
	float scales[64];

	assert_true(dim < o->rank && o->dims[dim] && o->dims[dim] <= 64);
	for (uint32_t i = 0; i < o->dims[dim]; i++)
		scales[i] = 0.5f;
	assert_int_equal(nnmodel_set_channel_quant(model, operand, dim, scales, o->dims[dim]), 0);
}

/* Values after '=': converted to the operand's type. */
static void set_values(struct nnmodel *model, uint32_t operand, const char *text)
{
	const uint32_t type = model->main.operands[operand].type;
	uint8_t bytes[1024];
	size_t n = 0;

	while (*text && *text != ' ') {
		const double v = strtod(text, (char **)&text);
		const int32_t i = (int32_t)v;
		const float f = (float)v;
		const size_t size = nnmodel_type_size(type);

		assert_true(n + size <= sizeof(bytes));
		if (type == NNMODEL_TENSOR_FLOAT32 || type == NNMODEL_FLOAT32)
			memcpy(bytes + n, &f, size);
		else /* the low bytes; FLOAT16 is given as its bits */
			memcpy(bytes + n, &i, size);
		n += size;
		text += *text == ',';
	}
	assert_int_equal(nnmodel_set_value(model, operand, bytes, n), 0);
}

uint32_t spec_operand(struct nnmodel *model, const char *text)
{
	uint32_t lifetime = NNMODEL_SUBGRAPH_INPUT, type = NNMODEL_TYPE_COUNT, rank = 0,
		 channel = UINT32_MAX;
	uint32_t dims[16];
	int32_t zero_point = 0;
	float scale = 0;
	size_t len;
	int n;

	if (*text == '~') {
		lifetime = NNMODEL_NO_VALUE;
		text++;
	}
	len = strcspn(text, ":@/= ");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !strncmp(names[i].name, text, len))
			type = names[i].type;
	assert_int_not_equal(type, NNMODEL_TYPE_COUNT);
	text += len;
	if (*text == ':') {
		do {
			assert_true(rank < 16);
			dims[rank++] = (uint32_t)strtoul(text + 1, (char **)&text, 10);
		} while (*text == 'x');
	}
	if (needs_scale(type))
		scale = 0.5f;
	if (*text == '@') {
		scale = strtof(text + 1, (char **)&text);
		if (*text == ',')
			zero_point = (int32_t)strtol(text + 1, (char **)&text, 10);
	}
	if (type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		channel = 0;
	if (*text == '/')
		channel = (uint32_t)strtoul(text + 1, (char **)&text, 10);
	n = nnmodel_add_operand(model, type, lifetime, dims, rank, scale, zero_point);
	assert_true(n >= 0);
	if (channel != UINT32_MAX)
		set_channel_scales(model, (uint32_t)n, channel);
	if (*text == '=')
		set_values(model, (uint32_t)n, text + 1);
	else
		assert_true(!*text || *text == ' ');
	return (uint32_t)n;
}

static uint32_t add_list(struct nnmodel *model, const char *text, uint32_t *list, uint32_t max)
{
	uint32_t n = 0;

	while (*text) {
		assert_true(n < max);
		list[n++] = spec_operand(model, text);
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return n;
}

void spec_set_io(struct nnmodel *model)
{
	uint32_t in[64], out[64], num_in = 0, num_out = 0;

	for (uint32_t i = 0; i < model->main.num_operands; i++) {
		const uint32_t lifetime = model->main.operands[i].lifetime;

		assert_true(num_in < 64 && num_out < 64);
		if (lifetime == NNMODEL_SUBGRAPH_INPUT)
			in[num_in++] = i;
		else if (lifetime == NNMODEL_SUBGRAPH_OUTPUT)
			out[num_out++] = i;
	}
	assert_int_equal(nnmodel_set_io(model, in, num_in, out, num_out), 0);
}

struct nnmodel *spec_model(uint32_t opcode, const char *in, const char *out)
{
	struct nnmodel *model = nnmodel_new();
	uint32_t inputs[64], outputs[8], num_in, num_out;

	assert_non_null(model);
	num_in = add_list(model, in, inputs, 64);
	num_out = add_list(model, out, outputs, 8);
	for (uint32_t i = 0; i < num_out; i++)
		model->main.operands[outputs[i]].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	assert_int_equal(nnmodel_add_operation(model, opcode, inputs, num_in, outputs, num_out), 0);
	spec_set_io(model);
	return model;
}

void spec_retype(struct nnmodel *model, uint32_t operand, uint32_t type)
{
	struct nnmodel_operand *o = &model->main.operands[operand];

	free(o->scales);
	o->scales = NULL;
	o->num_scales = o->channel_dim = 0;
	o->type = type;
	o->scale = needs_scale(type) ? 0.5f : 0;
	o->zero_point = 0;
	if (nnmodel_type_is_scalar(type)) {
		free(o->dims);
		o->dims = NULL;
		o->rank = 0;
	} else if (!o->rank) {
		free(o->dims);
		o->dims = malloc(sizeof(*o->dims));
		assert_non_null(o->dims);
		o->dims[0] = 1;
		o->rank = 1;
	}
	if (type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		if (!o->dims[0] || o->dims[0] > 64)
			o->dims[0] = 1;
		set_channel_scales(model, operand, 0);
	}
}

// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "model_spec.h"
#include "probes/nnctl_probes.h"
#include "test_case.h"

/* No columns: an operand has its type in its text. */
static const struct probe_types no_columns = { .type = { NNMODEL_TYPE_COUNT, NNMODEL_TYPE_COUNT,
							 NNMODEL_TYPE_COUNT, NNMODEL_TYPE_COUNT } };

uint32_t spec_operand(struct nnmodel *model, const char *text)
{
	const int n = probe_add_operand(model, &no_columns, text, NNMODEL_SUBGRAPH_INPUT);

	if (n < 0)
		print_error("operand \"%s\": %s\n", text, strerror(-n));
	assert_true(n >= 0);
	return (uint32_t)n;
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
	char error[160];
	struct nnmodel *model =
		probe_parse_model(opcode, &no_columns, in, out, error, sizeof(error));

	if (!model)
		print_error("%s | %s: %s\n", in, out, error);
	assert_non_null(model);
	return model;
}

/* A scale of 0.5 for each channel. */
static void set_channel_scales(struct nnmodel *model, uint32_t operand)
{
	const struct nnmodel_operand *o = &model->main.operands[operand];
	float scales[64];

	assert_in_range(o->dims[0], 1, 64);
	for (uint32_t i = 0; i < o->dims[0]; i++)
		scales[i] = 0.5f;
	assert_int_equal(nnmodel_set_channel_quant(model, operand, 0, scales, o->dims[0]), 0);
}

void spec_retype(struct nnmodel *model, uint32_t operand, uint32_t type)
{
	struct nnmodel_operand *o = &model->main.operands[operand];

	free(o->scales);
	o->scales = NULL;
	o->num_scales = o->channel_dim = 0;
	o->type = type;
	o->scale = probe_takes_scale(type) ? 0.5f : 0;
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
		set_channel_scales(model, operand);
	}
}

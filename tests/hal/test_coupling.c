// SPDX-License-Identifier: Apache-2.0
/*
 * [VTS] QuantizationCouplingTest: an operation on TENSOR_QUANT8_ASYMM and the same one on
 * TENSOR_QUANT8_ASYMM_SIGNED, with zero points and data 128 lower, are supported alike and compute
 * the same.
 */
#include "hal_test.h"

#include <stdlib.h>
#include <string.h>

#include "model_op_cases.h"

/* Change every operand of that type; false: there is none. */
static bool make_signed(struct nnmodel *m)
{
	bool any = false;

	for (uint32_t i = 0; i < m->main.num_operands; i++) {
		struct nnmodel_operand *o = &m->main.operands[i];

		if (o->type != NNMODEL_TENSOR_QUANT8_ASYMM)
			continue;
		any = true;
		o->type = NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
		o->zero_point -= 128;
		if (o->lifetime == NNMODEL_CONSTANT_COPY)
			for (uint64_t k = 0; k < o->location.length; k++)
				m->values[o->location.offset + k] ^= 0x80;
	}
	return any;
}

/* NNAPI has them for unsigned data only. */
static bool only_unsigned(uint32_t opcode)
{
	return opcode == NNMODEL_HASHTABLE_LOOKUP || opcode == NNMODEL_LSH_PROJECTION ||
	       opcode == NNMODEL_QUANTIZED_16BIT_LSTM;
}

static enum nnhal_status ask(const struct nnmodel *m, bool *supported)
{
	return hal_dev->ops->get_supported_operations(hal_dev, m, supported, NULL, NULL);
}

TEST(test_supported_alike)
{
	uint32_t pairs = 0;

	for (size_t i = 0; op_case_at(i); i++) {
		const struct op_case *c = op_case_at(i);
		struct nnmodel *m = spec_model(c->opcode, c->in, c->out);
		bool supported = false, signed_too = false;

		assert_int_equal(ask(m, &supported), NNHAL_NONE);
		if (make_signed(m)) {
			enum nnhal_status status = ask(m, &signed_too);

			if ((status == NNHAL_NONE) == only_unsigned(c->opcode) ||
			    (status == NNHAL_NONE && signed_too != supported))
				fail_msg("%s (%s): %d, signed %s, %d",
					 nnmodel_operation_name(c->opcode), c->in, supported,
					 nnhal_status_name(status), signed_too);
			pairs += status == NNHAL_NONE;
		}
		nnmodel_free(m);
	}
	print_message("%u pairs\n", pairs);
	assert_true(pairs >= 40);
}

/* ---- results ---- */

#define PICTURE "Q8:1x4x4x2@0.5,100"

static const struct {
	uint32_t opcode;
	const char *in, *out;
} runs[] = {
	{ NNMODEL_ADD, "Q8:2x3@0.5,100 Q8:3@0.25,7 i=0", "Q8:2x3@0.75,128" },
	{ NNMODEL_SUB, "Q8:2x3@0.5,100 Q8:3@0.25,7 i=0", "Q8:2x3@0.75,128" },
	{ NNMODEL_MUL, "Q8:2x3@0.5,100 Q8:3@0.25,7 i=1", "Q8:2x3@4,3" },
	{ NNMODEL_MAXIMUM, "Q8:2x3@0.5,100 Q8:2x3@0.25,7", "Q8:2x3@0.5,90" },
	{ NNMODEL_RELU6, "Q8:2x3@0.5,100", "Q8:2x3@0.5,100" },
	{ NNMODEL_LOGISTIC, "Q8:2x3@0.05,100", "Q8:2x3@0.00390625,0" },
	{ NNMODEL_TANH, "Q8:2x3@0.05,100", "Q8:2x3@0.0078125,128" },
	{ NNMODEL_SOFTMAX, "Q8:2x3@0.05,100 f=1", "Q8:2x3@0.00390625,0" },
	{ NNMODEL_HARD_SWISH, "Q8:2x3@0.05,100", "Q8:2x3@0.05,90" },
	{ NNMODEL_CONV_2D, PICTURE " Q8:3x2x2x2@0.25,120 I32:3@0.125=1,2,3 i=1 i=1 i=1 i=0",
	  "Q8:1x4x4x3@2,90" },
	{ NNMODEL_DEPTHWISE_CONV_2D,
	  PICTURE " Q8:1x2x2x4@0.25,120 I32:4@0.125=1,2,3,4 i=2 i=1 i=1 i=2 i=1",
	  "Q8:1x3x3x4@2,90" },
	{ NNMODEL_FULLY_CONNECTED, "Q8:2x3@0.5,100 Q8:4x3@0.25,120 I32:4@0.125=1,2,3,4 i=0",
	  "Q8:2x4@2,90" },
	{ NNMODEL_AVERAGE_POOL_2D, PICTURE " i=1 i=1 i=1 i=2 i=2 i=0", PICTURE },
	{ NNMODEL_MAX_POOL_2D, PICTURE " i=2 i=2 i=2 i=2 i=2 i=0", "Q8:1x2x2x2@0.5,100" },
	{ NNMODEL_RESIZE_BILINEAR, PICTURE " i=6 i=6", "Q8:1x6x6x2@0.5,100" },
	{ NNMODEL_CONCATENATION, "Q8:2x3@0.5,100 Q8:2x3@0.25,7 i=1", "Q8:2x6@0.5,90" },
	{ NNMODEL_PAD, "Q8:2x3@0.5,100 I:2x2=1,0,0,2", "Q8:3x5@0.5,100" },
	{ NNMODEL_TRANSPOSE, "Q8:2x3@0.5,100 I:2=1,0", "Q8:3x2@0.5,100" },
	{ NNMODEL_MEAN, "Q8:2x3@0.5,100 I:1=1 i=1", "Q8:2x1@0.5,100" },
	{ NNMODEL_REDUCE_MAX, "Q8:2x3@0.5,100 I:1=0 b=0", "Q8:3@0.5,100" },
	{ NNMODEL_QUANTIZE, "F32:2x3", "Q8:2x3@0.5,100" },
	{ NNMODEL_DEQUANTIZE, "Q8:2x3@0.5,100", "F32:2x3" },
	{ NNMODEL_LESS, "Q8:2x3@0.5,100 Q8:2x3@0.5,100", "B8:2x3" },
	{ NNMODEL_PRELU, "Q8:2x3@0.5,100 Q8:3@0.25,120", "Q8:2x3@0.5,90" },
};

static uint32_t bytes_of(const struct nnmodel *m, uint32_t operand)
{
	uint64_t bytes;

	assert_int_equal(nnmodel_operand_bytes(&m->main.operands[operand], &bytes), 0);
	return (uint32_t)bytes;
}

/* Reproducible noise; unsigned data is the signed data plus 128. */
static void fill(const struct nnmodel *m, uint32_t operand, uint8_t *data)
{
	const uint32_t type = m->main.operands[operand].type, bytes = bytes_of(m, operand);
	uint32_t seed = operand + 1;

	for (uint32_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = (uint8_t)(seed >> 24) ^
			  (type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED ? 0x80 : 0);
	}
	for (uint32_t i = 0; type == NNMODEL_TENSOR_FLOAT32 && i < bytes / 4; i++) {
		float f = (float)(int)(data[4 * i] % 200) - 100;

		memcpy(data + 4 * i, &f, 4);
	}
}

/* Its output, malloc'ed, as unsigned data; @size bytes. Frees @m. */
static uint8_t *run(struct nnmodel *m, uint32_t *size)
{
	const struct nnhal_execution_config config = hal_config(false);
	const struct nnmodel_subgraph *g = &m->main;
	const uint32_t out = g->outputs[0];
	const bool is_signed = g->operands[out].type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
	uint32_t in_bytes[HAL_MAX_ARGS], out_bytes = bytes_of(m, out);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_prepared_model *pm;
	struct hal_call c;
	uint8_t *data = malloc(out_bytes);

	assert_non_null(data);
	for (uint32_t i = 0; i < g->num_inputs; i++)
		in_bytes[i] = bytes_of(m, g->inputs[i]);
	hal_call_init(&c, false, in_bytes, g->num_inputs, &out_bytes, 1);
	for (uint32_t i = 0; i < g->num_inputs; i++)
		fill(m, g->inputs[i], hal_in(&c, i));
	pm = hal_prepare(hal_dev, m);
	if (hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result))
		fail_msg("%s", result.message);
	nnhal_execution_result_clear(&result);
	memcpy(data, hal_out(&c, 0), out_bytes);
	for (uint32_t i = 0; is_signed && i < out_bytes; i++)
		data[i] ^= 0x80;
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	*size = out_bytes;
	return data;
}

TEST(test_same_results)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct nnmodel *m = spec_model(runs[i].opcode, runs[i].in, runs[i].out), *other;
		uint32_t size, other_size;
		uint8_t *a, *b;
		bool varied = false;

		other = nnmodel_clone(m);
		assert_non_null(other);
		assert_true(make_signed(other));
		a = run(m, &size);
		b = run(other, &other_size);
		assert_int_equal(size, other_size);
		for (uint32_t k = 0; k < size; k++) {
			varied |= a[k] != a[0];
			/* halves are rounded away from zero, which is elsewhere for signed data */
			if (abs((int)a[k] - (int)b[k]) > 1)
				fail_msg("%s: byte %u is %u, signed %u",
					 nnmodel_operation_name(runs[i].opcode), k, a[k], b[k]);
		}
		/* otherwise the comparison proves nothing */
		assert_true(varied);
		free(a);
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_supported_alike),
		cmocka_unit_test(test_same_results),
	};

	return cmocka_run_group_tests_name("hal-coupling", tests, hal_setup, hal_teardown);
}

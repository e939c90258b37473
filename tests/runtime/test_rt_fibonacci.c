// SPDX-License-Identifier: Apache-2.0
/* The Fibonacci extension through the C API, on the device under test and the reference. */
#include <stdlib.h>

#include "rt_test.h"

#define NAME "com.example.fibonacci"
enum { INT64, QUANT64 };
enum { FIBONACCI, NO_SUCH_OPERATION };

struct quant64 {
	double scale;
	int64_t zero_point;
};

static const ANeuralNetworksDevice *devices[2];

FIXTURE(setup)
{
	devices[0] = rt_device("fib-accel");
	devices[1] = rt_device("nnapi-reference");
	return 0;
}

static int32_t extension_type(ANeuralNetworksModel *model, uint16_t code)
{
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, NAME, code, &type));
	return type;
}

static void add_fibonacci(ANeuralNetworksModel *model, uint16_t code, uint32_t num_in,
			  const uint32_t *in, uint32_t num_out, const uint32_t *out)
{
	ANeuralNetworksOperationType type;

	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, NAME, code, &type));
	RT_OK(ANeuralNetworksModel_addOperation(model, type, num_in, in, num_out, out));
}

static void supported(ANeuralNetworksModel *model, uint32_t count, bool first, uint32_t num_devices)
{
	bool answers[4] = { !first, !first, !first, !first };

	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, num_devices,
								    answers));
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(answers[i], first);
}

static int finish_for_both(ANeuralNetworksModel *model, ANeuralNetworksCompilation **c)
{
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, c));
	return ANeuralNetworksCompilation_finish(*c);
}

/* n (@in_type) -> [length] (@out_type); @inputs and @outputs times the same operand type. */
static ANeuralNetworksModel *simple(int32_t in_type, uint32_t in_rank, int32_t out_type,
				    uint32_t length, uint16_t code, uint32_t inputs,
				    uint32_t outputs)
{
	ANeuralNetworksModel *model = rt_model();
	const uint32_t one[] = { 1 }, dims[] = { length };
	uint32_t in[2], out[2], n = 0;

	for (uint32_t i = 0; i < inputs; i++, n++) {
		in[i] = n;
		rt_operand(model, in_type, one, in_rank);
	}
	for (uint32_t i = 0; i < outputs; i++, n++) {
		out[i] = n;
		rt_operand(model, out_type, dims, 1);
	}
	add_fibonacci(model, code, inputs, in, outputs, out);
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, inputs, in, outputs, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

TEST(test_support)
{
	bool has = false;

	RT_OK(ANeuralNetworksDevice_getExtensionSupport(devices[0], NAME, &has));
	assert_true(has);
	RT_OK(ANeuralNetworksDevice_getExtensionSupport(devices[1], NAME, &has));
	assert_false(has);
	RT_OK(ANeuralNetworksDevice_getExtensionSupport(devices[0], "asdfasdfas", &has));
	assert_false(has);
}

TEST(test_operand_types)
{
	static const uint64_t expected[10] = { 12, 12, 14, 16, 20, 26, 36, 52, 78, 120 };
	const struct quant64 quant = { 0.5, 10 };
	const uint32_t in[] = { 0 }, out[] = { 1 }, dims[] = { 10 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	const int64_t n = 10;
	uint64_t numbers[10];

	rt_operand(model, extension_type(model, INT64), NULL, 0);
	rt_operand(model, extension_type(model, QUANT64), dims, 1);
	RT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 1, &quant, sizeof(quant)));
	add_fibonacci(model, FIBONACCI, 1, in, 1, out);
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	supported(model, 1, true, 2);
	supported(model, 1, true, 1);
	RT_OK(finish_for_both(model, &c));
	e = rt_execution(c);
	RT_BAD_DATA(ANeuralNetworksExecution_setInput(e, 0, NULL, &n, 4));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &n, sizeof(n)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, numbers, sizeof(numbers)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_memory_equal(numbers, expected, sizeof(expected));
	rt_free(e, c, model);
}

/* ADD, FIBONACCI, ADD: partitioned over the two. */
TEST(test_temporaries)
{
	static const float expected[10] = { 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
	const uint32_t first[] = { 0, 1, 2 }, second[] = { 4, 1, 2 }, n[] = { 3 }, f[] = { 4 },
		       out[] = { 5 }, io[] = { 0 };
	const uint32_t one[] = { 1 }, ten[] = { 10 };
	const float zero = 0, length = 10;
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float numbers[10];

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, one, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, one, 1);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, &zero, sizeof(zero)));
	rt_int32(model, 2, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, one, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, ten, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, ten, 1);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, first, 1, n));
	add_fibonacci(model, FIBONACCI, 1, n, 1, f);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, second, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, io, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	supported(model, 3, true, 2);
	RT_OK(finish_for_both(model, &c));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &length, sizeof(length)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, numbers, sizeof(numbers)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_memory_equal(numbers, expected, sizeof(expected));
	rt_free(e, c, model);
}

/* The runtime cannot check it: the model is built, and no device supports it. */
static void refused(ANeuralNetworksModel *model)
{
	ANeuralNetworksCompilation *c;

	supported(model, 1, false, 2);
	RT_BAD_DATA(finish_for_both(model, &c));
	ANeuralNetworksCompilation_free(c);
	RT_OK(ANeuralNetworksCompilation_create(model, &c));
	RT_BAD_DATA(ANeuralNetworksCompilation_finish(c));
	rt_free(NULL, c, model);
}

TEST(test_refused)
{
	const int32_t f32 = ANEURALNETWORKS_TENSOR_FLOAT32, i32 = ANEURALNETWORKS_TENSOR_INT32;

	refused(simple(i32, 1, f32, 10, FIBONACCI, 1, 1));
	refused(simple(f32, 1, i32, 10, FIBONACCI, 1, 1));
	refused(simple(f32, 1, f32, 10, FIBONACCI, 2, 1));
	refused(simple(f32, 1, f32, 10, FIBONACCI, 1, 2));
	refused(simple(f32, 1, f32, 10, NO_SUCH_OPERATION, 1, 1));
}

TEST(test_bad_value)
{
	ANeuralNetworksModel *model = simple(ANEURALNETWORKS_TENSOR_FLOAT32, 1,
					     ANEURALNETWORKS_TENSOR_FLOAT32, 1, FIBONACCI, 1, 1);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	const float n = -1;
	float out;

	supported(model, 1, true, 2);
	RT_OK(finish_for_both(model, &c));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &n, sizeof(n)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, &out, sizeof(out)));
	assert_int_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_OP_FAILED);
	rt_free(e, c, model);
}

/* The value of the input is the length of the output. */
TEST(test_dynamic)
{
	ANeuralNetworksModel *model = simple(ANEURALNETWORKS_TENSOR_FLOAT32, 1,
					     ANEURALNETWORKS_TENSOR_FLOAT32, 0, FIBONACCI, 1, 1);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	const float n = 6;
	uint32_t length = 0;
	float out[6];

	RT_OK(finish_for_both(model, &c));
	for (uint32_t room = 5; room <= 6; room++) {
		const int expected = room < 6 ? ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE
					      : ANEURALNETWORKS_NO_ERROR;

		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &n, sizeof(n)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, room * sizeof(float)));
		assert_int_equal(ANeuralNetworksExecution_compute(e), expected);
		assert_int_equal(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &length),
				 expected);
		assert_int_equal(length, 6);
		ANeuralNetworksExecution_free(e);
	}
	assert_true(out[5] == 8);
	rt_free(NULL, c, model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_support),	    cmocka_unit_test(test_operand_types),
		cmocka_unit_test(test_temporaries), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bad_value),   cmocka_unit_test(test_dynamic),
	};

	setenv("NNHAL_TEST_DEVICES", "name=fib-accel,ext=" NAME "/0:s8/1:t8", 1);
	return cmocka_run_group_tests(tests, setup, NULL);
}

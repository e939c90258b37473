// SPDX-License-Identifier: Apache-2.0
/*
 * The example of a vendor library (examples/porting/vendor_library), in a worker and its sandbox:
 * results are those of "cpu" to the bit, and a parameter that the unit lacks is refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "../hal/hal_test.h"

/* A convolution, in the terms of NNAPI. */
struct sample {
	uint32_t batch, height, width, in_channels, out_channels;
	uint32_t filter_height, filter_width, stride_height, stride_width;
	int32_t padding; /* of NNAPI; 0: @pads */
	int32_t pads[4]; /* left, right, top, bottom */
	int32_t activation, dilation_height, dilation_width, filter_zero_point;
	uint32_t type; /* 0: int8 */
	bool per_channel, nchw, filter_computed, bias_computed, input_constant, unknown_batch;
	uint32_t out_more; /* makes the output's height wrong */
};

static const struct sample plain = {
	.batch = 1,
	.height = 6,
	.width = 5,
	.in_channels = 8,
	.out_channels = 16,
	.filter_height = 3,
	.filter_width = 3,
	.stride_height = 1,
	.stride_width = 1,
	.padding = NNMODEL_PADDING_SAME,
	.dilation_height = 1,
	.dilation_width = 1,
};

/* ---- numbers ---- */

static uint32_t seed = 1;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

static void fill(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)below(256);
}

/* ---- models ---- */

static uint32_t extent(uint32_t in, uint32_t filter, uint32_t stride, uint32_t dilation,
		       int32_t padding, int32_t pads)
{
	const uint32_t covered = (filter - 1) * dilation + 1;

	return padding == NNMODEL_PADDING_SAME ? (in + stride - 1) / stride
					       : (in + (uint32_t)pads - covered) / stride + 1;
}

static uint32_t out_height(const struct sample *s)
{
	return extent(s->height, s->filter_height, s->stride_height, (uint32_t)s->dilation_height,
		      s->padding, s->pads[2] + s->pads[3]);
}

static uint32_t out_width(const struct sample *s)
{
	return extent(s->width, s->filter_width, s->stride_width, (uint32_t)s->dilation_width,
		      s->padding, s->pads[0] + s->pads[1]);
}

static size_t input_bytes(const struct sample *s)
{
	return (size_t)s->batch * s->height * s->width * s->in_channels;
}

static size_t output_bytes(const struct sample *s)
{
	return (size_t)s->batch * out_height(s) * out_width(s) * s->out_channels;
}

static void set_random(struct nnmodel *m, uint32_t operand, size_t size)
{
	uint8_t *bytes = malloc(size);

	assert_non_null(bytes);
	fill(bytes, size);
	assert_int_equal(nnmodel_set_value(m, operand, bytes, size), 0);
	free(bytes);
}

static uint32_t add_filter(struct nnmodel *m, const struct sample *s, uint32_t type)
{
	const uint32_t dims[] = { s->out_channels, s->filter_height, s->filter_width,
				  s->in_channels };
	float scales[2048];
	uint32_t filter;

	filter = hal_tensor(m, s->per_channel ? NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL : type,
			    NNMODEL_TEMPORARY_VARIABLE, dims, 4, s->per_channel ? 0 : 0.01f,
			    s->filter_zero_point);
	for (uint32_t i = 0; i < s->out_channels; i++)
		scales[i] = 0.002f + (float)below(100) / 9000;
	if (s->per_channel)
		assert_int_equal(nnmodel_set_channel_quant(m, filter, 0, scales, s->out_channels),
				 0);
	if (!s->filter_computed)
		set_random(m, filter,
			   (size_t)s->out_channels * s->filter_height * s->filter_width *
				   s->in_channels);
	return filter;
}

/* Sums that a result has room for. */
static uint32_t add_bias(struct nnmodel *m, const struct sample *s)
{
	const uint32_t bias = hal_tensor(m, NNMODEL_TENSOR_INT32, NNMODEL_TEMPORARY_VARIABLE,
					 &s->out_channels, 1, s->per_channel ? 0 : 0.05f * 0.01f,
					 0);
	int32_t values[2048];

	for (uint32_t i = 0; i < s->out_channels; i++)
		values[i] = (int32_t)below(40000) - 20000;
	if (!s->bias_computed)
		assert_int_equal(
			nnmodel_set_value(m, bias, values, s->out_channels * sizeof(values[0])), 0);
	return bias;
}

static uint32_t add_parameters(struct nnmodel *m, const struct sample *s, uint32_t *inputs,
			       uint32_t n)
{
	if (s->padding)
		inputs[n++] = (uint32_t)nnmodel_add_int32(m, s->padding);
	for (uint32_t i = 0; i < 4 && !s->padding; i++)
		inputs[n++] = (uint32_t)nnmodel_add_int32(m, s->pads[i]);
	inputs[n++] = (uint32_t)nnmodel_add_int32(m, (int32_t)s->stride_width);
	inputs[n++] = (uint32_t)nnmodel_add_int32(m, (int32_t)s->stride_height);
	inputs[n++] = (uint32_t)nnmodel_add_int32(m, s->activation);
	if (s->nchw || s->dilation_width != 1 || s->dilation_height != 1) {
		inputs[n++] = (uint32_t)nnmodel_add_bool(m, s->nchw);
		inputs[n++] = (uint32_t)nnmodel_add_int32(m, s->dilation_width);
		inputs[n++] = (uint32_t)nnmodel_add_int32(m, s->dilation_height);
	}
	return n;
}

static struct nnmodel *sample_model(const struct sample *s)
{
	const uint32_t type = s->type ? s->type : NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
	const int32_t zero = type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED ? (int32_t)below(60) - 30
									: 100;
	const uint32_t in_dims[] = { s->unknown_batch ? 0 : s->batch, s->height, s->width,
				     s->in_channels };
	const uint32_t out_dims[] = { s->unknown_batch ? 0 : s->batch, out_height(s) + s->out_more,
				      out_width(s), s->out_channels };
	struct nnmodel *m = nnmodel_new();
	uint32_t inputs[13], graph_inputs[3], n, num_graph_inputs = 0, out;

	assert_non_null(m);
	inputs[0] = hal_tensor(m, type, NNMODEL_TEMPORARY_VARIABLE, in_dims, 4, 0.05f, zero);
	if (s->input_constant)
		set_random(m, inputs[0], input_bytes(s));
	inputs[1] = add_filter(m, s, type);
	inputs[2] = add_bias(m, s);
	n = add_parameters(m, s, inputs, 3);
	out = hal_tensor(m, type, NNMODEL_TEMPORARY_VARIABLE, out_dims, 4,
			 0.3f + (float)below(100) / 100, (int32_t)below(60) - (zero > 60 ? 0 : 30));
	assert_true(nnmodel_add_operation(m, NNMODEL_CONV_2D, inputs, n, &out, 1) >= 0);
	if (!s->input_constant)
		graph_inputs[num_graph_inputs++] = inputs[0];
	if (s->filter_computed)
		graph_inputs[num_graph_inputs++] = inputs[1];
	if (s->bias_computed)
		graph_inputs[num_graph_inputs++] = inputs[2];
	assert_int_equal(nnmodel_set_io(m, graph_inputs, num_graph_inputs, &out, 1), 0);
	return m;
}

/* ---- the same bits as the CPU ---- */

static struct nnhal_device *cpu;

FIXTURE(setup)
{
	char why[256];

	assert_int_equal(nnhal_open("cpu", &cpu, why, sizeof(why)), 0);
	return hal_setup(NULL);
}

FIXTURE(teardown)
{
	cpu->ops->destroy(cpu);
	return hal_teardown(NULL);
}

/* @out: of malloc(). */
static uint8_t *computed(struct nnhal_device *dev, const struct sample *s, struct nnmodel *m,
			 const uint8_t *input, enum hal_executor how)
{
	const uint32_t in = (uint32_t)input_bytes(s), out = (uint32_t)output_bytes(s);
	struct nnhal_prepared_model *pm = hal_prepare(dev, m);
	const struct nnhal_execution_config config = hal_config(false);
	uint8_t *bytes = malloc(out);
	struct hal_call c;

	assert_non_null(bytes);
	hal_call_init(&c, false, &in, 1, &out, 1);
	memcpy(hal_in(&c, 0), input, in);
	assert_int_equal(hal_status(pm, how, &c.request, &config, NNHAL_NO_TIME), NNHAL_NONE);
	memcpy(bytes, hal_out(&c, 0), out);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	return bytes;
}

/* Bytes that differ by more than chance in a broken unit must be there: not all are a bound. */
static void check_spread(const uint8_t *bytes, size_t size)
{
	size_t same = 0;

	for (size_t i = 0; i < size; i++)
		same += bytes[i] == bytes[0];
	assert_true(size < 2 || same < size);
}

static void check_sample(const struct sample *s, enum hal_executor how)
{
	struct nnmodel *m = sample_model(s);
	struct nnmodel *copy = nnmodel_clone(m);
	uint8_t *input = malloc(input_bytes(s)), *got, *want;

	assert_non_null(copy);
	assert_non_null(input);
	fill(input, input_bytes(s));
	got = computed(hal_dev, s, m, input, how);
	want = computed(cpu, s, copy, input, HAL_SYNC);
	assert_memory_equal(got, want, output_bytes(s));
	if (!s->activation)
		check_spread(want, output_bytes(s));
	free(input);
	free(got);
	free(want);
}

TEST(test_random_samples)
{
	for (uint32_t round = 0; round < 60; round++) {
		struct sample s = plain;

		s.batch = 1 + below(2);
		s.height = 7 + below(6);
		s.width = 7 + below(6);
		s.in_channels = 8 * (1 + below(4));
		s.out_channels = 8 * (1 + below(4));
		s.filter_height = 1 + below(7);
		s.filter_width = 1 + below(7);
		s.stride_height = 1 + below(2);
		s.stride_width = 1 + below(2);
		s.padding = (int32_t)below(3);
		for (uint32_t i = 0; i < 4 && !s.padding; i++)
			s.pads[i] = (int32_t)below(i < 2 ? s.filter_width : s.filter_height);
		s.activation = (int32_t)below(4);
		s.per_channel = below(2);
		check_sample(&s, HAL_SYNC);
	}
}

TEST(test_all_executors)
{
	check_sample(&plain, HAL_ASYNC);
	check_sample(&plain, HAL_FENCED);
}

/* The unit's limits themselves pass. */
TEST(test_largest)
{
	struct sample s = plain;

	s.height = s.width = 7;
	s.filter_height = s.filter_width = 7;
	s.in_channels = 1024;
	s.padding = NNMODEL_PADDING_VALID;
	check_sample(&s, HAL_SYNC);
	s.in_channels = 8;
	s.filter_height = s.filter_width = 1;
	s.out_channels = 1024;
	check_sample(&s, HAL_SYNC);
}

/* ---- refusals ---- */

static void check_refused(const struct sample *s, const char *reason)
{
	struct nnmodel *m = sample_model(s);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_prepared_model *pm;
	bool supported = true;
	char *why = NULL, message[256];

	assert_int_equal(hal_dev->ops->get_supported_operations(hal_dev, m, &supported, &why, &err),
			 NNHAL_NONE);
	assert_false(supported);
	assert_non_null(why);
	if (strncmp(why, reason, strlen(reason)))
		fail_msg("\"%s\" instead of \"%s\"", why, reason);
	assert_non_null(strchr(why, ':')); /* what to change */
	assert_int_equal(nnhal_prepare_model(hal_dev, m, NULL, &pm, message, sizeof(message)),
			 NNHAL_GENERAL_FAILURE);
	assert_non_null(strstr(message, why));
	assert_null(pm);
	free(why);
	nnmodel_free(m);
}

#define REFUSED(reason, ...)                 \
	do {                                 \
		struct sample s = plain;     \
		__VA_ARGS__;                 \
		check_refused(&s, (reason)); \
	} while (0)

TEST(test_refused_parameters)
{
	REFUSED("input of TENSOR_QUANT8_ASYMM,", s.type = NNMODEL_TENSOR_QUANT8_ASYMM);
	REFUSED("12 input channels, the unit takes multiples of 8: pad with zeros to 16",
		s.in_channels = 12);
	REFUSED("3 output channels, the unit takes multiples of 8: pad with zeros to 8",
		s.out_channels = 3);
	REFUSED("1032 input channels, the unit takes at most 1024:", s.in_channels = 1032);
	REFUSED("1032 output channels, the unit takes at most 1024:", s.out_channels = 1032);
	REFUSED("stride 3 along the height,", s.stride_height = 3);
	REFUSED("stride 4 along the width,", s.stride_width = 4);
	REFUSED("dilation 2 x 1, the unit takes 1 x 1:", s.dilation_height = 2);
	REFUSED("dilation 1 x 2, the unit takes 1 x 1:", s.dilation_width = 2);
	REFUSED("filter of 8 x 3, the unit takes at most 7 x 7:", s.filter_height = 8);
	REFUSED("filter of 3 x 8, the unit takes at most 7 x 7:", s.filter_width = 8);
	REFUSED("filter with zero point 5, the unit takes 0:", s.filter_zero_point = 5);
	REFUSED("layout NCHW,", s.nchw = true);
	REFUSED("filter that is computed,", s.filter_computed = true);
	REFUSED("bias that is computed,", s.bias_computed = true);
	REFUSED("constant input,", s.input_constant = true);
	REFUSED("input with an unknown dimension,", s.unknown_batch = true);
	REFUSED("activation 4,", s.activation = 4);
	REFUSED("shapes or padding that contradict each other:", s.out_more = 1);
}

TEST(test_refused_operation)
{
	struct nnmodel *m = hal_model_add();
	bool supported = true;
	char *why = NULL;

	assert_int_equal(hal_dev->ops->get_supported_operations(hal_dev, m, &supported, &why, NULL),
			 NNHAL_NONE);
	assert_false(supported);
	assert_non_null(why);
	assert_non_null(strstr(why, "CONV_2D alone"));
	free(why);
	nnmodel_free(m);
}

/* ---- requests and figures ---- */

TEST(test_requests)
{
	const uint32_t in = (uint32_t)input_bytes(&plain), out = (uint32_t)output_bytes(&plain);
	const struct nnhal_execution_config config = hal_config(true);
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, sample_model(&plain));
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_init(&c, false, &in, 1, &out, 1);
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	assert_int_equal(result.num_shapes, 1);
	assert_int_equal(result.shapes[0].dims[3], plain.out_channels);
	assert_true(result.timing.on_device_ns >= 0);
	assert_true(result.timing.in_driver_ns >= result.timing.on_device_ns);
	nnhal_execution_result_clear(&result);
	c.inputs[0].length--;
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_INVALID_ARGUMENT);
	c.inputs[0].length++;
	c.outputs[0].length--;
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_OUTPUT_INSUFFICIENT_SIZE);
	assert_int_equal(result.num_shapes, 1);
	assert_false(result.shapes[0].sufficient);
	nnhal_execution_result_clear(&result);
	c.outputs[0].length++;
	c.outputs[0].offset = c.pools[1].memory.size;
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_INVALID_ARGUMENT);
	c.outputs[0].offset = 0;
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, hal_now_ns() - 1),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

TEST(test_capabilities)
{
	struct nnhal_capabilities caps = { .size = sizeof(caps) };

	assert_int_equal(hal_dev->ops->get_capabilities(hal_dev, &caps), NNHAL_NONE);
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		assert_int_equal(caps.operand[i].exec_time < 1,
				 i == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_samples),	  cmocka_unit_test(test_all_executors),
		cmocka_unit_test(test_largest),		  cmocka_unit_test(test_refused_parameters),
		cmocka_unit_test(test_refused_operation), cmocka_unit_test(test_requests),
		cmocka_unit_test(test_capabilities),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

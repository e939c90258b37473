// SPDX-License-Identifier: Apache-2.0
/*
 * The known answers of "nnctl validate", computed here from the data by plain loops that share
 * nothing with the firmware; and that no tensor of the int8 model needs more than 8 bits, which is
 * what makes its answers those of the float32 model.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/selftest_models.h"
#include "test_case.h"

#define SIDE ((int)SELFTEST_SIDE)
#define FILTERS ((int)SELFTEST_FILTERS)
#define CHANNELS ((int)SELFTEST_CHANNELS)
#define KERNEL ((int)SELFTEST_KERNEL)
#define POOLED ((int)SELFTEST_POOLED)

struct tensors {
	int conv[SELFTEST_SIDE][SELFTEST_SIDE][SELFTEST_FILTERS];
	int branch[SELFTEST_SIDE][SELFTEST_SIDE][SELFTEST_FILTERS];
	int sum[SELFTEST_SIDE][SELFTEST_SIDE][SELFTEST_FILTERS];
	int flat[SELFTEST_FEATURES];
};

static bool is_inside(int y, int x)
{
	return y >= 0 && y < SIDE && x >= 0 && x < SIDE;
}

static int max_of(int a, int b)
{
	return a > b ? a : b;
}

static int convolve(uint32_t input, int y, int x, int f)
{
	int sum = selftest_value(SELFTEST_CONV_BIAS, (uint32_t)f);

	for (int i = 0; i < KERNEL; i++)
		for (int j = 0; j < KERNEL; j++)
			for (int c = 0; c < CHANNELS; c++) {
				const int at_y = y + i - 1, at_x = x + j - 1;

				if (!is_inside(at_y, at_x))
					continue;
				sum += selftest_value(
					       SELFTEST_FIRST_INPUT + input,
					       (uint32_t)((at_y * SIDE + at_x) * CHANNELS + c)) *
				       selftest_value(SELFTEST_CONV_WEIGHTS,
						      (uint32_t)(((f * KERNEL + i) * KERNEL + j) *
									 CHANNELS +
								 c));
			}
	return max_of(0, sum * selftest_conv_scale((uint32_t)f));
}

static int convolve_depthwise(const struct tensors *t, int y, int x, int f)
{
	int sum = selftest_value(SELFTEST_DEPTHWISE_BIAS, (uint32_t)f);

	for (int i = 0; i < KERNEL; i++)
		for (int j = 0; j < KERNEL; j++)
			if (is_inside(y + i - 1, x + j - 1))
				sum += t->conv[y + i - 1][x + j - 1][f] *
				       selftest_value(SELFTEST_DEPTHWISE_WEIGHTS,
						      (uint32_t)((i * KERNEL + j) * FILTERS + f));
	return sum * selftest_depthwise_scale((uint32_t)f);
}

static void compute(struct tensors *t, uint32_t input)
{
	int i = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			for (int f = 0; f < FILTERS; f++)
				t->conv[y][x][f] = convolve(input, y, x, f);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			for (int f = 0; f < FILTERS; f++) {
				t->branch[y][x][f] = convolve_depthwise(t, y, x, f);
				t->sum[y][x][f] = max_of(0, t->conv[y][x][f] + t->branch[y][x][f]);
			}
	for (int y = 0; y < POOLED; y++)
		for (int x = 0; x < POOLED; x++)
			for (int f = 0; f < FILTERS; f++)
				t->flat[i++] = max_of(max_of(t->sum[2 * y][2 * x][f],
							     t->sum[2 * y][2 * x + 1][f]),
						      max_of(t->sum[2 * y + 1][2 * x][f],
							     t->sum[2 * y + 1][2 * x + 1][f]));
}

static int classify(const struct tensors *t, uint32_t class)
{
	int sum = selftest_value(SELFTEST_DENSE_BIAS, class);

	for (uint32_t i = 0; i < SELFTEST_FEATURES; i++)
		sum += t->flat[i] *
		       selftest_value(SELFTEST_DENSE_WEIGHTS, class * SELFTEST_FEATURES + i);
	return sum;
}

TEST(test_answers)
{
	struct tensors t;

	for (uint32_t input = 0; input < SELFTEST_INPUTS; input++) {
		compute(&t, input);
		for (uint32_t i = 0; i < SELFTEST_CLASSES; i++)
			assert_int_equal(selftest_answers[input][i], classify(&t, i));
	}
}

TEST(test_room_of_int8)
{
	struct tensors t;

	for (uint32_t input = 0; input < SELFTEST_INPUTS; input++) {
		compute(&t, input);
		for (int i = 0; i < SIDE * SIDE * FILTERS; i++) {
			assert_in_range((&t.conv[0][0][0])[i], 0, 255);
			assert_in_range((&t.sum[0][0][0])[i], 0, 255);
			assert_true(abs((&t.branch[0][0][0])[i]) < 128);
		}
		for (uint32_t i = 0; i < SELFTEST_CLASSES; i++)
			assert_true(abs(selftest_answers[input][i]) < 120);
	}
	/* an answer of one input is none of another */
	assert_memory_not_equal(selftest_answers[0], selftest_answers[1],
				sizeof(selftest_answers[0]));
}

TEST(test_models_are_valid)
{
	for (enum selftest_model which = 0; which < SELFTEST_MODELS; which++) {
		struct nnmodel_error error = NNMODEL_ERROR_INIT;
		struct nnmodel *model = selftest_model(which);

		assert_non_null(model);
		if (nnmodel_validate(model, NULL, &error))
			fail_msg("%s: %s", selftest_name(which), error.text);
		assert_int_equal(model->main.num_operations, 6);
		nnmodel_free(model);
	}
}

TEST(test_judge_float32)
{
	float output[SELFTEST_CLASSES];
	char message[128] = "";

	for (uint32_t i = 0; i < SELFTEST_CLASSES; i++)
		output[i] = selftest_answers[1][i];
	assert_true(selftest_judge(SELFTEST_FLOAT32, 1, output, message, sizeof(message)));
	assert_string_equal(message, "");
	assert_false(selftest_judge(SELFTEST_FLOAT32, 0, output, message, sizeof(message)));
	output[9] = nextafterf(output[9], 0);
	assert_false(selftest_judge(SELFTEST_FLOAT32, 1, output, message, sizeof(message)));
	assert_non_null(strstr(message, "output 9 for input 1"));
	output[9] = NAN;
	assert_false(selftest_judge(SELFTEST_FLOAT32, 1, output, message, sizeof(message)));
}

TEST(test_judge_int8)
{
	int8_t output[SELFTEST_CLASSES];
	char message[128] = "";

	/* the zero point is -5 */
	for (uint32_t i = 0; i < SELFTEST_CLASSES; i++)
		output[i] = (int8_t)(selftest_answers[2][i] - 5);
	assert_true(selftest_judge(SELFTEST_INT8, 2, output, message, sizeof(message)));
	output[0]++;
	assert_false(selftest_judge(SELFTEST_INT8, 2, output, message, sizeof(message)));
	assert_string_equal(message, "output 0 for input 2 is -70, not -71");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),		 cmocka_unit_test(test_room_of_int8),
		cmocka_unit_test(test_models_are_valid), cmocka_unit_test(test_judge_float32),
		cmocka_unit_test(test_judge_int8),
	};

	return cmocka_run_group_tests_name("nnctl-selftest-models", tests, NULL, NULL);
}

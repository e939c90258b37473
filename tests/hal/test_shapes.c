// SPDX-License-Identifier: Apache-2.0
/*
 * Outputs of unspecified shape, by every execution call: in buffers that suffice and in one that is
 * a byte short. [VTS] DYNAMIC_SHAPE
 */
#include "hal_test.h"

/* out0 = a + b, out1 = a * b; [4], but the model only says that outputs have rank 1. */
static struct nnhal_prepared_model *prepare(void)
{
	struct nnmodel *m = hal_model_two_outputs();

	for (uint32_t i = 0; i < m->main.num_outputs; i++)
		m->main.operands[m->main.outputs[i]].dims[0] = 0;
	return hal_prepare(hal_dev, m);
}

static void call(struct hal_call *c, bool device_memory)
{
	hal_call_init(c, device_memory, HAL_LIST(16, 16), HAL_LIST(16, 16));
	for (int i = 0; i < 4; i++) {
		((float *)hal_in(c, 0))[i] = (float)i;
		((float *)hal_in(c, 1))[i] = 10;
	}
}

static enum nnhal_status run(struct nnhal_prepared_model *pm, enum hal_executor how,
			     struct hal_call *c, bool measure,
			     struct nnhal_execution_result *result)
{
	struct nnhal_execution_config config = hal_config(measure);

	return hal_run(pm, how, &c->request, &config, NNHAL_NO_TIME, result);
}

static void check_shapes(enum hal_executor how, const struct nnhal_execution_result *result,
			 bool first_fits)
{
	if (result->num_shapes != 2)
		fail_msg("%s: %u shapes", hal_executor_name(how), result->num_shapes);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(result->shapes[i].sufficient, i || first_fits);
		assert_int_equal(result->shapes[i].rank, 1);
		assert_int_equal(result->shapes[i].dims[0], 4);
	}
}

TEST(test_unspecified)
{
	struct nnhal_prepared_model *pm = prepare();
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		for (int variant = 0; variant < 4; variant++) {
			enum nnhal_status status;

			call(&c, variant & 1);
			status = run(pm, how, &c, variant & 2, &result);
			if (hal_is_fenced(how)) {
				assert_int_equal(status, NNHAL_INVALID_ARGUMENT);
				assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
			} else {
				assert_int_equal(status, NNHAL_NONE);
				check_shapes(how, &result, true);
				assert_int_equal(result.timing.in_driver_ns >= 0, !!(variant & 2));
				assert_true(((float *)hal_out(&c, 0))[3] == 13);
				assert_true(((float *)hal_out(&c, 1))[3] == 30);
			}
			nnhal_execution_result_clear(&result);
			hal_call_fini(&c);
		}
	pm->ops->destroy(pm);
}

/* The byte that is missing is there as padding, which is not for outputs. */
TEST(test_insufficient)
{
	struct nnhal_prepared_model *pm = prepare();
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		for (int device_memory = 0; device_memory < 2; device_memory++) {
			enum nnhal_status status;

			call(&c, device_memory);
			c.outputs[0].length = 15;
			c.outputs[0].padding = 1;
			status = run(pm, how, &c, true, &result);
			assert_int_equal(status, hal_is_fenced(how)
							 ? NNHAL_INVALID_ARGUMENT
							 : NNHAL_OUTPUT_INSUFFICIENT_SIZE);
			if (!hal_is_fenced(how))
				check_shapes(how, &result, false);
			assert_int_equal(result.timing.on_device_ns, NNHAL_NO_TIME);
			assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
			assert_int_equal(((uint8_t *)hal_out(&c, 0))[15], 0xa5);
			nnhal_execution_result_clear(&result);
			hal_call_fini(&c);
		}
	pm->ops->destroy(pm);
}

/*
 * The request says the shapes: then fenced executions are fine, too. A wrong length is an error of
 * the request.
 */
TEST(test_specified_by_request)
{
	static const uint32_t dims[] = { 4 };
	struct nnhal_prepared_model *pm = prepare();
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++) {
		call(&c, true);
		for (int i = 0; i < 2; i++) {
			c.outputs[i].rank = 1;
			c.outputs[i].dims = dims;
		}
		assert_int_equal(run(pm, how, &c, false, &result), NNHAL_NONE);
		assert_true(((float *)hal_out(&c, 0))[3] == 13 &&
			    ((float *)hal_out(&c, 1))[3] == 30);
		if (result.num_shapes)
			check_shapes(how, &result, true);
		nnhal_execution_result_clear(&result);
		c.outputs[0].length = 15;
		assert_int_equal(run(pm, how, &c, false, &result), NNHAL_INVALID_ARGUMENT);
		assert_int_equal(result.num_shapes, 0);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unspecified),
		cmocka_unit_test(test_insufficient),
		cmocka_unit_test(test_specified_by_request),
	};

	return cmocka_run_group_tests_name("hal-shapes", tests, hal_setup, hal_teardown);
}

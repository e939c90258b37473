// SPDX-License-Identifier: Apache-2.0
/* IExecution: checked once, run any number of times, by both of its methods. */
#include "hal_test.h"

#include <string.h>
#include <unistd.h>

static struct nnhal_prepared_model *pm;

static int setup(void **state)
{
	if (hal_setup(state))
		return -1;
	pm = hal_prepare(hal_dev, hal_model_add());
	return 0;
}

static int teardown(void **state)
{
	pm->ops->destroy(pm);
	return hal_teardown(state);
}

static enum nnhal_status run_sync(struct nnhal_execution *e, bool measured)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result);

	assert_int_equal(result.timing.on_device_ns >= 0, measured && status == NNHAL_NONE);
	nnhal_execution_result_clear(&result);
	return status;
}

static enum nnhal_status run_fenced(struct nnhal_execution *e, bool settle)
{
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, fenced;
	enum nnhal_status status;
	int fence;

	status = e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence, &cb);
	assert_int_equal(status == NNHAL_NONE, cb != NULL);
	if (status)
		return status;
	hal_fence_wait(fence);
	if (settle)
		status = cb->ops->get_execution_info(cb, &launched, &fenced);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	return status;
}

/* [VTS] each reusable execution twice, and mixed */
TEST(test_twice)
{
	struct nnhal_execution *e;
	struct hal_call c;

	for (int device_memory = 0; device_memory < 2; device_memory++) {
		for (int measure = 0; measure < 2; measure++) {
			struct nnhal_execution_config config = hal_config(measure);

			hal_call_add(&c, device_memory);
			assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config,
									    &e),
					 NNHAL_NONE);
			for (int i = 0; i < 4; i++) {
				memset(hal_out(&c, 0), 0xa5, 16);
				assert_int_equal(run_sync(e, measure), NNHAL_NONE);
				hal_check_add(&c);
				memset(hal_out(&c, 0), 0xa5, 16);
				assert_int_equal(run_fenced(e, i % 2), NNHAL_NONE);
				hal_check_add(&c);
			}
			e->ops->destroy(e);
			hal_call_fini(&c);
		}
	}
}

/* The memory is read anew; the request and its descriptors are not needed any more. */
TEST(test_contents_anew)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution *e;
	struct hal_call c;

	for (int device_memory = 0; device_memory < 2; device_memory++) {
		hal_call_add(&c, device_memory);
		assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
				 NNHAL_NONE);
		memset(&c.request, 0xff, sizeof(c.request));
		for (int i = 0; i < 10; i++) {
			((float *)hal_in(&c, 0))[2] = (float)i;
			assert_int_equal(i % 2 ? run_fenced(e, true) : run_sync(e, false),
					 NNHAL_NONE);
			assert_true(((float *)hal_out(&c, 0))[2] == (float)i + 10);
		}
		e->ops->destroy(e);
		hal_call_fini(&c);
	}
}

/* [VTS] a request that does not fit is refused at creation */
TEST(test_refused)
{
	struct nnhal_execution_config config = hal_config(false);
	const struct nnhal_token_value twice[] = { { .token = 5 }, { .token = 5 } };
	struct nnhal_execution *e = (void *)1;
	struct hal_call c;

	hal_call_add(&c, false);
	c.request.num_inputs = 1;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_INVALID_ARGUMENT);
	assert_null(e);
	c.request.num_inputs = 2;
	c.request.num_outputs = 0;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_INVALID_ARGUMENT);
	c.request.num_outputs = 1;
	assert_int_equal(pm->ops->create_reusable_execution(pm, NULL, &config, &e),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, NULL, &e),
			 NNHAL_INVALID_ARGUMENT);
	config.loop_timeout_ns = -2;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_INVALID_ARGUMENT);
	config = hal_config(false);
	config.hints = twice;
	config.num_hints = 2;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_INVALID_ARGUMENT);
	/* unknown hints are ignored */
	config.num_hints = 1;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_NONE);
	assert_int_equal(run_sync(e, false), NNHAL_NONE);
	e->ops->destroy(e);
	hal_call_fini(&c);
}

TEST(test_limits)
{
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_fenced_callback *cb;
	struct nnhal_execution *e;
	int fence, bad[] = { -1 };
	struct hal_call c;

	hal_call_add(&c, false);
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_NONE);
	assert_int_equal(e->ops->execute_synchronously(e, -2, &result), NNHAL_INVALID_ARGUMENT);
	nnhal_execution_result_clear(&result);
	assert_int_equal(e->ops->execute_synchronously(e, hal_now_ns(), &result),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	nnhal_execution_result_clear(&result);
	assert_int_equal(e->ops->execute_fenced(e, NULL, 0, hal_now_ns(), NNHAL_NO_TIME, &fence,
						&cb),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, -2, &fence, &cb),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(e->ops->execute_fenced(e, bad, 1, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence,
						&cb),
			 NNHAL_INVALID_ARGUMENT);
	assert_null(cb);
	assert_int_equal(fence, -1);
	/* the refused calls did not leave the execution in flight */
	assert_int_equal(run_sync(e, true), NNHAL_NONE);
	hal_check_add(&c);
	e->ops->destroy(e);
	hal_call_fini(&c);
}

/* Shapes known only at run time: allowed synchronously, refused fenced. */
TEST(test_dynamic)
{
	struct nnhal_prepared_model *dynamic = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;
	struct hal_call c;

	hal_call_add(&c, false);
	c.inputs[0].rank = 2;
	c.inputs[0].dims = HAL_DIMS(2, 2);
	c.inputs[1].rank = 1;
	c.inputs[1].dims = HAL_DIMS(2);
	assert_int_equal(dynamic->ops->create_reusable_execution(dynamic, &c.request, &config, &e),
			 NNHAL_NONE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		assert_int_equal(result.num_shapes, 1);
		assert_int_equal(result.shapes[0].dims[1], 2);
		nnhal_execution_result_clear(&result);
		hal_check_add(&c);
		assert_int_equal(run_fenced(e, true), NNHAL_INVALID_ARGUMENT);
	}
	e->ops->destroy(e);
	hal_call_fini(&c);
	dynamic->ops->destroy(dynamic);
}

/* The object may go while its fenced run is on its way, and so may the model. */
TEST(test_destroyed_in_flight)
{
	const uint32_t elements = 1 << 18, bytes = elements * 4;
	struct nnhal_prepared_model *slow = hal_prepare(hal_dev, hal_model_long(20, elements));
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, fenced;
	struct nnhal_execution *e;
	struct hal_call c;
	int fence;

	hal_call_init(&c, true, &bytes, 1, &bytes, 1);
	memset(hal_in(&c, 0), 0, bytes);
	assert_int_equal(slow->ops->create_reusable_execution(slow, &c.request, &config, &e),
			 NNHAL_NONE);
	assert_int_equal(e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence,
						&cb),
			 NNHAL_NONE);
	if (fence >= 0) {
		/* one at a time, unless it ended already */
		enum nnhal_status second = run_sync(e, false);

		assert_true(second == NNHAL_GENERAL_FAILURE || second == NNHAL_NONE);
	}
	e->ops->destroy(e);
	slow->ops->destroy(slow);
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced), NNHAL_NONE);
	assert_true(((float *)hal_out(&c, 0))[elements - 1] == 0.0f);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	hal_call_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twice),	cmocka_unit_test(test_contents_anew),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_dynamic), cmocka_unit_test(test_destroyed_in_flight),
	};

	return cmocka_run_group_tests_name("hal-reusable", tests, setup, teardown);
}

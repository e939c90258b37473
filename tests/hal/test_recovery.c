// SPDX-License-Identifier: Apache-2.0
/*
 * The HAL and a device that fails, lies or disappears, on a transport that does so on demand: the
 * rows of "when things fail" in Documentation/failure-and-recovery.rst, and hostile results.
 */
#include "eventually.h"
#include "hal_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_transport.h"
#include "driver/nnhal_driver.h"
#include "nnutil_clock.h"

static struct fake *fake;
static struct nnhal_prepared_model *pm;
static struct nnhal_execution_result result;
static struct hal_call call;

FIXTURE(fresh)
{
	struct nnhal_dev *dev;
	char message[256];

	fake = fake_create();
	if (nnhal_dev_create(&fake->base, &dev, message, sizeof(message)))
		return -1;
	pm = hal_prepare(&dev->base, hal_model_add());
	dev->base.ops->destroy(&dev->base); /* the model keeps its device alive */
	hal_call_add(&call, false);
	return 0;
}

FIXTURE(done)
{
	if (pm)
		pm->ops->destroy(pm);
	hal_call_fini(&call);
	/* a thread of the library frees abandoned objects */
	assert_true(EVENTUALLY(fake->destroyed));
	assert_int_equal(fake->mems, 0);
	assert_int_equal(fake->jobs_alive, 0);
	assert_int_equal(fake->queues_created, fake->queues_destroyed);
	free(fake);
	return 0;
}

static enum nnhal_status run_until(enum hal_executor how, int64_t deadline_ns)
{
	struct nnhal_execution_config config = hal_config(true);

	nnhal_execution_result_clear(&result);
	return hal_run(pm, how, &call.request, &config, deadline_ns, &result);
}

static enum nnhal_status run(enum hal_executor how)
{
	return run_until(how, NNHAL_NO_TIME);
}

static void untouched(void)
{
	assert_int_equal(((uint8_t *)hal_out(&call, 0))[0], 0xa5);
	assert_int_equal(result.num_shapes, 0);
	assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
	nnhal_execution_result_clear(&result);
}

TEST(test_good)
{
	for (int how = 0; how < HAL_EXECUTORS; how++)
		assert_int_equal(run(how), NNHAL_NONE);
	hal_check_add(&call);
	assert_int_equal(fake->num_jobs, 3);
	assert_int_equal(fake->queues_created, 1);
	nnhal_execution_result_clear(&result);
}

TEST(test_innocent_runs_again)
{
	static const uint32_t lost[] = { NNACCEL_STATUS_INNOCENT, NNACCEL_STATUS_LINK_LOST,
					 NNACCEL_STATUS_BANNED };

	for (int i = 0; i < 3; i++) {
		fake->num_jobs = 0;
		fake->jobs[0].status = lost[i];
		memset(hal_out(&call, 0), 0, 16);
		assert_int_equal(run(i % 2 ? HAL_ASYNC : HAL_SYNC), NNHAL_NONE);
		assert_int_equal(fake->num_jobs, 2);
		assert_string_equal(result.message, "");
		hal_check_add(&call);
	}
	nnhal_execution_result_clear(&result);
}

TEST(test_innocent_twice)
{
	fake->jobs[0].status = NNACCEL_STATUS_LINK_LOST;
	fake->jobs[1].status = NNACCEL_STATUS_INNOCENT;
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_int_equal(fake->num_jobs, 2);
	assert_string_equal(result.message, "INNOCENT");
	untouched();
}

/*
 * A job that hung the card, or touched a bad address, is not run again; its queue is not used
 * again.
 */
TEST(test_guilty_gets_a_new_queue)
{
	fake->jobs[0].status = NNACCEL_STATUS_NO_PROGRESS;
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_int_equal(fake->num_jobs, 1);
	untouched();
	assert_int_equal(fake->queues_created, 1);
	assert_int_equal(fake->queues_destroyed, 1);

	fake->jobs[1] = (struct fake_job){ .status = NNACCEL_STATUS_FAULT,
					   .fault_addr = 0xdead000,
					   .text = "output" };
	assert_int_equal(run(HAL_ASYNC), NNHAL_GENERAL_FAILURE);
	assert_int_equal(fake->num_jobs, 2);
	assert_string_equal(result.message, "FAULT at device address 0xdead000: output");
	untouched();
	assert_int_equal(fake->queues_created, 2);

	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	assert_int_equal(fake->queues_created, 3);
	hal_check_add(&call);
	nnhal_execution_result_clear(&result);
}

TEST(test_banned_at_submit)
{
	fake->jobs[0].submit = -ECANCELED;
	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	assert_int_equal(fake->num_jobs, 2);
	assert_int_equal(fake->queues_created, 2);
	nnhal_execution_result_clear(&result);
}

TEST(test_refused_submit)
{
	static const struct {
		int error;
		enum nnhal_status status;
	} rows[] = {
		{ -EINVAL, NNHAL_GENERAL_FAILURE }, /* ours: the client's was checked */
		{ -EBUSY, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -ENOMEM, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -ENODEV, NNHAL_DEVICE_UNAVAILABLE },
		{ -EIO, NNHAL_GENERAL_FAILURE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake->num_jobs = 0;
		fake->jobs[0].submit = rows[i].error;
		assert_int_equal(run(i % 2 ? HAL_ASYNC : HAL_SYNC), rows[i].status);
		assert_int_equal(fake->num_jobs, 1);
		assert_int_not_equal(result.message[0], '\0');
		untouched();
	}
}

TEST(test_every_status)
{
	static const struct {
		uint32_t job;
		enum nnhal_status status;
	} rows[] = {
		{ NNACCEL_STATUS_ABORTED, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_LOOP_TIMEOUT, NNHAL_MISSED_DEADLINE_TRANSIENT },
		{ NNACCEL_STATUS_BAD_PROGRAM, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_BAD_ARGUMENT, NNHAL_INVALID_ARGUMENT },
		{ NNACCEL_STATUS_NO_MEMORY, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ NNACCEL_STATUS_FAULT, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_EXEC_FAILED, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_INTERNAL, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_CANCELED, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_DEADLINE, NNHAL_MISSED_DEADLINE_TRANSIENT },
		{ NNACCEL_STATUS_MAX_TIME, NNHAL_MISSED_DEADLINE_TRANSIENT },
		{ NNACCEL_STATUS_INPUT_FAILED, NNHAL_GENERAL_FAILURE },
		{ NNACCEL_STATUS_UNPLUGGED, NNHAL_DEVICE_UNAVAILABLE },
		{ NNACCEL_STATUS_EXPIRED, NNHAL_MISSED_DEADLINE_TRANSIENT },
		{ 0x1234, NNHAL_GENERAL_FAILURE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake->num_jobs = 0;
		fake->jobs[0] = (struct fake_job){ .status = rows[i].job };
		assert_int_equal(run(HAL_SYNC), rows[i].status);
		assert_int_equal(fake->num_jobs, 1);
		assert_int_not_equal(result.message[0], '\0');
		untouched();
	}
	/* fenced executions know no INVALID_ARGUMENT any more once they were launched */
	fake->num_jobs = 0;
	fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_BAD_ARGUMENT };
	assert_int_equal(run(HAL_FENCED), NNHAL_GENERAL_FAILURE);
}

/* A job hung and its deadline passed meanwhile: the client gets MISSED_DEADLINE. */
TEST(test_guilty_and_late)
{
	fake->jobs[0] =
		(struct fake_job){ .status = NNACCEL_STATUS_NO_PROGRESS, .delay_us = 40000 };
	assert_int_equal(run_until(HAL_SYNC, hal_now_ns() + 20000000),
			 NNHAL_MISSED_DEADLINE_TRANSIENT);
	untouched();
	fake->jobs[1] = (struct fake_job){ .status = NNACCEL_STATUS_NO_PROGRESS };
	assert_int_equal(run_until(HAL_SYNC, hal_now_ns() + 60000000000), NNHAL_GENERAL_FAILURE);
	untouched();
}

TEST(test_waiting_fails)
{
	fake->jobs[0].wait = -ENODEV;
	assert_int_equal(run(HAL_SYNC), NNHAL_DEVICE_UNAVAILABLE);
	untouched();
	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	nnhal_execution_result_clear(&result);
}

TEST(test_messages)
{
	fake->jobs[0] =
		(struct fake_job){ .status = NNACCEL_STATUS_BAD_PROGRAM, .text = "rank is 9" };
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_string_equal(result.message, "BAD_PROGRAM at offset 77: rank is 9");
	fake->jobs[1] =
		(struct fake_job){ .status = NNACCEL_STATUS_EXEC_FAILED, .text = "a\nb\x1b[2J" };
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_string_equal(result.message, "EXEC_FAILED in subgraph 0, operation 3: a?b?[2J");
	nnhal_execution_result_clear(&result);
}

TEST(test_insufficient)
{
	fake->jobs[0].status = NNACCEL_STATUS_OUTPUT_INSUFFICIENT;
	/* the buffer is large enough for the output: the device contradicts itself */
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	untouched();
}

static void no_terminator(struct nnaccel_result *r)
{
	memset(r->text, 'x', sizeof(r->text));
}

static void wrong_seqno(struct nnaccel_result *r)
{
	r->seqno++;
}
static void wrong_status(struct nnaccel_result *r)
{
	r->status = NNACCEL_STATUS_BAD_PROGRAM;
}
static void more_outputs(struct nnaccel_result *r)
{
	r->num_outputs = UINT32_MAX;
}
static void no_outputs(struct nnaccel_result *r)
{
	r->num_outputs = 0;
}

static struct nnaccel_output_shape *shape_of(struct nnaccel_result *r)
{
	return (void *)(r + 1);
}

static void huge_rank(struct nnaccel_result *r)
{
	shape_of(r)->rank = UINT32_MAX;
}
static void other_rank(struct nnaccel_result *r)
{
	shape_of(r)->rank = 1;
}
static void other_dims(struct nnaccel_result *r)
{
	shape_of(r)->dims[1] = 3;
}
static void huge_dims(struct nnaccel_result *r)
{
	shape_of(r)->dims[0] = UINT32_MAX;
}
static void other_size(struct nnaccel_result *r)
{
	shape_of(r)->size = UINT64_MAX;
}
static void unknown_flag(struct nnaccel_result *r)
{
	shape_of(r)->flags |= 1u << 31;
}
static void insufficient(struct nnaccel_result *r)
{
	shape_of(r)->flags = NNACCEL_OUTPUT_KNOWN;
}
static void unknown_shape(struct nnaccel_result *r)
{
	shape_of(r)->flags = NNACCEL_OUTPUT_SUFFICIENT;
}
static void nothing(struct nnaccel_result *r)
{
	memset(r, 0, sizeof(*r) + sizeof(*shape_of(r)));
}

/*
 * A job that the kernel calls good, with a result that cannot be: no success, no output, no shape.
 */
TEST(test_hostile_results)
{
	static void (*const spoils[])(struct nnaccel_result *) = {
		wrong_seqno,  wrong_status,  more_outputs, no_outputs, huge_rank,
		other_rank,   other_dims,    huge_dims,	   other_size, unknown_flag,
		insufficient, unknown_shape, nothing,
	};

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		fake->num_jobs = 0;
		fake->jobs[0] = (struct fake_job){ .spoil = spoils[i] };
		assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
		assert_int_not_equal(result.message[0], '\0');
		untouched();
	}
	fake->num_jobs = 0;
	fake->jobs[0] =
		(struct fake_job){ .status = NNACCEL_STATUS_INTERNAL, .spoil = no_terminator };
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_true(strlen(result.message) < sizeof(result.message));
	untouched();
	/* a result of an earlier job is not taken for this one's */
	fake->num_jobs = 0;
	fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_BAD_PROGRAM,
					   .text = "old",
					   .spoil = wrong_seqno };
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	assert_null(strstr(result.message, "old"));
	untouched();
}

TEST(test_lying_clock)
{
	fake->jobs[0] = (struct fake_job){ .start_ns = 1, .end_ns = UINT64_MAX };
	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	assert_true(result.timing.on_device_ns >= 0);
	assert_true(result.timing.on_device_ns <= result.timing.in_driver_ns);
	fake->jobs[1] = (struct fake_job){ .start_ns = 1000, .end_ns = 1 };
	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	assert_int_equal(result.timing.on_device_ns, 0);
	nnhal_execution_result_clear(&result);
}

TEST(test_contradicting_fence)
{
	fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_OK, .error = -EIO };
	assert_int_equal(run(HAL_SYNC), NNHAL_GENERAL_FAILURE);
	untouched();
}

TEST(test_submit_contents)
{
	struct nnhal_execution_config config = hal_config(false);
	int64_t now;

	assert_int_equal(run(HAL_SYNC), NNHAL_NONE);
	assert_int_equal(fake->last.deadline_ns, 0);
	assert_int_equal(fake->last.loop_ns, NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
	assert_int_equal(fake->last.num_args, 3);
	assert_int_equal(fake->last.num_wait_fds, 0);
	assert_true(fake->last.program_generation > 0);

	now = nnutil_monotonic_ns();
	nnhal_execution_result_clear(&result);
	config.loop_timeout_ns = NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
	assert_int_equal(hal_run(pm, HAL_SYNC, &call.request, &config, hal_now_ns() + 5000000000,
				 &result),
			 NNHAL_NONE);
	/* from CLOCK_BOOTTIME to CLOCK_MONOTONIC */
	assert_true(fake->last.deadline_ns > (uint64_t)now + 4900000000u);
	assert_true(fake->last.deadline_ns < (uint64_t)now + 6000000000u);
	assert_int_equal(fake->last.loop_ns, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
	nnhal_execution_result_clear(&result);
}

/* ---- jobs with fences ---- */

static struct nnhal_fenced_callback *launch(int64_t duration_ns, int *fence)
{
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_fenced_callback *cb;

	fake->base.fences = true;
	assert_int_equal(pm->ops->execute_fenced(pm, &call.request, NULL, 0, &config, NNHAL_NO_TIME,
						 duration_ns, fence, &cb),
			 NNHAL_NONE);
	assert_non_null(cb);
	return cb;
}

/* No time is left: no job is submitted, with or without in-fences. */
TEST(test_no_duration_left)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *cb;
	int fence;

	fake->base.fences = true;
	fake->num_jobs = 0;
	assert_int_equal(pm->ops->execute_fenced(pm, &call.request, NULL, 0, &config, NNHAL_NO_TIME,
						 0, &fence, &cb),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(fake->num_jobs, 0);
	assert_int_equal(fence, -1);
}

TEST(test_fence_is_answered_at_once)
{
	struct nnhal_timing launched, fenced;
	struct nnhal_fenced_callback *cb;
	int fence;

	fake->jobs[0].hold = true;
	cb = launch(5000000000, &fence);
	assert_true(fence >= 0);
	assert_true(fake->last.deadline_ns > 0); /* the duration, because there is no in-fence */
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced),
			 NNHAL_GENERAL_FAILURE);
	assert_int_equal(launched.in_driver_ns, NNHAL_NO_TIME);
	fake_release();
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced), NNHAL_NONE);
	assert_true(launched.in_driver_ns >= 0);
	hal_check_add(&call);
	cb->ops->destroy(cb);
	close(fence);
}

/* Its fence is public: a lost job is not run again, it ends in error. */
TEST(test_lost_fenced_job)
{
	struct nnhal_timing launched, fenced;
	struct nnhal_fenced_callback *cb;
	int fence;

	fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_INNOCENT, .hold = true };
	cb = launch(NNHAL_NO_TIME, &fence);
	fake_release();
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced),
			 NNHAL_GENERAL_FAILURE);
	assert_int_equal(fake->num_jobs, 1);
	cb->ops->destroy(cb);
	close(fence);
}

TEST(test_fenced_on_a_banned_queue)
{
	struct nnhal_timing launched, fenced;
	struct nnhal_fenced_callback *cb;
	int fence;

	fake->jobs[0].submit = -ECANCELED;
	cb = launch(NNHAL_NO_TIME, &fence);
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced), NNHAL_NONE);
	assert_int_equal(fake->queues_created, 2);
	cb->ops->destroy(cb);
	close(fence);
}

/* Callback and model are destroyed before the job ends: its end frees everything. */
TEST(test_abandoned_fenced_jobs)
{
	int fences[4];

	for (int i = 0; i < 4; i++) {
		struct nnhal_fenced_callback *cb;

		fake->jobs[i].hold = true;
		cb = launch(NNHAL_NO_TIME, &fences[i]);
		cb->ops->destroy(cb);
	}
	pm->ops->destroy(pm);
	pm = NULL;
	assert_false(fake->destroyed);
	assert_int_equal(fake->jobs_alive, 4);
	fake_release();
	for (int i = 0; i < 4; i++) {
		hal_fence_wait(fences[i]);
		close(fences[i]);
	}
	hal_check_add(&call);
}

/* The client asks while the library waits for the same job: one of the two finishes it, once. */
TEST(test_asking_races_with_the_end)
{
	for (int round = 0; round < 200; round++) {
		struct nnhal_timing launched, fenced;
		struct nnhal_fenced_callback *cb;
		enum nnhal_status status;
		int fence;

		fake->num_jobs = 0;
		fake->jobs[0].hold = true;
		cb = launch(NNHAL_NO_TIME, &fence);
		if (round % 2)
			usleep(200); /* another order of release and wait */
		fake_release();
		hal_fence_wait(fence);
		status = cb->ops->get_execution_info(cb, &launched, &fenced);
		cb->ops->destroy(cb);
		close(fence);
		assert_int_equal(status, NNHAL_NONE);
	}
}

TEST(test_status_names)
{
	static const struct {
		enum nnhal_status status;
		int code;
	} rows[] = {
		{ NNHAL_NONE, 0 },
		{ NNHAL_INVALID_ARGUMENT, 4 },
		{ NNHAL_GENERAL_FAILURE, 5 },
		{ NNHAL_OUTPUT_INSUFFICIENT_SIZE, 8 },
		{ NNHAL_DEVICE_UNAVAILABLE, 9 },
		{ NNHAL_MISSED_DEADLINE_TRANSIENT, 10 },
		{ NNHAL_MISSED_DEADLINE_PERSISTENT, 11 },
		{ NNHAL_RESOURCE_EXHAUSTED_TRANSIENT, 12 },
		{ NNHAL_RESOURCE_EXHAUSTED_PERSISTENT, 13 },
		{ NNHAL_DEAD_OBJECT, 14 },
		{ (enum nnhal_status)4711, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(nnhal_status_result_code(rows[i].status), rows[i].code);
		assert_non_null(nnhal_status_name(rows[i].status));
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_good),
		CASE(test_innocent_runs_again),
		CASE(test_innocent_twice),
		CASE(test_guilty_gets_a_new_queue),
		CASE(test_banned_at_submit),
		CASE(test_refused_submit),
		CASE(test_every_status),
		CASE(test_guilty_and_late),
		CASE(test_waiting_fails),
		CASE(test_messages),
		CASE(test_insufficient),
		CASE(test_hostile_results),
		CASE(test_lying_clock),
		CASE(test_contradicting_fence),
		CASE(test_submit_contents),
		CASE(test_no_duration_left),
		CASE(test_fence_is_answered_at_once),
		CASE(test_lost_fenced_job),
		CASE(test_fenced_on_a_banned_queue),
		CASE(test_abandoned_fenced_jobs),
		CASE(test_asking_races_with_the_end),
		cmocka_unit_test(test_status_names),
	};

	return cmocka_run_group_tests_name("hal-recovery", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * IBurst: results, memory tokens, one execution in flight, and a steady state without allocations.
 */
#include "allocations.h"
#include "hal_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- fixture ---- */

static struct nnhal_prepared_model *pm;
static struct nnhal_burst *burst;
static struct hal_call c;
static const int64_t numbers[2] = { 11, 12 };

FIXTURE(fresh)
{
	pm = hal_prepare(hal_dev, hal_model_add());
	if (pm->ops->configure_burst(pm, &burst) != NNHAL_NONE)
		return -1;
	hal_call_add(&c, true);
	return 0;
}

FIXTURE(done)
{
	if (burst)
		burst->ops->destroy(burst);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	return 0;
}

static enum nnhal_status run_at(const int64_t *tokens, uint32_t num_tokens, int64_t deadline_ns)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	status = burst->ops->execute_synchronously(burst, &c.request, tokens, num_tokens, &config,
						   deadline_ns, &result);
	if (status != NNHAL_NONE && status != NNHAL_OUTPUT_INSUFFICIENT_SIZE) {
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.on_device_ns, NNHAL_NO_TIME);
	}
	nnhal_execution_result_clear(&result);
	return status;
}

static enum nnhal_status run(const int64_t *tokens)
{
	return run_at(tokens, 2, NNHAL_NO_TIME);
}

/* [VTS] results and timing by burst */
TEST(test_execute)
{
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	for (int i = 0; i < 5; i++) {
		memset(hal_out(&c, 0), 0xa5, 16);
		((float *)hal_in(&c, 0))[0] = 1;
		assert_int_equal(burst->ops->execute_synchronously(burst, &c.request, numbers, 2,
								   &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		hal_check_add(&c);
		assert_true(result.timing.on_device_ns >= 0);
		assert_true(result.timing.on_device_ns <= result.timing.in_driver_ns);
		nnhal_execution_result_clear(&result);
	}
	/* the contents are read anew */
	((float *)hal_in(&c, 0))[0] = 5;
	assert_int_equal(run(numbers), NNHAL_NONE);
	assert_true(((float *)hal_out(&c, 0))[0] == 15);
}

/* [VTS] as many tokens as pools, each -1 or more */
TEST(test_tokens)
{
	static const int64_t none[] = { -1, -1 }, bad[] = { 1, -2 }, three[] = { 1, 2, 3 };
	static const int64_t large[] = { INT64_MAX, INT64_MAX - 1 };

	assert_int_equal(run(bad), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run_at(three, 3, NNHAL_NO_TIME), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run_at(three, 1, NNHAL_NO_TIME), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run_at(NULL, 0, NNHAL_NO_TIME), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run_at(NULL, 2, NNHAL_NO_TIME), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run(none), NNHAL_NONE);
	assert_int_equal(run(large), NNHAL_NONE);
	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_check_add(&c);
}

/* [VTS] releasing: -2 is an error, unknown numbers, -1 and doing it twice are not */
TEST(test_release)
{
	assert_int_equal(run(numbers), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, -2), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(burst->ops->release_memory_resource(burst, INT64_MIN),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(burst->ops->release_memory_resource(burst, -1), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, 4711), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, numbers[0]), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, numbers[0]), NNHAL_NONE);
	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_check_add(&c);
}

/* A released number may mean another memory; one that was not released may not. */
TEST(test_number_again)
{
	struct hal_call other, saved = c;

	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_call_init(&other, true, HAL_LIST(16, 8, 256), HAL_LIST(16));
	memcpy(hal_in(&other, 0), (const float[]){ 100, 200, 300, 400 }, 16);
	memcpy(hal_in(&other, 1), (const float[]){ 1, 2 }, 8);
	c.pools[0] = other.pools[0];
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(burst->ops->release_memory_resource(burst, numbers[0]), NNHAL_NONE);
	assert_int_equal(run(numbers), NNHAL_NONE);
	assert_true(((float *)hal_out(&c, 0))[3] == 402);
	c.pools[0] = saved.pools[0];
	hal_call_fini(&other);
}

/* What a number means was imported once: the descriptor of a known memory is not looked at. */
TEST(test_imported_once)
{
	int in = c.pools[0].memory.fd, out = c.pools[1].memory.fd;

	assert_int_equal(run(numbers), NNHAL_NONE);
	c.pools[0].memory.fd = c.pools[1].memory.fd = -1;
	((float *)hal_in(&c, 0))[1] = 7;
	assert_int_equal(run(numbers), NNHAL_NONE);
	assert_true(((float *)hal_out(&c, 0))[1] == 27);
	assert_int_equal(burst->ops->release_memory_resource(burst, numbers[0]), NNHAL_NONE);
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	c.pools[0].memory.fd = in;
	c.pools[1].memory.fd = out;
}

/* Requests that do not fit: refused, and the burst works on. [VTS] */
TEST(test_bad_requests)
{
	struct nnhal_request good = c.request;

	c.request.num_inputs = 1;
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	c.request = good;
	c.request.num_outputs = 0;
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	c.request = good;
	c.inputs[0].length = 15;
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	c.inputs[0].length = 16;
	assert_int_equal(run_at(numbers, 2, -2), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(run_at(numbers, 2, hal_now_ns()), NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(run_at(numbers, 2, INT64_MAX), NNHAL_NONE);
	hal_check_add(&c);
}

/* A file that can shrink is looked at each time. */
TEST(test_file_that_shrinks)
{
	struct hal_call files, saved = c;

	hal_call_add(&files, false);
	c = files;
	c.request.inputs = c.inputs;
	c.request.outputs = c.outputs;
	c.request.pools = c.pools;
	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_check_add(&c);
	assert_int_equal(ftruncate(c.pools[1].memory.fd, 8), 0);
	assert_int_equal(run(numbers), NNHAL_INVALID_ARGUMENT);
	hal_call_fini(&files);
	c = saved;
	c.request.inputs = c.inputs;
	c.request.outputs = c.outputs;
	c.request.pools = c.pools;
}

#if COUNTS_ALLOCATIONS
TEST(test_no_allocation)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	for (int i = 0; i < 20; i++)
		assert_int_equal(run(numbers), NNHAL_NONE);
	assert_true(allocations_are_seen());
	/* marks for strace: what is between them is the steady state */
	syscall(SYS_getppid);
	allocations_begin();
	for (int i = 0; i < 100; i++) {
		enum nnhal_status status;

		status = burst->ops->execute_synchronously(burst, &c.request, numbers, 2, &config,
							   NNHAL_NO_TIME, &result);
		if (status)
			break;
	}
	allocations_end();
	syscall(SYS_getppid);
	assert_int_equal(allocations, 0);
	assert_string_equal(result.message, "");
	hal_check_add(&c);
}
#endif

struct rival {
	struct hal_call call;
	atomic_bool stop, running;
	atomic_int bad;
};

static void *compete(void *arg)
{
	struct rival *r = arg;
	struct nnhal_execution_config config = hal_config(false);
	static const int64_t mine[] = { 21, 22 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	while (!r->stop) {
		r->running = true;
		status = burst->ops->execute_synchronously(burst, &r->call.request, mine, 2,
							   &config, NNHAL_NO_TIME, &result);
		nnhal_execution_result_clear(&result);
		r->bad += status != NNHAL_NONE && status != NNHAL_GENERAL_FAILURE;
		burst->ops->release_memory_resource(burst, mine[0]);
		usleep(200); /* clock: a chance for the other thread */
	}
	return NULL;
}

/* Two threads on one burst: each call succeeds or fails because another is in flight. */
TEST(test_one_in_flight)
{
	struct rival r = { 0 };
	pthread_t thread;
	int64_t until = hal_now_ns() + 30000000000;
	int good = 0, refused = 0;

	hal_call_add(&r.call, true);
	assert_int_equal(pthread_create(&thread, NULL, compete, &r), 0);
	while (!r.running)
		sched_yield();
	for (int i = 0; i < 500 || ((!good || !refused) && hal_now_ns() < until); i++) {
		enum nnhal_status status = run(numbers);

		assert_true(status == NNHAL_NONE || status == NNHAL_GENERAL_FAILURE);
		good += status == NNHAL_NONE;
		refused += status != NNHAL_NONE;
	}
	r.stop = true;
	pthread_join(thread, NULL);
	assert_int_equal(r.bad, 0);
	assert_true(good > 0);
	assert_true(refused > 0);
	hal_call_fini(&r.call);
	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_check_add(&c);
}

/* The burst outlives its model's user. */
TEST(test_model_destroyed_first)
{
	pm->ops->destroy(pm);
	assert_int_equal(run(numbers), NNHAL_NONE);
	hal_check_add(&c);
	pm = hal_prepare(hal_dev, hal_model_add());
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_execute),
		CASE(test_tokens),
		CASE(test_release),
		CASE(test_number_again),
		CASE(test_imported_once),
		CASE(test_bad_requests),
		CASE(test_file_that_shrinks),
#if COUNTS_ALLOCATIONS
		CASE(test_no_allocation),
#endif
		CASE(test_one_in_flight),
		CASE(test_model_destroyed_first),
	};

	return cmocka_run_group_tests_name("hal-burst", tests, hal_setup, hal_teardown);
}

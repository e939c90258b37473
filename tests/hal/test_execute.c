// SPDX-License-Identifier: Apache-2.0
/* Results against hand computation by every executor, output shapes, timing, counters. */
#include "descriptors.h"
#include "hal_test.h"
#include "lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(test_add)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		for (int device_memory = 0; device_memory < 2; device_memory++) {
			hal_call_add(&c, device_memory);
			assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 NNHAL_NONE);
			hal_check_add(&c);
			assert_string_equal(result.message, "");
			assert_int_equal(result.timing.on_device_ns, NNHAL_NO_TIME);
			assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
			if (result.num_shapes) {
				assert_int_equal(result.num_shapes, 1);
				assert_true(result.shapes[0].sufficient);
				assert_int_equal(result.shapes[0].rank, 2);
				assert_int_equal(result.shapes[0].dims[0], 2);
			}
			nnhal_execution_result_clear(&result);
			hal_call_fini(&c);
		}
	}
	pm->ops->destroy(pm);
}

TEST(test_conv)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_conv());
	struct nnhal_execution_config config = hal_config(false);
	/* rows 1 2 3 / 4 5 6 / 7 8 9; 1*1 + 2*2 + 3*4 + 4*5 + 0.5, and so on */
	static const float expect[] = { 37.5f, 47.5f, 67.5f, 77.5f };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;
	float *in, *out;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		hal_call_init(&c, false, HAL_LIST(36), HAL_LIST(16));
		in = hal_in(&c, 0);
		for (int i = 0; i < 9; i++)
			in[i] = (float)(i + 1);
		assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		out = hal_out(&c, 0);
		for (int i = 0; i < 4; i++)
			assert_true(out[i] > expect[i] - 1e-4f && out[i] < expect[i] + 1e-4f);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

TEST(test_conv_int8)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_conv_int8());
	struct nnhal_execution_config config = hal_config(false);
	/*
	 * channel 0: accumulator (q - 1) * 2 + 4, times 0.5 * 0.5 / 0.5 = 0.5, minus 1;
	 * channel 1: (q - 1) * -3 + 8, times 0.5 * 0.25 / 0.5 = 0.25, minus 1; ties to even,
	 * clamped
	 */
	static const int8_t in[] = { 1, 5, -7, 127 };
	static const int8_t expect[] = { 1, 1, 5, -2, -7, 7, 127, -93 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		hal_call_init(&c, false, HAL_LIST(4), HAL_LIST(8));
		memcpy(hal_in(&c, 0), in, sizeof(in));
		assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		assert_memory_equal(hal_out(&c, 0), expect, sizeof(expect));
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

/* Shapes that only the request specifies; different ones on one prepared model. */
TEST(test_dynamic)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (int how = HAL_SYNC; how <= HAL_ASYNC; how++) {
		for (uint32_t rows = 1; rows < 4; rows++) {
			hal_call_init(&c, false, HAL_LIST(rows * 8, 8), HAL_LIST(rows * 8));
			c.inputs[0].rank = 2;
			c.inputs[0].dims = HAL_DIMS(rows, 2);
			c.inputs[1].rank = 1;
			c.inputs[1].dims = HAL_DIMS(2);
			for (uint32_t i = 0; i < rows * 2; i++)
				((float *)hal_in(&c, 0))[i] = (float)i;
			memcpy(hal_in(&c, 1), (const float[]){ 100, 200 }, 8);
			assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 NNHAL_NONE);
			for (uint32_t i = 0; i < rows * 2; i++)
				assert_true(((float *)hal_out(&c, 0))[i] ==
					    (float)i + (i % 2 ? 200 : 100));
			assert_int_equal(result.num_shapes, 1);
			assert_true(result.shapes[0].sufficient);
			assert_int_equal(result.shapes[0].rank, 2);
			assert_int_equal(result.shapes[0].dims[0], rows);
			assert_int_equal(result.shapes[0].dims[1], 2);
			nnhal_execution_result_clear(&result);
			hal_call_fini(&c);
		}
	}
	pm->ops->destroy(pm);
}

TEST(test_output_insufficient)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (int how = HAL_SYNC; how <= HAL_ASYNC; how++) {
		hal_call_init(&c, false, HAL_LIST(16, 8), HAL_LIST(16));
		c.inputs[0].rank = 2;
		c.inputs[0].dims = HAL_DIMS(2, 2);
		c.inputs[1].rank = 1;
		c.inputs[1].dims = HAL_DIMS(2);
		/* one byte short; padding is not for outputs */
		c.outputs[0].length = 15;
		c.outputs[0].padding = 1;
		assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(result.num_shapes, 1);
		assert_false(result.shapes[0].sufficient);
		assert_int_equal(result.shapes[0].rank, 2);
		assert_int_equal(result.shapes[0].dims[0], 2);
		assert_int_equal(result.shapes[0].dims[1], 2);
		assert_int_equal(result.timing.on_device_ns, NNHAL_NO_TIME);
		assert_int_equal(((uint8_t *)hal_out(&c, 0))[15], 0xa5);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

TEST(test_timing)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_conv());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		hal_call_init(&c, how == HAL_FENCED, HAL_LIST(36), HAL_LIST(16));
		memset(hal_in(&c, 0), 0, 36);
		assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		assert_true(result.timing.on_device_ns >= 0);
		assert_true(result.timing.in_driver_ns > 0);
		assert_true(result.timing.on_device_ns <= result.timing.in_driver_ns);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

TEST(test_deadlines)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_add(&c, false);
	for (int how = 0; how < HAL_EXECUTORS; how++) {
		assert_int_equal(hal_run(pm, how, &c.request, &config, hal_now_ns(), &result),
				 NNHAL_MISSED_DEADLINE_PERSISTENT);
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
		nnhal_execution_result_clear(&result);
		assert_int_equal(hal_status(pm, how, &c.request, &config, INT64_MAX), NNHAL_NONE);
		assert_int_equal(hal_run(pm, how, &c.request, &config, hal_now_ns() + 60000000000ll,
					 &result),
				 NNHAL_NONE);
		nnhal_execution_result_clear(&result);
		assert_int_equal(hal_run(pm, how, &c.request, &config, -2, &result),
				 NNHAL_INVALID_ARGUMENT);
		assert_int_equal(result.num_shapes, 0);
		nnhal_execution_result_clear(&result);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A deadline that comes during the run ends it, long before it would have ended. */
TEST(test_deadline_during_run)
{
	const uint32_t elements = 1 << 20, bytes = elements * 4;
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_long(1000, elements));
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;
	int64_t start;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		hal_call_init(&c, how == HAL_FENCED, &bytes, 1, &bytes, 1);
		start = hal_now_ns();
		assert_int_equal(hal_run(pm, how, &c.request, &config, start + 400000000, &result),
				 NNHAL_MISSED_DEADLINE_TRANSIENT);
		assert_true(hal_now_ns() - start < 2400000000);
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);

	/* and the device works on */
	pm = hal_prepare(hal_dev, hal_model_add());
	hal_call_add(&c, false);
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	hal_check_add(&c);
	nnhal_execution_result_clear(&result);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* Arguments that are not aligned for their type are staged, everywhere. */
TEST(test_unaligned)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_counters before = { .size = sizeof(before) },
			      after = { .size = sizeof(after) };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_add(&c, true);
	for (int i = 0; i < 2; i++) {
		memmove((uint8_t *)hal_in(&c, 0) + 1, hal_in(&c, 0), 16);
		c.inputs[0].offset++;
		c.outputs[0].offset++;
		nnhal_device_get_counters(hal_dev, &before);
		assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		nnhal_device_get_counters(hal_dev, &after);
		assert_memory_equal(hal_out(&c, 0), ((const float[]){ 11, 22, 13, 24 }), 16);
		assert_int_equal(after.bytes_staged_in - before.bytes_staged_in, 16);
		assert_int_equal(after.bytes_staged_out - before.bytes_staged_out, 16);
		assert_int_equal(after.bytes_in_place - before.bytes_in_place, 8);
		nnhal_execution_result_clear(&result);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* Device memory is used in place; other memory is staged on a card, in place in process. */
TEST(test_counters)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_counters before = { .size = sizeof(before) },
			      after = { .size = sizeof(after) };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	uint64_t staged_in, staged_out, in_place;
	struct hal_call c;

	for (int device_memory = 0; device_memory < 2; device_memory++) {
		hal_call_add(&c, device_memory);
		nnhal_device_get_counters(hal_dev, &before);
		for (int i = 0; i < 5; i++) {
			assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 NNHAL_NONE);
			nnhal_execution_result_clear(&result);
		}
		nnhal_device_get_counters(hal_dev, &after);
		staged_in = after.bytes_staged_in - before.bytes_staged_in;
		staged_out = after.bytes_staged_out - before.bytes_staged_out;
		in_place = after.bytes_in_place - before.bytes_in_place;
		assert_int_equal(after.executions - before.executions, 5);
		if (device_memory || !hal_is_card()) {
			assert_int_equal(staged_in, 0);
			assert_int_equal(staged_out, 0);
			assert_int_equal(in_place, 5 * 40);
		} else {
			assert_int_equal(staged_in, 5 * 24);
			assert_int_equal(staged_out, 5 * 16);
			assert_int_equal(in_place, 0);
		}
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

/* Writable memory of @size bytes that cannot shrink. */
static struct nnhal_request_pool sealed_pool(size_t size, float **map)
{
	struct nnhal_request_pool pool = { .memory = { .prot = PROT_READ | PROT_WRITE,
						       .size = size } };

	pool.memory.fd = memfd_sealed(size, F_SEAL_SHRINK);
	*map = memfd_map(pool.memory.fd, size);
	return pool;
}

/*
 * Large sealed memfds are used in place: in process by mapping, on a card through udmabuf, if it is
 * there.
 */
TEST(test_sealed_memfd)
{
	const uint32_t elements = 1 << 16, bytes = elements * 4;
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_long(1, elements));
	struct nnhal_execution_config config = hal_config(false);
	/* of -101, -100 and -99; that of 100 is the second one with the other sign */
	static const float sines[] = { -0.452025787f, 0.506365641f, 0.999206834f };
	/* The emulated device of the running kernel imports nothing. */
	bool in_place = !hal_is_card() ||
			(!access("/dev/udmabuf", R_OK | W_OK) && !getenv("NN_TEST_NO_IMPORTS"));
	struct nnhal_request_argument arg[2] = { { .length = bytes },
						 { .pool = 1, .length = bytes } };
	struct nnhal_request_pool pools[2];
	struct nnhal_request request = { .size = sizeof(request),
					 .inputs = &arg[0],
					 .outputs = &arg[1],
					 .num_inputs = 1,
					 .num_outputs = 1,
					 .pools = pools,
					 .num_pools = 2 };
	struct nnhal_counters before = { .size = sizeof(before) },
			      after = { .size = sizeof(after) };
	float *in, *out;

	pools[0] = sealed_pool(bytes, &in);
	pools[1] = sealed_pool(bytes, &out);
	nnhal_device_get_counters(hal_dev, &before);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < elements; i++)
			in[i] = i % 2 ? 100.0f : (float)round - 101.0f;
		assert_int_equal(hal_status(pm, HAL_SYNC, &request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
		for (uint32_t i = 0; i < elements; i++)
			assert_float_equal(out[i], (i % 2 ? -sines[1] : sines[round]), 1e-6f);
		memset(out, 0, bytes);
	}
	nnhal_device_get_counters(hal_dev, &after);
	assert_int_equal(after.bytes_in_place - before.bytes_in_place, in_place ? 6 * bytes : 0);
	assert_int_equal(after.bytes_staged_in - before.bytes_staged_in, in_place ? 0 : 3 * bytes);
	munmap(in, bytes);
	munmap(out, bytes);
	close(pools[0].memory.fd);
	close(pools[1].memory.fd);
	pm->ops->destroy(pm);
}

static size_t descriptors(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/*
 * A device without the imports of earlier tests: those that are idle are freed after a moment, and
 * their descriptors would go while a test counts.
 */
static int open_again(void **state)
{
	hal_teardown(state);
	return hal_setup(state);
}

/* The steady state keeps no new mapping and no new descriptor. */
TEST(test_steady_state)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	size_t maps = 0, fds = 0;
	struct hal_call c;

	hal_call_add(&c, false);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
		if (i == 20) {
			maps = lines_count("/proc/self/maps", NULL);
			fds = descriptors();
		}
	}
	assert_true(lines_count("/proc/self/maps", NULL) <= maps + 4); /* the C library's heap may
									  grow */
	assert_int_equal(descriptors(), fds);
	hal_check_add(&c);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/*
 * Crash handlers run on stacks of 8 KiB, the old SIGSTKSZ. The kernel refuses these to a process
 * that has requested AMX's registers: a library must not do so for an application.
 */
TEST(test_small_signal_stack)
{
	static uint8_t memory[8192];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) }, before;

	assert_int_equal(sigaltstack(&stack, &before), 0);
	assert_int_equal(sigaltstack(&before, NULL), 0);
}

/* More memories than are remembered, each used for one execution only. */
TEST(test_many_memories)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;
	size_t maps = 0;

	for (int i = 0; i < 300; i++) {
		hal_call_add(&c, i % 2);
		assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		hal_check_add(&c);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
		if (i == 150)
			maps = lines_count("/proc/self/maps", NULL);
	}
	assert_true(lines_count("/proc/self/maps", NULL) < maps + 16);
	pm->ops->destroy(pm);
}

TEST(test_memory_create)
{
	struct nnhal_device foreign = { 0 };
	uint8_t *p;
	int fd;

	assert_true(nnhal_memory_create(hal_dev, 0, &fd) < 0);
	assert_int_equal(fd, -1);
	assert_true(nnhal_memory_create(hal_dev, UINT64_MAX, &fd) < 0);
	assert_true(nnhal_memory_create(&foreign, 4096, &fd) < 0);
	assert_int_equal(nnhal_memory_create(hal_dev, 10000, &fd), 0);
	p = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(p[9999], 0);
	p[9999] = 1;
	munmap(p, 10000);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_conv),
		cmocka_unit_test(test_conv_int8),
		cmocka_unit_test(test_small_signal_stack),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_output_insufficient),
		cmocka_unit_test(test_timing),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_deadline_during_run),
		cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_sealed_memfd),
		cmocka_unit_test_setup(test_steady_state, open_again),
		cmocka_unit_test(test_many_memories),
		cmocka_unit_test(test_memory_create),
	};

	return cmocka_run_group_tests_name("hal-execute", tests, hal_setup, hal_teardown);
}

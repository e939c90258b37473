// SPDX-License-Identifier: Apache-2.0
/*
 * Times of operations that a device writes behind the shapes of a result: what of them becomes
 * marks in the trace. The environment has NNTRACE_DETAIL=2.
 */
#include "hal_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/nnhal_driver.h"
#include "fake_transport.h"
#include "nnprog_opcode.h"
#include "nntrace.h"
#include "nnutil_file.h"
#include "temp.h"

static const char *path;
static uint32_t written; /* entries that the device claims to have written */
static struct nnaccel_op_time entry;

/* The model has one operation, so the HAL has room for one entry. */
static void write_times(struct nnaccel_result *r)
{
	r->num_op_times = written;
	memcpy((char *)(r + 1) + sizeof(struct nnaccel_output_shape), &entry, sizeof(entry));
}

/* Run a job, and count the marks of operations in the trace, as @mark if it is not NULL. */
static unsigned int run_and_count(bool op_times, const char *mark)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution_config config = hal_config(false);
	struct fake *fake = fake_create();
	struct nnhal_prepared_model *pm;
	struct hal_call call;
	struct nnhal_dev *dev;
	char message[256], *text;
	unsigned int count = 0;

	fake->base.op_times = op_times;
	fake->jobs[0].spoil = op_times ? write_times : NULL;
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(nnhal_dev_create(&fake->base, &dev, message, sizeof(message)), 0);
	pm = hal_prepare(&dev->base, hal_model_add());
	dev->base.ops->destroy(&dev->base);
	hal_call_add(&call, false);
	assert_int_equal(hal_run(pm, HAL_SYNC, &call.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	hal_check_add(&call);
	nnhal_execution_result_clear(&result);
	/* the result has room for the times if they are wanted */
	assert_int_equal(fake->last.result_size, sizeof(struct nnaccel_result) +
							 sizeof(struct nnaccel_output_shape) +
							 (op_times ? sizeof(entry) : 0));
	hal_call_fini(&call);
	pm->ops->destroy(pm);
	while (!fake->destroyed)
		usleep(100);
	free(fake);
	assert_int_equal(nnutil_read_file(path, 1 << 20, &text, NULL), 0);
	for (const char *at = text; (at = strstr(at, "]op ")) != NULL; at++) {
		count++;
		if (mark && strncmp(at + 1, mark, strlen(mark)))
			fail_msg("another mark: %.120s", at);
	}
	free(text);
	return count;
}

static void set_entry(uint32_t opcode, uint32_t type, uint64_t times, uint64_t ns)
{
	entry = (struct nnaccel_op_time){ .subgraph = 1,
					  .operation = 2,
					  .opcode = opcode,
					  .type = type,
					  .times = times,
					  .ns = ns,
					  .macs = 3,
					  .elements = 4,
					  .bytes = 5 };
	written = 1;
}

TEST(test_mark)
{
	set_entry(NNPROG_OP_BINARY, NNPROG_FLOAT32, 2, 3000);
	assert_int_equal(run_and_count(true, "op 1.2 BINARY float32 ns=1500 macs=3 elements=4 "
					     "bytes=5 times=2"),
			 1);
	set_entry(NNPROG_OP_BINARY, NNACCEL_OP_TIME_NO_TYPE, 1, 7);
	assert_int_equal(run_and_count(true, "op 1.2 BINARY none ns=7 "), 1);
}

/* A device in the process marks them itself. */
TEST(test_not_wanted)
{
	set_entry(NNPROG_OP_BINARY, NNPROG_FLOAT32, 1, 1);
	assert_int_equal(run_and_count(false, NULL), 0);
}

/* Numbers of a hostile device: no mark, or one with odd numbers, and the job succeeds. */
TEST(test_hostile)
{
	set_entry(NNPROG_OP_BINARY, NNPROG_FLOAT32, 1, 1);
	written = UINT32_MAX;
	assert_int_equal(run_and_count(true, "op 1.2 BINARY "), 1);
	written = 0;
	assert_int_equal(run_and_count(true, NULL), 0);
	set_entry(4444, NNPROG_FLOAT32, 1, 1);
	assert_int_equal(run_and_count(true, NULL), 0);
	set_entry(UINT32_MAX, NNPROG_FLOAT32, 1, 1);
	assert_int_equal(run_and_count(true, NULL), 0);
	set_entry(NNPROG_OP_BINARY, NNPROG_FLOAT32, 0, 1);
	assert_int_equal(run_and_count(true, NULL), 0);
	set_entry(NNPROG_OP_BINARY, 4444, 1, UINT64_MAX);
	entry.subgraph = entry.operation = UINT32_MAX;
	assert_int_equal(run_and_count(true, "op 4294967295.4294967295 BINARY "), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_not_wanted),
		cmocka_unit_test(test_hostile),
	};
	char target[128];

	path = temp_path("trace");
	temp_write_text(path, "");
	snprintf(target, sizeof(target), "file:%s", path);
	setenv("NNTRACE", target, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * fork(): a child computes with objects of its own; every inherited object answers DEAD_OBJECT at
 * once and can be destroyed, and the parent is not affected. A child that hangs is killed, and the
 * test fails.
 */
#include "eventually.h"
#include "hal_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "lines.h"

#define THREADS 4
#define FORKS 30

/* ---- one of each object ---- */

static struct {
	struct nnhal_prepared_model *pm;
	struct hal_call call;
	struct nnhal_burst *burst;
	struct nnhal_execution *execution;
	struct nnhal_buffer *buffer;
	uint32_t token;
} all;

static void make_all(void)
{
	const struct nnhal_buffer_role in = { 0, 0, 1.0f }, out = { 0, 0, 1.0f };
	const struct nnhal_execution_config config = hal_config(false);
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };

	all.pm = hal_prepare(hal_dev, hal_model_add());
	hal_call_add(&all.call, false);
	assert_int_equal(all.pm->ops->configure_burst(all.pm, &all.burst), NNHAL_NONE);
	assert_int_equal(all.pm->ops->create_reusable_execution(all.pm, &all.call.request, &config,
								&all.execution),
			 NNHAL_NONE);
	assert_int_equal(hal_dev->ops->allocate(hal_dev, &desc, &all.pm, 1, &in, 1, &out, 1,
						&all.buffer, &all.token),
			 NNHAL_NONE);
}

static void destroy_all(void)
{
	all.execution->ops->destroy(all.execution);
	all.burst->ops->destroy(all.burst);
	all.buffer->ops->destroy(all.buffer);
	all.pm->ops->destroy(all.pm);
}

static bool computes(struct nnhal_prepared_model *pm, struct hal_call *call, enum hal_executor how)
{
	static const float expect[] = { 11, 22, 13, 24 };
	const struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	memset(hal_out(call, 0), 0, sizeof(expect));
	status = hal_run(pm, how, &call->request, &config, NNHAL_NO_TIME, &result);
	nnhal_execution_result_clear(&result);
	return status == NNHAL_NONE && !memcmp(hal_out(call, 0), expect, sizeof(expect));
}

/* With whatever the parent had: the parent goes on. */
static void parent_computes(void)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	const int64_t tokens[] = { 7, 8 };
	const struct nnhal_execution_config config = hal_config(false);

	for (int how = 0; how < HAL_ALL_EXECUTORS; how++)
		assert_true(computes(all.pm, &all.call, how));
	assert_int_equal(all.burst->ops->execute_synchronously(all.burst, &all.call.request, tokens,
							       2, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	nnhal_execution_result_clear(&result);
	assert_int_equal(all.execution->ops->execute_synchronously(all.execution, NNHAL_NO_TIME,
								   &result),
			 NNHAL_NONE);
	nnhal_execution_result_clear(&result);
	hal_check_add(&all.call);
}

/* ---- code of the children ---- */

/* hal_prepare() on a device of the child's own, in each way. */
static int compute_anew(void)
{
	struct nnhal_device *dev = hal_open();
	struct nnhal_prepared_model *pm;
	struct hal_call call;

	CHECK(dev && dev->ops->get_status(dev) == NNHAL_AVAILABLE);
	pm = hal_prepare(dev, hal_model_add());
	hal_call_add(&call, false); /* memfds: device memory would be the inherited device's */
	for (int how = 0; how < HAL_ALL_EXECUTORS; how++)
		CHECK(computes(pm, &call, how));
	hal_call_fini(&call);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	return 0;
}

static int dead_device(void)
{
	const struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *waiter = hal_prepared_new(), reported;
	struct nnhal_capabilities caps = { .size = sizeof(caps) };
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnmodel *model = hal_model_add();
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	const struct nnhal_buffer_role in = { 0, 0, 1.0f };
	struct nnhal_buffer *buffer;
	uint32_t token;
	int fd;

	CHECK(hal_dev->ops->get_status(hal_dev) == NNHAL_OFFLINE);
	CHECK(hal_dev->ops->get_capabilities(hal_dev, &caps) == NNHAL_DEAD_OBJECT);
	CHECK(hal_dev->ops->prepare_model(hal_dev, model, &config, hal_prepared_cb, waiter) ==
	      NNHAL_DEAD_OBJECT);
	reported = hal_prepared_wait(waiter);
	CHECK(reported.calls == 1 && reported.status == NNHAL_DEAD_OBJECT && !reported.model &&
	      strstr(reported.message, "fork"));
	CHECK(hal_dev->ops->allocate(hal_dev, &desc, &all.pm, 1, &in, 1, NULL, 0, &buffer,
				     &token) == NNHAL_DEAD_OBJECT);
	CHECK(nnhal_memory_create(hal_dev, 4096, &fd) == -ENODEV && fd < 0);
	CHECK(nnhal_device_get_info(hal_dev, &info) == -ENODEV);
	nnmodel_free(model);
	return 0;
}

static int dead_objects(void)
{
	const struct nnhal_execution_config config = hal_config(false);
	struct nnhal_memory memory = all.call.pools[1].memory;
	struct nnhal_fenced_callback *callback;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	const int64_t tokens[] = { 7, 8 };
	int fence;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		CHECK(hal_run(all.pm, how, &all.call.request, &config, NNHAL_NO_TIME, &result) ==
		      NNHAL_DEAD_OBJECT);
		nnhal_execution_result_clear(&result);
	}
	CHECK(all.burst->ops->execute_synchronously(all.burst, &all.call.request, tokens, 2,
						    &config, NNHAL_NO_TIME,
						    &result) == NNHAL_DEAD_OBJECT);
	CHECK(strstr(result.message, "fork"));
	CHECK(all.burst->ops->release_memory_resource(all.burst, 7) == NNHAL_DEAD_OBJECT);
	CHECK(all.execution->ops->execute_synchronously(all.execution, NNHAL_NO_TIME, &result) ==
	      NNHAL_DEAD_OBJECT);
	CHECK(all.execution->ops->execute_fenced(all.execution, NULL, 0, NNHAL_NO_TIME,
						 NNHAL_NO_TIME, &fence,
						 &callback) == NNHAL_DEAD_OBJECT);
	memory.size = 16;
	CHECK(all.buffer->ops->copy_to(all.buffer, &memory) == NNHAL_DEAD_OBJECT);
	CHECK(all.buffer->ops->copy_from(all.buffer, &memory, 0, NULL) == NNHAL_DEAD_OBJECT);
	return 0;
}

/* The child has inherited neither a descriptor nor a mapping of a node; it has opened none yet. */
static int nothing_of_the_card(void)
{
	char path[64], name[256];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, name, sizeof(name) - 1);
		if (n < 0)
			continue;
		name[n] = '\0';
		CHECK(!strstr(name, "/dev/accel"));
	}
	CHECK(!lines_count("/proc/self/maps", "/dev/accel"));
	return 0;
}

static int destroys_inherited(void)
{
	destroy_all();
	hal_dev->ops->destroy(hal_dev);
	return 0;
}

static int child_of_all(void)
{
	int (*const steps[])(void) = { nothing_of_the_card, dead_device,	dead_objects,
				       compute_anew,	    destroys_inherited, compute_anew };
	int ret = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !ret; i++)
		ret = steps[i]();
	return ret;
}

/* ---- tests ---- */

TEST(test_objects)
{
	pid_t pid;

	make_all();
	parent_computes();
	pid = child_start(hal_forked, child_of_all);
	parent_computes();
	child_end(pid);
	parent_computes();
	destroy_all();
}

/* The child of a child, which has a device of its own. */
static int forks_again(void)
{
	struct nnhal_device *dev = hal_open();
	struct nnhal_prepared_model *pm = hal_prepare(dev, hal_model_add());
	struct hal_call call;
	pid_t pid;

	hal_call_add(&call, false);
	CHECK(computes(pm, &call, HAL_ASYNC));
	pid = fork();
	if (!pid) {
		hal_forked();
		alarm(CHILD_SECONDS);
		_exit(dev->ops->get_status(dev) != NNHAL_OFFLINE || compute_anew());
	}
	CHECK(!child_wait(pid));
	CHECK(computes(pm, &call, HAL_ASYNC));
	return 0;
}

TEST(test_grandchild)
{
	child_run(hal_forked, forks_again);
}

static atomic_bool stop;
static atomic_uint rounds;

static void *compute_on(void *unused)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct hal_call call;
	bool good = true;

	hal_call_add(&call, false);
	while (!stop && good) {
		for (int how = 0; how < HAL_ALL_EXECUTORS && good; how++)
			good = computes(pm, &call, how);
		rounds++;
		if (rounds % 8 == 0) {
			pm->ops->destroy(pm);
			pm = hal_prepare(hal_dev, hal_model_add());
		}
	}
	hal_call_fini(&call);
	pm->ops->destroy(pm);
	(void)unused;
	return (void *)(intptr_t)good;
}

/* Fork at any moment of the work of other threads. */
TEST(test_while_threads_compute)
{
	pthread_t threads[THREADS];
	pid_t pids[FORKS];
	void *good;

	stop = false;
	make_all();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, compute_on, NULL), 0);
	assert_true(EVENTUALLY(rounds >= THREADS));
	for (int i = 0; i < FORKS; i++) {
		pids[i] = child_start(hal_forked, i % 2 ? compute_anew : child_of_all);
		usleep(2000); /* clock: to fork at another moment of the computations */
		/* few at a time: each is a device of its own */
		if (i >= 2)
			child_end(pids[i - 2]);
	}
	child_end(pids[FORKS - 2]);
	child_end(pids[FORKS - 1]);
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_true((intptr_t)good);
	}
	destroy_all();
}

/* Fork before the first use of the library: there is no device yet. */
TEST(test_before_first_use)
{
	child_run(hal_forked, compute_anew);
	child_run(hal_forked, compute_anew);
}

int main(void)
{
	const struct CMUnitTest first[] = {
		cmocka_unit_test(test_before_first_use),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		/* the child's device has threads, too */
		forks_among_threads(test_grandchild),
		forks_among_threads(test_while_threads_compute),
	};
	int failed = cmocka_run_group_tests_name("hal-fork-first", first, NULL, NULL);

	return failed + cmocka_run_group_tests_name("hal-fork", tests, hal_setup, hal_teardown);
}

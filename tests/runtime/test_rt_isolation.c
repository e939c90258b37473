// SPDX-License-Identifier: Apache-2.0
/*
 * isolation = worker: vendor libraries stay out of the process, and a worker that is killed takes
 * nothing of it along. The other tests of the runtime run with such devices as well
 * (rt-isolated-...).
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "eventually.h"
#include "nnaccel_runtime.h"
#include "registry/nnr_registry.h"
#include "rt_graph.h"
#include "rt_case.h"
#include "task_state.h"

static struct nnhal_device_info info_of(const char *name)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	ANeuralNetworksDevice *device = rt_device(name);

	assert_int_equal(nnhal_device_get_info(nnr_device_enter(device), &info), 0);
	nnr_device_leave(device);
	assert_int_equal(info.isolation, NNHAL_ISOLATION_WORKER);
	return info;
}

static bool offline(const char *name)
{
	ANeuralNetworksDevice *device = rt_device(name);
	struct nnhal_device *hal = nnr_device_enter(device);
	enum nnhal_device_status status = hal->ops->get_status(hal);

	nnr_device_leave(device);
	return status == NNHAL_OFFLINE;
}

static void kill_worker(const char *name)
{
	const struct nnhal_device_info info = info_of(name);

	assert_true(info.worker_pid > 0);
	assert_int_equal(kill(info.worker_pid, SIGKILL), 0);
	assert_true(EVENTUALLY(offline(name)));
}

static uint32_t count(void)
{
	uint32_t n;

	RT_OK(ANeuralNetworks_getDeviceCount(&n));
	return n;
}

/* c = a + b of {1, 2, 3, 4} and {10, 20, 30, 40}. */
static int compute(ANeuralNetworksCompilation *c)
{
	const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
	ANeuralNetworksExecution *e = rt_execution(c);
	float out[4] = { 0 };
	int result;

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	result = ANeuralNetworksExecution_compute(e);
	for (int i = 0; result == ANEURALNETWORKS_NO_ERROR && i < 4; i++)
		assert_true(out[i] == a[i] + b[i]);
	ANeuralNetworksExecution_free(e);
	return result;
}

static ANeuralNetworksCompilation *compiled(const char *devices, const char *plan)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, devices, &c));
	assert_string_equal(rt_plan_text(c), plan);
	ANeuralNetworksModel_free(model);
	return c;
}

TEST(each_device_has_a_process)
{
	const struct nnhal_device_info a = info_of("a"), b = info_of("b");
	ANeuralNetworksCompilation *c;

	assert_int_equal(count(), 3);
	assert_true(a.worker_pid > 0 && b.worker_pid > 0);
	assert_int_not_equal(a.worker_pid, getpid());
	assert_int_not_equal(a.worker_pid, b.worker_pid);
	/* its code is not here */
	assert_int_equal(lines_count("/proc/self/maps", "libnnhal-testdev"), 0);
	assert_true(lines_count("/proc/self/maps", "libnnipc") > 0);
	c = compiled("a", "=a:ADD");
	RT_OK(compute(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(info_of("a").worker_restarts, 0);
}

TEST(executions_go_to_the_reference)
{
	ANeuralNetworksCompilation *c, *chosen;

	c = compiled(NULL, "=fast:ADD");
	chosen = compiled("fast", "=fast:ADD");
	RT_OK(compute(c));
	RT_OK(compute(chosen));
	kill_worker("fast");
	rt_listen_begin();
	RT_OK(compute(c));
	assert_int_equal(rt_listen_count("device fast died (result 14): running the whole model on "
					 "nnapi-reference"),
			 1);
	/* chosen devices are kept to */
	assert_int_equal(compute(chosen), ANEURALNETWORKS_DEAD_OBJECT);
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksCompilation_free(chosen);
}

/* The handle, the list and the device object stay; what was prepared before stays dead. */
TEST(the_next_compilation_starts_a_worker)
{
	ANeuralNetworksDevice *device = rt_device("fast");
	struct nnhal_device *hal = device->hal;
	const int32_t pid = info_of("fast").worker_pid;
	ANeuralNetworksCompilation *before, *after;

	before = compiled("fast", "=fast:ADD");
	kill_worker("fast");
	assert_int_equal(info_of("fast").worker_pid, 0);
	nnr_devices_rescan();
	assert_int_equal(count(), 2);
	assert_ptr_equal(device->hal, hal);
	RT_OK(ANeuralNetworksDevice_wait(device));
	after = compiled("fast", "=fast:ADD");
	assert_int_equal(info_of("fast").worker_restarts, 1);
	assert_int_not_equal(info_of("fast").worker_pid, pid);
	RT_OK(compute(after));
	assert_int_equal(compute(before), ANEURALNETWORKS_DEAD_OBJECT);
	assert_int_equal(count(), 2);
	assert_ptr_equal(rt_device("fast"), device);
	assert_ptr_equal(device->hal, hal);
	ANeuralNetworksCompilation_free(before);
	ANeuralNetworksCompilation_free(after);
}

/* A worker that may not start again yet: another device has the model. */
TEST(too_many_crashes)
{
	ANeuralNetworksCompilation *c;

	for (int i = 0; i < 2; i++) {
		c = compiled(NULL, "=fast:ADD");
		ANeuralNetworksCompilation_free(c);
		kill_worker("fast");
	}
	rt_listen_begin();
	c = compiled(NULL, "=second:ADD");
	assert_true(rt_listen_count("fast: cannot query supported operations: it died") > 0);
	RT_OK(compute(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(count(), 3);
}

struct killer {
	pthread_t thread;
	const char *calls;
};

/* When the execution has begun in the worker. */
static void *kill_in_the_middle(void *cookie)
{
	const struct killer *k = cookie;

	assert_true(EVENTUALLY(lines_count(k->calls, "execute") > 0));
	kill_worker("fast");
	return NULL;
}

TEST(killed_in_the_middle)
{
	struct killer k;
	ANeuralNetworksCompilation *c;

	k.calls = rt_empty_file("calls");
	rt_devices("name=fast,exec=0.1,delay_ms=60000,count=%s", k.calls);
	c = compiled(NULL, "=fast:ADD");
	assert_int_equal(pthread_create(&k.thread, NULL, kill_in_the_middle, &k), 0);
	RT_OK(compute(c));
	assert_int_equal(pthread_join(k.thread, NULL), 0);
	ANeuralNetworksCompilation_free(c);
}

/* Its worker lives, so only a look finds it again; then the old worker has no reason to live. */
TEST(a_card_that_returns_leaves_no_worker)
{
	const char *gone = temp_path("gone");
	ANeuralNetworksDevice *device;
	int32_t pid;

	rt_devices("name=card,gone=%s", gone);
	device = rt_device("card");
	pid = info_of("card").worker_pid;
	temp_write(gone, "", 0);
	assert_true(offline("card"));
	assert_int_equal(info_of("card").worker_pid, pid);
	assert_int_equal(unlink(gone), 0);
	nnr_devices_rescan();
	assert_false(offline("card"));
	assert_ptr_equal(rt_device("card"), device);
	assert_int_equal(count(), 2);
	assert_int_not_equal(info_of("card").worker_pid, pid);
	assert_true(EVENTUALLY(process_ended(pid)));
}

/* The environment has "none": the program is later, and decides. */
TEST(a_program_chooses_before_the_first_device)
{
	RT_NULL(nnaccelRuntime_setIsolation(NULL));
	RT_BAD_DATA(nnaccelRuntime_setIsolation("process"));
	RT_OK(nnaccelRuntime_setIsolation("service"));
	RT_OK(nnaccelRuntime_setIsolation("worker"));
	assert_true(info_of("a").worker_pid > 0);
	RT_OK(nnaccelRuntime_setIsolation("worker"));
	RT_BAD_STATE(nnaccelRuntime_setIsolation("none"));
}

#define LOG "NNAPI_LOG=warning"

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(each_device_has_a_process, "name=a name=b"),
		RT_CASE_ENV(executions_go_to_the_reference, "name=fast,exec=0.1", LOG),
		RT_CASE(the_next_compilation_starts_a_worker, "name=fast,exec=0.1"),
		RT_CASE_ENV(too_many_crashes, "name=fast,exec=0.1 name=second,exec=0.5", LOG,
			    "NNACCEL_WORKER_CRASHES=1"),
		RT_CASE(killed_in_the_middle, NULL),
		RT_CASE_ENV(a_program_chooses_before_the_first_device, "name=a",
			    "NNAPI_ISOLATION=none"),
		RT_CASE_ENV(a_card_that_returns_leaves_no_worker, NULL,
			    "NNACCEL_WORKER_SANDBOX=off"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

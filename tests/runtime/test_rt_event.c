// SPDX-License-Identifier: Apache-2.0
/* Events, fences from outside, bursts: every misuse with its result code. */
#include <stdatomic.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "rt_test.h"
#include "base/nnr_base.h"
#include "task_state.h"

#define WAITERS 4
#ifdef __SANITIZE_THREAD__
#define TSAN 1
#else
#define TSAN 0
#endif

static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;

FIXTURE(setup)
{
	model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	compilation = rt_compile(model, "slow", NULL);
	return 0;
}

FIXTURE(teardown)
{
	rt_free(NULL, compilation, model);
	return 0;
}

static const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 }, sum[] = { 11, 22, 33, 44 };

static ANeuralNetworksExecution *ready(float *out)
{
	ANeuralNetworksExecution *e = rt_execution(compilation);

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(sum)));
	return e;
}

/* The thread that waits, or is about to. */
static _Atomic pid_t waiting;

static void *wait_for(void *event)
{
	atomic_store(&waiting, gettid());
	return (void *)(intptr_t)ANeuralNetworksEvent_wait(event);
}

/* Several threads wait for one event, and once more after it. */
TEST(test_waiters)
{
	pthread_t threads[WAITERS];
	ANeuralNetworksEvent *event;
	float out[4];
	ANeuralNetworksExecution *e = ready(out);
	int fd = 7;

	RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
	for (int i = 0; i < WAITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for, event), 0);
	for (int i = 0; i < WAITERS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		assert_ptr_equal(result, (void *)ANEURALNETWORKS_NO_ERROR);
	}
	RT_OK(ANeuralNetworksEvent_wait(event));
	assert_memory_equal(out, sum, sizeof(sum));
	RT_BAD_DATA(ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
	assert_int_equal(fd, -1);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(e);
}

/* Freeing an event waits for its execution: the output is there. */
TEST(test_free_waits)
{
	float out[4] = { 0 };
	ANeuralNetworksExecution *e = ready(out);
	ANeuralNetworksEvent *event;

	RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
	ANeuralNetworksEvent_free(event);
	assert_memory_equal(out, sum, sizeof(sum));
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksEvent_free(NULL);
}

TEST(test_misuse)
{
	ANeuralNetworksEvent *event = (void *)1;
	int fd = 7;

	RT_NULL(ANeuralNetworksEvent_wait(NULL));
	RT_NULL(ANeuralNetworksEvent_createFromSyncFenceFd(1, NULL));
	RT_BAD_DATA(ANeuralNetworksEvent_createFromSyncFenceFd(-1, &event));
	assert_null(event);
	event = (void *)1;
	RT_BAD_DATA(ANeuralNetworksEvent_createFromSyncFenceFd(0, &event));
	assert_null(event);
	RT_NULL(ANeuralNetworksEvent_getSyncFenceFd(NULL, &fd));
	assert_int_equal(fd, -1);
	RT_NULL(ANeuralNetworksEvent_getSyncFenceFd(NULL, NULL));
}

/*
 * A fence from outside: the caller keeps its descriptor, and owns the one that getSyncFenceFd()
 * returns.
 */
TEST(test_fence)
{
	int fd = eventfd(0, EFD_CLOEXEC), got = -1;
	ANeuralNetworksEvent *event;
	pthread_t thread;
	struct pollfd p;
	void *result;

	atomic_store(&waiting, 0);
	RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &event));
	RT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &got));
	assert_true(got > 0 && got != fd);
	p = (struct pollfd){ .fd = got, .events = POLLIN };
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for, event), 0);
	assert_true(EVENTUALLY(thread_asleep(atomic_load(&waiting))));
	assert_int_equal(eventfd_write(fd, 1), 0);
	pthread_join(thread, &result);
	assert_ptr_equal(result, (void *)ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(poll(&p, 1, 0), 1);
	close(got);
	ANeuralNetworksEvent_free(event);
	close(fd);
}

/*
 * A fence that can no longer signal: an execution that depends on it fails, and so does waiting for
 * it.
 */
TEST(test_broken_fence)
{
	const ANeuralNetworksEvent *dependency;
	ANeuralNetworksEvent *event, *after = (void *)1;
	float out[4];
	ANeuralNetworksExecution *e = ready(out);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event));
	close(ends[0]);
	close(ends[1]);
	dependency = event;
	assert_int_equal(ANeuralNetworksExecution_startComputeWithDependencies(e, &dependency, 1, 0,
									       &after),
			 ANEURALNETWORKS_OP_FAILED);
	assert_null(after);
	assert_int_equal(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_OP_FAILED);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(e);
}

struct later {
	int fd;
	float *value;
};

static void *signal_later(void *cookie)
{
	struct later *later = cookie;

	/* the test has come to Event_wait() */
	if (!EVENTUALLY(thread_asleep(getpid())))
		return later;
	if (later->value)
		*later->value = 100;
	eventfd_write(later->fd, 1);
	return NULL;
}

/*
 * Two executions behind each other, the first behind a fence: pointers are read when the fence has
 * signalled.
 */
TEST(test_chain)
{
	float first[4] = { 0 }, second[4] = { 0 }, in[] = { 1, 2, 3, 4 };
	/* TSan does not see that a signalled eventfd orders the writes before it */
	float *late = TSAN ? NULL : &in[0];
	ANeuralNetworksExecution *e = rt_execution(compilation), *f = rt_execution(compilation);
	struct later later = { .fd = eventfd(0, EFD_CLOEXEC), .value = late };
	ANeuralNetworksEvent *fence, *done, *last;
	const ANeuralNetworksEvent *dependency;
	pthread_t thread;

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, in, sizeof(in)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, first, sizeof(first)));
	RT_OK(ANeuralNetworksExecution_setInput(f, 0, NULL, first, sizeof(first)));
	RT_OK(ANeuralNetworksExecution_setInput(f, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(f, 0, NULL, second, sizeof(second)));
	RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(later.fd, &fence));
	assert_int_equal(pthread_create(&thread, NULL, signal_later, &later), 0);
	dependency = fence;
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, &dependency, 1, 0, &done));
	dependency = done;
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(f, &dependency, 1, 0, &last));
	RT_OK(ANeuralNetworksEvent_wait(last));
	assert_true(second[0] == (late ? 120 : 21) && second[3] == 84);
	pthread_join(thread, NULL);
	ANeuralNetworksEvent_free(last);
	ANeuralNetworksEvent_free(done);
	ANeuralNetworksEvent_free(fence);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksExecution_free(f);
	close(later.fd);
}

struct race {
	ANeuralNetworksExecution *execution;
	ANeuralNetworksBurst *burst;
	int result;
};

static void *run_burst(void *cookie)
{
	struct race *race = cookie;

	race->result = ANeuralNetworksExecution_burstCompute(race->execution, race->burst);
	return NULL;
}

TEST(test_burst)
{
	ANeuralNetworksCompilation *unfinished, *other = rt_compile(model, "slow", NULL);
	ANeuralNetworksBurst *burst = (void *)1, *foreign;
	float out[3][4] = { 0 };
	ANeuralNetworksExecution *e = ready(out[0]);
	struct race races[2];
	pthread_t threads[2];
	int good = 0;

	RT_OK(ANeuralNetworksCompilation_create(model, &unfinished));
	RT_BAD_STATE(ANeuralNetworksBurst_create(unfinished, &burst));
	assert_null(burst);
	RT_NULL(ANeuralNetworksBurst_create(NULL, &burst));
	RT_NULL(ANeuralNetworksBurst_create(compilation, NULL));
	RT_OK(ANeuralNetworksBurst_create(compilation, &burst));
	RT_OK(ANeuralNetworksBurst_create(other, &foreign));
	RT_NULL(ANeuralNetworksExecution_burstCompute(NULL, burst));
	RT_NULL(ANeuralNetworksExecution_burstCompute(e, NULL));
	RT_BAD_DATA(ANeuralNetworksExecution_burstCompute(e, foreign));
	RT_OK(ANeuralNetworksExecution_burstCompute(e, burst));
	assert_memory_equal(out[0], sum, sizeof(sum));
	RT_BAD_STATE(ANeuralNetworksExecution_burstCompute(e, burst));
	/* one at a time: of two at once one may fail */
	for (int i = 0; i < 2; i++) {
		races[i] = (struct race){ ready(out[1 + i]), burst, -1 };
		assert_int_equal(pthread_create(&threads[i], NULL, run_burst, &races[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_true(races[i].result == ANEURALNETWORKS_NO_ERROR ||
			    races[i].result == ANEURALNETWORKS_BAD_STATE);
		good += races[i].result == ANEURALNETWORKS_NO_ERROR;
		ANeuralNetworksExecution_free(races[i].execution);
	}
	assert_true(good >= 1);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksBurst_free(foreign);
	ANeuralNetworksBurst_free(NULL);
	ANeuralNetworksCompilation_free(unfinished);
	ANeuralNetworksCompilation_free(other);
}

/*
 * A memory that a burst has seen may go before the burst, and after it; another may get its place.
 */
TEST(test_burst_memory)
{
	ANeuralNetworksBurst *burst;

	RT_OK(ANeuralNetworksBurst_create(compilation, &burst));
	for (int i = 0; i < 20; i++) {
		ANeuralNetworksExecution *e = rt_execution(compilation);
		float *map, out[4];
		ANeuralNetworksMemory *memory = rt_memory(4096, PROT_READ, &map);

		for (int k = 0; k < 4; k++)
			map[k] = (float)(i * 10 + k);
		RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, 16));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		RT_OK(ANeuralNetworksExecution_burstCompute(e, burst));
		for (int k = 0; k < 4; k++)
			assert_true(out[k] == (float)(i * 10 + k) + b[k]);
		ANeuralNetworksExecution_free(e);
		if (i == 19)
			ANeuralNetworksBurst_free(burst);
		ANeuralNetworksMemory_free(memory);
		munmap(map, 4096);
	}
}

static void ask_stack(void *cookie)
{
	size_t size = 0;
	pthread_attr_t attr;

	if (!pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstacksize(&attr, &size);
		pthread_attr_destroy(&attr);
	}
	atomic_store((atomic_size_t *)cookie, size);
}

/* Vendor code runs on these threads and expects the default stack size. */
TEST(work_has_the_stack_of_any_thread)
{
	static atomic_size_t size;
	pthread_attr_t attr;
	size_t usual;

	assert_int_equal(pthread_getattr_default_np(&attr), 0);
	assert_int_equal(pthread_attr_getstacksize(&attr, &usual), 0);
	pthread_attr_destroy(&attr);
	assert_int_equal(nnr_thread_run(ask_stack, &size), 0);
	assert_true(EVENTUALLY(atomic_load(&size)));
	assert_true(size >= usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiters),
		cmocka_unit_test(test_free_waits),
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_broken_fence),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_burst_memory),
		cmocka_unit_test(work_has_the_stack_of_any_thread),
	};

	setenv("NNHAL_TEST_DEVICES", "name=slow,delay_ms=5", 1);
	return cmocka_run_group_tests(tests, setup, teardown);
}

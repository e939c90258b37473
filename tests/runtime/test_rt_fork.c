// SPDX-License-Identifier: Apache-2.0
/*
 * A server that forks: children compute with the handles and models of their parent, before and
 * after its first use of NNAPI, while its other threads compute. Executions, events, bursts and
 * device memory of the parent answer DEAD_OBJECT at once, and can be freed. Devices are those that
 * are there, each of them; RT_FORK_DEVICE: only that.
 */
#include "eventually.h"
#include "rt_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "child.h"

#define THREADS 4
#define CHILDREN 16
#define BYTES (4 * sizeof(float))

/* In children. */
#define CHECK_OK(call) CHECK((call) == ANEURALNETWORKS_NO_ERROR)
#define CHECK_DEAD(call) CHECK((call) == ANEURALNETWORKS_DEAD_OBJECT)

/* ---- objects of the parent ---- */

static ANeuralNetworksModel *model;
static ANeuralNetworksDevice *device; /* NULL: as the runtime chooses */
static ANeuralNetworksCompilation *compilation;
static ANeuralNetworksExecution *execution, *running;
static ANeuralNetworksEvent *event;
static ANeuralNetworksBurst *burst;
static ANeuralNetworksMemory *shared, *opaque;
static const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
static float out[4];

static int set_arguments(ANeuralNetworksExecution *e, float *to)
{
	CHECK_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, BYTES));
	CHECK_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, BYTES));
	CHECK_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, to, BYTES));
	return 0;
}

static bool is_sum(const float *of)
{
	for (int i = 0; i < 4; i++)
		if (of[i] != a[i] + b[i])
			return false;
	return true;
}

static int compile(ANeuralNetworksCompilation **made)
{
	const ANeuralNetworksDevice *one = device;

	CHECK_OK(device ? ANeuralNetworksCompilation_createForDevices(model, &one, 1, made)
			: ANeuralNetworksCompilation_create(model, made));
	CHECK_OK(ANeuralNetworksCompilation_finish(*made));
	return 0;
}

static int compute(ANeuralNetworksCompilation *c)
{
	ANeuralNetworksExecution *e;
	ANeuralNetworksBurst *of_burst;
	ANeuralNetworksEvent *done;
	float to[4] = { 0 };

	CHECK_OK(ANeuralNetworksExecution_create(c, &e));
	CHECK(!set_arguments(e, to));
	CHECK_OK(ANeuralNetworksExecution_compute(e));
	CHECK(is_sum(to));
	ANeuralNetworksExecution_free(e);

	to[0] = 0;
	CHECK_OK(ANeuralNetworksExecution_create(c, &e));
	CHECK(!set_arguments(e, to));
	CHECK_OK(ANeuralNetworksExecution_startCompute(e, &done));
	CHECK_OK(ANeuralNetworksEvent_wait(done));
	CHECK(is_sum(to));
	ANeuralNetworksEvent_free(done);
	ANeuralNetworksExecution_free(e);

	to[0] = 0;
	CHECK_OK(ANeuralNetworksExecution_create(c, &e));
	CHECK_OK(ANeuralNetworksBurst_create(c, &of_burst));
	CHECK(!set_arguments(e, to));
	CHECK_OK(ANeuralNetworksExecution_burstCompute(e, of_burst));
	CHECK(is_sum(to));
	ANeuralNetworksBurst_free(of_burst);
	ANeuralNetworksExecution_free(e);
	return 0;
}

static void make_opaque(void)
{
	ANeuralNetworksMemoryDesc *desc;

	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &opaque));
	ANeuralNetworksMemoryDesc_free(desc);
}

static void make_all(void)
{
	shared = rt_memory(4096, PROT_READ | PROT_WRITE, NULL);
	assert_int_equal(compile(&compilation), 0);
	make_opaque();
	RT_OK(ANeuralNetworksExecution_create(compilation, &execution));
	RT_OK(ANeuralNetworksExecution_setReusable(execution, true));
	assert_int_equal(set_arguments(execution, out), 0);
	RT_OK(ANeuralNetworksBurst_create(compilation, &burst));
	RT_OK(ANeuralNetworksExecution_compute(execution));
	RT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
	RT_OK(ANeuralNetworksExecution_create(compilation, &running));
	assert_int_equal(set_arguments(running, out), 0);
	RT_OK(ANeuralNetworksExecution_startCompute(running, &event));
}

static void free_all(void)
{
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(running);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksMemory_free(opaque);
	ANeuralNetworksMemory_free(shared);
	ANeuralNetworksCompilation_free(compilation);
}

static void parent_computes(void)
{
	memset(out, 0, sizeof(out));
	RT_OK(ANeuralNetworksExecution_compute(execution));
	assert_true(is_sum(out));
	memset(out, 0, sizeof(out));
	RT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
	assert_true(is_sum(out));
}

/* ---- code of the children ---- */

static int compute_anew(void)
{
	ANeuralNetworksCompilation *own;
	int ret;

	CHECK(!compile(&own));
	ret = compute(own);
	ANeuralNetworksCompilation_free(own);
	return ret;
}

/* The parent's memory of a file is data: it works, with the child's executions. */
static int compute_in_shared(ANeuralNetworksCompilation *c)
{
	ANeuralNetworksExecution *e;

	CHECK_OK(ANeuralNetworksExecution_create(c, &e));
	CHECK_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, shared, 0, BYTES));
	CHECK_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, shared, 64, BYTES));
	CHECK_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, shared, 128, BYTES));
	CHECK_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
	return 0;
}

static int inherited(void)
{
	ANeuralNetworksExecution *e;
	ANeuralNetworksEvent *done;
	uint32_t rank, count;
	uint64_t ns;

	CHECK_DEAD(ANeuralNetworksExecution_compute(execution));
	CHECK_DEAD(ANeuralNetworksExecution_startCompute(execution, &done));
	CHECK_DEAD(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0,
									 &done));
	CHECK_DEAD(ANeuralNetworksExecution_burstCompute(execution, burst));
	CHECK_DEAD(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank));
	CHECK_DEAD(ANeuralNetworksExecution_getDuration(execution,
							ANEURALNETWORKS_DURATION_IN_DRIVER, &ns));
	CHECK_DEAD(ANeuralNetworksExecution_setReusable(execution, true));
	CHECK_DEAD(ANeuralNetworksEvent_wait(event));
	CHECK_OK(ANeuralNetworks_getDeviceCount(&count));
	CHECK(count > 0);
	/* the compilation is prepared again for this process */
	CHECK(!compute(compilation));
	CHECK(!compute_in_shared(compilation));
	CHECK_OK(ANeuralNetworksExecution_create(compilation, &e));
	CHECK_DEAD(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, opaque, 0, 0));
	ANeuralNetworksExecution_free(e);
	CHECK(!compute_anew());
	free_all();
	CHECK(!compute_anew());
	return 0;
}

static void *compute_in_child(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)compute(compilation);
}

/* All threads of a child need the device at once, which must be opened and prepared anew. */
static int threads_of_a_child(void)
{
	pthread_t threads[THREADS];
	void *ret;

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, compute_in_child, NULL));
	for (int i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &ret));
		CHECK(!ret);
	}
	return 0;
}

static int grandchild(void)
{
	pid_t pid;

	CHECK(!compute(compilation));
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		_exit(inherited());
	}
	CHECK(!child_wait(pid));
	return compute(compilation);
}

/* ---- tests ---- */

/* The first case: only a model was made before, which is plain data. */
TEST(before_first_use)
{
	pid_t children[2];

	model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2, 2));
	for (int i = 0; i < 2; i++)
		children[i] = child_start(NULL, compute_anew);
	for (int i = 0; i < 2; i++)
		child_end(children[i]);
}

/* For each device, and as the runtime chooses. */
static void for_each_device(void (*test)(void))
{
	const char *wanted = getenv("RT_FORK_DEVICE"), *name;
	uint32_t count;

	device = NULL;
	test();
	RT_OK(ANeuralNetworks_getDeviceCount(&count));
	for (uint32_t i = 0; i < count; i++) {
		RT_OK(ANeuralNetworks_getDevice(i, &device));
		RT_OK(ANeuralNetworksDevice_getName(device, &name));
		if (!wanted || !strcmp(wanted, name))
			test();
	}
}

static void use_in_children(void)
{
	make_all();
	for (int i = 0; i < 2; i++) {
		pid_t child = child_start(NULL, inherited);

		parent_computes();
		child_end(child);
		child_run(NULL, threads_of_a_child);
		child_run(NULL, grandchild);
		parent_computes();
	}
	free_all();
}

TEST(after_use)
{
	for_each_device(use_in_children);
}

static atomic_bool stop;
static atomic_uint rounds;

static void *compute_on(void *unused)
{
	intptr_t failed = 0;

	while (!stop && !failed) {
		failed = rounds % 4 ? compute(compilation) : compute_anew();
		rounds++;
	}
	(void)unused;
	return (void *)failed;
}

static void fork_while_computing(void)
{
	pthread_t threads[THREADS];
	pid_t children[CHILDREN];
	void *failed;

	make_all();
	stop = false;
	rounds = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, compute_on, NULL), 0);
	assert_true(EVENTUALLY(rounds >= THREADS));
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = child_start(NULL, i % 2 ? compute_anew : inherited);
		usleep(1000); /* clock: to fork at another moment of the computations */
		if (i >= 2)
			child_end(children[i - 2]);
	}
	child_end(children[CHILDREN - 2]);
	child_end(children[CHILDREN - 1]);
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	parent_computes();
	free_all();
}

TEST(while_threads_compute)
{
	for_each_device(fork_while_computing);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_first_use),
		cmocka_unit_test(after_use),
		forks_among_threads(while_threads_compute),
	};

	return cmocka_run_group_tests_name("rt-fork", tests, NULL, NULL);
}

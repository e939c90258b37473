// SPDX-License-Identifier: Apache-2.0
/* Executions before and after a computation: every misuse with its result code. */
#include <sys/mman.h>
#include <unistd.h>

#include "run/nnr_run.h"
#include "rt_graph.h"

static const float A[] = { 1, 2, 3, 4 }, B[] = { 10, 20, 30, 40 };

static void set_all(ANeuralNetworksExecution *e, float *out)
{
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, 4 * sizeof(float)));
}

static void check_sum(float *out)
{
	for (int i = 0; i < 4; i++) {
		assert_true(out[i] == A[i] + B[i]);
		out[i] = -1;
	}
}

TEST(create_and_free)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *open, *good = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = (void *)1;

	RT_NULL(ANeuralNetworksExecution_create(NULL, &e));
	assert_null(e);
	RT_NULL(ANeuralNetworksExecution_create(good, NULL));
	RT_OK(ANeuralNetworksCompilation_create(model, &open));
	e = (void *)1;
	RT_BAD_STATE(ANeuralNetworksExecution_create(open, &e));
	assert_null(e);
	ANeuralNetworksExecution_free(NULL);
	RT_OK(ANeuralNetworksExecution_create(good, &e));
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(open);
	rt_free(NULL, good, model);
	/* one that failed */
	model = rt_graph("ab>c", "c=MUL(a,b)", NULL);
	RT_BAD_DATA(rt_finish(model, "dev", &open));
	RT_BAD_STATE(ANeuralNetworksExecution_create(open, &e));
	assert_null(e);
	rt_free(NULL, open, model);
}

TEST(null_comes_first)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = rt_execution(c);
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	ANeuralNetworksEvent *event = (void *)1;
	ANeuralNetworksBurst *burst;
	const ANeuralNetworksEvent *const nothing[] = { NULL };
	uint64_t ns;
	uint32_t n;

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	RT_NULL(ANeuralNetworksExecution_setInput(NULL, 0, NULL, A, 16));
	RT_NULL(ANeuralNetworksExecution_setInput(e, 0, NULL, NULL, 16));
	RT_NULL(ANeuralNetworksExecution_setOutput(NULL, 0, NULL, NULL, 0));
	RT_NULL(ANeuralNetworksExecution_setOutput(e, 0, NULL, NULL, 16));
	RT_NULL(ANeuralNetworksExecution_setInputFromMemory(NULL, 0, NULL, memory, 0, 16));
	RT_NULL(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, NULL, 0, 16));
	RT_NULL(ANeuralNetworksExecution_setOutputFromMemory(NULL, 0, NULL, memory, 0, 16));
	RT_NULL(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, NULL, 0, 16));
	RT_NULL(ANeuralNetworksExecution_setReusable(NULL, true));
	RT_NULL(ANeuralNetworksExecution_enableInputAndOutputPadding(NULL, true));
	RT_NULL(ANeuralNetworksExecution_setMeasureTiming(NULL, true));
	RT_NULL(ANeuralNetworksExecution_setTimeout(NULL, 1));
	RT_NULL(ANeuralNetworksExecution_setLoopTimeout(NULL, 1));
	RT_NULL(ANeuralNetworksExecution_addExtensionAttribute(NULL, "vendor.x", 0, A, 1));
	RT_NULL(ANeuralNetworksExecution_addExtensionAttribute(e, NULL, 0, A, 1));
	RT_NULL(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 0, NULL, 1));
	RT_NULL(ANeuralNetworksExecution_compute(NULL));
	RT_NULL(ANeuralNetworksExecution_burstCompute(NULL, burst));
	RT_NULL(ANeuralNetworksExecution_burstCompute(e, NULL));
	RT_NULL(ANeuralNetworksExecution_startCompute(NULL, &event));
	assert_null(event);
	RT_NULL(ANeuralNetworksExecution_startCompute(e, NULL));
	event = (void *)1;
	RT_NULL(ANeuralNetworksExecution_startComputeWithDependencies(NULL, NULL, 0, 0, &event));
	assert_null(event);
	RT_NULL(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 1, 0, &event));
	RT_NULL(ANeuralNetworksExecution_startComputeWithDependencies(e, nothing, 1, 0, &event));
	RT_NULL(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, NULL));
	RT_NULL(ANeuralNetworksExecution_getOutputOperandRank(NULL, 0, &n));
	RT_NULL(ANeuralNetworksExecution_getOutputOperandRank(e, 0, NULL));
	RT_NULL(ANeuralNetworksExecution_getOutputOperandDimensions(NULL, 0, &n));
	RT_NULL(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, NULL));
	RT_NULL(ANeuralNetworksExecution_getDuration(NULL, 0, &ns));
	RT_NULL(ANeuralNetworksExecution_getDuration(e, 0, NULL));
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksMemory_free(memory);
	rt_free(e, c, model);
}

/* Every setter is refused after the first computation. */
static void setters_are_closed(ANeuralNetworksExecution *e)
{
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	float out[4];

	RT_BAD_STATE(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_BAD_STATE(ANeuralNetworksExecution_setInput(e, 99, NULL, A, sizeof(A)));
	RT_BAD_STATE(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_BAD_STATE(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, 16));
	RT_BAD_STATE(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 0, 16));
	RT_BAD_STATE(ANeuralNetworksExecution_setReusable(e, true));
	RT_BAD_STATE(ANeuralNetworksExecution_enableInputAndOutputPadding(e, true));
	RT_BAD_STATE(ANeuralNetworksExecution_setMeasureTiming(e, true));
	RT_BAD_STATE(ANeuralNetworksExecution_setTimeout(e, 1));
	RT_BAD_STATE(ANeuralNetworksExecution_setLoopTimeout(e, 1));
	RT_BAD_STATE(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 0, NULL, 0));
	ANeuralNetworksMemory_free(memory);
}

enum way { COMPUTE, START, BURST, FENCED, WAYS };

static int compute(ANeuralNetworksExecution *e, ANeuralNetworksBurst *burst, enum way way)
{
	ANeuralNetworksEvent *event = NULL;
	int result;

	switch (way) {
	case COMPUTE:
		return ANeuralNetworksExecution_compute(e);
	case BURST:
		return ANeuralNetworksExecution_burstCompute(e, burst);
	case START:
		result = ANeuralNetworksExecution_startCompute(e, &event);
		break;
	default:
		result = ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
									       &event);
		break;
	}
	if (result != ANEURALNETWORKS_NO_ERROR) {
		assert_null(event);
		return result;
	}
	result = ANeuralNetworksEvent_wait(event);
	assert_int_equal(ANeuralNetworksEvent_wait(event), result);
	ANeuralNetworksEvent_free(event);
	return result;
}

static void results_unavailable(ANeuralNetworksExecution *e)
{
	uint32_t rank, dims[4];
	uint64_t ns = 7;

	RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank));
	RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(e, 9, &rank));
	RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, dims));
	RT_BAD_STATE(
		ANeuralNetworksExecution_getDuration(e, ANEURALNETWORKS_DURATION_ON_HARDWARE, &ns));
	assert_true(ns == UINT64_MAX);
}

TEST(once_or_reusable)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e;
	ANeuralNetworksBurst *burst;
	uint32_t rank, dims[4];
	uint64_t ns;
	float out[4];

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	for (int reusable = 0; reusable < 2; reusable++)
		for (enum way way = 0; way < WAYS; way++) {
			e = rt_execution(c);
			results_unavailable(e);
			RT_OK(ANeuralNetworksExecution_setReusable(e, reusable));
			set_all(e, out);
			RT_OK(compute(e, burst, way));
			check_sum(out);
			setters_are_closed(e);
			RT_OK(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank));
			assert_int_equal(rank, 1);
			RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, dims));
			assert_int_equal(dims[0], 4);
			RT_BAD_DATA(ANeuralNetworksExecution_getOutputOperandRank(e, 1, &rank));
			RT_BAD_DATA(ANeuralNetworksExecution_getOutputOperandRank(e, -1, &rank));
			RT_BAD_DATA(
				ANeuralNetworksExecution_getOutputOperandDimensions(e, 1, dims));
			/* it was not measured */
			RT_BAD_STATE(ANeuralNetworksExecution_getDuration(e, 0, &ns));
			for (enum way again = 0; again < WAYS; again++) {
				if (reusable) {
					RT_OK(compute(e, burst, again));
					check_sum(out);
				} else {
					RT_BAD_STATE(compute(e, burst, again));
				}
			}
			ANeuralNetworksExecution_free(e);
		}
	ANeuralNetworksBurst_free(burst);
	rt_free(NULL, c, model);
}

/* A computation without all arguments has been one. */
TEST(arguments_are_missing)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e;
	ANeuralNetworksBurst *burst;
	float out[4];

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	for (int missing = 0; missing < 3; missing++)
		for (enum way way = 0; way < WAYS; way++) {
			e = rt_execution(c);
			for (int i = 0; i < 2; i++)
				if (missing != i)
					RT_OK(ANeuralNetworksExecution_setInput(e, i, NULL, A,
										sizeof(A)));
			if (missing != 2)
				RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out,
									 sizeof(out)));
			RT_BAD_DATA(compute(e, burst, way));
			results_unavailable(e);
			setters_are_closed(e);
			RT_BAD_STATE(compute(e, burst, way));
			ANeuralNetworksExecution_free(e);
		}
	ANeuralNetworksBurst_free(burst);
	rt_free(NULL, c, model);
}

/* Functions that require exactly one chosen device; this is checked before the state. */
TEST(only_of_one_device)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *one = rt_compile(model, "dev", NULL), *all;
	ANeuralNetworksCompilation *two = rt_compile(model, "dev", "other");
	ANeuralNetworksExecution *e;
	ANeuralNetworksEvent *event;
	float out[4];

	RT_OK(rt_finish(model, NULL, &all));
	for (int i = 0; i < 2; i++) {
		e = rt_execution(i ? all : two);
		for (int done = 0; done < 2; done++) {
			RT_BAD_DATA(ANeuralNetworksExecution_setMeasureTiming(e, true));
			RT_BAD_DATA(ANeuralNetworksExecution_setMeasureTiming(e, false));
			RT_BAD_DATA(ANeuralNetworksExecution_setTimeout(e, 1));
			RT_BAD_DATA(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 0,
										   NULL, 0));
			if (!done) {
				set_all(e, out);
				RT_OK(ANeuralNetworksExecution_setReusable(e, true));
				RT_OK(ANeuralNetworksExecution_compute(e));
			}
		}
		event = (void *)1;
		RT_BAD_DATA(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 1,
										  &event));
		assert_null(event);
		results_unavailable(e);
		ANeuralNetworksExecution_free(e);
	}
	e = rt_execution(one);
	RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, false));
	RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, true));
	RT_OK(ANeuralNetworksExecution_setTimeout(e, UINT64_MAX));
	RT_OK(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 0, NULL, 0));
	RT_OK(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 1, A, 4));
	RT_BAD_DATA(ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 1, A, 4));
	set_all(e, out);
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, UINT64_MAX,
								    &event));
	RT_OK(ANeuralNetworksEvent_wait(event));
	check_sum(out);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(one);
	ANeuralNetworksCompilation_free(two);
	rt_free(NULL, all, model);
}

TEST(timing)
{
	static const char *const devices[] = { "dev", "old", "older" };
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	float out[4];

	for (int i = 0; i < 3; i++)
		for (enum way way = 0; way < WAYS; way++) {
			ANeuralNetworksCompilation *c = rt_compile(model, devices[i], NULL);
			ANeuralNetworksExecution *e = rt_execution(c);
			ANeuralNetworksBurst *burst;
			uint64_t ns[4];

			RT_OK(ANeuralNetworksBurst_create(c, &burst));
			RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, true));
			set_all(e, out);
			RT_OK(compute(e, burst, way));
			check_sum(out);
			RT_BAD_DATA(ANeuralNetworksExecution_getDuration(e, -1, ns));
			RT_BAD_DATA(ANeuralNetworksExecution_getDuration(e, 4, ns));
			for (int code = 0; code < 4; code++)
				RT_OK(ANeuralNetworksExecution_getDuration(e, code, &ns[code]));
			if (i == 2) { /* below level 3 no timing is measured */
				for (int code = 0; code < 4; code++)
					assert_true(ns[code] == UINT64_MAX);
			} else {
				assert_true(ns[1] != UINT64_MAX && ns[0] <= ns[1]);
				assert_true(ns[2] == ns[0] && ns[3] == ns[1]);
			}
			ANeuralNetworksBurst_free(burst);
			ANeuralNetworksExecution_free(e);
			ANeuralNetworksCompilation_free(c);
		}
	ANeuralNetworksModel_free(model);
}

TEST(loop_timeouts)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = rt_execution(c);

	assert_true(ANeuralNetworks_getDefaultLoopTimeout() == 2000000000);
	assert_true(ANeuralNetworks_getMaximumLoopTimeout() == 15000000000);
	RT_OK(ANeuralNetworksExecution_setLoopTimeout(e, 0));
	RT_OK(ANeuralNetworksExecution_setLoopTimeout(e, UINT64_MAX));
	assert_true(e->loop_timeout_ns == 15000000000);
	rt_free(e, c, model);
}

TEST(bursts)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL),
				   *d = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = rt_execution(c), *f = rt_execution(d);
	ANeuralNetworksBurst *burst;
	float out[4];

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	/* before the state and the arguments */
	RT_BAD_DATA(ANeuralNetworksExecution_burstCompute(f, burst));
	set_all(f, out);
	RT_BAD_DATA(ANeuralNetworksExecution_burstCompute(f, burst));
	RT_OK(ANeuralNetworksExecution_compute(f));
	set_all(e, out);
	RT_OK(ANeuralNetworksExecution_burstCompute(e, burst));
	check_sum(out);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksExecution_free(f);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksCompilation_free(c);
	rt_free(NULL, d, model);
}

/* A driver reports a sufficient output as too small: its answer counts, because it gives shapes. */
TEST(driver_says_insufficient)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	uint32_t dims;
	float out[4];

	for (enum way way = 0; way < FENCED; way++) {
		ANeuralNetworksCompilation *c = rt_compile(model, "small", NULL);
		ANeuralNetworksExecution *e = rt_execution(c);
		ANeuralNetworksBurst *burst;
		uint64_t ns;

		RT_OK(ANeuralNetworksBurst_create(c, &burst));
		RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, true));
		set_all(e, out);
		assert_int_equal(compute(e, burst, way), ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		dims = 0;
		assert_int_equal(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &dims),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(dims, 1);
		assert_int_equal(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &dims),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(dims, 4);
		RT_BAD_STATE(ANeuralNetworksExecution_getDuration(e, 0, &ns));
		ANeuralNetworksBurst_free(burst);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/* The statuses of drivers, as applications see them, in every way to compute. */
TEST(driver_errors)
{
	static const struct {
		const char *device;
		int result;
	} cases[] = {
		{ "unavailable", ANEURALNETWORKS_UNAVAILABLE_DEVICE },
		{ "general", ANEURALNETWORKS_OP_FAILED },
		{ "invalid", ANEURALNETWORKS_BAD_DATA },
	};
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	float out[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (enum way way = 0; way < WAYS; way++) {
			ANeuralNetworksCompilation *c = rt_compile(model, cases[i].device, NULL);
			ANeuralNetworksExecution *e = rt_execution(c);
			ANeuralNetworksBurst *burst;

			RT_OK(ANeuralNetworksBurst_create(c, &burst));
			RT_OK(ANeuralNetworksExecution_setReusable(e, true));
			set_all(e, out);
			for (int turn = 0; turn < 2; turn++) {
				assert_int_equal(compute(e, burst, way), cases[i].result);
				results_unavailable(e);
			}
			ANeuralNetworksBurst_free(burst);
			ANeuralNetworksExecution_free(e);
			ANeuralNetworksCompilation_free(c);
		}
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(create_and_free, "name=dev,ops=ADD"),
		RT_CASE(null_comes_first, "name=dev"),
		RT_CASE(once_or_reusable, "name=dev"),
		RT_CASE(arguments_are_missing, "name=dev"),
		RT_CASE(only_of_one_device, "name=dev name=other"),
		RT_CASE(timing, "name=dev name=old,level=3 name=older,level=2"),
		RT_CASE(loop_timeouts, "name=dev"),
		RT_CASE(bursts, "name=dev"),
		RT_CASE(driver_says_insufficient,
			"name=small,fail=execute:OUTPUT_INSUFFICIENT_SIZE"),
		RT_CASE(driver_errors,
			"name=unavailable,fail=execute:DEVICE_UNAVAILABLE "
			"name=general,fail=execute:GENERAL_FAILURE name=invalid,fail=execute:INVALID_ARGUMENT"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

// SPDX-License-Identifier: Apache-2.0
/* Runs of plans: several devices, control flow, and what follows when something fails. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/nnr_run.h"
#include "rt_graph.h"

#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"
#define N 4

static const float A[N] = { 1, -2, 3, -4 }, B[N] = { 10, 20, 30, 40 };

/* Inputs are the arrays in turn; bool inputs are @condition. */
static ANeuralNetworksExecution *prepare(ANeuralNetworksCompilation *c, const bool *condition,
					 float out[][N], uint32_t num_out)
{
	static const float *const values[] = { A, B, A, B };
	ANeuralNetworksExecution *e = rt_execution(c);
	int32_t i = 0;

	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	if (condition)
		RT_OK(ANeuralNetworksExecution_setInput(e, i++, NULL, condition, 1));
	for (int k = 0; i < (int32_t)e->num_inputs; i++, k++) {
		const uint32_t dims[] = { N };
		const ANeuralNetworksOperandType type =
			rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);

		RT_OK(ANeuralNetworksExecution_setInput(e, i, &type, values[k], sizeof(A)));
	}
	for (uint32_t o = 0; o < num_out; o++)
		RT_OK(ANeuralNetworksExecution_setOutput(e, (int32_t)o, NULL, out[o],
							 sizeof(out[o])));
	return e;
}

static void is(const float *out, float (*f)(float a, float b))
{
	for (int i = 0; i < N; i++)
		if (out[i] != f(A[i], B[i])) {
			print_error("element %d: %g, not %g\n", i, (double)out[i],
				    (double)f(A[i], B[i]));
			fail();
		}
}

static float absolute(float x)
{
	return x < 0 ? -x : x;
}

static float chain(float a, float b)
{
	return absolute((a + b) * b);
}

/* In every way to compute, twice. */
static void run_all_ways(ANeuralNetworksCompilation *c, float (*f)(float, float),
			 const bool *condition)
{
	float out[1][N];
	ANeuralNetworksExecution *e = prepare(c, condition, out, 1);
	ANeuralNetworksEvent *event;
	ANeuralNetworksBurst *burst;

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	for (int turn = 0; turn < 2; turn++) {
		memset(out, 0, sizeof(out));
		RT_OK(ANeuralNetworksExecution_compute(e));
		is(out[0], f);
		memset(out, 0, sizeof(out));
		RT_OK(ANeuralNetworksExecution_burstCompute(e, burst));
		is(out[0], f);
		memset(out, 0, sizeof(out));
		RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
		RT_OK(ANeuralNetworksEvent_wait(event));
		ANeuralNetworksEvent_free(event);
		is(out[0], f);
		memset(out, 0, sizeof(out));
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event));
		RT_OK(ANeuralNetworksEvent_wait(event));
		ANeuralNetworksEvent_free(event);
		is(out[0], f);
	}
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksExecution_free(e);
}

static void run_plan(ANeuralNetworksModel *model, const char *devices, const char *plan,
		     float (*f)(float, float), const bool *condition)
{
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, devices, &c));
	if (plan)
		assert_string_equal(rt_plan_text(c), plan);
	run_all_ways(c, f, condition);
	rt_free(NULL, c, model);
}

#define CHAIN "c=ADD(a,b) d=MUL(c,b) e=ABS(d)"

/* ---- several devices ---- */

TEST(steps_on_two_devices)
{
	run_plan(rt_graph("ab>e", CHAIN, NULL), "one two", "one:ADD two:MUL one:ABS", chain, NULL);
	run_plan(rt_graph("ab>e", CHAIN, NULL), NULL, NULL, chain, NULL);
}

TEST(steps_on_old_devices)
{
	run_plan(rt_graph("ab>e", CHAIN, NULL), "one two nnapi-reference",
		 "one:ADD two:MUL cpu:ABS", chain, NULL);
}

/* An output that a later step reads, wanted or not. */
TEST(outputs_are_read_on)
{
	ANeuralNetworksModel *model = rt_graph("ab>ce", CHAIN, NULL);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float out[2][N] = { { 0 } };

	RT_OK(rt_finish(model, "one two", &c));
	assert_string_equal(rt_plan_text(c), "one:ADD two:MUL one:ABS");
	e = prepare(c, NULL, out, 2);
	for (int turn = 0; turn < 2; turn++) {
		RT_OK(ANeuralNetworksExecution_compute(e));
		is(out[1], chain);
		for (int i = 0; i < N; i++)
			assert_true(out[0][i] == A[i] + B[i]);
		memset(out, 0, sizeof(out));
	}
	ANeuralNetworksExecution_free(e);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, NULL, 0));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 1, NULL, out[1], sizeof(out[1])));
	for (int turn = 0; turn < 2; turn++) {
		RT_OK(ANeuralNetworksExecution_compute(e));
		is(out[1], chain);
		memset(out, 0, sizeof(out));
	}
	rt_free(e, c, model);
}

/* Sizes between steps are found as they come, and grow. */
TEST(dynamic_temporaries)
{
	static const uint32_t sizes[] = { 1, 3, 16, 1000, 70000, 5 };
	ANeuralNetworksModel *model = rt_graph("AB>E", "C=ADD(A,B) D=MUL(C,B) E=ABS(D)", NULL);
	ANeuralNetworksCompilation *c;
	const size_t most = 70000;
	float *a = calloc(most, sizeof(*a)), *out = calloc(most + 1, sizeof(*out));

	RT_OK(rt_finish(model, "one two", &c));
	assert_string_equal(rt_plan_text(c), "one:ADD two:MUL one:ABS");
	assert_true(c->plan->has_dynamic_temporaries);
	for (uint32_t i = 0; i < most; i++)
		a[i] = (float)(i % 100) - 50;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		const ANeuralNetworksOperandType type =
			rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, &sizes[k], 1);
		ANeuralNetworksExecution *e = rt_execution(c);
		uint32_t dims;

		RT_OK(ANeuralNetworksExecution_setReusable(e, true));
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, a, sizes[k] * sizeof(*a)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, a, sizes[k] * sizeof(*a)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out,
							 (most + 1) * sizeof(*out)));
		for (int turn = 0; turn < 2; turn++) {
			memset(out, 0, (most + 1) * sizeof(*out));
			RT_OK(ANeuralNetworksExecution_compute(e));
			RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &dims));
			assert_int_equal(dims, sizes[k]);
			for (uint32_t i = 0; i < sizes[k]; i++)
				assert_true(out[i] == absolute((a[i] + a[i]) * a[i]));
			assert_true(out[sizes[k]] == 0);
		}
		ANeuralNetworksExecution_free(e);
		/* the application's own is too small */
		if (sizes[k] == 1)
			continue;
		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, a, sizes[k] * sizeof(*a)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, a, sizes[k] * sizeof(*a)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out,
							 (sizes[k] - 1) * sizeof(*out)));
		assert_int_equal(ANeuralNetworksExecution_compute(e),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &dims),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(dims, sizes[k]);
		ANeuralNetworksExecution_free(e);
	}
	free(a);
	free(out);
	rt_free(NULL, c, model);
}

/* ---- failures ---- */

TEST(failing_device_simple)
{
	run_plan(rt_graph("ab>e", CHAIN, NULL), NULL, "=bad:ADD+MUL+ABS", chain, NULL);
}

TEST(failing_device_step)
{
	run_plan(rt_graph("ab>e", CHAIN, NULL), NULL, "cpu:ADD bad:MUL cpu:ABS", chain, NULL);
}

/* Chosen devices are all there is. */
TEST(no_fallback_for_chosen_devices)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	static const char *const lists[] = { "bad", "bad nnapi-reference", "half whole" };
	float out[1][N];

	for (size_t i = 0; i < 3; i++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;

		RT_OK(rt_finish(model, lists[i], &c));
		e = prepare(c, NULL, out, 1);
		assert_int_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_OP_FAILED);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

TEST(bursts_may_be_refused)
{
	run_plan(rt_graph("ab>e", CHAIN, NULL), "dev", "=dev:ADD+MUL+ABS", chain, NULL);
}

static ANeuralNetworksMemory *from_role(ANeuralNetworksCompilation *c, bool input, uint32_t index)
{
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksMemory *memory;

	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(input ? ANeuralNetworksMemoryDesc_addInputRole(desc, c, index, 1.0f)
		    : ANeuralNetworksMemoryDesc_addOutputRole(desc, c, index, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	return memory;
}

/*
 * The output of nnapi-reference's retry is in the device's memory all the same; the next device
 * reads it there.
 */
TEST(failing_device_with_its_memory)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksMemory *in, *out, *host;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float *map;

	RT_OK(rt_finish(model, NULL, &c));
	in = from_role(c, true, 0);
	out = from_role(c, false, 0);
	assert_non_null(in->buffer);
	assert_non_null(out->buffer);
	host = rt_memory(sizeof(A), PROT_READ | PROT_WRITE, &map);
	memcpy(map, A, sizeof(A));
	RT_OK(ANeuralNetworksMemory_copy(host, in));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 0, 0));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, out, 0, 0));
	for (int turn = 0; turn < 2; turn++) {
		RT_OK(ANeuralNetworksExecution_compute(e));
		memset(map, 0, sizeof(A));
		RT_OK(ANeuralNetworksMemory_copy(out, host));
		is(map, chain);
	}
	munmap(map, sizeof(A));
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(in);
	ANeuralNetworksMemory_free(out);
	ANeuralNetworksMemory_free(host);
	rt_free(NULL, c, model);
}

/* Shared memory of the application's: in place, at offsets, and freed while a burst knows it. */
TEST(shared_memory)
{
	static const char *const lists[] = { "one", "one two", "nnapi-reference", NULL };

	for (size_t i = 0; i < 4; i++) {
		ANeuralNetworksModel *model =
			rt_graph("ab>e", i ? CHAIN : "c=ADD(a,b) d=ADD(c,b) e=ABS(d)", NULL);
		ANeuralNetworksCompilation *c;
		ANeuralNetworksBurst *burst;

		RT_OK(rt_finish(model, lists[i], &c));
		RT_OK(ANeuralNetworksBurst_create(c, &burst));
		for (int turn = 0; turn < 3; turn++) {
			ANeuralNetworksExecution *e = rt_execution(c);
			float *map;
			ANeuralNetworksMemory *memory =
				rt_memory(3 * sizeof(A), PROT_READ | PROT_WRITE, &map);

			memcpy(map, A, sizeof(A));
			memcpy(map + N, B, sizeof(B));
			RT_OK(ANeuralNetworksExecution_setReusable(e, true));
			RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0,
									  sizeof(A)));
			RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, memory,
									  sizeof(A), sizeof(B)));
			RT_OK(ANeuralNetworksExecution_setOutputFromMemory(
				e, 0, NULL, memory, 2 * sizeof(A), sizeof(A)));
			for (int k = 0; k < 4; k++) {
				memset(map + (size_t)2 * N, 0, sizeof(A));
				RT_OK(k % 2 ? ANeuralNetworksExecution_compute(e)
					    : ANeuralNetworksExecution_burstCompute(e, burst));
				for (int j = 0; i == 0 && j < N; j++)
					assert_true(map[2 * N + j] == absolute(A[j] + 2 * B[j]));
				if (i)
					is(map + (size_t)2 * N, chain);
			}
			munmap(map, 3 * sizeof(A));
			ANeuralNetworksMemory_free(memory);
			ANeuralNetworksExecution_free(e);
		}
		ANeuralNetworksBurst_free(burst);
		rt_free(NULL, c, model);
	}
}

/* Memory that cannot be mapped fails the computation, and has no other effect. */
TEST(unmappable_memory)
{
	static const char *const lists[] = { "one", "nnapi-reference", NULL };
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	int fd = memfd_new(0);
	ANeuralNetworksMemory *memory;
	ANeuralNetworksEvent *event;
	float out[N];

	RT_OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 0, &memory));
	for (size_t i = 0; i < 3; i++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		int result;

		RT_OK(rt_finish(model, lists[i], &c));
		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setReusable(e, true));
		RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0,
								  sizeof(A)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		result = ANeuralNetworksExecution_compute(e);
		if (i)
			assert_int_equal(result, ANEURALNETWORKS_UNMAPPABLE);
		else
			assert_int_not_equal(result, ANEURALNETWORKS_NO_ERROR);
		/* an event has no such code */
		RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
		result = ANeuralNetworksEvent_wait(event);
		if (i)
			assert_int_equal(result, ANEURALNETWORKS_OP_FAILED);
		else
			assert_int_not_equal(result, ANEURALNETWORKS_NO_ERROR);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	close(fd);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksModel_free(model);
}

/* ---- control flow ---- */

static float sum(float a, float b)
{
	return a + b;
}

static float product(float a, float b)
{
	return a * b;
}

static float sum_and_more(float a, float b)
{
	return absolute((a + b) * 2);
}

TEST(interpreted_if)
{
	const bool yes = true, no = false;

	for (int i = 0; i < 2; i++) {
		ANeuralNetworksModel *models[2] = { rt_graph("ab>c", "c=ADD(a,b)", NULL),
						    rt_graph("ab>c", "c=MUL(a,b)", NULL) };

		run_plan(rt_graph("pab>c", "c=IF(p,0,1,a,b)", models), "one two nnapi-reference",
			 NULL, i ? product : sum, i ? &no : &yes);
		for (int k = 0; k < 2; k++)
			ANeuralNetworksModel_free(models[k]);
	}
}

/* Operations before and after, and a branch of two steps with a constant from outside. */
TEST(if_between_steps)
{
	const bool yes = true;
	ANeuralNetworksModel *models[2] = { rt_graph("ab>d", "c=MUL(a,b) d=ABS(c)", NULL),
					    rt_graph("ab>c", "c=MUL(a,b)", NULL) };

	run_plan(rt_graph("pab>d", "c=ADD(a,b) d=IF(p,0,1,c,x)", models), "one two nnapi-reference",
		 NULL, sum_and_more, &yes);
	for (int k = 0; k < 2; k++)
		ANeuralNetworksModel_free(models[k]);
}

static ANeuralNetworksModel *condition_below(float limit)
{
	const uint32_t one[] = { 1 }, dims[] = { 1 }, in[] = { 0, 1 }, out[] = { 3 };
	const uint32_t less[] = { 0, 2 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &limit, sizeof(limit)));
	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, one, 1);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LESS, 2, less, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* while (a < limit) a = a + b, b one element each. */
TEST(interpreted_while)
{
	static const struct {
		const char *devices;
		float limit, a, b, result;
		uint64_t timeout;
		int code;
	} cases[] = {
		{ "one two nnapi-reference", 10, 0, 1, 10, 2000000000, ANEURALNETWORKS_NO_ERROR },
		{ "one two nnapi-reference", 10, 0, 3, 12, 2000000000, ANEURALNETWORKS_NO_ERROR },
		{ "one two nnapi-reference", 10, 11, 3, 11, 2000000000, ANEURALNETWORKS_NO_ERROR },
		{ "one two nnapi-reference", 10, 11, 3, 11, 0, ANEURALNETWORKS_NO_ERROR },
		{ "one two nnapi-reference", 10, 0, 0, 0, 1000000,
		  ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
		{ "one two nnapi-reference", 10, 0, 1, 0, 0,
		  ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
		{ NULL, 10, 0, 3, 12, 2000000000, ANEURALNETWORKS_NO_ERROR },
		{ NULL, 10, 0, 0, 0, 1000000, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
		{ "all", 10, 0, 3, 12, 2000000000, ANEURALNETWORKS_NO_ERROR },
		{ "all", 10, 0, 0, 0, 1000000, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
	};

	rt_graph_elements(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksModel *models[2] = { condition_below(cases[i].limit),
						    rt_graph("ab>c", "c=ADD(a,b)", NULL) };
		ANeuralNetworksModel *model = rt_graph("ab>c", "c=WHILE(0,1,a,b)", models);
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		float out;
		int code;

		RT_OK(rt_finish(model, cases[i].devices, &c));
		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setReusable(e, true));
		RT_OK(ANeuralNetworksExecution_setLoopTimeout(e, cases[i].timeout));
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &cases[i].a, sizeof(float)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, &cases[i].b, sizeof(float)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, &out, sizeof(out)));
		for (int turn = 0; turn < 2; turn++) {
			out = -1;
			code = ANeuralNetworksExecution_compute(e);
			if (cases[i].code)
				assert_true(code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
					    code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
			else
				assert_int_equal(code, ANEURALNETWORKS_NO_ERROR);
			if (!cases[i].code)
				assert_true(out == cases[i].result);
		}
		rt_free(e, c, model);
		for (int k = 0; k < 2; k++)
			ANeuralNetworksModel_free(models[k]);
	}
}

/* One branch after the other, of the same models, with large constants from outside. */
TEST(branches_with_large_constants)
{
	ANeuralNetworksModel *branches[2], *loop[3], *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	const bool yes = true;
	float *a, *out;
	const uint32_t n = 1000;

	rt_graph_elements(n);
	a = calloc(n, sizeof(*a));
	out = calloc(n, sizeof(*out));
	for (uint32_t i = 0; i < n; i++)
		a[i] = (float)i;
	branches[0] = rt_graph("ab>d", "c=ADD(a,b) d=ABS(c)", NULL);
	branches[1] = rt_graph("ab>d", "c=MUL(a,b) d=ABS(c)", NULL);
	loop[0] = branches[0];
	loop[1] = branches[1];
	model = rt_graph("pqa>e", "c=IF(p,0,1,a,x) d=IF(q,0,1,c,y) e=MUL(d,z)", loop);
	RT_OK(rt_finish(model, "one two nnapi-reference", &c));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &yes, 1));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, &(const bool){ false }, 1));
	RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, a, n * sizeof(*a)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, n * sizeof(*out)));
	for (int turn = 0; turn < 2; turn++) {
		memset(out, 0, n * sizeof(*out));
		RT_OK(ANeuralNetworksExecution_compute(e));
		for (uint32_t i = 0; i < n; i++)
			assert_true(out[i] == (a[i] + 2) * 3 * 4);
	}
	free(a);
	free(out);
	rt_free(e, c, model);
	for (int k = 0; k < 2; k++)
		ANeuralNetworksModel_free(branches[k]);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE_ENV(steps_on_two_devices, "name=one,ops=ADD+ABS name=two,ops=MUL",
			    FREE_TRANSFERS),
		RT_CASE_ENV(steps_on_old_devices,
			    "name=one,ops=ADD,level=2,exec=0.5 name=two,ops=MUL,level=3,exec=0.5",
			    FREE_TRANSFERS),
		RT_CASE_ENV(outputs_are_read_on, "name=one,ops=ADD+ABS name=two,ops=MUL",
			    FREE_TRANSFERS),
		RT_CASE_ENV(dynamic_temporaries, "name=one,ops=ADD+ABS name=two,ops=MUL",
			    FREE_TRANSFERS),
		RT_CASE_ENV(failing_device_simple,
			    "name=bad,exec=0.1,fail=execute:GENERAL_FAILURE,"
			    "fail=fenced:GENERAL_FAILURE",
			    FREE_TRANSFERS),
		RT_CASE_ENV(failing_device_step,
			    "name=bad,exec=0.1,ops=MUL,fail=execute:GENERAL_FAILURE,"
			    "fail=fenced:GENERAL_FAILURE",
			    FREE_TRANSFERS),
		RT_CASE_ENV(no_fallback_for_chosen_devices,
			    "name=bad,exec=0.1,fail=execute:GENERAL_FAILURE "
			    "name=half,exec=0.1,ops=MUL,fail=execute:GENERAL_FAILURE name=whole",
			    FREE_TRANSFERS),
		RT_CASE_ENV(failing_device_with_its_memory,
			    "name=bad,exec=0.1,fail=execute:GENERAL_FAILURE", FREE_TRANSFERS),
		RT_CASE_ENV(shared_memory, "name=one,ops=ADD+ABS name=two,ops=MUL", FREE_TRANSFERS),
		RT_CASE_ENV(unmappable_memory, "name=one", FREE_TRANSFERS),
		RT_CASE_ENV(interpreted_if, "name=one,ops=ADD,exec=0.5 name=two,ops=MUL,exec=0.5",
			    FREE_TRANSFERS),
		RT_CASE_ENV(if_between_steps, "name=one,ops=ADD,exec=0.5 name=two,ops=MUL,exec=0.5",
			    FREE_TRANSFERS),
		RT_CASE_ENV(interpreted_while,
			    "name=one,ops=ADD,exec=0.5 name=two,ops=LESS,exec=0.5 name=all",
			    FREE_TRANSFERS),
		RT_CASE_ENV(branches_with_large_constants,
			    "name=one,ops=ADD,exec=0.5 name=two,ops=MUL,exec=0.5", FREE_TRANSFERS),
		RT_CASE(bursts_may_be_refused, "name=dev,fail=burst:GENERAL_FAILURE"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

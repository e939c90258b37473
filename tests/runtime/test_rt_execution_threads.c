// SPDX-License-Identifier: Apache-2.0
/* Executions, bursts and plans that several threads use at the same time. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rt_graph.h"

#define N 4
static const float A[N] = { 1, 2, 3, 4 }, B[N] = { 10, 20, 30, 40 };

static ANeuralNetworksExecution *prepare(ANeuralNetworksCompilation *c, float *out, bool reusable)
{
	ANeuralNetworksExecution *e = rt_execution(c);

	RT_OK(ANeuralNetworksExecution_setReusable(e, reusable));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(A)));
	return e;
}

/* The thread that started the others checks the counts: cmocka's checks are for one thread only. */
struct caller {
	pthread_t thread;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksBurst *burst;
	bool async;
	int result;
};

static void *call(void *cookie)
{
	struct caller *c = cookie;
	ANeuralNetworksEvent *event;

	if (c->burst) {
		c->result = ANeuralNetworksExecution_burstCompute(c->execution, c->burst);
	} else if (c->async) {
		c->result = ANeuralNetworksExecution_startCompute(c->execution, &event);
		if (c->result == ANEURALNETWORKS_NO_ERROR)
			c->result = ANeuralNetworksEvent_wait(event);
		ANeuralNetworksEvent_free(event);
	} else {
		c->result = ANeuralNetworksExecution_compute(c->execution);
	}
	return NULL;
}

/* At least one thread computes; the others get BAD_STATE. */
static void check_two(struct caller *callers, bool one_only)
{
	int good = 0;

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
	for (int i = 0; i < 2; i++) {
		good += callers[i].result == ANEURALNETWORKS_NO_ERROR;
		assert_true(callers[i].result == ANEURALNETWORKS_NO_ERROR ||
			    callers[i].result == ANEURALNETWORKS_BAD_STATE);
	}
	assert_true(good >= 1);
	assert_true(!one_only || good == 1);
}

TEST(two_computations_of_one)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	float out[N];

	for (int i = 0; i < 32; i++) {
		ANeuralNetworksExecution *e = prepare(c, out, i & 1);
		struct caller callers[2] = { { .execution = e, .async = i & 2 },
					     { .execution = e, .async = i & 4 } };

		check_two(callers, !(i & 1));
		ANeuralNetworksExecution_free(e);
	}
	rt_free(NULL, c, model);
}

TEST(two_computations_of_one_burst)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksBurst *burst;
	float out[2][N];

	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	for (int i = 0; i < 16; i++) {
		struct caller callers[2] = {
			{ .execution = prepare(c, out[0], false), .burst = burst },
			{ .execution = prepare(c, out[1], false), .burst = burst },
		};

		check_two(callers, false);
		ANeuralNetworksExecution_free(callers[0].execution);
		ANeuralNetworksExecution_free(callers[1].execution);
	}
	ANeuralNetworksBurst_free(burst);
	rt_free(NULL, c, model);
}

/* During a computation no result can be read, and no setting changed. */
TEST(during_a_computation)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "slow", NULL);
	float out[N];
	uint32_t n;
	uint64_t ns;

	for (int reusable = 0; reusable < 2; reusable++) {
		ANeuralNetworksExecution *e = prepare(c, out, reusable);
		ANeuralNetworksEvent *event, *second = (void *)1;

		RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
		RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &n));
		RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &n));
		RT_BAD_STATE(ANeuralNetworksExecution_getDuration(e, 0, &ns));
		RT_BAD_STATE(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
		RT_BAD_STATE(ANeuralNetworksExecution_setReusable(e, true));
		RT_BAD_STATE(ANeuralNetworksExecution_compute(e));
		RT_BAD_STATE(ANeuralNetworksExecution_startCompute(e, &second));
		assert_null(second);
		RT_OK(ANeuralNetworksEvent_wait(event));
		RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &n));
		for (int i = 0; i < N; i++)
			assert_true(out[i] == A[i] + B[i]);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksExecution_free(e);
	}
	rt_free(NULL, c, model);
}

/* The application frees the execution at once: it is freed when the computation has ended. */
TEST(freed_in_flight)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "slow", NULL);
	ANeuralNetworksEvent *event;
	float out[N];

	for (int i = 0; i < 4; i++) {
		ANeuralNetworksExecution *e = prepare(c, out, false);

		RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
		ANeuralNetworksExecution_free(e);
		if (i % 2)
			RT_OK(ANeuralNetworksEvent_wait(event));
		ANeuralNetworksEvent_free(event); /* waits */
		for (int k = 0; k < N; k++)
			assert_true(out[k] == A[k] + B[k]);
		memset(out, 0, sizeof(out));
	}
	rt_free(NULL, c, model);
}

/* Starting is not computing: many take no longer than one, side by side. */
TEST(many_in_flight)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "slow", NULL);
	ANeuralNetworksExecution *e[12];
	ANeuralNetworksEvent *events[12];
	float out[12][N];

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 12; i++) {
			e[i] = prepare(c, out[i], false);
			RT_OK(ANeuralNetworksExecution_startCompute(e[i], &events[i]));
		}
		for (int i = 11; i >= 0; i--) {
			RT_OK(ANeuralNetworksEvent_wait(events[i]));
			ANeuralNetworksEvent_free(events[i]);
			for (int k = 0; k < N; k++)
				assert_true(out[i][k] == A[k] + B[k]);
			ANeuralNetworksExecution_free(e[i]);
		}
	}
	rt_free(NULL, c, model);
}

struct worker {
	pthread_t thread;
	ANeuralNetworksCompilation *compilation;
	float scale;
	bool good;
};

/* Executions of one plan, each with numbers of its own, and memory that comes and goes. */
static void *work(void *cookie)
{
	struct worker *w = cookie;
	float a[N], b[N], out[N];
	ANeuralNetworksExecution *e;
	int result = ANeuralNetworksExecution_create(w->compilation, &e);

	for (int k = 0; k < N; k++) {
		a[k] = w->scale * (float)k - 3;
		b[k] = w->scale;
	}
	result |= ANeuralNetworksExecution_setReusable(e, true);
	result |= ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a));
	result |= ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b));
	result |= ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out));
	w->good = !result;
	for (int turn = 0; turn < 100 && w->good; turn++) {
		memset(out, 0, sizeof(out));
		w->good = !ANeuralNetworksExecution_compute(e);
		for (int k = 0; k < N; k++) {
			float d = (a[k] + b[k]) * b[k];

			w->good = w->good && out[k] == (d < 0 ? -d : d);
		}
	}
	ANeuralNetworksExecution_free(e);
	return NULL;
}

TEST(one_plan_for_all)
{
	static const char *const lists[] = { "one two", "dev" };
	struct worker workers[6];

	for (int i = 0; i < 2; i++) {
		ANeuralNetworksModel *model =
			rt_graph("ab>e", "c=ADD(a,b) d=MUL(c,b) e=ABS(d)", NULL);
		ANeuralNetworksCompilation *c;

		RT_OK(rt_finish(model, lists[i], &c));
		for (int k = 0; k < 6; k++) {
			workers[k] = (struct worker){ .compilation = c, .scale = (float)(k + 1) };
			assert_int_equal(
				pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
		}
		for (int k = 0; k < 6; k++) {
			assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
			assert_true(workers[k].good);
		}
		rt_free(NULL, c, model);
	}
}

int main(int argc, char **argv)
{
	static const char free_transfers[] = "NNAPI_TRANSFER_NS_PER_KIB=0",
			  free_steps[] = "NNAPI_STEP_NS=0";
	const struct rt_case cases[] = {
		RT_CASE(two_computations_of_one, "name=dev,delay_ms=1"),
		RT_CASE(two_computations_of_one_burst, "name=dev,delay_ms=1"),
		RT_CASE(during_a_computation, "name=slow,delay_ms=400"),
		RT_CASE(freed_in_flight, "name=slow,delay_ms=20"),
		RT_CASE(many_in_flight, "name=slow,delay_ms=50"),
		RT_CASE_ENV(one_plan_for_all, "name=one,ops=ADD+ABS name=two,ops=MUL name=dev",
			    free_transfers, free_steps),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

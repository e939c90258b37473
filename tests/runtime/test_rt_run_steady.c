// SPDX-License-Identifier: Apache-2.0
/*
 * A repeated computation allocates no memory: simple plans, and plans of several steps with control
 * flow.
 */
#include <unistd.h>

#include "allocations.h"
#include "rt_graph.h"

#define N 4

/* ---- cases ---- */

static unsigned int allocations_of_100(ANeuralNetworksExecution *e, ANeuralNetworksBurst *burst)
{
	unsigned int bad = 0;

	allocations_begin();
	for (int i = 0; i < 100; i++)
		bad += (burst ? ANeuralNetworksExecution_burstCompute(e, burst)
			      : ANeuralNetworksExecution_compute(e)) != ANEURALNETWORKS_NO_ERROR;
	allocations_end();
	assert_int_equal(bad, 0);
	return allocations;
}

/*
 * The least of several rounds: the device's threads in this process may allocate when they are
 * delayed. An allocation of the computation itself would show in every round.
 */
static unsigned int steady(ANeuralNetworksExecution *e, ANeuralNetworksBurst *burst)
{
	unsigned int least = UINT32_MAX, n;

	for (int i = 0; i < 8 && least; i++) {
		n = allocations_of_100(e, burst);
		least = n < least ? n : least;
	}
	return least;
}

static void check_steady(ANeuralNetworksModel *model, const char *devices, const char *plan,
			 bool condition)
{
	static const float a[N] = { 1, -2, 3, -4 }, b[N] = { 10, 20, 30, 40 };
	const bool yes = true;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	ANeuralNetworksBurst *burst;
	float out[N];
	int32_t i = 0;

	RT_OK(rt_finish(model, devices, &c));
	assert_string_equal(rt_plan_text(c), plan);
	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	if (condition)
		RT_OK(ANeuralNetworksExecution_setInput(e, i++, NULL, &yes, 1));
	RT_OK(ANeuralNetworksExecution_setInput(e, i++, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, i, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	assert_int_equal(steady(e, NULL), 0);
	assert_int_equal(steady(e, burst), 0);
	ANeuralNetworksBurst_free(burst);
	rt_free(e, c, model);
}

static void everything(void)
{
	ANeuralNetworksModel *models[2] = { rt_graph("ab>c", "c=ADD(a,b)", NULL),
					    rt_graph("ab>c", "c=MUL(a,b)", NULL) };

	assert_true(allocations_are_seen());
	check_steady(rt_graph("ab>e", "c=ADD(a,b) d=MUL(c,b) e=ABS(d)", NULL), "nnapi-reference",
		     "=cpu:ADD+MUL+ABS", false);
	check_steady(rt_graph("pab>d", "c=ADD(a,b) d=IF(p,0,1,c,x)", models), "nnapi-reference",
		     "cpu:ADD if(1,2) | cpu:ADD | cpu:MUL", true);
	for (int k = 0; k < 2; k++)
		ANeuralNetworksModel_free(models[k]);
}

TEST(nothing_is_allocated)
{
	everything();
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = { RT_CASE(nothing_is_allocated, NULL) };

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

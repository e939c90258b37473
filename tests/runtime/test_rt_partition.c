// SPDX-License-Identifier: Apache-2.0
/* Partitioning: choice by rating, steps, control flow. Transfers cost nothing here. */

#include "rt_graph.h"
#include "plan/nnr_plan.h"

#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"

static void plan_is(ANeuralNetworksModel *model, const char *devices, const char *expected)
{
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, devices, &c));
	assert_string_equal(rt_plan_text(c), expected);
	rt_free(NULL, c, model);
}

static void plan_fails(ANeuralNetworksModel *model, const char *devices, int expected)
{
	ANeuralNetworksCompilation *c;

	assert_int_equal(rt_finish(model, devices, &c), expected);
	assert_null(c->plan);
	rt_free(NULL, c, model);
}

/* ---- choice ---- */

#define CHAIN "c=ADD(a,b) d=MUL(c,b) e=ABS(d)"

TEST(the_fastest_gets_all)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=fast:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "slow", "=slow:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "slow cpu", "=cpu:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "slow fast", "=fast:ADD+MUL+ABS");
}

TEST(of_equals_the_reference_then_the_first)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=cpu:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "cpu a b", "=cpu:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "a b", "=a:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "b a", "=b:ADD+MUL+ABS");
}

TEST(preference_decides_which_figure)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	static const struct {
		int32_t preference;
		const char *plan;
	} cases[] = {
		{ ANEURALNETWORKS_PREFER_LOW_POWER, "=frugal:ADD+MUL+ABS" },
		{ ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER, "=fast:ADD+MUL+ABS" },
		{ ANEURALNETWORKS_PREFER_SUSTAINED_SPEED, "=fast:ADD+MUL+ABS" },
	};
	ANeuralNetworksCompilation *c;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RT_OK(ANeuralNetworksCompilation_create(model, &c));
		RT_OK(ANeuralNetworksCompilation_setPreference(c, cases[i].preference));
		RT_OK(ANeuralNetworksCompilation_finish(c));
		assert_string_equal(rt_plan_text(c), cases[i].plan);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

TEST(relaxed_models_have_their_own_figures)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=exact:ADD+MUL+ABS");
	rt_graph_relaxed(true);
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=half:ADD+MUL+ABS");
}

TEST(by_support)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), "adder muler cpu", "adder:ADD muler:MUL cpu:ABS");
	plan_is(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), "adder muler",
		"adder:ADD muler:MUL");
	/* one device supports no operation: the others share the model */
	plan_is(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), "idle adder muler",
		"adder:ADD muler:MUL");
	plan_fails(rt_graph("ab>e", CHAIN, NULL), "adder muler", ANEURALNETWORKS_BAD_DATA);
	plan_fails(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), "adder",
		   ANEURALNETWORKS_BAD_DATA);
	plan_fails(rt_graph("ab>c", "c=ADD(a,b)", NULL), "idle", ANEURALNETWORKS_BAD_DATA);
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "adder:ADD muler:MUL cpu:ABS");
}

TEST(failed_compilations_are_of_no_use)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=MUL(a,b)", NULL);
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksBurst *burst;
	uint32_t value;

	assert_int_equal(rt_finish(model, "adder", &c), ANEURALNETWORKS_BAD_DATA);
	RT_BAD_STATE(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 0, &value));
	RT_BAD_STATE(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, &value));
	RT_BAD_STATE(ANeuralNetworksBurst_create(c, &burst));
	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1));
	ANeuralNetworksMemoryDesc_free(desc);
	rt_free(NULL, c, model);
}

/* ---- steps ---- */

TEST(ready_operations_of_a_device_are_one_step)
{
	/*
	 * both branches wait for one MUL each; the last device with ready operations is first, and
	 * takes all
	 */
	plan_is(rt_graph("ab>h",
			 "c=ADD(a,b) d=MUL(a,b) e=ADD(d,b) f=MUL(c,b) g=ADD(e,f) h=ADD(g,a)", NULL),
		"adder muler", "muler:MUL adder:ADD+ADD muler:MUL adder:ADD+ADD");
	/* an operation that becomes ready on the same device joins the step */
	plan_is(rt_graph("ab>f", "c=ADD(a,b) d=ADD(c,b) e=ADD(d,b) f=MUL(e,b)", NULL),
		"adder muler", "adder:ADD+ADD+ADD muler:MUL");
	plan_is(rt_graph("ab>f", "c=MUL(a,b) d=ADD(c,b) e=MUL(d,b) f=ADD(e,b)", NULL),
		"muler adder", "muler:MUL adder:ADD muler:MUL adder:ADD");
	plan_is(rt_graph("ab>cdef", "c=ADD(a,b) d=MUL(a,b) e=ADD(a,a) f=MUL(b,b)", NULL),
		"adder muler", "muler:MUL+MUL adder:ADD+ADD");
}

/*
 * Each operand that crosses steps is an output of one and an input of others; main's own are where
 * main says.
 */
TEST(steps_have_the_operands_at_their_border)
{
	ANeuralNetworksModel *model =
		rt_graph("ab>df", "c=ADD(a,x) d=MUL(c,b) e=ADD(d,c) f=MUL(e,d)", NULL);
	ANeuralNetworksCompilation *c;
	const struct nnmodel_subgraph *main;
	const struct nnr_node *nodes;

	RT_OK(rt_finish(model, "adder muler", &c));
	assert_string_equal(rt_plan_text(c), "adder:ADD muler:MUL adder:ADD muler:MUL");
	main = &c->plan->data->model->main;
	nodes = c->plan->graphs[0].nodes;
	assert_int_equal(nodes[0].step->num_inputs, 1);
	assert_int_equal(nodes[0].step->inputs[0], main->inputs[0]);
	assert_int_equal(nodes[0].step->num_outputs, 1);
	assert_int_equal(nodes[0].step->outputs[0], main->operations[0].outputs[0]);
	assert_int_equal(nodes[1].step->num_inputs, 2);
	assert_int_equal(nodes[1].step->inputs[0], main->inputs[1]);
	assert_int_equal(nodes[1].step->inputs[1], nodes[0].step->outputs[0]);
	assert_int_equal(nodes[1].step->outputs[0], main->outputs[0]);
	assert_int_equal(nodes[2].step->num_inputs, 2);
	assert_int_equal(nodes[2].step->inputs[0], main->outputs[0]);
	assert_int_equal(nodes[2].step->inputs[1], nodes[0].step->outputs[0]);
	assert_int_equal(nodes[2].step->num_outputs, 1);
	assert_int_equal(nodes[3].step->num_outputs, 1);
	assert_int_equal(nodes[3].step->outputs[0], main->outputs[1]);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(nodes[i].step->model->main.num_inputs, nodes[i].step->num_inputs);
		assert_int_equal(nodes[i].step->model->main.num_outputs,
				 nodes[i].step->num_outputs);
		assert_int_equal(nnmodel_validate(nodes[i].step->model, NULL,
						  &(struct nnmodel_error)NNMODEL_ERROR_INIT),
				 0);
	}
	rt_free(NULL, c, model);
}

TEST(a_step_without_inputs_is_no_step)
{
	plan_fails(rt_graph("a>d", "c=ADD(x,y) d=MUL(a,c)", NULL), "adder muler",
		   ANEURALNETWORKS_OP_FAILED);
	plan_is(rt_graph("a>d", "c=ADD(x,y) d=MUL(a,c)", NULL), NULL, "=cpu:ADD+MUL");
	/* one device for all has the model as it is */
	plan_is(rt_graph("a>d", "c=ADD(x,y) d=ADD(a,c)", NULL), "adder", "=adder:ADD+ADD");
}

TEST(tensors_of_unknown_size_between_steps)
{
	ANeuralNetworksModel *model = rt_graph("ab>d", "C=ADD(a,b) d=MUL(C,b)", NULL);
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, "adder muler", &c));
	assert_true(c->plan->has_dynamic_temporaries);
	ANeuralNetworksCompilation_free(c);
	RT_OK(rt_finish(model, "cpu", &c));
	assert_false(c->plan->has_dynamic_temporaries);
	rt_free(NULL, c, model);
	model = rt_graph("ab>D", "c=ADD(a,b) D=MUL(c,b)", NULL);
	RT_OK(rt_finish(model, "adder muler", &c));
	assert_false(c->plan->has_dynamic_temporaries);
	rt_free(NULL, c, model);
}

TEST(old_devices_tell_no_shapes)
{
	/*
	 * the old device's interface has no tensors of unknown size, so it gets no query about this
	 * one: ADD that makes it goes elsewhere, or nowhere
	 */
	plan_fails(rt_graph("ab>d", "C=ADD(a,b) d=MUL(C,b)", NULL), "old muler",
		   ANEURALNETWORKS_BAD_DATA);
	plan_is(rt_graph("ab>d", "C=ADD(a,b) d=MUL(C,b)", NULL), NULL, "cpu:ADD muler:MUL");
	plan_is(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), "old muler", "old:ADD muler:MUL");
}

/* ---- control flow ---- */

static ANeuralNetworksModel *branches[2];

/* d = p ? a + b : |a * b|, with what more @more says, around it. */
static ANeuralNetworksModel *if_model(const char *io, const char *operations)
{
	branches[0] = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	branches[1] = rt_graph("ab>d", "c=MUL(a,b) d=ABS(c)", NULL);
	return rt_graph(io, operations, branches);
}

static ANeuralNetworksModel *while_model(void)
{
	rt_graph_elements(1);
	branches[0] = rt_graph("ab>p", "p=LESS(a,b)", NULL);
	branches[1] = rt_graph("ab>d", "c=ADD(a,x) d=MUL(c,y)", NULL);
	return rt_graph("ab>c", "c=WHILE(0,1,a,b)", branches);
}

static void free_branches(void)
{
	ANeuralNetworksModel_free(branches[0]);
	ANeuralNetworksModel_free(branches[1]);
}

TEST(the_runtime_runs_control_flow_of_the_reference)
{
	plan_is(if_model("pab>c", "c=IF(p,0,1,a,b)"), "cpu", "if(1,2) | cpu:ADD | cpu:MUL+ABS");
	free_branches();
	plan_is(if_model("pab>c", "c=IF(p,0,1,a,b)"), "adder cpu",
		"if(1,2) | adder:ADD | cpu:MUL+ABS");
	free_branches();
	plan_is(if_model("pab>c", "c=IF(p,0,1,a,b)"), "muler adder cpu",
		"if(1,2) | adder:ADD | muler:MUL cpu:ABS");
	free_branches();
	plan_is(if_model("pab>f", "c=ADD(a,b) d=IF(p,0,1,c,b) e=IF(p,1,0,d,b) f=ADD(e,a)"),
		"adder cpu", "adder:ADD if(1,2) if(2,1) adder:ADD | adder:ADD | cpu:MUL+ABS");
	free_branches();
	plan_is(while_model(), "adder cpu", "while(1,2) | cpu:LESS | adder:ADD cpu:MUL");
	free_branches();
	/* nnapi-reference is not in the list: no device supports it */
	plan_fails(while_model(), "adder muler", ANEURALNETWORKS_BAD_DATA);
	free_branches();
}

TEST(devices_run_control_flow_that_they_have)
{
	plan_is(if_model("pab>c", "c=IF(p,0,1,a,b)"), NULL, "=all:IF");
	free_branches();
	plan_is(while_model(), NULL, "=all:WHILE");
	free_branches();
	plan_is(if_model("pab>f", "c=ADD(a,b) d=IF(p,0,1,c,b) e=TANH(d) f=ADD(e,a)"), "all taner",
		"all:ADD+IF taner:TANH all:ADD");
	free_branches();
}

/* IF costs its own figure and half of its branches'; WHILE its own and all of its models'. */
TEST(control_flow_has_the_sum_of_its_costs)
{
	/* a: 0.1 + (1 * 0.5 + 2 * 0.5) / 2 = 0.85; b: 0.2 + 3 * 0.4 / 2 = 0.8 */
	plan_is(if_model("pab>c", "c=IF(p,0,1,a,b)"), "a b", "=b:IF");
	free_branches();
	/* a: 0.1 + 3 * 0.5 = 1.6; b: 0.5 + 3 * 0.4 = 1.7 */
	plan_is(while_model(), "a b", "=a:WHILE");
	free_branches();
}

TEST(unknown_sizes_keep_control_flow_in_one_piece)
{
	ANeuralNetworksModel *model;

	branches[0] = rt_graph("ab>C", "C=ADD(a,b)", NULL);
	branches[1] = rt_graph("ab>D", "c=MUL(a,b) D=ABS(c)", NULL);
	model = rt_graph("pab>C", "C=IF(p,0,1,a,b)", branches);
	plan_is(model, NULL, "=cpu:IF");
	/*
	 * without it in the list, a device that says that it can take it; an interface of level 7
	 * cannot say so
	 */
	plan_is(rt_graph("pab>C", "C=IF(p,0,1,a,b)", branches), "all", "=all:IF");
	plan_fails(rt_graph("pab>C", "C=IF(p,0,1,a,b)", branches), "older",
		   ANEURALNETWORKS_BAD_DATA);
	plan_is(rt_graph("pab>c", "c=IF(p,0,1,a,b)", branches), NULL, "=cpu:IF");
	plan_is(rt_graph("pab>E", "d=TANH(a) C=IF(p,0,1,d,b) E=TANH(C)", branches), "all cpu",
		"all:TANH cpu:IF all:TANH");
	free_branches();
}

/* A model that several operations name, at several levels, is one graph. */
TEST(a_shared_model_is_one_graph)
{
	ANeuralNetworksModel *inner[2], *outer[2], *model;

	inner[0] = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	inner[1] = rt_graph("ab>c", "c=MUL(a,b)", NULL);
	branches[0] = inner[0];
	branches[1] = inner[1];
	outer[0] = rt_graph("pab>c", "c=IF(p,0,1,a,b)", inner);
	outer[1] = rt_graph("pab>c", "c=IF(p,1,0,a,b)", inner);
	model = rt_graph("pab>c", "c=IF(p,0,1,p,a,b)", outer);
	plan_is(model, "cpu", "if(1,4) | if(2,3) | cpu:ADD | cpu:MUL | if(3,2)");
	ANeuralNetworksModel_free(outer[0]);
	ANeuralNetworksModel_free(outer[1]);
	free_branches();
}

/* ---- failures ---- */

TEST(failures_of_devices_lead_to_the_reference)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=cpu:ADD+MUL+ABS");
	plan_fails(rt_graph("ab>e", CHAIN, NULL), "broken", ANEURALNETWORKS_OP_FAILED);
	plan_fails(rt_graph("ab>e", CHAIN, NULL), "broken cpu", ANEURALNETWORKS_OP_FAILED);
	rt_graph_elements(1);
	branches[0] = rt_graph("ab>p", "p=LESS(a,b)", NULL);
	branches[1] = rt_graph("ab>c", "c=ADD(a,x)", NULL);
	plan_is(rt_graph("ab>d", "c=WHILE(0,1,a,b) d=SQRT(c)", branches), NULL, "=cpu:WHILE+SQRT");
	free_branches();
}

TEST(the_users_errors_are_the_users)
{
	plan_fails(rt_graph("ab>e", CHAIN, NULL), NULL, ANEURALNETWORKS_BAD_DATA);
}

TEST(statuses_have_their_codes)
{
	static const struct {
		const char *device;
		int result;
	} cases[] = {
		{ "unavailable", ANEURALNETWORKS_UNAVAILABLE_DEVICE },
		{ "general", ANEURALNETWORKS_OP_FAILED },
		{ "argument", ANEURALNETWORKS_BAD_DATA },
		{ "late", ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
		{ "later", ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT },
		{ "busy", ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT },
		{ "full", ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		plan_fails(rt_graph("ab>e", CHAIN, NULL), cases[i].device, cases[i].result);
}

TEST(without_fallback_errors_are_returned)
{
	plan_fails(rt_graph("ab>e", CHAIN, NULL), NULL, ANEURALNETWORKS_OP_FAILED);
}

TEST(without_partitioning_all_is_on_the_reference)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=cpu:ADD+MUL+ABS");
	plan_is(rt_graph("ab>e", CHAIN, NULL), "fast", "=fast:ADD+MUL+ABS");
}

TEST(failing_query_supports_nothing)
{
	plan_is(rt_graph("ab>e", CHAIN, NULL), NULL, "=cpu:ADD+MUL+ABS");
	plan_fails(rt_graph("ab>e", CHAIN, NULL), "mute", ANEURALNETWORKS_BAD_DATA);
}

/* ---- twins ---- */

TEST(steps_and_plans_have_twins_on_the_reference)
{
	ANeuralNetworksModel *model = rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL);
	struct nnr_step *full, *same;
	ANeuralNetworksCompilation *c;
	struct nnr_workspaces *workspaces, *again;
	struct nnr_plan *plan;

	RT_OK(rt_finish(model, NULL, &c));
	assert_string_equal(rt_plan_text(c), "adder:ADD cpu:MUL");
	assert_true(c->plan->fallback);
	plan = nnr_plan_get(c->plan);
	rt_free(NULL, c, model);
	RT_OK(nnr_step_fallback(plan, plan->graphs[0].nodes[0].step, &workspaces));
	assert_non_null(workspaces);
	RT_OK(nnr_step_fallback(plan, plan->graphs[0].nodes[0].step, &again));
	assert_ptr_equal(again, workspaces);
	assert_int_equal(nnr_step_fallback(plan, plan->graphs[0].nodes[1].step, &workspaces),
			 ANEURALNETWORKS_OP_FAILED);
	assert_null(workspaces);
	RT_OK(nnr_plan_full(plan, &full));
	assert_true(full->device->is_reference);
	assert_int_equal(full->model->main.num_operations, 2);
	assert_non_null(full->workspaces);
	RT_OK(nnr_plan_full(plan, &same));
	assert_ptr_equal(same, full);
	nnr_plan_put(plan);
}

#define ADDER_MULER "name=adder,ops=ADD,exec=0.5 name=muler,ops=MUL,exec=0.5 name=idle,ops=LSTM"
#define ALL "name=all,exec=0.5 name=taner,ops=TANH,exec=0.25"

static const struct rt_case cases[] = {
	RT_CASE_ENV(the_fastest_gets_all, "name=slow,exec=1.5 name=fast,exec=0.5", FREE_TRANSFERS),
	RT_CASE_ENV(of_equals_the_reference_then_the_first, "name=a name=b", FREE_TRANSFERS),
	RT_CASE_ENV(preference_decides_which_figure,
		    "name=fast,exec=0.5,power=0.8 name=frugal,exec=0.8,power=0.5", FREE_TRANSFERS),
	RT_CASE_ENV(relaxed_models_have_their_own_figures,
		    "name=exact,exec=0.5 name=half,exec=0.8,exec.RELAXED_TENSOR=0.2",
		    FREE_TRANSFERS),
	RT_CASE_ENV(by_support, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(failed_compilations_are_of_no_use, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(ready_operations_of_a_device_are_one_step, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(steps_have_the_operands_at_their_border, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(a_step_without_inputs_is_no_step, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(tensors_of_unknown_size_between_steps, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(old_devices_tell_no_shapes,
		    "name=old,ops=ADD,exec=0.5,level=2 name=muler,ops=MUL,exec=0.5",
		    FREE_TRANSFERS),
	RT_CASE_ENV(the_runtime_runs_control_flow_of_the_reference, ADDER_MULER, FREE_TRANSFERS),
	RT_CASE_ENV(devices_run_control_flow_that_they_have, ALL, FREE_TRANSFERS),
	RT_CASE_ENV(
		control_flow_has_the_sum_of_its_costs,
		"name=a,exec=0.5,exec.IF=0.1,exec.WHILE=0.1 name=b,exec=0.4,exec.IF=0.2,exec.WHILE=0.5",
		FREE_TRANSFERS),
	RT_CASE_ENV(unknown_sizes_keep_control_flow_in_one_piece,
		    ALL " name=older,level=7,exec=0.5", FREE_TRANSFERS),
	RT_CASE_ENV(a_shared_model_is_one_graph, NULL, FREE_TRANSFERS),
	RT_CASE_ENV(failures_of_devices_lead_to_the_reference,
		    "name=broken,ops=ADD+MUL+ABS+SQRT,exec=0.5,fail=prepare:GENERAL_FAILURE",
		    FREE_TRANSFERS),
	RT_CASE_ENV(the_users_errors_are_the_users,
		    "name=broken,exec=0.5,fail=prepare:INVALID_ARGUMENT", FREE_TRANSFERS),
	RT_CASE_ENV(
		statuses_have_their_codes,
		"name=unavailable,fail=prepare:DEVICE_UNAVAILABLE name=general,fail=prepare:GENERAL_FAILURE "
		"name=argument,fail=prepare:INVALID_ARGUMENT "
		"name=late,fail=prepare:MISSED_DEADLINE_TRANSIENT "
		"name=later,fail=prepare:MISSED_DEADLINE_PERSISTENT "
		"name=busy,fail=prepare:RESOURCE_EXHAUSTED_TRANSIENT "
		"name=full,fail=prepare:RESOURCE_EXHAUSTED_PERSISTENT",
		FREE_TRANSFERS),
	RT_CASE_ENV(without_fallback_errors_are_returned,
		    "name=broken,exec=0.5,fail=prepare:GENERAL_FAILURE", FREE_TRANSFERS,
		    "NNAPI_PARTITION=2"),
	RT_CASE_ENV(without_partitioning_all_is_on_the_reference, "name=fast,exec=0.5",
		    FREE_TRANSFERS, "NNAPI_PARTITION=0"),
	RT_CASE_ENV(failing_query_supports_nothing,
		    "name=mute,exec=0.5,fail=supported:GENERAL_FAILURE", FREE_TRANSFERS),
	RT_CASE_ENV(steps_and_plans_have_twins_on_the_reference, "name=adder,ops=ADD,exec=0.5",
		    FREE_TRANSFERS),
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

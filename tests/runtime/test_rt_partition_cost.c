// SPDX-License-Identifier: Apache-2.0
/* The cost of transfers in the choice of devices, time estimates, and their explanation. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "nnaccel_runtime.h"
#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"
#include "rt_graph.h"

static void plan_is(ANeuralNetworksModel *model, const char *devices, const char *expected)
{
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, devices, &c));
	assert_string_equal(rt_plan_text(c), expected);
	rt_free(NULL, c, model);
}

/* ---- transfers ---- */

#define ISLAND "c=ADD(a,b) d=MUL(c,b) e=ADD(d,b)"

/*
 * b is faster at MUL by 0.4. With 1024 elements that is worth 0.4 * 3 * 1024 * 0.5 ns = 614 ns;
 * moving 4 KiB there and back at 100 ns costs 800 ns.
 */
TEST(an_island_that_gains_less_than_it_costs_is_given_up)
{
	rt_graph_elements(1024);
	plan_is(rt_graph("ab>e", ISLAND, NULL), "a b", "=a:ADD+MUL+ADD");
}

/* With 50 ns a KiB it costs 400 ns. */
TEST(an_island_that_gains_more_stays)
{
	rt_graph_elements(1024);
	plan_is(rt_graph("ab>e", ISLAND, NULL), "a b", "a:ADD b:MUL a:ADD");
}

TEST(launching_costs_too)
{
	rt_graph_elements(1024);
	plan_is(rt_graph("ab>e", ISLAND, NULL), "a b", "=a:ADD+MUL+ADD");
}

TEST(what_the_neighbour_lacks_stays)
{
	rt_graph_elements(1024);
	plan_is(rt_graph("ab>e", ISLAND, NULL), "a b", "a:ADD b:MUL a:ADD");
}

/* Whatever transfers cost, of devices with equal figures the reference runtime's choice holds. */
TEST(equal_devices_are_the_references_choice)
{
	plan_is(rt_graph("ab>e", ISLAND, NULL), "muler adder", "adder:ADD muler:MUL adder:ADD");
	plan_is(rt_graph("ab>f", "c=ADD(a,b) d=SUB(c,b) e=MUL(d,b) f=SUB(e,b)", NULL),
		"muler adder", "adder:ADD muler:SUB+MUL+SUB");
	plan_is(rt_graph("ab>f", "c=ADD(a,b) d=SUB(c,b) e=MUL(d,b) f=SUB(e,b)", NULL),
		"adder muler", "adder:ADD+SUB muler:MUL adder:SUB");
}

/* Islands in a row: one that joins makes the next worth joining. */
TEST(moves_go_on_while_they_gain)
{
	rt_graph_elements(1024);
	plan_is(rt_graph("ab>h", "c=ADD(a,b) d=MUL(c,b) e=ABS(d) f=MUL(e,b) g=ABS(f) h=ADD(g,b)",
			 NULL),
		"a b c", "=a:ADD+MUL+ABS+MUL+ABS+ADD");
}

TEST(power_is_counted_alike)
{
	ANeuralNetworksCompilation *c;
	ANeuralNetworksModel *model;

	rt_graph_elements(1024);
	model = rt_graph("ab>e", ISLAND, NULL);
	c = rt_compilation(model, "a b");
	RT_OK(ANeuralNetworksCompilation_setPreference(c, ANEURALNETWORKS_PREFER_LOW_POWER));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	assert_string_equal(rt_plan_text(c), "=a:ADD+MUL+ADD");
	rt_free(NULL, c, model);
}

TEST(what_has_no_known_size_stays)
{
	plan_is(rt_graph("ab>e", "C=ADD(a,b) D=MUL(C,b) e=ADD(D,b)", NULL), "a b",
		"a:ADD b:MUL a:ADD");
}

/*
 * An interpreted operation has its tensors where nnapi-reference has them: a step before it gains
 * there.
 */
TEST(the_interpreter_is_on_the_host)
{
	ANeuralNetworksModel *branches[2];

	branches[0] = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	branches[1] = rt_graph("ab>c", "c=MUL(a,b)", NULL);
	plan_is(rt_graph("pab>d", "c=ADD(a,b) d=IF(p,0,1,c,b)", branches), NULL,
		"cpu:ADD if(1,2) | a:ADD | cpu:MUL");
	ANeuralNetworksModel_free(branches[0]);
	ANeuralNetworksModel_free(branches[1]);
}

/* ---- random graphs ---- */

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static const int32_t codes[] = {
	ANEURALNETWORKS_ADD,
	ANEURALNETWORKS_SUB,
	ANEURALNETWORKS_MUL,
	ANEURALNETWORKS_DIV,
};

/* Operations on random tensors; all tensors that are not read are outputs. */
static ANeuralNetworksModel *random_model(uint32_t num_operations)
{
	ANeuralNetworksModel *model = rt_model();
	bool *read = calloc(num_operations + 3, sizeof(*read));
	uint32_t *outputs = calloc(num_operations, sizeof(*outputs)), num_outputs = 0;
	const uint32_t inputs[] = { 0, 1 }, dims[] = { 1 + pick(4000) };

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_int32(model, 2, ANEURALNETWORKS_FUSED_NONE);
	for (uint32_t i = 0; i < num_operations; i++) {
		uint32_t in[3] = { pick(i + 2), pick(i + 2), 2 };
		const uint32_t out = i + 3;

		for (uint32_t k = 0; k < 2; k++) {
			in[k] += in[k] >= 2;
			read[in[k]] = true;
		}
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
		RT_OK(ANeuralNetworksModel_addOperation(model, codes[pick(4)], 3, in, 1, &out));
	}
	for (uint32_t i = 0; i < num_operations; i++)
		if (!read[i + 3])
			outputs[num_outputs++] = i + 3;
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, num_outputs,
							    outputs));
	RT_OK(ANeuralNetworksModel_finish(model));
	free(read);
	free(outputs);
	return model;
}

/*
 * Each operation once, on a device that has it; each operand written before it is read; each border
 * whole.
 */
static void check_plan(const ANeuralNetworksCompilation *c)
{
	const struct nnmodel_subgraph *main = &c->plan->data->model->main;
	const struct nnr_graph *graph = c->plan->graphs;
	bool *there = calloc(main->num_operands, sizeof(*there));
	uint32_t done = 0;

	for (uint32_t i = 0; i < main->num_inputs; i++)
		there[main->inputs[i]] = true;
	for (uint32_t n = 0; n < graph->num_nodes; n++) {
		const struct nnr_step *step = graph->nodes[n].step;
		const struct nnmodel_subgraph *part = &step->model->main;
		struct nnmodel_error err = NNMODEL_ERROR_INIT;

		assert_int_equal(nnmodel_validate(step->model, NULL, &err), 0);
		assert_int_equal(part->num_inputs, step->num_inputs);
		assert_int_equal(part->num_outputs, step->num_outputs);
		done += part->num_operations;
		for (uint32_t i = 0; i < step->num_inputs; i++)
			assert_true(there[step->inputs[i]]);
		for (uint32_t i = 0; i < step->num_outputs; i++) {
			assert_false(there[step->outputs[i]]);
			there[step->outputs[i]] = true;
		}
	}
	assert_int_equal(done, main->num_operations);
	for (uint32_t i = 0; i < main->num_outputs; i++)
		assert_true(there[main->outputs[i]]);
	free(there);
}

/* Computing, moving and launching, counted here once more. */
static double cost_of(const ANeuralNetworksCompilation *c, const uint32_t *device,
		      uint32_t num_nodes)
{
	const struct nnr_choice *choice = &c->report->choices[0];
	const struct nnmodel_subgraph *main = &c->plan->data->model->main;
	double cost = num_nodes * nnr_config()->step_ns;

	for (uint32_t i = 0; i < main->num_operations; i++) {
		uint32_t o = main->operations[i].outputs[0];

		cost += choice->time[device[i] * main->num_operations + i];
		for (uint32_t d = 0; d < c->num_devices; d++) {
			bool moves = false;

			for (uint32_t k = i + 1; k < main->num_operations; k++)
				moves |= d != device[i] && device[k] == d &&
					 (main->operations[k].inputs[0] == o ||
					  main->operations[k].inputs[1] == o);
			if (moves)
				cost += nnr_cost_bytes(&main->operands[o]) / 1024 *
					nnr_config()->transfer_ns_per_kib;
		}
	}
	return cost;
}

/* All outputs of one computation, one after the other; malloc'ed. */
static float *compute(ANeuralNetworksCompilation *c, size_t *num)
{
	const struct nnmodel_subgraph *main = &c->plan->data->model->main;
	uint32_t n = main->operands[main->inputs[0]].dims[0];
	float *in = calloc(n, sizeof(*in)),
	      *out = calloc((size_t)n * main->num_outputs, sizeof(*out));
	ANeuralNetworksExecution *e = rt_execution(c);

	for (uint32_t i = 0; i < n; i++)
		in[i] = 1 + (float)(i % 17) / 16;
	for (uint32_t i = 0; i < main->num_inputs; i++)
		RT_OK(ANeuralNetworksExecution_setInput(e, (int32_t)i, NULL, in, n * sizeof(*in)));
	for (uint32_t i = 0; i < main->num_outputs; i++)
		RT_OK(ANeuralNetworksExecution_setOutput(e, (int32_t)i, NULL, out + (size_t)i * n,
							 n * sizeof(*out)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
	free(in);
	*num = (size_t)n * main->num_outputs;
	return out;
}

/* In steps the result equals that of one piece, to the bit. */
static void check_results(ANeuralNetworksModel *model, ANeuralNetworksCompilation *c)
{
	ANeuralNetworksCompilation *whole;
	size_t num, num_whole;
	float *steps = compute(c, &num), *reference;

	RT_OK(rt_finish(model, "cpu", &whole));
	assert_true(whole->plan->simple);
	reference = compute(whole, &num_whole);
	assert_int_equal(num, num_whole);
	assert_memory_equal(steps, reference, num * sizeof(*steps));
	ANeuralNetworksCompilation_free(whole);
	free(reference);
	free(steps);
}

TEST(random_graphs)
{
	uint32_t better = 0;

	for (seed = 1; seed < 4000000000u - 100000000u; seed += 100000000u) {
		ANeuralNetworksModel *model = random_model(1 + pick(60));
		ANeuralNetworksCompilation *c;
		struct nnr_choice *choice;
		double chosen, base;
		uint32_t keep = seed, *device;

		RT_OK(rt_finish(model, NULL, &c));
		check_plan(c);
		check_results(model, c);
		/* never worse than the choice without transfers */
		choice = &c->report->choices[0];
		chosen = cost_of(c, choice->device, choice->num_nodes);
		device = choice->device;
		choice->device = choice->base;
		assert_int_equal(nnr_choice_form_nodes(choice, &c->plan->data->model->main), 0);
		base = cost_of(c, choice->base, choice->num_nodes);
		choice->device = device;
		assert_true(chosen <= base * (1 + 1e-9));
		better += chosen < base * (1 - 1e-9);
		rt_free(NULL, c, model);
		seed = keep;
	}
	assert_true(better > 0);
}

/* ---- estimates ---- */

static double time_of(const char *io, const char *operations)
{
	ANeuralNetworksModel *model = rt_graph(io, operations, NULL);
	ANeuralNetworksCompilation *c;
	double time;

	RT_OK(rt_finish(model, "cpu", &c));
	time = c->report->choices[0].time[0];
	rt_free(NULL, c, model);
	return time;
}

TEST(estimates_follow_shapes)
{
	const uint32_t in[] = { 1, 10, 10, 8 }, weights[] = { 16, 3, 3, 8 }, bias[] = { 16 },
		       out[] = { 1, 8, 8, 16 };
	const uint32_t inputs[] = { 0, 1, 2, 3, 4, 4, 5 }, outputs[] = { 6 };
	static const float zeros[16 * 3 * 3 * 8];
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;

	rt_graph_elements(1000);
	assert_true(fabs(time_of("ab>c", "c=ADD(a,b)") - 3 * 1000 * 0.5) < 1);
	assert_true(isnan(time_of("ab>C", "C=ADD(a,b)")));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, in, 4);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, weights, 4);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, zeros, sizeof(zeros)));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, bias, 1);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, zeros, 64));
	rt_int32(model, 3, ANEURALNETWORKS_PADDING_VALID);
	rt_int32(model, 4, 1);
	rt_int32(model, 5, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, out, 4);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1,
						outputs));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs));
	RT_OK(ANeuralNetworksModel_finish(model));
	RT_OK(rt_finish(model, "cpu", &c));
	/* 8 * 8 * 16 outputs of 3 * 3 * 8 multiply-adds each */
	assert_true(fabs(c->report->choices[0].time[0] - 8 * 8 * 16 * 72 * 0.125) < 1);
	rt_free(NULL, c, model);
}

/* ---- explain ---- */

static const cJSON *item(const cJSON *object, const char *name)
{
	const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);

	assert_non_null(found);
	return found;
}

static const char *text(const cJSON *object, const char *name)
{
	const cJSON *found = item(object, name);

	assert_true(cJSON_IsString(found));
	return found->valuestring;
}

static double number(const cJSON *object, const char *name)
{
	const cJSON *found = item(object, name);

	assert_true(cJSON_IsNumber(found));
	return found->valuedouble;
}

/* Explained; the caller deletes it. */
static cJSON *explain(ANeuralNetworksModel *model, const char *devices, int result)
{
	ANeuralNetworksCompilation *c;
	cJSON *root;
	char *json;

	assert_int_equal(rt_finish(model, devices, &c), result);
	RT_OK(nnaccelCompilation_explain(c, &json));
	rt_free(NULL, c, model);
	root = cJSON_Parse(json);
	assert_non_null(root);
	free(json);
	return root;
}

static const cJSON *operation(const cJSON *root, int graph, int number_of)
{
	const cJSON *found = cJSON_GetArrayItem(
		item(cJSON_GetArrayItem(item(root, "graphs"), graph), "operations"), number_of);

	assert_non_null(found);
	return found;
}

static const cJSON *elsewhere(const cJSON *op, const char *device)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, item(op, "elsewhere")) if (!strcmp(text(entry, "device"),
								     device)) return entry;
	fail_msg("no entry of %s", device);
	return NULL;
}

TEST(explain_misuse)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);
	char *json = (char *)"poison";

	RT_NULL(nnaccelCompilation_explain(NULL, &json));
	assert_null(json);
	RT_NULL(nnaccelCompilation_explain(c, NULL));
	RT_BAD_STATE(nnaccelCompilation_explain(c, &json));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_OK(nnaccelCompilation_explain(c, &json));
	free(json);
	rt_free(NULL, c, model);
}

TEST(explain_tells_why)
{
	const cJSON *op, *graph, *transfer, *totals;
	cJSON *root;

	rt_graph_elements(1024);
	root = explain(rt_graph("ab>f", "c=ADD(a,b) d=MUL(c,b) e=ABS(d) f=NEG(e)", NULL), NULL, 0);
	assert_string_equal(text(root, "result"), "NO_ERROR");
	assert_string_equal(text(root, "preference"), "FAST_SINGLE_ANSWER");
	assert_string_equal(text(root, "partitioning"), "with fallback");
	assert_true(cJSON_IsFalse(item(root, "one_step")));
	assert_true(cJSON_IsNull(item(root, "reason")));
	assert_int_equal(cJSON_GetArraySize(item(root, "devices")), 4);
	op = operation(root, 0, 0);
	assert_string_equal(text(op, "name"), "ADD");
	assert_string_equal(text(op, "device"), "a");
	assert_string_equal(text(op, "decided_by"), "cost");
	assert_true(fabs(number(op, "cost") - 0.5) < 1e-6);
	assert_true(fabs(number(op, "time_ns") - 768) < 1);
	assert_true(number(op, "step") == 0);
	assert_true(number(op, "added") == 0);
	assert_string_equal(text(elsewhere(op, "b"), "why_not"),
			    "b is configured not to support it");
	assert_true(cJSON_IsFalse(item(elsewhere(op, "b"), "supported")));
	assert_string_equal(text(elsewhere(op, "nnapi-reference"), "why_not"),
			    "the cost is higher");
	assert_true(fabs(number(elsewhere(op, "nnapi-reference"), "cost") - 1) < 1e-6);
	op = operation(root, 0, 1);
	assert_string_equal(text(op, "device"), "b");
	assert_true(number(op, "step") == 1);
	op = operation(root, 0, 2);
	assert_string_equal(text(op, "device"), "nnapi-reference");
	assert_string_equal(text(op, "decided_by"), "support");
	op = operation(root, 0, 3);
	assert_string_equal(text(op, "decided_by"), "order");
	assert_string_equal(text(elsewhere(op, "c"), "why_not"),
			    "the cost is the same, and the other device comes first");
	graph = cJSON_GetArrayItem(item(root, "graphs"), 0);
	assert_int_equal(cJSON_GetArraySize(item(graph, "steps")), 3);
	assert_int_equal(cJSON_GetArraySize(item(graph, "transfers")), 2);
	transfer = cJSON_GetArrayItem(item(graph, "transfers"), 0);
	assert_true(number(transfer, "bytes") == 4096);
	assert_true(number(transfer, "from_step") == 0);
	assert_true(number(transfer, "to_step") == 1);
	totals = item(root, "totals");
	assert_true(number(totals, "steps") == 3);
	assert_true(number(totals, "transfers") == 2);
	assert_true(number(totals, "transfer_bytes") == 8192);
	assert_true(fabs(number(totals, "transfer_ns") - 80) < 1e-6);
	cJSON_Delete(root);
}

TEST(explain_tells_of_moves)
{
	const cJSON *op;
	cJSON *root;

	rt_graph_elements(1024);
	root = explain(rt_graph("ab>e", ISLAND, NULL), "a b", 0);
	op = operation(root, 0, 1);
	assert_string_equal(text(op, "device"), "a");
	assert_string_equal(text(op, "decided_by"), "transfer");
	assert_string_equal(text(elsewhere(op, "b"), "why_not"),
			    "moving the tensors of the step would cost more than the device gains");
	assert_true(cJSON_IsTrue(item(root, "one_step")));
	assert_true(cJSON_IsTrue(item(root, "explicit_devices")));
	cJSON_Delete(root);
}

TEST(explain_tells_of_failures)
{
	cJSON *root;

	/* no device supports it */
	root = explain(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), "broken",
		       ANEURALNETWORKS_BAD_DATA);
	assert_string_equal(text(root, "result"), "BAD_DATA");
	assert_string_equal(
		text(root, "reason"),
		"no device can run operation 1 (MUL): broken: broken is configured not to support it");
	assert_true(cJSON_IsNull(item(operation(root, 0, 1), "device")));
	assert_true(cJSON_IsNull(item(operation(root, 0, 1), "step")));
	assert_string_equal(text(operation(root, 0, 1), "decided_by"), "nobody");
	assert_string_equal(text(elsewhere(operation(root, 0, 1), "broken"), "why_not"),
			    "broken is configured not to support it");
	cJSON_Delete(root);
	/* the reference takes all after a device failed */
	root = explain(rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL), NULL, 0);
	assert_string_equal(text(root, "result"), "NO_ERROR");
	assert_string_equal(text(root, "partition_result"), "OP_FAILED");
	assert_true(cJSON_IsTrue(item(root, "fell_back")));
	assert_non_null(
		strstr(text(root, "reason"), "broken cannot prepare the model: GENERAL_FAILURE"));
	cJSON_Delete(root);
}

TEST(explain_tells_of_control_flow)
{
	ANeuralNetworksModel *branches[2];
	cJSON *root;

	rt_graph_elements(1);
	branches[0] = rt_graph("ab>p", "p=LESS(a,b)", NULL);
	branches[1] = rt_graph("ab>c", "c=ADD(a,x)", NULL);
	root = explain(rt_graph("ab>c", "c=WHILE(0,1,a,b)", branches), "a cpu", 0);
	assert_string_equal(text(operation(root, 0, 0), "name"), "WHILE");
	assert_string_equal(text(operation(root, 0, 0), "device"), "runtime");
	assert_int_equal(cJSON_GetArraySize(item(root, "graphs")), 3);
	assert_string_equal(text(operation(root, 1, 0), "name"), "LESS");
	assert_true(cJSON_IsNull(item(operation(root, 1, 0), "added")));
	assert_string_equal(text(operation(root, 2, 0), "device"), "a");
	cJSON_Delete(root);
	ANeuralNetworksModel_free(branches[0]);
	ANeuralNetworksModel_free(branches[1]);
}

TEST(explain_tells_of_unknown_sizes)
{
	ANeuralNetworksModel *branches[2];
	cJSON *root;

	branches[0] = rt_graph("ab>C", "C=ADD(a,b)", NULL);
	branches[1] = rt_graph("ab>C", "C=MUL(a,b)", NULL);
	root = explain(rt_graph("pab>C", "C=IF(p,0,1,a,b)", branches), NULL, 0);
	assert_string_equal(text(operation(root, 0, 0), "device"), "nnapi-reference");
	assert_string_equal(text(operation(root, 0, 0), "decided_by"), "unknown size");
	assert_non_null(
		strstr(text(elsewhere(operation(root, 0, 0), "a"), "why_not"), "unknown size"));
	cJSON_Delete(root);
	root = explain(rt_graph("pab>C", "C=IF(p,0,1,a,b)", branches), "a b", 0);
	assert_string_equal(text(operation(root, 0, 0), "device"), "a");
	assert_string_equal(text(operation(root, 0, 0), "decided_by"), "cost");
	assert_string_equal(text(elsewhere(operation(root, 0, 0), "b"), "why_not"),
			    "the cost is higher");
	cJSON_Delete(root);
	ANeuralNetworksModel_free(branches[0]);
	ANeuralNetworksModel_free(branches[1]);
}

#define ISLANDS "name=a,exec=0.5,power=0.5 name=b,ops=MUL,exec=0.1,power=0.1"
#define EQUALS "name=muler,ops=MUL+SUB name=adder,ops=ADD+SUB"
#define COSTS(kib, step) "NNAPI_TRANSFER_NS_PER_KIB=" kib, "NNAPI_STEP_NS=" step

static const struct rt_case cases[] = {
	RT_CASE_ENV(an_island_that_gains_less_than_it_costs_is_given_up, ISLANDS,
		    COSTS("100", "0")),
	RT_CASE_ENV(an_island_that_gains_more_stays, ISLANDS, COSTS("50", "0")),
	RT_CASE_ENV(launching_costs_too, ISLANDS, COSTS("50", "250")),
	RT_CASE_ENV(what_the_neighbour_lacks_stays,
		    "name=a,ops=ADD,exec=0.5 name=b,ops=MUL,exec=0.1", COSTS("100", "1000")),
	RT_CASE_ENV(equal_devices_are_the_references_choice, EQUALS, COSTS("100", "20000")),
	RT_CASE_ENV(moves_go_on_while_they_gain,
		    "name=a,exec=0.5 name=b,ops=MUL,exec=0.4 name=c,ops=ABS,exec=0.4",
		    COSTS("50", "0")),
	RT_CASE_ENV(power_is_counted_alike, ISLANDS, COSTS("100", "0")),
	RT_CASE_ENV(what_has_no_known_size_stays, ISLANDS, COSTS("100", "1000000")),
	RT_CASE_ENV(the_interpreter_is_on_the_host, "name=a,ops=ADD,exec=0.9", COSTS("1000", "0")),
	RT_CASE_ENV(random_graphs,
		    "name=a,ops=ADD+SUB,exec=0.5 name=b,ops=SUB+MUL,exec=0.3 name=c,exec=0.8",
		    COSTS("50", "300")),
	RT_CASE(estimates_follow_shapes, NULL),
	RT_CASE(explain_misuse, NULL),
	RT_CASE_ENV(explain_tells_why,
		    "name=a,ops=ADD,exec=0.5 name=b,ops=MUL,exec=0.5 name=c,ops=NEG",
		    COSTS("10", "0")),
	RT_CASE_ENV(explain_tells_of_moves, ISLANDS, COSTS("100", "0")),
	RT_CASE_ENV(explain_tells_of_failures,
		    "name=broken,ops=ADD,exec=0.5,fail=prepare:GENERAL_FAILURE", COSTS("0", "0")),
	RT_CASE_ENV(explain_tells_of_unknown_sizes, "name=a,exec=0.5 name=b,exec=0.6",
		    COSTS("0", "0")),
	RT_CASE_ENV(explain_tells_of_control_flow, "name=a,ops=ADD,exec=0.5", COSTS("0", "0")),
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Devices whose process died: a compilation for all devices goes to the others, and says which one
 * died; a compilation for chosen devices says DEAD_OBJECT. Executions are computed by
 * nnapi-reference, or fail.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "nnaccel_runtime.h"
#include "rt_graph.h"
#include "rt_case.h"

static bool fell_back(const ANeuralNetworksCompilation *c)
{
	char *json;
	cJSON *root;
	bool on_reference;

	RT_OK(nnaccelCompilation_explain(c, &json));
	root = cJSON_Parse(json);
	on_reference = cJSON_IsTrue(cJSON_GetObjectItem(root, "fell_back"));
	cJSON_Delete(root);
	free(json);
	return on_reference;
}

static void reason_is(const ANeuralNetworksCompilation *c, const char *text)
{
	const char *reason;
	char *json;
	cJSON *root;

	RT_OK(nnaccelCompilation_explain(c, &json));
	root = cJSON_Parse(json);
	reason = cJSON_GetStringValue(cJSON_GetObjectItem(root, "reason"));
	assert_non_null(reason);
	if (!strstr(reason, text))
		fail_msg("no \"%s\" in \"%s\"", text, reason);
	cJSON_Delete(root);
	free(json);
}

/* c = a + b of {1, 2, 3, 4} and {10, 20, 30, 40}. */
static int compute(ANeuralNetworksCompilation *c, bool event)
{
	const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
	ANeuralNetworksExecution *e = rt_execution(c);
	ANeuralNetworksEvent *end = NULL;
	float out[4] = { 0 };
	int result;

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	if (event) {
		RT_OK(ANeuralNetworksExecution_startCompute(e, &end));
		result = ANeuralNetworksEvent_wait(end);
		ANeuralNetworksEvent_free(end);
	} else {
		result = ANeuralNetworksExecution_compute(e);
	}
	for (int i = 0; result == ANEURALNETWORKS_NO_ERROR && i < 4; i++)
		assert_true(out[i] == a[i] + b[i]);
	ANeuralNetworksExecution_free(e);
	return result;
}

static void finish(const char *devices, int result, ANeuralNetworksCompilation **c)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);

	rt_listen_begin();
	assert_int_equal(rt_finish(model, devices, c), result);
	ANeuralNetworksModel_free(model);
}

TEST(another_device_has_the_model)
{
	ANeuralNetworksCompilation *c;

	finish(NULL, ANEURALNETWORKS_NO_ERROR, &c);
	assert_int_equal(rt_listen_count("device fast died: trying the other devices"), 1);
	assert_string_equal(rt_plan_text(c), "=second:ADD");
	assert_false(fell_back(c));
	reason_is(c, "device fast died: ");
	RT_OK(compute(c, false));
	ANeuralNetworksCompilation_free(c);
}

/* One after the other; nnapi-reference is the last to get the query, and no fallback then. */
TEST(two_die)
{
	ANeuralNetworksCompilation *c;

	finish(NULL, ANEURALNETWORKS_NO_ERROR, &c);
	assert_int_equal(rt_listen_count("died: trying the other devices"), 2);
	assert_string_equal(rt_plan_text(c), "=cpu:ADD");
	assert_false(fell_back(c));
	reason_is(c, "device fast died: ");
	RT_OK(compute(c, false));
	ANeuralNetworksCompilation_free(c);
}

/* The part of the dead device goes to another one; the others keep theirs. */
TEST(a_part_moves)
{
	ANeuralNetworksModel *model = rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL);
	ANeuralNetworksCompilation *c;

	RT_OK(rt_finish(model, NULL, &c));
	assert_string_equal(rt_plan_text(c), "adder:ADD muler:MUL");
	assert_false(fell_back(c));
	rt_free(NULL, c, model);
}

TEST(chosen_devices_are_kept_to)
{
	ANeuralNetworksCompilation *c;

	finish("fast second", ANEURALNETWORKS_DEAD_OBJECT, &c);
	assert_int_equal(rt_listen_count("device fast died: "), 1);
	reason_is(c, "device fast died: ");
	ANeuralNetworksCompilation_free(c);
}

TEST(without_fallback_it_is_the_result)
{
	ANeuralNetworksCompilation *c;

	finish(NULL, ANEURALNETWORKS_DEAD_OBJECT, &c);
	assert_int_equal(rt_listen_count("device fast died: "), 1);
	ANeuralNetworksCompilation_free(c);
}

/* An operation that only the dead device has: the model is not to blame, as BAD_DATA would say. */
TEST(no_device_is_left)
{
	ANeuralNetworksModel *model = rt_model();
	const uint32_t in[] = { 0 }, out[] = { 1 }, dims[] = { 4 };
	ANeuralNetworksCompilation *c;
	int32_t operation;

	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "com.example.nn", 0,
							     &operation));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	RT_OK(ANeuralNetworksModel_addOperation(model, operation, 1, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_int_equal(rt_finish(model, NULL, &c), ANEURALNETWORKS_DEAD_OBJECT);
	reason_is(c, "device fast died: ");
	rt_free(NULL, c, model);
}

TEST(a_dead_device_is_not_chosen)
{
	ANeuralNetworksCompilation *c;

	finish(NULL, ANEURALNETWORKS_NO_ERROR, &c);
	assert_true(rt_listen_count("fast: cannot query supported operations: it died") > 0);
	assert_string_equal(rt_plan_text(c), "=second:ADD");
	ANeuralNetworksCompilation_free(c);
}

TEST(executions_go_to_the_reference)
{
	ANeuralNetworksCompilation *c;

	finish(NULL, ANEURALNETWORKS_NO_ERROR, &c);
	rt_listen_end();
	assert_string_equal(rt_plan_text(c), "=fast:ADD");
	for (int event = 0; event < 2; event++) {
		rt_listen_begin();
		RT_OK(compute(c, event));
		assert_int_equal(
			rt_listen_count("device fast died (result 14): running the whole model"),
			1);
	}
	ANeuralNetworksCompilation_free(c);
}

TEST(a_step_goes_to_the_reference)
{
	const float a[] = { 1, 2, 3, 4 }, b[] = { 10, 20, 30, 40 };
	ANeuralNetworksModel *model = rt_graph("ab>d", "c=ADD(a,b) d=MUL(c,b)", NULL);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float out[4] = { 0 };

	RT_OK(rt_finish(model, NULL, &c));
	assert_string_equal(rt_plan_text(c), "fast:ADD muler:MUL");
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	rt_listen_begin();
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_int_equal(rt_listen_count("device fast died (result 14): retrying this step"), 1);
	for (int i = 0; i < 4; i++)
		assert_true(out[i] == (a[i] + b[i]) * b[i]);
	rt_free(e, c, model);
}

/* An event knows fewer results: the HAL's callback has none for a death. */
TEST(executions_of_chosen_devices_fail)
{
	ANeuralNetworksCompilation *c;

	finish("fast", ANEURALNETWORKS_NO_ERROR, &c);
	rt_listen_end();
	assert_int_equal(compute(c, false), ANEURALNETWORKS_DEAD_OBJECT);
	assert_int_equal(compute(c, true), ANEURALNETWORKS_OP_FAILED);
	ANeuralNetworksCompilation_free(c);
}

#define DEAD "name=fast,exec=0.1,fail=prepare:DEAD_OBJECT "
#define LOG "NNAPI_LOG=warning"
#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE_ENV(another_device_has_the_model, DEAD "name=second,exec=0.5", LOG),
		RT_CASE_ENV(two_die, DEAD "name=second,exec=0.5,fail=prepare:DEAD_OBJECT", LOG),
		RT_CASE_ENV(a_part_moves,
			    "name=fast,exec=0.1,ops=MUL,fail=prepare:DEAD_OBJECT "
			    "name=adder,exec=0.2,ops=ADD name=muler,exec=0.5,ops=MUL",
			    FREE_TRANSFERS),
		RT_CASE_ENV(chosen_devices_are_kept_to, DEAD "name=second,exec=0.5", LOG),
		RT_CASE_ENV(without_fallback_it_is_the_result, DEAD "name=second,exec=0.5", LOG,
			    "NNAPI_PARTITION=2"),
		RT_CASE(no_device_is_left,
			"name=fast,ext=com.example.nn,fail=prepare:DEAD_OBJECT,claims=1"),
		RT_CASE_ENV(a_dead_device_is_not_chosen,
			    "name=fast,exec=0.1,fail=supported:DEAD_OBJECT name=second,exec=0.5",
			    LOG),
		RT_CASE_ENV(executions_go_to_the_reference,
			    "name=fast,exec=0.1,fail=execute:DEAD_OBJECT name=second,exec=0.5",
			    LOG),
		RT_CASE_ENV(a_step_goes_to_the_reference,
			    "name=fast,exec=0.1,ops=ADD,fail=execute:DEAD_OBJECT "
			    "name=muler,exec=0.1,ops=MUL",
			    LOG, FREE_TRANSFERS),
		RT_CASE_ENV(executions_of_chosen_devices_fail,
			    "name=fast,exec=0.1,fail=execute:DEAD_OBJECT", LOG),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

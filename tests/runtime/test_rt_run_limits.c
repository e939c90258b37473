// SPDX-License-Identifier: Apache-2.0
/*
 * Runs at their limits: values without elements between steps, deadlines, invalid answers of
 * devices.
 */
#include <stdlib.h>
#include <string.h>

#include "rt_graph.h"

#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"

/*
 * Boxes of the best scores: with scores below the threshold none is left. (0 scores [B, 1], 1 boxes
 * [B, 4], 2 batch splits [B]) -> 9 .. 12; then 13 = 9 + 9, which another device does.
 */
static ANeuralNetworksModel *boxes(void)
{
	const uint32_t scores[] = { 2, 2 }, rois[] = { 2, 8 }, two[] = { 2 }, unknown1[] = { 0 },
		       unknown2[] = { 0, 4 };
	const uint32_t in[] = { 0, 1, 2 }, op[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 },
		       out[] = { 9, 10, 11, 12 };
	const uint32_t add[] = { 9, 9, 5 }, outputs[] = { 13 };
	const float floats[] = { 0.5f, 0.3f, 1.0f, 0.1f };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, scores, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, rois, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, two, 1);
	rt_operand(model, ANEURALNETWORKS_FLOAT32, NULL, 0);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 3, &floats[0], 4)); /* score threshold */
	rt_int32(model, 4, -1);
	rt_int32(model, 5, 0); /* hard suppression; no activation */
	for (int32_t i = 6; i < 9; i++) {
		rt_operand(model, ANEURALNETWORKS_FLOAT32, NULL, 0);
		RT_OK(ANeuralNetworksModel_setOperandValue(model, i, &floats[i - 5], 4));
	}
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, unknown1, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, unknown2, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, unknown1, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, unknown1, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, unknown1, 1);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_BOX_WITH_NMS_LIMIT, 9, op, 4,
						out));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, outputs));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, outputs));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

TEST(nothing_between_steps)
{
	static const float low[] = { 0.1f, 0.2f, 0.3f, 0.1f }, high[] = { 0.1f, 0.9f, 0.3f, 0.8f };
	static const float rois[] = { 0, 0, 10, 10, 0, 0, 10, 10, 50, 50, 60, 60, 50, 50, 60, 60 };
	static const int32_t splits[] = { 0, 0 };
	static const char *const lists[] = { NULL, "one two" };
	ANeuralNetworksModel *model = boxes();
	float out[8];
	uint32_t n;

	for (int i = 0; i < 4; i++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		int result;

		RT_OK(rt_finish(model, lists[i / 2], &c));
		assert_string_equal(rt_plan_text(c), "one:BOX_WITH_NMS_LIMIT two:ADD");
		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, i % 2 ? high : low,
							sizeof(low)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, rois, sizeof(rois)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, splits, sizeof(splits)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		result = ANeuralNetworksExecution_compute(e);
		if (i / 2 && !(i % 2)) {
			/* chosen devices: there is no other device to compute it */
			assert_int_equal(result, ANEURALNETWORKS_OP_FAILED);
		} else {
			RT_OK(result);
			RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &n));
			assert_int_equal(n, i % 2 ? 2 : 0);
			assert_true(!n || out[0] == 2 * high[1]);
		}
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/*
 * A deadline that has passed is known before or while it is computed; one that has not is no
 * matter.
 */
TEST(deadlines)
{
	static const char *const devices[] = { "dev", "nnapi-reference", "old" };
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	const float a[4] = { 1, 2, 3, 4 };
	float out[4];

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++) {
			ANeuralNetworksCompilation *c = rt_compile(model, devices[i], NULL);
			ANeuralNetworksExecution *e = rt_execution(c);
			int result;

			RT_OK(ANeuralNetworksExecution_setTimeout(e, k ? 1 : UINT64_MAX));
			RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
			RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
			RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
			result = ANeuralNetworksExecution_compute(e);
			/* interfaces below level 4 have no word for it */
			if (k && i < 2)
				assert_int_equal(result, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
			else
				RT_OK(result);
			ANeuralNetworksExecution_free(e);
			ANeuralNetworksCompilation_free(c);
		}
	ANeuralNetworksModel_free(model);
}

/* Of the interpreter, between nodes: two branches, the first of which is too slow. */
TEST(deadline_of_the_interpreter)
{
	ANeuralNetworksModel *models[2] = { rt_graph("ab>c", "c=ADD(a,b)", NULL),
					    rt_graph("ab>c", "c=MUL(a,b)", NULL) };
	ANeuralNetworksModel *model = rt_graph("pab>d", "c=IF(p,0,1,a,b) d=ABS(c)", models);
	const float a[4] = { 1, 2, 3, 4 };
	const bool yes = true;
	float out[4];

	for (int k = 0; k < 2; k++) {
		ANeuralNetworksCompilation *c = rt_compile(model, "nnapi-reference", NULL);
		ANeuralNetworksExecution *e = rt_execution(c);
		int result;

		assert_false(c->plan->simple);
		RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, true));
		RT_OK(ANeuralNetworksExecution_setTimeout(e, k ? 1 : 60000000000));
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &yes, 1));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		result = ANeuralNetworksExecution_compute(e);
		if (k) {
			assert_int_equal(result, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
		} else {
			uint64_t hardware, driver;

			RT_OK(result);
			for (int i = 0; i < 4; i++)
				assert_true(out[i] == 2 * a[i]);
			RT_OK(ANeuralNetworksExecution_getDuration(
				e, ANEURALNETWORKS_DURATION_ON_HARDWARE, &hardware));
			RT_OK(ANeuralNetworksExecution_getDuration(
				e, ANEURALNETWORKS_DURATION_IN_DRIVER, &driver));
			assert_true(hardware <= driver && driver != UINT64_MAX);
		}
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
	for (int k = 0; k < 2; k++)
		ANeuralNetworksModel_free(models[k]);
}

/*
 * The deadline had not passed at the application's call: the result is TRANSIENT whatever the
 * device answers, because another attempt may be in time. Without a passed deadline the device's
 * answer counts.
 */
TEST(late_calls_may_be_tried_again)
{
	static const struct {
		uint64_t timeout;
		int result;
	} cases[] = { { 1, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT },
		      { 0, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT },
		      { UINT64_MAX, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT } };
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	const float a[4] = { 1, 2, 3, 4 };
	float out[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksCompilation *c = rt_compile(model, "executes", NULL);
		ANeuralNetworksExecution *e = rt_execution(c);

		RT_OK(ANeuralNetworksExecution_setTimeout(e, cases[i].timeout));
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		assert_int_equal(ANeuralNetworksExecution_compute(e), cases[i].result);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
		c = rt_compilation(model, "prepares");
		RT_OK(ANeuralNetworksCompilation_setTimeout(c, cases[i].timeout));
		assert_int_equal(ANeuralNetworksCompilation_finish(c), cases[i].result);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE_ENV(nothing_between_steps,
			    "name=one,exec=0.5,ops=BOX_WITH_NMS_LIMIT name=two,exec=0.5,ops=ADD",
			    FREE_TRANSFERS),
		RT_CASE(deadlines, "name=dev name=old,level=3"),
		RT_CASE(deadline_of_the_interpreter, NULL),
		RT_CASE(late_calls_may_be_tried_again,
			"name=executes,fail=execute:MISSED_DEADLINE_PERSISTENT "
			"name=prepares,fail=prepare:MISSED_DEADLINE_PERSISTENT"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

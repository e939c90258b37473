// SPDX-License-Identifier: Apache-2.0
/*
 * Models that are accepted at compilation and specialized at execution: control flow, the choice of
 * devices, and models that can only fail.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnaccel_runtime.h"
#include "rt_parameters.h"

/* ---- control flow ---- */

/* A branch or body: out (3) = a (0) op b (1) with activation (2), all of them inputs. */
static ANeuralNetworksModel *inner_model(int32_t operation, uint32_t elements)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	RT_OK(ANeuralNetworksModel_addOperation(model, operation, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

static void model_operand(ANeuralNetworksModel *model, int32_t index, ANeuralNetworksModel *value)
{
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, index, value));
}

/* IF(p) a + b ELSE a * b, whose activation is input 3, or the constant. */
static ANeuralNetworksModel *if_model(ANeuralNetworksModel *const branches[2], uint32_t elements,
				      const int32_t *constant)
{
	const uint32_t op_in[] = { 0, 4, 5, 1, 2, 3 }, in[] = { 0, 1, 2, 3 }, out[] = { 6 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	if (constant)
		rt_int32(model, 3, *constant);
	else
		rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	model_operand(model, 4, branches[0]);
	model_operand(model, 5, branches[1]);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 6, op_in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, constant ? 3 : 4, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

static void run_if(ANeuralNetworksCompilation *c, bool condition, int32_t activation, bool given)
{
	const uint32_t dims[] = { N };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	ANeuralNetworksExecution *e = rt_execution(c);
	float out[N];

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &condition, 1));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 2, &type, B, sizeof(B)));
	if (given)
		RT_OK(ANeuralNetworksExecution_setInput(e, 3, NULL, &activation,
							sizeof(activation)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	for (int i = 0; i < N; i++)
		assert_true(out[i] == activated(condition ? A[i] + B[i] : A[i] * B[i], activation));
	ANeuralNetworksExecution_free(e);
}

/*
 * With known sizes the runtime interprets the branches, with unknown ones nnapi-reference runs the
 * whole.
 */
TEST(parameters_go_through_if)
{
	for (int known = 0; known < 2; known++) {
		ANeuralNetworksModel *branches[2] = {
			inner_model(ANEURALNETWORKS_ADD, known ? N : 0),
			inner_model(ANEURALNETWORKS_MUL, known ? N : 0)
		};

		for (int given = 0; given < 2; given++)
			for (int32_t activation = 0; activation < 4; activation++) {
				ANeuralNetworksModel *model = if_model(branches, known ? N : 0,
								       given ? NULL : &activation);
				ANeuralNetworksCompilation *c;

				RT_OK(rt_finish(model, lists[activation % 3], &c));
				run_if(c, true, activation, given);
				run_if(c, false, activation, given);
				if (given)
					run_if(c, true, 3 - activation, given);
				rt_free(NULL, c, model);
			}
		ANeuralNetworksModel_free(branches[0]);
		ANeuralNetworksModel_free(branches[1]);
	}
}

/* condition(a, b, activation): a[0] < 100, of one element. */
static ANeuralNetworksModel *condition_model(uint32_t elements)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 4 }, less[] = { 0, 3 };
	const float limit = 100;
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 3, &limit, sizeof(limit)));
	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LESS, 2, less, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* while (a < 100) a = activated(a + b): with RELU6 it would not end, so only NONE and RELU. */
TEST(parameters_go_through_while)
{
	const uint32_t op_in[] = { 3, 4, 0, 1, 2 }, in[] = { 0, 1, 2 }, out[] = { 5 };
	ANeuralNetworksModel *models[2], *model;

	for (uint32_t known = 0; known < 2; known++) {
		/* the sum's size is that of one element all the same */
		const uint32_t elements = known;

		models[0] = condition_model(1);
		models[1] = inner_model(ANEURALNETWORKS_ADD, elements);
		model = rt_model();
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
		rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
		model_operand(model, 3, models[0]);
		model_operand(model, 4, models[1]);
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 5, op_in, 1,
							out));
		RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, out));
		RT_OK(ANeuralNetworksModel_finish(model));
		for (int l = 0; l < 3; l++)
			for (int32_t activation = 0; activation < 2; activation++) {
				const uint32_t dims[] = { 1 };
				const ANeuralNetworksOperandType type =
					rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
				const float a = -500, b = 30, expected = activation ? 120 : 100;
				ANeuralNetworksCompilation *c;
				ANeuralNetworksExecution *e;
				float got;

				RT_OK(rt_finish(model, lists[l], &c));
				e = rt_execution(c);
				RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, &a,
									sizeof(a)));
				RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, &b,
									sizeof(b)));
				RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, &activation,
									sizeof(activation)));
				RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, &got,
									 sizeof(got)));
				RT_OK(ANeuralNetworksExecution_compute(e));
				assert_true(got == expected);
				ANeuralNetworksExecution_free(e);
				ANeuralNetworksCompilation_free(c);
			}
		ANeuralNetworksModel_free(model);
		ANeuralNetworksModel_free(models[0]);
		ANeuralNetworksModel_free(models[1]);
	}
}

/* ---- the chosen device ---- */

/* d (4) = (a (0) + b (1)) with activation (2), times b: the product may be anybody's. */
TEST(others_have_the_rest)
{
	const uint32_t add[] = { 0, 1, 2 }, mul[] = { 3, 1, 4 }, in[] = { 0, 1, 2 }, sum[] = { 3 },
		       out[] = { 5 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	char *json;

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	rt_int32(model, 4, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, sum));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, mul, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	RT_OK(rt_finish(model, NULL, &c));
	assert_string_equal(rt_plan_text(c), "cpu:ADD dev:MUL");
	RT_OK(nnaccelCompilation_explain(c, &json));
	assert_non_null(strstr(json, "specialized at execution: "));
	free(json);
	for (int32_t activation = 0; activation < 4; activation++) {
		ANeuralNetworksExecution *e = rt_execution(c);
		float got[N];

		set_sum(e, &activation, got);
		RT_OK(ANeuralNetworksExecution_compute(e));
		for (int i = 0; i < N; i++)
			assert_true(got[i] == activated(A[i] + B[i], activation) * B[i]);
		ANeuralNetworksExecution_free(e);
	}
	ANeuralNetworksCompilation_free(c);
	/* alone, the device refuses, and the log has its reason */
	assert_non_null(freopen(temp_path("log"), "w", stderr));
	RT_BAD_DATA(rt_finish(model, "dev", &c));
	fflush(stderr);
	assert_int_equal(
		lines_count(temp_path("log"),
			    "ANeuralNetworksCompilation_finish: no device can run operation "
			    "0 (ADD): dev: input 2 (operand 2) must be a constant"),
		1);
	rt_free(NULL, c, model);
}

static const char *text(const cJSON *object, const char *name)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

	return value ? value : "";
}

/*
 * A device that supports the operation is preferred to nnapi-reference, which judges at execution,
 * at any cost.
 */
TEST(who_is_sure_comes_first)
{
	ANeuralNetworksModel *models[2] = { add_model(N, N, N), add_constant(0, N, N, N) };

	for (int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c;
		const cJSON *op, *elsewhere;
		cJSON *root;
		char *json;

		RT_OK(rt_finish(models[i], NULL, &c));
		/* its preparation fails: then nnapi-reference runs the whole model */
		assert_string_equal(rt_plan_text(c), "=cpu:ADD");
		RT_OK(nnaccelCompilation_explain(c, &json));
		root = cJSON_Parse(json);
		op = cJSON_GetArrayItem(
			cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "graphs"),
							       0),
					    "operations"),
			0);
		elsewhere = cJSON_GetArrayItem(cJSON_GetObjectItem(op, "elsewhere"), 0);
		assert_string_equal(text(op, "device"), i ? "nnapi-reference" : "slow");
		assert_string_equal(text(op, "decided_by"), i ? "cost" : "support");
		assert_string_equal(
			text(elsewhere, "why_not"),
			i ? "the cost is higher"
			  : "specialized at execution: operation 0 ADD: input 2 (operand 2) must be a constant");
		cJSON_Delete(root);
		free(json);
		rt_free(NULL, c, models[i]);
	}
}

TEST(supported_is_what_can_be_compiled)
{
	ANeuralNetworksModel *models[3] = { add_model(N, N, N), add_constant(999, N, N, N),
					    add_constant(0, N, 3, N) };

	for (int i = 0; i < 3; i++) {
		const ANeuralNetworksDevice *reference = rt_device("nnapi-reference"),
					    *device = rt_device("dev");
		bool supported = false;

		RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(models[i], &reference,
									    1, &supported));
		assert_true(supported);
		RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(models[i], &device, 1,
									    &supported));
		assert_false(supported);
		ANeuralNetworksModel_free(models[i]);
	}
}

/* ---- models that can only fail ---- */

static int run_sum(ANeuralNetworksCompilation *c, uint32_t elements_b, uint32_t elements_out)
{
	ANeuralNetworksExecution *e = rt_execution(c);
	float out[2 * N];
	int result;

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, elements_b * sizeof(float)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, elements_out * sizeof(float)));
	result = ANeuralNetworksExecution_compute(e);
	ANeuralNetworksExecution_free(e);
	return result;
}

TEST(contradictions_compile_and_fail)
{
	static const struct {
		int32_t activation;
		uint32_t b, out;
	} cases[] = { { 999, N, N }, { -1, N, N }, { 0, 3, N },
		      { 0, N, 3 },   { 0, 1, 1 },  { 0, N, 2 * N } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksModel *model =
			add_constant(cases[i].activation, N, cases[i].b, cases[i].out);

		for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
			ANeuralNetworksCompilation *c;
			char *json;

			RT_OK(rt_finish(model, lists[l], &c));
			RT_OK(nnaccelCompilation_explain(c, &json));
			assert_non_null(strstr(json, "decided at execution: "));
			free(json);
			assert_int_equal(run_sum(c, cases[i].b, cases[i].out),
					 ANEURALNETWORKS_OP_FAILED);
			ANeuralNetworksCompilation_free(c);
		}
		ANeuralNetworksModel_free(model);
	}
}

/* The outputs of a failed execution are uninitialised. */
TEST(failures_leave_memory_uninitialised)
{
	ANeuralNetworksModel *model = add_constant(999, N, N, N);
	const ANeuralNetworksMemory *host;
	ANeuralNetworksMemory *memory, *copy;
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	int fd = memfd_new(sizeof(A));

	RT_OK(ANeuralNetworksMemory_createFromFd(sizeof(A), PROT_READ | PROT_WRITE, fd, 0, &copy));
	host = copy;
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	RT_OK(ANeuralNetworksMemory_copy(host, memory));
	RT_OK(ANeuralNetworksMemory_copy(memory, host));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 0, 0));
	assert_int_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_OP_FAILED);
	RT_BAD_DATA(ANeuralNetworksMemory_copy(memory, host));
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksMemory_free(copy);
	ANeuralNetworksMemoryDesc_free(desc);
	rt_free(NULL, c, model);
	close(fd);
}

/*
 * An output of open shape, or whose dimensions follow from one: the execution must report the right
 * shape.
 */
TEST(dimensions_of_outputs_must_be_right)
{
	static const char *const devices[] = { "dev", "nnapi-reference", "dev nnapi-reference",
					       NULL };
	static const struct {
		uint32_t given, result;
	} cases[] = { { N, ANEURALNETWORKS_NO_ERROR },
		      { N - 1, ANEURALNETWORKS_OP_FAILED },
		      { 2 * N, ANEURALNETWORKS_OP_FAILED } };
	ANeuralNetworksModel *models[2] = { rt_graph("ab>C", "C=ADD(a,b)", NULL),
					    rt_graph("AB>C", "C=ADD(A,B)", NULL) };

	for (int m = 0; m < 2; m++) {
		for (int l = 0; l < 4; l++)
			for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
				const uint32_t dims[] = { N }, wanted[] = { cases[i].given };
				const ANeuralNetworksOperandType
					in = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1),
					out = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, wanted, 1);
				ANeuralNetworksCompilation *c;
				ANeuralNetworksExecution *e;
				float got[2 * N];

				RT_OK(rt_finish(models[m], devices[l], &c));
				e = rt_execution(c);
				RT_OK(ANeuralNetworksExecution_setInput(e, 0, &in, A, sizeof(A)));
				RT_OK(ANeuralNetworksExecution_setInput(e, 1, &in, B, sizeof(B)));
				RT_OK(ANeuralNetworksExecution_setOutput(e, 0, &out, got,
									 wanted[0] * sizeof(*got)));
				assert_int_equal(ANeuralNetworksExecution_compute(e),
						 cases[i].result);
				ANeuralNetworksExecution_free(e);
				ANeuralNetworksCompilation_free(c);
			}
		ANeuralNetworksModel_free(models[m]);
	}
}

static const struct rt_case cases[] = {
	RT_CASE(parameters_go_through_if, "name=dev,exec=0.5"),
	RT_CASE(parameters_go_through_while, "name=dev,exec=0.5"),
	RT_CASE_ENV(others_have_the_rest, "name=dev,exec=0.5", "NNAPI_LOG=warning",
		    "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"),
	RT_CASE(who_is_sure_comes_first, "name=slow,exec=2,claims=1"),
	RT_CASE(supported_is_what_can_be_compiled, "name=dev"),
	RT_CASE(contradictions_compile_and_fail, "name=dev,exec=0.5"),
	RT_CASE(failures_leave_memory_uninitialised, NULL),
	RT_CASE(dimensions_of_outputs_must_be_right, "name=dev,exec=0.5"),
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

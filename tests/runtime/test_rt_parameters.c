// SPDX-License-Identifier: Apache-2.0
/*
 * What is accepted early and judged late: parameters of operations that are inputs of the model,
 * omitted inputs, and models that can only fail (client_api.md, "Accepted early, failed late").
 */
#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnaccel_runtime.h"
#include "rt_graph.h"

#define N 4

static const float A[N] = { 1, -2, 3, -4 }, B[N] = { 10, -20, -0.5f, 30 };

static float activated(float x, int32_t activation)
{
	switch (activation) {
	case ANEURALNETWORKS_FUSED_RELU:
		return x < 0 ? 0 : x;
	case ANEURALNETWORKS_FUSED_RELU1:
		return x < -1 ? -1 : x > 1 ? 1 : x;
	case ANEURALNETWORKS_FUSED_RELU6:
		return x < 0 ? 0 : x > 6 ? 6 : x;
	}
	return x;
}

static void is_sum(const float *out, int32_t activation)
{
	for (int i = 0; i < N; i++)
		assert_true(out[i] == activated(A[i] + B[i], activation));
}

/* out (3) = a (0) + b (1) with activation (2): inputs 0 to 2. */
static ANeuralNetworksModel *add_model(uint32_t elements_a, uint32_t elements_b,
				       uint32_t elements_out)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_a));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_b));
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_out));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* The same with a constant activation. */
static ANeuralNetworksModel *add_constant(int32_t activation, uint32_t elements_a,
					  uint32_t elements_b, uint32_t elements_out)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_a));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_b));
	rt_int32(model, 2, activation);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements_out));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

static void set_sum(ANeuralNetworksExecution *e, const int32_t *activation, float *out)
{
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, activation,
						activation ? sizeof(*activation) : 0));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(A)));
}

/* Result code of the computation. */
static int compute(ANeuralNetworksExecution *e, ANeuralNetworksBurst *burst, int way)
{
	ANeuralNetworksEvent *event;
	int result;

	switch (way) {
	case 0:
		return ANeuralNetworksExecution_compute(e);
	case 1:
		return ANeuralNetworksExecution_burstCompute(e, burst);
	case 2:
		result = ANeuralNetworksExecution_startCompute(e, &event);
		break;
	default:
		result = ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
									       &event);
		break;
	}
	if (result == ANEURALNETWORKS_NO_ERROR) {
		result = ANeuralNetworksEvent_wait(event);
		ANeuralNetworksEvent_free(event);
	}
	return result;
}

static const char *const lists[] = { "nnapi-reference", "dev nnapi-reference", NULL };

static void parameters_come_with_the_request(void **state)
{
	ANeuralNetworksModel *model = add_model(N, N, N);

	(void)state;
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksBurst *burst;

		RT_OK(rt_finish(model, lists[l], &c));
		RT_OK(ANeuralNetworksBurst_create(c, &burst));
		for (int way = 0; way < 4; way++)
			for (int32_t activation = 0; activation < 4; activation++) {
				ANeuralNetworksExecution *e = rt_execution(c);
				float out[N] = { 0 };

				set_sum(e, &activation, out);
				RT_OK(compute(e, burst, way));
				is_sum(out, activation);
				ANeuralNetworksExecution_free(e);
			}
		ANeuralNetworksBurst_free(burst);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

static void bad_and_missing_parameters_fail_at_execution(void **state)
{
	static const int32_t bad[] = { -1, 4, 999, INT32_MIN };
	ANeuralNetworksModel *model = add_model(N, N, N);

	(void)state;
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		const int32_t none = 0;
		float out[N];

		RT_OK(rt_finish(model, lists[l], &c));
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			e = rt_execution(c);
			set_sum(e, &bad[i], out);
			assert_int_equal(compute(e, NULL, i % 2 ? 2 : 0),
					 ANEURALNETWORKS_OP_FAILED);
			ANeuralNetworksExecution_free(e);
		}
		e = rt_execution(c);
		set_sum(e, NULL, out);
		RT_BAD_DATA(ANeuralNetworksExecution_compute(e));
		ANeuralNetworksExecution_free(e);
		/* the next execution is not affected */
		e = rt_execution(c);
		set_sum(e, &none, out);
		RT_OK(ANeuralNetworksExecution_compute(e));
		is_sum(out, 0);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/* A reusable execution reads the present value of its memory; truncated memory raises no signal. */
static void parameters_in_memory_are_read_anew(void **state)
{
	ANeuralNetworksModel *model = add_model(N, N, N);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	ANeuralNetworksMemory *memory;
	char path[] = "/tmp/rt-parameters-XXXXXX";
	int fd = mkstemp(path);
	float out[N];

	(void)state;
	assert_true(fd >= 0 && !unlink(path) && !ftruncate(fd, 8192));
	RT_OK(ANeuralNetworksMemory_createFromFd(8192, PROT_READ | PROT_WRITE, fd, 0, &memory));
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 2, NULL, memory, 4096 + 4,
							  sizeof(int32_t)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	/* more values than programs are kept, forth and back */
	for (int32_t i = 0; i < 16; i++) {
		const int32_t activation = i < 8 ? i % 4 : 3 - i % 4;

		assert_int_equal(pwrite(fd, &activation, sizeof(activation), 4096 + 4),
				 sizeof(activation));
		RT_OK(ANeuralNetworksExecution_compute(e));
		is_sum(out, activation);
	}
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_not_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_NO_ERROR);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksModel_free(model);
	close(fd);
}

/*
 * axis (2) = RANK(shape (1)), which is 2: softmax over the last of three axes of 0. The rank may
 * come with the request.
 */
static void ranks_are_parameters(void **state)
{
	const uint32_t rank[] = { 1 }, axis[] = { 2 }, softmax[] = { 0, 3, 2 }, in[] = { 0, 1 },
		       out[] = { 4 };
	const float beta = 1, x[8] = { 0, 0, 1, 1, 2, 2, 3, 3 }, any[4] = { 0 };
	const uint32_t dims[] = { 2, 2 };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2);

	(void)state;
	for (int known = 0; known < 2; known++) {
		ANeuralNetworksModel *model = rt_model();
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		float got[8] = { 0 };

		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 2, 2));
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, known ? dims : NULL,
			   known ? 2 : 0);
		rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
		rt_operand(model, ANEURALNETWORKS_FLOAT32, NULL, 0);
		RT_OK(ANeuralNetworksModel_setOperandValue(model, 3, &beta, sizeof(beta)));
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 2, 2));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RANK, 1, rank, 1,
							axis));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_SOFTMAX, 3, softmax,
							1, out));
		RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
		RT_OK(ANeuralNetworksModel_finish(model));
		RT_OK(rt_finish(model, "nnapi-reference", &c));
		e = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, x, sizeof(x)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, any, sizeof(any)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, got, sizeof(got)));
		RT_OK(ANeuralNetworksExecution_compute(e));
		for (int i = 0; i < 8; i++)
			assert_true(got[i] == 0.5f);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
		ANeuralNetworksModel_free(model);
	}
}

/* The parameter is the only input. */
static void parameters_may_be_all_inputs(void **state)
{
	const uint32_t add[] = { 0, 1, 2 }, in[] = { 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;

	(void)state;
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, A, sizeof(A)));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, B, sizeof(B)));
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(N));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	for (int32_t activation = 0; activation < 4; activation++) {
		ANeuralNetworksExecution *e = rt_execution(c);
		float got[N] = { 0 };

		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, &activation,
							sizeof(activation)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, got, sizeof(got)));
		RT_OK(ANeuralNetworksExecution_compute(e));
		is_sum(got, activation);
		ANeuralNetworksExecution_free(e);
	}
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/* A preparation that one execution had no time for serves the next one. */
static void deadlines_hold_while_specializing(void **state)
{
	ANeuralNetworksModel *model = add_model(N, N, N);
	const int32_t activation = ANEURALNETWORKS_FUSED_RELU;
	ANeuralNetworksCompilation *c;

	(void)state;
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	for (int i = 0; i < 3; i++) {
		ANeuralNetworksExecution *e = rt_execution(c);
		float got[N] = { 0 };

		RT_OK(ANeuralNetworksExecution_setTimeout(e, i == 1 ? UINT64_MAX : 1));
		set_sum(e, &activation, got);
		assert_int_equal(ANeuralNetworksExecution_compute(e),
				 i == 1 ? ANEURALNETWORKS_NO_ERROR
					: ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
		if (i == 1)
			is_sum(got, activation);
		ANeuralNetworksExecution_free(e);
	}
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/* LSH_PROJECTION, sparse: the weights are an optional input of the model. */
static void omitted_inputs_count_when_they_are_omitted(void **state)
{
	const uint32_t lsh[] = { 0, 1, 2, 3 }, in[] = { 1, 2 }, out[] = { 4 };
	const float hash[4] = { 0.1f, -0.7f, 0.4f, 0.9f };
	const int32_t input[3] = { 12345, 54321, 67890 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	int32_t got[2] = { -1, -1 };

	(void)state;
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 2));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, hash, sizeof(hash)));
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(3));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(3));
	rt_int32(model, 3, 3);
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(2));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LSH_PROJECTION, 4, lsh, 1,
						out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, input, sizeof(input)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, NULL, 0));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, got, sizeof(got)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	/* two bits each, the second with its offset */
	assert_in_range(got[0], 0, 3);
	assert_in_range(got[1], 4, 7);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/* ---- convolutions ---- */

#define SIDE 5

/*
 * [1,5,5,1] by a filter [1,3,3,1]; paddings (4), strides and activation by value (NULL: inputs 1 to
 * 7).
 */
static ANeuralNetworksModel *conv_model(const int32_t *values)
{
	static const float filter[9] = { 1, -2, 3, -4, 5, -6, 7, -8, 9 }, bias[1] = { 0.5f };
	uint32_t in[10], inputs[8], n = 0;
	const uint32_t out[] = { 10 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1, SIDE, SIDE, 1));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1, 3, 3, 1));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, filter, sizeof(filter)));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, bias, sizeof(bias)));
	inputs[n++] = 0;
	for (uint32_t i = 0; i < 10; i++)
		in[i] = i;
	for (uint32_t i = 3; i < 10; i++) {
		if (values) {
			rt_int32(model, (int32_t)i, values[i - 3]);
			continue;
		}
		rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
		inputs[n++] = i;
	}
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(0, 0, 0, 0));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 10, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, n, inputs, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

static void conv_run(ANeuralNetworksCompilation *c, const int32_t *values, float *out,
		     uint32_t dims[4])
{
	ANeuralNetworksExecution *e = rt_execution(c);
	float image[SIDE * SIDE];
	int result;

	for (int i = 0; i < SIDE * SIDE; i++)
		image[i] = (float)(i * 7 % 11 - 5);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, image, sizeof(image)));
	for (int32_t i = 0; values && i < 7; i++)
		RT_OK(ANeuralNetworksExecution_setInput(e, 1 + i, NULL, &values[i],
							sizeof(*values)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, 64 * sizeof(*out)));
	result = ANeuralNetworksExecution_compute(e);
	RT_OK(result);
	RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, dims));
	ANeuralNetworksExecution_free(e);
}

static void paddings_and_strides_are_parameters(void **state)
{
	static const int32_t cases[][7] = {
		{ 0, 0, 0, 0, 1, 1, 0 }, { 1, 1, 1, 1, 1, 1, 0 }, { 0, 1, 2, 1, 2, 1, 1 },
		{ 1, 1, 1, 1, 2, 3, 3 }, { 2, 0, 0, 2, 1, 2, 2 }, { 1, 0, 1, 0, 2, 2, 0 },
	};
	ANeuralNetworksModel *model = conv_model(NULL), *constant;
	ANeuralNetworksCompilation *c, *expected;
	uint32_t dims[2][4];
	float out[2][64];

	(void)state;
	RT_OK(rt_finish(model, NULL, &c));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(out, 0, sizeof(out));
		constant = conv_model(cases[i]);
		RT_OK(rt_finish(constant, "nnapi-reference", &expected));
		conv_run(expected, NULL, out[0], dims[0]);
		conv_run(c, cases[i], out[1], dims[1]);
		assert_memory_equal(dims[0], dims[1], sizeof(dims[0]));
		assert_memory_equal(out[0], out[1], sizeof(out[0]));
		ANeuralNetworksCompilation_free(expected);
		ANeuralNetworksModel_free(constant);
	}
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/* ---- concurrency ---- */

struct user {
	ANeuralNetworksCompilation *compilation;
	int seed;
	int wrong;
};

static void *use(void *cookie)
{
	struct user *u = cookie;
	uint32_t dims[4];

	for (int i = 0; i < 24; i++) {
		const int32_t values[7] = { (u->seed + i) % 3, 1, 0, i % 2, 1 + i % 2, 1,
					    (u->seed * i) % 4 };
		ANeuralNetworksExecution *e;
		float image[SIDE * SIDE] = { 0 }, out[64];

		image[12] = 1;
		if (ANeuralNetworksExecution_create(u->compilation, &e))
			u->wrong++;
		ANeuralNetworksExecution_setInput(e, 0, NULL, image, sizeof(image));
		for (int32_t k = 0; k < 7; k++)
			ANeuralNetworksExecution_setInput(e, 1 + k, NULL, &values[k],
							  sizeof(*values));
		ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out));
		if (ANeuralNetworksExecution_compute(e) ||
		    ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, dims) ||
		    dims[1] != (uint32_t)(SIDE + values[2] + values[3] - 3) / (uint32_t)values[5] +
				       1 ||
		    dims[2] !=
			    (uint32_t)(SIDE + values[0] + values[1] - 3) / (uint32_t)values[4] + 1)
			u->wrong++;
		ANeuralNetworksExecution_free(e);
	}
	return NULL;
}

static void executions_share_programs(void **state)
{
	ANeuralNetworksModel *model = conv_model(NULL);
	ANeuralNetworksCompilation *c;
	struct user users[4];
	pthread_t threads[4];

	(void)state;
	RT_OK(rt_finish(model, "nnapi-reference", &c));
	for (int i = 0; i < 4; i++) {
		users[i] = (struct user){ .compilation = c, .seed = i / 2 };
		assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].wrong, 0);
	}
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

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
static void parameters_go_through_if(void **state)
{
	(void)state;
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
				ANeuralNetworksCompilation_free(c);
				ANeuralNetworksModel_free(model);
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
static void parameters_go_through_while(void **state)
{
	const uint32_t op_in[] = { 3, 4, 0, 1, 2 }, in[] = { 0, 1, 2 }, out[] = { 5 };
	ANeuralNetworksModel *models[2], *model;

	(void)state;
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
static void others_have_the_rest(void **state)
{
	const uint32_t add[] = { 0, 1, 2 }, mul[] = { 3, 1, 4 }, in[] = { 0, 1, 2 }, sum[] = { 3 },
		       out[] = { 5 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	char *json;

	(void)state;
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
	assert_non_null(freopen(rt_path("log"), "w", stderr));
	RT_BAD_DATA(rt_finish(model, "dev", &c));
	fflush(stderr);
	assert_int_equal(
		rt_count_lines(rt_path("log"),
			       "ANeuralNetworksCompilation_finish: no device can run operation "
			       "0 (ADD): dev: input 2 (operand 2) must be a constant"),
		1);
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
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
static void who_is_sure_comes_first(void **state)
{
	ANeuralNetworksModel *models[2] = { add_model(N, N, N), add_constant(0, N, N, N) };

	(void)state;
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
		ANeuralNetworksCompilation_free(c);
		ANeuralNetworksModel_free(models[i]);
	}
}

static void supported_is_what_can_be_compiled(void **state)
{
	ANeuralNetworksModel *models[3] = { add_model(N, N, N), add_constant(999, N, N, N),
					    add_constant(0, N, 3, N) };

	(void)state;
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

static void contradictions_compile_and_fail(void **state)
{
	static const struct {
		int32_t activation;
		uint32_t b, out;
	} cases[] = { { 999, N, N }, { -1, N, N }, { 0, 3, N },
		      { 0, N, 3 },   { 0, 1, 1 },  { 0, N, 2 * N } };

	(void)state;
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
static void failures_leave_memory_uninitialised(void **state)
{
	ANeuralNetworksModel *model = add_constant(999, N, N, N);
	const ANeuralNetworksMemory *host;
	ANeuralNetworksMemory *memory, *copy;
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	int fd = memfd_create("rt", 0);

	(void)state;
	assert_true(fd >= 0 && !ftruncate(fd, sizeof(A)));
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
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
	close(fd);
}

/*
 * An output of open shape, or whose dimensions follow from one: the execution must report the right
 * shape.
 */
static void dimensions_of_outputs_must_be_right(void **state)
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

	(void)state;
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
	RT_CASE(parameters_come_with_the_request, "name=dev,exec=0.5"),
	RT_CASE(bad_and_missing_parameters_fail_at_execution, "name=dev,exec=0.5"),
	RT_CASE(parameters_in_memory_are_read_anew, NULL),
	RT_CASE(ranks_are_parameters, NULL),
	RT_CASE(parameters_may_be_all_inputs, NULL),
	RT_CASE(deadlines_hold_while_specializing, NULL),
	RT_CASE(omitted_inputs_count_when_they_are_omitted, NULL),
	RT_CASE(paddings_and_strides_are_parameters, NULL),
	RT_CASE(executions_share_programs, NULL),
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

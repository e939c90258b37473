// SPDX-License-Identifier: Apache-2.0
/*
 * Models that are accepted at compilation and specialized at execution: parameters of operations
 * that are inputs of the model, and omitted inputs.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt_parameters.h"

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

TEST(parameters_come_with_the_request)
{
	ANeuralNetworksModel *model = add_model(N, N, N);

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

TEST(bad_and_missing_parameters_fail_at_execution)
{
	static const int32_t bad[] = { -1, 4, 999, INT32_MIN };
	ANeuralNetworksModel *model = add_model(N, N, N);

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
TEST(parameters_in_memory_are_read_anew)
{
	ANeuralNetworksModel *model = add_model(N, N, N);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	ANeuralNetworksMemory *memory;
	int fd = temp_file(8192);
	float out[N];

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
TEST(ranks_are_parameters)
{
	const uint32_t rank[] = { 1 }, axis[] = { 2 }, softmax[] = { 0, 3, 2 }, in[] = { 0, 1 },
		       out[] = { 4 };
	const float beta = 1, x[8] = { 0, 0, 1, 1, 2, 2, 3, 3 }, any[4] = { 0 };
	const uint32_t dims[] = { 2, 2 };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2);

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
		rt_free(e, c, model);
	}
}

/* The parameter is the only input. */
TEST(parameters_may_be_all_inputs)
{
	const uint32_t add[] = { 0, 1, 2 }, in[] = { 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;

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
	rt_free(NULL, c, model);
}

/* A preparation that one execution had no time for serves the next one. */
TEST(deadlines_hold_while_specializing)
{
	ANeuralNetworksModel *model = add_model(N, N, N);
	const int32_t activation = ANEURALNETWORKS_FUSED_RELU;
	ANeuralNetworksCompilation *c;

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
	rt_free(NULL, c, model);
}

/* LSH_PROJECTION, sparse: the weights are an optional input of the model. */
TEST(omitted_inputs_count_when_they_are_omitted)
{
	const uint32_t lsh[] = { 0, 1, 2, 3 }, in[] = { 1, 2 }, out[] = { 4 };
	const float hash[4] = { 0.1f, -0.7f, 0.4f, 0.9f };
	const int32_t input[3] = { 12345, 54321, 67890 };
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	int32_t got[2] = { -1, -1 };

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
	rt_free(e, c, model);
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

TEST(paddings_and_strides_are_parameters)
{
	static const int32_t cases[][7] = {
		{ 0, 0, 0, 0, 1, 1, 0 }, { 1, 1, 1, 1, 1, 1, 0 }, { 0, 1, 2, 1, 2, 1, 1 },
		{ 1, 1, 1, 1, 2, 3, 3 }, { 2, 0, 0, 2, 1, 2, 2 }, { 1, 0, 1, 0, 2, 2, 0 },
	};
	ANeuralNetworksModel *model = conv_model(NULL), *constant;
	ANeuralNetworksCompilation *c, *expected;
	uint32_t dims[2][4];
	float out[2][64];

	RT_OK(rt_finish(model, NULL, &c));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(out, 0, sizeof(out));
		constant = conv_model(cases[i]);
		RT_OK(rt_finish(constant, "nnapi-reference", &expected));
		conv_run(expected, NULL, out[0], dims[0]);
		conv_run(c, cases[i], out[1], dims[1]);
		assert_memory_equal(dims[0], dims[1], sizeof(dims[0]));
		assert_memory_equal(out[0], out[1], sizeof(out[0]));
		rt_free(NULL, expected, constant);
	}
	rt_free(NULL, c, model);
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

TEST(executions_share_programs)
{
	ANeuralNetworksModel *model = conv_model(NULL);
	ANeuralNetworksCompilation *c;
	struct user users[4];
	pthread_t threads[4];

	RT_OK(rt_finish(model, "nnapi-reference", &c));
	for (int i = 0; i < 4; i++) {
		users[i] = (struct user){ .compilation = c, .seed = i / 2 };
		assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].wrong, 0);
	}
	rt_free(NULL, c, model);
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
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

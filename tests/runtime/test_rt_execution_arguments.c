// SPDX-License-Identifier: Apache-2.0
/* Inputs and outputs: shapes merged of model, caller and computation. */
#include <sys/mman.h>
#include <unistd.h>

#include "rt_case.h"

enum level { KNOWN, DIM, RANK, NO_TYPE };

#define ROWS 4u
#define COLS 2u

static const float bias[ROWS] = { 1, 2, 3, 4 };
static const float input[ROWS * COLS] = { 1, 2, 3, 4, 5, 6, 7, 8 };

/* temp = op0[ROWS, COLS] + op1[ROWS, 1]; op4 = transposed(temp, op3: left out). */
static ANeuralNetworksModel *transposing(enum level in, enum level perm, enum level out)
{
	const uint32_t in_dims[] = { ROWS, in == DIM ? 0 : COLS }, bias_dims[] = { ROWS, 1 };
	const uint32_t perm_dims[] = { perm == DIM ? 0 : 2 },
		       out_dims[] = { out == DIM ? 0 : COLS, ROWS };
	const uint32_t io[] = { 0, 3 }, result[] = { 5 }, add[] = { 0, 1, 2 }, temp[] = { 4 },
		       tr[] = { 4, 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, in_dims, in == RANK ? 0 : 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, bias_dims, 2);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, bias, sizeof(bias)));
	rt_int32(model, 2, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, perm_dims, perm == RANK ? 0 : 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, out_dims, out == RANK ? 0 : 2);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, temp));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_TRANSPOSE, 2, tr, 1,
						result));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, io, 1, result));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* The type that a caller gives; NULL at NO_TYPE. */
static const ANeuralNetworksOperandType *given(enum level level, int32_t type, const uint32_t *dims,
					       uint32_t rank, ANeuralNetworksOperandType *room,
					       uint32_t *own)
{
	if (level == NO_TYPE)
		return NULL;
	memcpy(own, dims, rank * sizeof(*own));
	if (level == DIM)
		own[0] = 0;
	*room = rt_type(type, level == RANK ? NULL : own, level == RANK ? 0 : rank);
	return room;
}

/* setInput() and setInputFromMemory() agree. */
static int set_input(ANeuralNetworksCompilation *c, const ANeuralNetworksOperandType *type,
		     size_t length, bool padded)
{
	ANeuralNetworksExecution *e = rt_execution(c), *f = rt_execution(c);
	ANeuralNetworksMemory *memory = rt_memory(256, PROT_READ | PROT_WRITE, NULL);
	static float room[64];
	int result;

	RT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(e, padded));
	RT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(f, padded));
	result = ANeuralNetworksExecution_setInput(e, 0, type, room, length);
	assert_int_equal(ANeuralNetworksExecution_setInputFromMemory(f, 0, type, memory, 0, length),
			 result);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		RT_BAD_STATE(ANeuralNetworksExecution_setInput(e, 0, type, room, length));
		RT_BAD_STATE(
			ANeuralNetworksExecution_setInputFromMemory(e, 0, type, memory, 0, length));
		RT_BAD_STATE(ANeuralNetworksExecution_enableInputAndOutputPadding(e, padded));
	} else {
		/* the refused call set no argument: a valid call succeeds */
		const uint32_t dims[] = { ROWS, COLS };
		const ANeuralNetworksOperandType right =
			rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2);

		RT_OK(ANeuralNetworksExecution_setInput(e, 0, &right, input, sizeof(input)));
	}
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksExecution_free(f);
	ANeuralNetworksMemory_free(memory);
	return result;
}

TEST(shapes_of_inputs)
{
	const uint32_t dims[] = { ROWS, COLS };
	ANeuralNetworksOperandType room;
	uint32_t own[2];

	for (enum level model_level = KNOWN; model_level <= RANK; model_level++) {
		ANeuralNetworksModel *model = transposing(model_level, KNOWN, KNOWN);
		ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
		const uint32_t wrong[] = { ROWS + 1, COLS };

		for (enum level level = KNOWN; level <= NO_TYPE; level++) {
			const ANeuralNetworksOperandType *type =
				given(level, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2, &room, own);
			bool good = level == KNOWN || (level == NO_TYPE && model_level == KNOWN);
			int expected = good ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;

			assert_int_equal(set_input(c, type, sizeof(input), false), expected);
			assert_int_equal(set_input(c, type, sizeof(input), true), expected);
			RT_BAD_DATA(set_input(c, type, sizeof(input) - 4, false));
			RT_BAD_DATA(set_input(c, type, sizeof(input) - 4, true));
			RT_BAD_DATA(set_input(c, type, sizeof(input) + 4, false));
			assert_int_equal(set_input(c, type, sizeof(input) + 4, true), expected);
		}
		/* contradicts the model's shape, unless that is unknown */
		room = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, wrong, 2);
		assert_int_equal(set_input(c, &room, sizeof(float) * (ROWS + 1) * COLS, false),
				 model_level == RANK ? ANEURALNETWORKS_NO_ERROR
						     : ANEURALNETWORKS_BAD_DATA);
		room = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
		assert_int_equal(set_input(c, &room, sizeof(float) * ROWS, false),
				 model_level == RANK ? ANEURALNETWORKS_NO_ERROR
						     : ANEURALNETWORKS_BAD_DATA);
		/* not consistent in itself */
		room = rt_type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, dims, 2);
		RT_BAD_DATA(set_input(c, &room, sizeof(input), false));
		rt_free(NULL, c, model);
	}
}

TEST(shapes_of_omitted_inputs)
{
	const uint32_t dims[] = { 2 };
	ANeuralNetworksOperandType room;
	uint32_t own[1];

	for (enum level model_level = KNOWN; model_level <= RANK; model_level++) {
		ANeuralNetworksModel *model = transposing(KNOWN, model_level, KNOWN);
		ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);

		for (enum level level = KNOWN; level <= NO_TYPE; level++) {
			ANeuralNetworksExecution *e = rt_execution(c);
			const ANeuralNetworksOperandType *type =
				given(level, ANEURALNETWORKS_TENSOR_INT32, dims, 1, &room, own);
			bool bad = (level == DIM && model_level == KNOWN) ||
				   (level == RANK && model_level != RANK);

			assert_int_equal(ANeuralNetworksExecution_setInput(e, 1, type, NULL, 0),
					 bad ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR);
			ANeuralNetworksExecution_free(e);
		}
		rt_free(NULL, c, model);
	}
}

/* One computation; outputs of @length bytes. Result code of setOutput(), else of compute(). */
static int transpose(ANeuralNetworksCompilation *c, const ANeuralNetworksOperandType *type,
		     size_t length, bool padded, bool *set, uint32_t dims[2])
{
	const uint32_t in_dims[] = { ROWS, COLS };
	const ANeuralNetworksOperandType in = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, in_dims, 2);
	ANeuralNetworksExecution *e = rt_execution(c);
	float out[64] = { 0 };
	uint32_t rank = 0;
	int result, got;

	RT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(e, padded));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, &in, input, sizeof(input)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, NULL, 0));
	result = ANeuralNetworksExecution_setOutput(e, 0, type, out, length);
	*set = result == ANEURALNETWORKS_NO_ERROR;
	if (*set) {
		result = ANeuralNetworksExecution_compute(e);
		got = ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank);
		if (result == ANEURALNETWORKS_NO_ERROR ||
		    result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) {
			assert_int_equal(got, result);
			assert_int_equal(rank, 2);
			assert_int_equal(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0,
											     dims),
					 result);
		} else {
			assert_int_equal(got, ANEURALNETWORKS_BAD_STATE);
		}
	}
	for (uint32_t i = 0; *set && !result && i < ROWS * COLS; i++)
		assert_true(out[i % COLS * ROWS + i / COLS] == input[i] + bias[i / COLS]);
	/* no byte behind the argument is written */
	for (uint32_t i = ROWS * COLS; i < 64; i++)
		assert_true(out[i] == 0);
	ANeuralNetworksExecution_free(e);
	return result;
}

TEST(shapes_of_outputs)
{
	const uint32_t dims[] = { COLS, ROWS };
	ANeuralNetworksOperandType room;
	uint32_t own[2], found[2];
	bool set;

	for (enum level model_level = KNOWN; model_level <= RANK; model_level++) {
		ANeuralNetworksModel *model = transposing(DIM, KNOWN, model_level);
		ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
		const uint32_t wrong[] = { COLS + 1, ROWS };

		for (enum level level = KNOWN; level <= NO_TYPE; level++) {
			const ANeuralNetworksOperandType *type =
				given(level, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2, &room, own);
			bool bad = (level == DIM && model_level == KNOWN) ||
				   (level == RANK && model_level != RANK);
			bool known = level == KNOWN || (level == NO_TYPE && model_level == KNOWN);

			memset(found, 0, sizeof(found));
			assert_int_equal(transpose(c, type, sizeof(input), false, &set, found),
					 bad ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR);
			assert_int_equal(set, !bad);
			if (bad)
				continue;
			assert_memory_equal(found, dims, sizeof(dims));
			memset(found, 0, sizeof(found));
			assert_int_equal(transpose(c, type, sizeof(input) - 4, false, &set, found),
					 known ? ANEURALNETWORKS_BAD_DATA
					       : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
			assert_int_equal(set, !known);
			if (!known)
				assert_memory_equal(found, dims, sizeof(dims));
			assert_int_equal(transpose(c, type, sizeof(input) + 4, false, &set, found),
					 known ? ANEURALNETWORKS_BAD_DATA
					       : ANEURALNETWORKS_NO_ERROR);
			RT_OK(transpose(c, type, sizeof(input) + 4, true, &set, found));
		}
		/* the computation finds that it is not so */
		room = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, wrong, 2);
		assert_int_not_equal(transpose(c, &room, sizeof(float) * (COLS + 1) * ROWS, false,
					       &set, found),
				     ANEURALNETWORKS_NO_ERROR);
		assert_int_equal(set, model_level != KNOWN);
		rt_free(NULL, c, model);
	}
}

/* A reusable execution forgets the shapes of the last computation. */
TEST(shapes_of_each_computation)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(0));
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = rt_execution(c);
	const uint32_t dims[] = { 4 };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	uint32_t found;
	float out[3];

	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, input, 16));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, input, 16));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ANeuralNetworksExecution_compute(e),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		found = 0;
		assert_int_equal(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &found),
				 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
		assert_int_equal(found, 4);
	}
	rt_free(e, c, model);
}

TEST(indices_and_lengths)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksExecution *e = rt_execution(c);
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	float out[4];

	RT_BAD_DATA(ANeuralNetworksExecution_setInput(e, 2, NULL, input, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setInput(e, -1, NULL, input, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutput(e, 1, NULL, out, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutput(e, -1, NULL, out, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 2, NULL, memory, 0, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, -1, NULL, memory, 0, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setInput(e, 0, NULL, input, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInput(e, 0, NULL, input, (size_t)UINT32_MAX + 1));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 52, 16));
	RT_BAD_DATA(
		ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, SIZE_MAX - 8, 16));
	/* the refused calls did not set the argument */
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, input, 16));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, memory, 16, 16));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 48, 16));
	RT_BAD_STATE(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, 16));
	/* the execution holds its memories */
	ANeuralNetworksMemory_free(memory);
	RT_OK(ANeuralNetworksExecution_compute(e));
	rt_free(e, c, model);
}

/* 65536 x 65536 elements are more than any buffer may have. */
TEST(output_overflow)
{
	const uint32_t in_dims[] = { 0, 1 }, bias_dims[] = { 0 }, io[] = { 0, 1, 2 },
		       out_index[] = { 4 };
	const uint32_t known[] = { 65536, 1 };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, known, 2);
	const ANeuralNetworksOperandType bias_type =
		rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, known, 1);
	const uint32_t op[] = { 0, 1, 2, 3 };
	static float column[65536];
	const char *const devices[] = { "dev", "nnapi-reference" };
	const uint32_t unknown[] = { 0, 0 };
	ANeuralNetworksModel *model = rt_model();
	float out[16];

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, in_dims, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, in_dims, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, bias_dims, 1);
	rt_int32(model, 3, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, unknown, 2);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, op, 1,
						out_index));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, io, 1, out_index));
	RT_OK(ANeuralNetworksModel_finish(model));
	for (int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c = rt_compile(model, devices[i], NULL);
		ANeuralNetworksExecution *e = rt_execution(c);

		for (int k = 0; k < 3; k++)
			RT_OK(ANeuralNetworksExecution_setInput(e, k, k == 2 ? &bias_type : &type,
								column, sizeof(column)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		assert_int_not_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_NO_ERROR);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(shapes_of_inputs, "name=dev"),
		RT_CASE(shapes_of_omitted_inputs, "name=dev"),
		RT_CASE(shapes_of_outputs, "name=dev"),
		RT_CASE(shapes_of_each_computation, "name=dev"),
		RT_CASE(indices_and_lengths, "name=dev"),
		RT_CASE(output_overflow, "name=dev"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose operations have parameters that are inputs of the model. */
#ifndef RT_PARAMETERS_H
#define RT_PARAMETERS_H

#include "rt_graph.h"

#define N 4

static const float A[N] = { 1, -2, 3, -4 }, B[N] = { 10, -20, -0.5f, 30 };

static inline float activated(float x, int32_t activation)
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

static inline void is_sum(const float *out, int32_t activation)
{
	for (int i = 0; i < N; i++)
		assert_true(out[i] == activated(A[i] + B[i], activation));
}

/* out (3) = a (0) + b (1) with activation (2): inputs 0 to 2. */
static inline ANeuralNetworksModel *add_model(uint32_t elements_a, uint32_t elements_b,
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
static inline ANeuralNetworksModel *add_constant(int32_t activation, uint32_t elements_a,
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

static inline void set_sum(ANeuralNetworksExecution *e, const int32_t *activation, float *out)
{
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 2, NULL, activation,
						activation ? sizeof(*activation) : 0));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(A)));
}

/* Lists of devices for rt_finish(). */
static const char *const lists[] = { "nnapi-reference", "dev nnapi-reference", NULL };

#endif

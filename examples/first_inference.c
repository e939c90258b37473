// SPDX-License-Identifier: Apache-2.0
/*
 * A first inference: y = relu(x W^T + b), a fully connected layer of three inputs and two units.
 *
 *	cc first_inference.c -lneuralnetworks
 */
#include "example.h"

static const float weights[2][3] = { { 1, 2, 3 }, { -1, -1, 0.5f } };
static const float bias[2] = { 0.5f, 1 };

/* A model is operands, then operations over them; inputs and outputs are named last. */
static ANeuralNetworksModel *build(void)
{
	const uint32_t x_dims[] = { 1, 3 }, w_dims[] = { 2, 3 }, b_dims[] = { 2 },
		       y_dims[] = { 1, 2 };
	const ANeuralNetworksOperandType types[] = {
		operand(ANEURALNETWORKS_TENSOR_FLOAT32, 2, x_dims),
		operand(ANEURALNETWORKS_TENSOR_FLOAT32, 2, w_dims),
		operand(ANEURALNETWORKS_TENSOR_FLOAT32, 1, b_dims),
		operand(ANEURALNETWORKS_INT32, 0, NULL),
		operand(ANEURALNETWORKS_TENSOR_FLOAT32, 2, y_dims),
	};
	const int32_t activation = ANEURALNETWORKS_FUSED_RELU;
	const uint32_t in[] = { 0, 1, 2, 3 }, x[] = { 0 }, y[] = { 4 };
	ANeuralNetworksModel *model;

	TRY(ANeuralNetworksModel_create(&model));
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		TRY(ANeuralNetworksModel_addOperand(model, &types[i]));
	TRY(ANeuralNetworksModel_setOperandValue(model, 1, weights, sizeof(weights)));
	TRY(ANeuralNetworksModel_setOperandValue(model, 2, bias, sizeof(bias)));
	TRY(ANeuralNetworksModel_setOperandValue(model, 3, &activation, sizeof(activation)));
	TRY(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, 1, y));
	TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, x, 1, y));
	TRY(ANeuralNetworksModel_finish(model));
	return model;
}

int main(void)
{
	const float x[3] = { 1, 2, 3 };
	float y[2] = { 0 };
	ANeuralNetworksModel *model = build();
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;

	/* the runtime chooses the devices; nnctl explain shows how it would */
	TRY(ANeuralNetworksCompilation_create(model, &compilation));
	TRY(ANeuralNetworksCompilation_finish(compilation));

	TRY(ANeuralNetworksExecution_create(compilation, &execution));
	TRY(ANeuralNetworksExecution_setInput(execution, 0, NULL, x, sizeof(x)));
	TRY(ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, sizeof(y)));
	TRY(ANeuralNetworksExecution_compute(execution));
	printf("y = %g %g\n", y[0], y[1]);

	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	/* 1 + 4 + 9 + 0.5, and -1 - 2 + 1.5 + 1 cut off at 0 */
	return y[0] == 14.5f && y[1] == 0 ? 0 : 1;
}

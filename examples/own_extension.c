// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor's own operation: the first ten Fibonacci numbers, quantized, on a device that has the
 * extension.
 */
#include <inttypes.h>
#include <stdbool.h>

#include <android/NeuralNetworksExtensions.h>

#include "example.h"
#include "fibonacci_extension.h"

#define N 10

/* The first device with the extension; NULL: none. */
static const ANeuralNetworksDevice *find_device(void)
{
	uint32_t count;

	TRY(ANeuralNetworks_getDeviceCount(&count));
	for (uint32_t i = 0; i < count; i++) {
		ANeuralNetworksDevice *device;
		bool has = false;

		TRY(ANeuralNetworks_getDevice(i, &device));
		TRY(ANeuralNetworksDevice_getExtensionSupport(
			device, EXAMPLE_FIBONACCI_EXTENSION_NAME, &has));
		if (has)
			return device;
	}
	return NULL;
}

static ANeuralNetworksModel *build(void)
{
	/* parameters of the output travel with the operand, opaque to the runtime */
	const ExampleTensorQuant64AsymmParams params = { .scale = 0.5, .zeroPoint = 10 };
	const uint32_t dims[] = { N }, in[] = { 0 }, out[] = { 1 };
	ANeuralNetworksOperandType n = operand(0, 0, NULL), numbers = operand(0, 1, dims);
	ANeuralNetworksOperationType fibonacci;
	ANeuralNetworksModel *model;

	TRY(ANeuralNetworksModel_create(&model));
	/* codes are valid in this process only: query them, never store them */
	TRY(ANeuralNetworksModel_getExtensionOperandType(model, EXAMPLE_FIBONACCI_EXTENSION_NAME,
							 EXAMPLE_INT64, &n.type));
	TRY(ANeuralNetworksModel_getExtensionOperandType(model, EXAMPLE_FIBONACCI_EXTENSION_NAME,
							 EXAMPLE_TENSOR_QUANT64_ASYMM,
							 &numbers.type));
	TRY(ANeuralNetworksModel_getExtensionOperationType(model, EXAMPLE_FIBONACCI_EXTENSION_NAME,
							   EXAMPLE_FIBONACCI, &fibonacci));
	TRY(ANeuralNetworksModel_addOperand(model, &n));
	TRY(ANeuralNetworksModel_addOperand(model, &numbers));
	TRY(ANeuralNetworksModel_setOperandExtensionData(model, 1, &params, sizeof(params)));
	TRY(ANeuralNetworksModel_addOperation(model, fibonacci, 1, in, 1, out));
	TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	TRY(ANeuralNetworksModel_finish(model));
	return model;
}

int main(void)
{
	static const uint64_t expected[N] = { 12, 12, 14, 16, 20, 26, 36, 52, 78, 120 };
	const ANeuralNetworksDevice *device = find_device();
	const int64_t n = N;
	uint64_t numbers[N] = { 0 };
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	bool right = true;

	if (!device) {
		fprintf(stderr, "no device supports the extension %s\n",
			EXAMPLE_FIBONACCI_EXTENSION_NAME);
		return 1;
	}
	model = build();
	TRY(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	TRY(ANeuralNetworksCompilation_finish(compilation));
	TRY(ANeuralNetworksExecution_create(compilation, &execution));
	TRY(ANeuralNetworksExecution_setInput(execution, 0, NULL, &n, sizeof(n)));
	TRY(ANeuralNetworksExecution_setOutput(execution, 0, NULL, numbers, sizeof(numbers)));
	TRY(ANeuralNetworksExecution_compute(execution));
	for (int i = 0; i < N; i++) {
		printf("%" PRIu64 "%c", numbers[i], i == N - 1 ? '\n' : ' ');
		right = right && numbers[i] == expected[i];
	}
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	return right ? 0 : 1;
}

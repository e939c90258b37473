// SPDX-License-Identifier: Apache-2.0
/*
 * Every Model function: missing pointers, states, and contents, each with its result code, in the
 * order of checks.
 */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt_case.h"

#define EXTENSION "vendor.test.one"

static const uint32_t shape[] = { 2, 3 };
static const ANeuralNetworksOperandType tensor = { ANEURALNETWORKS_TENSOR_FLOAT32, 2, shape, 0, 0 };
static const ANeuralNetworksOperandType scalar = { ANEURALNETWORKS_INT32, 0, NULL, 0, 0 };
static const ANeuralNetworksOperandType channels = { ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
						     2, shape, 0, 0 };

/* Operands 0 to 3 of an ADD: a and b, the activation (with its value), the sum. */
static ANeuralNetworksModel *operands(void)
{
	ANeuralNetworksModel *model = rt_model();
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;

	RT_OK(ANeuralNetworksModel_addOperand(model, &tensor));
	RT_OK(ANeuralNetworksModel_addOperand(model, &tensor));
	RT_OK(ANeuralNetworksModel_addOperand(model, &scalar));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	RT_OK(ANeuralNetworksModel_addOperand(model, &tensor));
	return model;
}

static const uint32_t add_in[] = { 0, 1, 2 }, add_out[] = { 3 };

static ANeuralNetworksModel *building(void)
{
	ANeuralNetworksModel *model = operands();

	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1, add_out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, add_out));
	return model;
}

static ANeuralNetworksModel *finished(void)
{
	ANeuralNetworksModel *model = building();

	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

static ANeuralNetworksModel *invalid(void)
{
	ANeuralNetworksModel *model = rt_model();

	RT_BAD_DATA(ANeuralNetworksModel_finish(model));
	return model;
}

/* ---- pointers ---- */

TEST(pointers_come_first)
{
	/*
	 * of a finished model: a missing pointer is reported before the state, and before a wrong
	 * index
	 */
	ANeuralNetworksModel *model = finished(), *value = finished();
	const ANeuralNetworksSymmPerChannelQuantParams params = { 0, 0, NULL };
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	const ANeuralNetworksDevice *device = rt_device("nnapi-reference"), *const devices[] = {
		device, NULL
	};
	const uint32_t list[] = { 99 };
	bool supported[4];

	RT_NULL(ANeuralNetworksModel_create(NULL));
	ANeuralNetworksModel_free(NULL);
	RT_NULL(ANeuralNetworksModel_finish(NULL));
	RT_NULL(ANeuralNetworksModel_addOperand(NULL, &tensor));
	RT_NULL(ANeuralNetworksModel_addOperand(model, NULL));
	RT_NULL(ANeuralNetworksModel_setOperandValue(NULL, 0, shape, 4));
	RT_NULL(ANeuralNetworksModel_setOperandValue(NULL, 0, NULL, 0));
	RT_NULL(ANeuralNetworksModel_setOperandValue(model, -1, NULL, 4));
	RT_NULL(ANeuralNetworksModel_setOperandValueFromMemory(NULL, 0, memory, 0, 4));
	RT_NULL(ANeuralNetworksModel_setOperandValueFromMemory(model, -1, NULL, 0, 4));
	RT_NULL(ANeuralNetworksModel_setOperandValueFromModel(NULL, 0, value));
	RT_NULL(ANeuralNetworksModel_setOperandValueFromModel(model, -1, NULL));
	RT_NULL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(NULL, 0, &params));
	RT_NULL(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, -1, NULL));
	RT_NULL(ANeuralNetworksModel_setOperandExtensionData(NULL, 0, shape, 4));
	RT_NULL(ANeuralNetworksModel_setOperandExtensionData(NULL, 0, NULL, 0));
	RT_NULL(ANeuralNetworksModel_setOperandExtensionData(model, -1, NULL, 4));
	RT_NULL(ANeuralNetworksModel_addOperation(NULL, ANEURALNETWORKS_ADD, 1, list, 1, list));
	RT_NULL(ANeuralNetworksModel_addOperation(model, -1, 1, NULL, 1, list));
	RT_NULL(ANeuralNetworksModel_addOperation(model, -1, 1, list, 1, NULL));
	RT_NULL(ANeuralNetworksModel_addOperation(model, -1, 0, NULL, 1, list));
	RT_NULL(ANeuralNetworksModel_identifyInputsAndOutputs(NULL, 1, list, 1, list));
	RT_NULL(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, NULL, 1, list));
	RT_NULL(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, list, 1, NULL));
	RT_NULL(ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, NULL, 0, NULL));
	RT_NULL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(NULL, true));
	RT_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(NULL, devices, 0, supported));
	RT_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(model, NULL, 0, supported));
	RT_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 0, NULL));
	RT_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 2,
								      supported));
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(value);
	ANeuralNetworksMemory_free(memory);
}

/* ---- states ---- */

/* Whatever else is wrong. */
static void expect_no_change(ANeuralNetworksModel *model, const ANeuralNetworksModel *value)
{
	const ANeuralNetworksSymmPerChannelQuantParams params = { 0, 0, NULL };
	const ANeuralNetworksOperandType invalid = { -1, 1, NULL, -1, -1 };
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	const uint32_t list[] = { 99 };
	int32_t type;

	RT_BAD_STATE(ANeuralNetworksModel_finish(model));
	RT_BAD_STATE(ANeuralNetworksModel_addOperand(model, &tensor));
	RT_BAD_STATE(ANeuralNetworksModel_addOperand(model, &invalid));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandValue(model, 0, shape, 8));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandValue(model, -1, NULL, 0));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandValueFromMemory(model, -1, memory, 0, 4));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandValueFromModel(model, -1, value));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, -1, &params));
	RT_BAD_STATE(ANeuralNetworksModel_setOperandExtensionData(model, -1, NULL, 0));
	RT_BAD_STATE(ANeuralNetworksModel_addOperation(model, -1, 1, list, 1, list));
	RT_BAD_STATE(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1,
						       add_out));
	RT_BAD_STATE(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, list, 1, list));
	RT_BAD_STATE(ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, list, 0, list));
	RT_BAD_STATE(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
	/* the refused calls do not change the model */
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, 0, &type));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, EXTENSION, 0, &type));
	ANeuralNetworksMemory_free(memory);
}

TEST(a_finished_model_does_not_change)
{
	ANeuralNetworksModel *model = finished(), *value = finished();

	expect_no_change(model, value);
	expect_no_change(model, model);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(value);
}

TEST(an_invalid_model_stays_so)
{
	ANeuralNetworksModel *model = invalid(), *value = finished();

	expect_no_change(model, value);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(value);
}

TEST(unfinished_models_are_of_no_use)
{
	ANeuralNetworksModel *models[] = { building(), invalid() }, *model = operands();
	const ANeuralNetworksDevice *devices[] = { rt_device("nnapi-reference") };
	ANeuralNetworksCompilation *compilation;
	bool supported[4];

	for (int i = 0; i < 2; i++) {
		RT_BAD_STATE(ANeuralNetworksModel_getSupportedOperationsForDevices(
			models[i], devices, 1, supported));
		RT_BAD_STATE(ANeuralNetworksModel_setOperandValueFromModel(model, 0, models[i]));
		RT_BAD_STATE(ANeuralNetworksModel_setOperandValueFromModel(model, -1, models[i]));
		compilation = (void *)&compilation;
		RT_BAD_STATE(ANeuralNetworksCompilation_create(models[i], &compilation));
		assert_null(compilation);
		RT_BAD_STATE(ANeuralNetworksCompilation_createForDevices(models[i], devices, 1,
									 &compilation));
		assert_null(compilation);
		ANeuralNetworksModel_free(models[i]);
	}
	ANeuralNetworksModel_free(model);
}

/* ---- operations, inputs and outputs ---- */

TEST(operations_are_checked_at_once)
{
	ANeuralNetworksModel *model = operands();
	const uint32_t far_in[] = { 0, 1, 4 }, far_out[] = { UINT32_MAX }, swapped[] = { 2, 1, 0 };

	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, -1, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, 106, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, 9999, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, 10001, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, 0xffff, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, 0x7fff0000, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 0, add_in, 1,
						      add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 0,
						      add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, far_in, 1,
						      add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1,
						      far_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 2, add_in, 1,
						      add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, swapped, 1,
						      add_out));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 3, add_in, 1,
						      add_out));
	/* and leave the model as it was */
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1, add_out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, add_out));
	RT_OK(ANeuralNetworksModel_finish(model));
	ANeuralNetworksModel_free(model);
}

TEST(inputs_and_outputs_are_checked)
{
	ANeuralNetworksModel *model = operands();
	const uint32_t far[] = { 0, 4 }, constant[] = { 0, 2 }, twice[] = { 0, 0 }, first[] = { 0 };

	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 0, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 0, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, far, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 2, far));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, constant, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, twice, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, first));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 2, constant));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, add_out));
	RT_OK(ANeuralNetworksModel_finish(model));
	ANeuralNetworksModel_free(model);
	/* an omitted operand is no temporary either */
	model = operands();
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, NULL, 0));
	RT_BAD_DATA(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, add_in, 1, add_out));
	ANeuralNetworksModel_free(model);
}

/* ---- values ---- */

/* Adds an operand and returns its number. */
static int32_t add(ANeuralNetworksModel *model, int32_t type, const uint32_t *dims, uint32_t rank)
{
	static ANeuralNetworksModel *last;
	static int32_t count;

	if (model != last)
		count = 0;
	last = model;
	rt_operand(model, type, dims, rank);
	return count++;
}

TEST(values_are_checked)
{
	ANeuralNetworksModel *model = rt_model();
	const int32_t full = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 3));
	const int32_t dim = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 0));
	const int32_t rank = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 0);
	const int32_t number = add(model, ANEURALNETWORKS_INT32, NULL, 0);
	const int32_t flag = add(model, ANEURALNETWORKS_BOOL, NULL, 0);
	const int32_t half = add(model, ANEURALNETWORKS_FLOAT16, NULL, 0);
	const int32_t large = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(100));
	const int32_t graph = add(model, ANEURALNETWORKS_MODEL, NULL, 0);
	static const float data[100];

	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, -1, data, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, graph + 1, data, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, graph + 1, NULL, 0));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, full, data, 0));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, full, data, 23));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, full, data, 25));
	RT_BAD_DATA(
		ANeuralNetworksModel_setOperandValue(model, full, data, ((size_t)1 << 32) + 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, dim, data, 8));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, rank, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, number, data, 8));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, flag, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, half, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, large, data, 396));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, graph, data, 4));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, full, data, 24));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, full, data, 24));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, number, data, 4));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, flag, data, 1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, half, data, 2));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, large, data, 400));
	/* to omit a value needs no shape */
	RT_OK(ANeuralNetworksModel_setOperandValue(model, rank, NULL, 0));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, dim, NULL, 0));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, large, NULL, 0));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, large, data, 400));
	ANeuralNetworksModel_free(model);
}

TEST(values_in_memory_are_checked)
{
	ANeuralNetworksModel *model = rt_model();
	const int32_t full = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 3));
	const int32_t dim = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 0));
	const int32_t rank = add(model, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 0);
	ANeuralNetworksMemory *memory = rt_memory(64, PROT_READ | PROT_WRITE, NULL);

	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, -1, memory, 0, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, rank + 1, memory, 0, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, 0, 23));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, 0, 0));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, 41, 24));
	RT_BAD_DATA(
		ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, SIZE_MAX, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, dim, memory, 0, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, rank, memory, 0, 4));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, 0, 24));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, full, memory, 40, 24));
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksModel_free(model);
}

TEST(a_memory_from_a_descriptor_is_no_constant)
{
	ANeuralNetworksModel *model = finished(), *other = operands();
	ANeuralNetworksCompilation *compilation = rt_compile(model, "nnapi-reference", NULL);
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksMemory *memory;

	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(other, 0, memory, 0, 24));
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksMemoryDesc_free(desc);
	rt_free(NULL, compilation, model);
	ANeuralNetworksModel_free(other);
}

TEST(values_that_are_models_are_checked)
{
	ANeuralNetworksModel *model = operands(), *value = finished();
	int32_t graph = 4;

	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromModel(model, graph, value));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromModel(model, -1, value));
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, graph, value));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, graph, value));
	/* of another type it fails at the end */
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, value));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1, add_out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, add_in, 1, add_out));
	RT_BAD_DATA(ANeuralNetworksModel_finish(model));
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(value);
}

/* ---- parameters of types ---- */

static int set_scales(ANeuralNetworksModel *model, int32_t index, uint32_t dim, uint32_t count,
		      const float *scales)
{
	const ANeuralNetworksSymmPerChannelQuantParams params = { dim, count, scales };

	return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index, &params);
}

TEST(channels_are_checked)
{
	static const float scales[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, channels.type, RT_DIMS(4, 1, 2, 3));
	rt_operand(model, channels.type, RT_DIMS(0, 1, 2, 3));
	rt_operand(model, channels.type, NULL, 0);
	RT_BAD_DATA(set_scales(model, -1, 0, 4, scales));
	RT_BAD_DATA(set_scales(model, 3, 0, 4, scales));
	RT_BAD_DATA(set_scales(model, 0, 0, 4, NULL));
	RT_BAD_DATA(set_scales(model, 0, 0, 0, scales));
	RT_BAD_DATA(set_scales(model, 0, 0, 0, NULL));
	RT_BAD_DATA(set_scales(model, 0, 7, 4, scales));
	RT_BAD_DATA(set_scales(model, 0, 4, 4, scales));
	RT_BAD_DATA(set_scales(model, 0, 0, 3, scales));
	RT_BAD_DATA(set_scales(model, 0, 0, 10, scales));
	RT_BAD_DATA(set_scales(model, 0, 1, 4, scales));
	RT_BAD_DATA(set_scales(model, 0, 0, 4, (const float[]){ 1, 1, -1, 1 }));
	RT_BAD_DATA(set_scales(model, 0, 0, 4, (const float[]){ 1, 1, 1, 0 }));
	RT_BAD_DATA(set_scales(model, 0, 0, 4, (const float[]){ 1, NAN, 1, 1 }));
	RT_BAD_DATA(set_scales(model, 0, 0, 4, (const float[]){ INFINITY, 1, 1, 1 }));
	RT_BAD_DATA(set_scales(model, 1, 0, 0, NULL));
	RT_BAD_DATA(set_scales(model, 1, 0, 4, scales));
	RT_BAD_DATA(set_scales(model, 2, 0, 4, scales));
	RT_OK(set_scales(model, 0, 3, 3, scales));
	RT_OK(set_scales(model, 0, 0, 4, scales));
	for (int32_t type = 0; type < 15; type++) {
		const bool is_scalar = type < 3 || type == ANEURALNETWORKS_BOOL ||
				       type == ANEURALNETWORKS_FLOAT16;
		const bool is_quantized = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
					  type == 7 || type > 11;
		const ANeuralNetworksOperandType t = {
			type,
			is_scalar ? 0 : 4,
			is_scalar ? NULL : (const uint32_t[]){ 4, 1, 2, 3 },
			is_quantized ? 1.0f : 0,
			0,
		};
		ANeuralNetworksModel *other = rt_model();

		RT_OK(ANeuralNetworksModel_addOperand(other, &t));
		if (type == channels.type)
			RT_OK(set_scales(other, 0, 0, 4, scales));
		else
			RT_BAD_DATA(set_scales(other, 0, 0, 4, scales));
		ANeuralNetworksModel_free(other);
	}
	ANeuralNetworksModel_free(model);
}

TEST(extension_data_is_checked)
{
	static const uint8_t data[1000];
	ANeuralNetworksModel *model = rt_model();
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, 0, &type));
	rt_operand(model, type, RT_DIMS(2, 3));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(2, 3));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, -1, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 2, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 2, NULL, 0));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 1, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 1, NULL, 0));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandExtensionData(model, 0, data, 0));
	RT_BAD_DATA(set_scales(model, 0, 0, 2, (const float[]){ 1, 1 }));
	RT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 0, data, sizeof(data)));
	RT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 0, data, 4));
	RT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 0, NULL, 0));
	ANeuralNetworksModel_free(model);
}

TEST(supported_operations_check_their_arguments)
{
	ANeuralNetworksModel *model = finished(), *open = building();
	const ANeuralNetworksDevice *one = rt_device("nnapi-reference"), *two = rt_device("a");
	const ANeuralNetworksDevice *const twice[] = { one, two, one }, *const null[] = { one, one,
											  NULL };
	const ANeuralNetworksDevice *const both[] = { two, one };
	bool supported[1];

	RT_BAD_DATA(
		ANeuralNetworksModel_getSupportedOperationsForDevices(model, both, 0, supported));
	RT_BAD_DATA(
		ANeuralNetworksModel_getSupportedOperationsForDevices(open, both, 0, supported));
	RT_BAD_STATE(
		ANeuralNetworksModel_getSupportedOperationsForDevices(open, null, 3, supported));
	RT_BAD_DATA(
		ANeuralNetworksModel_getSupportedOperationsForDevices(model, twice, 3, supported));
	RT_NULL(ANeuralNetworksModel_getSupportedOperationsForDevices(model, null + 2, 1,
								      supported));
	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, both, 2, supported));
	assert_true(supported[0]);
	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, both, 1, supported));
	assert_false(supported[0]);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(open);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(pointers_come_first, NULL),
		RT_CASE(a_finished_model_does_not_change, NULL),
		RT_CASE(an_invalid_model_stays_so, NULL),
		RT_CASE(unfinished_models_are_of_no_use, NULL),
		RT_CASE(operations_are_checked_at_once, NULL),
		RT_CASE(inputs_and_outputs_are_checked, NULL),
		RT_CASE(values_are_checked, NULL),
		RT_CASE(values_in_memory_are_checked, NULL),
		RT_CASE(a_memory_from_a_descriptor_is_no_constant, NULL),
		RT_CASE(values_that_are_models_are_checked, NULL),
		RT_CASE(channels_are_checked, NULL),
		RT_CASE(extension_data_is_checked, "name=a,ext=" EXTENSION "/0:t4"),
		RT_CASE(supported_operations_check_their_arguments, "name=a,ops=MUL"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}

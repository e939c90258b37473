// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksModel. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

int ANeuralNetworksModel_create(ANeuralNetworksModel **model)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_create");
	ANeuralNetworksModel *made;

	if (!model)
		return nnr_refuse(UNEXPECTED_NULL, "model is NULL");
	*model = NULL;
	made = calloc(1, sizeof(*made));
	if (made)
		made->builder = nnr_builder_new();
	if (!made || !made->builder) {
		free(made);
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	}
	*model = made;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksModel_free");

	if (!model)
		return;
	nnr_builder_free(model->builder);
	nnr_model_data_put(model->data);
	free(model);
}

/* The first checks of functions that change a model. @pointers: all arguments are there. */
static int check_open(const ANeuralNetworksModel *model, bool pointers)
{
	if (!model || !pointers)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_finish");
	int result = check_open(model, true);

	return result == ANEURALNETWORKS_NO_ERROR ? nnr_model_finish(model) : result;
}

/* ---- operands ---- */

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
				    const ANeuralNetworksOperandType *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_addOperand");
	int result = check_open(model, type);

	return result == ANEURALNETWORKS_NO_ERROR ? nnr_model_add_operand(model, type) : result;
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
					 const void *buffer, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValue");
	int result = check_open(model, buffer || !length);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_model_set_value(model, index, buffer, length)
		       : result;
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
						   const ANeuralNetworksMemory *memory,
						   size_t offset, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValueFromMemory");
	struct nnmodel_pool pool;
	int result = check_open(model, memory);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_model_check_shared_value(model, index, length);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_memory_validate_constant(memory, offset, length);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	pool = (struct nnmodel_pool){
		.fd = memory->shared.fd,
		.prot = memory->shared.prot & (PROT_READ | PROT_WRITE),
		.offset = memory->shared.offset,
		.size = memory->shared.size,
	};
	return nnr_model_set_shared_value(model, index, (uint64_t)memory->id, &pool, offset,
					  length);
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
						  const ANeuralNetworksModel *value)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValueFromModel");
	int result = check_open(model, value);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (!value->finished || value->invalid)
		return nnr_refuse(BAD_STATE, "the value is not a finished, valid model");
	return nnr_model_set_model_value(model, index, value);
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
	ANeuralNetworksModel *model, int32_t index,
	const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION,
		   "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
	int result = check_open(model, channelQuant);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_model_set_channel_quant(model, index, channelQuant)
		       : result;
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
						 const void *data, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandExtensionData");
	int result = check_open(model, data || !length);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_model_set_extension_data(model, index, data, length)
		       : result;
}

/* ---- operations ---- */

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
				      ANeuralNetworksOperationType type, uint32_t inputCount,
				      const uint32_t *inputs, uint32_t outputCount,
				      const uint32_t *outputs)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_addOperation");
	int result = check_open(model, inputs && outputs);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_model_add_operation(model, (uint32_t)type, inputCount, inputs,
						 outputCount, outputs)
		       : result;
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
						  const uint32_t *inputs, uint32_t outputCount,
						  const uint32_t *outputs)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_identifyInputsAndOutputs");
	int result = check_open(model, inputs && outputs);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_model_identify(model, inputCount, inputs, outputCount, outputs)
		       : result;
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION,
		   "ANeuralNetworksModel_relaxComputationFloat32toFloat16");
	int result = check_open(model, true);

	if (result == ANEURALNETWORKS_NO_ERROR)
		model->builder->model->relaxed = allow;
	return result;
}

/* ---- extensions ---- */

/* Operand types and operations are numbered alike. */
static int encode(const ANeuralNetworksModel *model, const char *name, uint16_t code, int32_t *type)
{
	uint16_t prefix;
	int result;

	if (!model || !name || !type)
		return nnr_refuse(UNEXPECTED_NULL, "model, extensionName or type is NULL");
	result = nnr_extension_prefix(name, &prefix);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*type = (int32_t)((uint32_t)prefix << 16 | code);
	return result;
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
						 const char *extensionName,
						 uint16_t operandCodeWithinExtension, int32_t *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_getExtensionOperandType");

	return encode(model, extensionName, operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
						   const char *extensionName,
						   uint16_t operationCodeWithinExtension,
						   ANeuralNetworksOperationType *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_getExtensionOperationType");

	return encode(model, extensionName, operationCodeWithinExtension, type);
}

/* ---- devices ---- */

static int check_devices(const ANeuralNetworksDevice *const *devices, uint32_t num)
{
	uint32_t i, k;

	if (!num)
		return nnr_refuse(BAD_DATA, "the list of devices is empty");
	for (i = 0; i < num; i++) {
		if (!devices[i])
			return nnr_refuse(UNEXPECTED_NULL, "device %u of the list is NULL", i);
		for (k = 0; k < i; k++)
			if (devices[k] == devices[i])
				return nnr_refuse(BAD_DATA,
						  "devices %u and %u of the list are the same", k,
						  i);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
	const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
	uint32_t numDevices, bool *supportedOps)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION,
		   "ANeuralNetworksModel_getSupportedOperationsForDevices");
	int result;

	if (!model || !devices || !supportedOps)
		return nnr_refuse(UNEXPECTED_NULL, "model, devices or supportedOps is NULL");
	if (numDevices && (!model->finished || model->invalid))
		return nnr_refuse(BAD_STATE, "the model is %s",
				  model->finished ? "invalid" : "not finished");
	result = check_devices(devices, numDevices);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnr_devices_refresh();
	memset(supportedOps, 0, model->data->num_added * sizeof(*supportedOps));
	if (nnr_supported_by_any(model->data, devices, numDevices, supportedOps))
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	return ANEURALNETWORKS_NO_ERROR;
}

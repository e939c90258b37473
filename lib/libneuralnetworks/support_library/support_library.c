// SPDX-License-Identifier: Apache-2.0
/* The Support Library's table, and what differs in it from the API. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nnr_base.h"
#include "diagnostics/diagnostics.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"
#include "support_library/support_library.h"

#define MIN_TABLE_LEVEL 5u

/* ---- devices: all but nnapi-reference ---- */

static int sl_get_device_count(uint32_t *numDevices)
{
	NNUTIL_CALL("ANeuralNetworks_getDeviceCount");
	uint32_t count;

	if (!numDevices)
		return nnr_refuse(UNEXPECTED_NULL, "numDevices is NULL");
	count = nnr_num_devices();
	*numDevices = nnr_reference_device() ? count - 1 : count;
	return ANEURALNETWORKS_NO_ERROR;
}

/* A device that came later is behind nnapi-reference in the list: its index is one less here. */
static int sl_get_device(uint32_t devIndex, ANeuralNetworksDevice **device)
{
	NNUTIL_CALL("ANeuralNetworks_getDevice");
	uint32_t count, left = devIndex;

	if (!device)
		return nnr_refuse(UNEXPECTED_NULL, "device is NULL");
	*device = NULL;
	count = nnr_num_devices();
	for (uint32_t i = 0; i < count; i++) {
		ANeuralNetworksDevice *d = nnr_device(i);

		if (d->is_reference)
			continue;
		if (!left--) {
			*device = d;
			return ANEURALNETWORKS_NO_ERROR;
		}
	}
	return nnr_refuse(BAD_DATA, "device %u does not exist", devIndex);
}

static int refuse_extension(uint32_t index, const ANeuralNetworksDevice *device)
{
	return nnr_refuse(BAD_DATA, "device %s has %u extensions: %u does not exist", device->name,
			  device->num_extensions, index);
}

int nnr_sl_device_get_number_of_cache_files_needed(const ANeuralNetworksDevice *device,
						   uint32_t *numModelCacheFiles,
						   uint32_t *numDataCacheFiles)
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded");

	if (numModelCacheFiles)
		*numModelCacheFiles = 0;
	if (numDataCacheFiles)
		*numDataCacheFiles = 0;
	if (!device || !numModelCacheFiles || !numDataCacheFiles)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	*numModelCacheFiles = device->num_model_cache;
	*numDataCacheFiles = device->num_data_cache;
	return ANEURALNETWORKS_NO_ERROR;
}

static SL_ANeuralNetworksPerformanceInfo performance(const struct nnhal_performance *p)
{
	return (SL_ANeuralNetworksPerformanceInfo){ .execTime = p->exec_time,
						    .powerUsage = p->power_usage };
}

int nnr_sl_device_get_performance_info(const ANeuralNetworksDevice *device,
				       int32_t performanceInfoKind,
				       SL_ANeuralNetworksPerformanceInfo *performanceInfo)
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_getPerformanceInfo");

	if (performanceInfo)
		*performanceInfo = (SL_ANeuralNetworksPerformanceInfo){ 0 };
	if (!device || !performanceInfo)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	switch (performanceInfoKind) {
	case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR:
		*performanceInfo = performance(&device->capabilities.relaxed_scalar);
		return ANEURALNETWORKS_NO_ERROR;
	case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR:
		*performanceInfo = performance(&device->capabilities.relaxed_tensor);
		return ANEURALNETWORKS_NO_ERROR;
	case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF:
		*performanceInfo = performance(&device->capabilities.if_performance);
		return ANEURALNETWORKS_NO_ERROR;
	case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE:
		*performanceInfo = performance(&device->capabilities.while_performance);
		return ANEURALNETWORKS_NO_ERROR;
	default:
		return nnr_refuse(BAD_DATA, "performance kind %d does not exist",
				  performanceInfoKind);
	}
}

int nnr_sl_device_for_each_operand_performance_info(
	const ANeuralNetworksDevice *device, void *context,
	void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void *))
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo");

	if (!device || !context || !callback)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	for (int32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		if (i != NNMODEL_SUBGRAPH)
			callback(
				(SL_ANeuralNetworksOperandPerformanceInfo){
					.operandType = i,
					.performanceInfo =
						performance(&device->capabilities.operand[i]),
				},
				context);
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_sl_device_get_vendor_extension_count(const ANeuralNetworksDevice *device,
					     uint32_t *vendorExtensionCount)
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_getVendorExtensionCount");

	if (vendorExtensionCount)
		*vendorExtensionCount = 0;
	if (!device || !vendorExtensionCount)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	*vendorExtensionCount = device->num_extensions;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_sl_device_get_vendor_extension_name(const ANeuralNetworksDevice *device,
					    uint32_t vendorExtensionIndex,
					    const char **extensionName)
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_getVendorExtensionName");

	if (extensionName)
		*extensionName = NULL;
	if (!device || !extensionName)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	if (vendorExtensionIndex >= device->num_extensions)
		return refuse_extension(vendorExtensionIndex, device);
	*extensionName = device->extensions[vendorExtensionIndex];
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_sl_device_for_each_vendor_extension_operand_type_information(
	const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
	void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *))
{
	NNUTIL_CALL("SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation");
	const struct nnr_extension_report *report;

	if (!device || !context || !callback)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	if (vendorExtensionIndex >= device->num_extensions)
		return refuse_extension(vendorExtensionIndex, device);
	report = &nnr_device_of(device)->reports[vendorExtensionIndex];
	for (uint32_t i = 0; i < report->num_types; i++)
		callback(
			(SL_ANeuralNetworksExtensionOperandTypeInformation){
				.byteSize = report->types[i].byte_size,
				.type = report->types[i].type,
				.isTensor = report->types[i].is_tensor,
			},
			context);
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- models and compilations ---- */

static int sl_model_create(ANeuralNetworksModel **model)
{
	int result = ANeuralNetworksModel_create(model);

	if (result == ANEURALNETWORKS_NO_ERROR)
		(*model)->support_library = true;
	return result;
}

static void close_all(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		close(fds[i]);
	free(fds);
}

/* @fds: both lists' duplicates. Result code. */
static int dup_all(const int *model, uint32_t num_model, const int *data, uint32_t num_data,
		   int **out)
{
	uint64_t count = (uint64_t)num_model + num_data;
	int *fds = count < INT32_MAX ? malloc((count ? count : 1) * sizeof(*fds)) : NULL;

	if (!fds)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		fds[i] = fcntl(i < num_model ? model[i] : data[i - num_model], F_DUPFD_CLOEXEC, 0);
		if (fds[i] < 0) {
			nnutil_log(NNUTIL_LOG_WARNING,
				   "cannot duplicate cache file descriptor %u: %s", i,
				   strerror(errno));
			close_all(fds, i);
			return ANEURALNETWORKS_BAD_DATA;
		}
	}
	*out = fds;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_sl_compilation_set_caching_from_fds(ANeuralNetworksCompilation *compilation,
					    const int *modelCacheFds,
					    const uint32_t numModelCacheFiles,
					    const int *dataCacheFds,
					    const uint32_t numDataCacheFiles, const uint8_t *token)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "SL_ANeuralNetworksCompilation_setCachingFromFds");
	int result, *fds;

	if (!compilation || !token || (!modelCacheFds && numModelCacheFiles) ||
	    (!dataCacheFds && numDataCacheFiles))
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	if (compilation->finished)
		return nnr_refuse(BAD_STATE, "the compilation is finished");
	result = dup_all(modelCacheFds, numModelCacheFiles, dataCacheFds, numDataCacheFiles, &fds);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (compilation->cache_fds)
		close_all(compilation->cache_fds,
			  compilation->num_model_cache_fds + compilation->num_data_cache_fds);
	compilation->cache_fds = fds;
	compilation->num_model_cache_fds = numModelCacheFiles;
	compilation->num_data_cache_fds = numDataCacheFiles;
	memcpy(compilation->token, token, sizeof(compilation->token));
	compilation->caching = true;
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- the table ---- */

/* Of the runtime's level; those of lower levels are its beginning. */
static const NnApiSLDriverImplFL8 table = {
	.base = {
		.base = { .implFeatureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8 },
		.ANeuralNetworksBurst_create = ANeuralNetworksBurst_create,
		.ANeuralNetworksBurst_free = ANeuralNetworksBurst_free,
		.ANeuralNetworksCompilation_createForDevices = ANeuralNetworksCompilation_createForDevices,
		.ANeuralNetworksCompilation_finish = ANeuralNetworksCompilation_finish,
		.ANeuralNetworksCompilation_free = ANeuralNetworksCompilation_free,
		.ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput =
			ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
		.ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput =
			ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
		.ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput =
			ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
		.ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput =
			ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
		.ANeuralNetworksCompilation_setCaching = ANeuralNetworksCompilation_setCaching,
		.ANeuralNetworksCompilation_setPreference = ANeuralNetworksCompilation_setPreference,
		.ANeuralNetworksCompilation_setPriority = ANeuralNetworksCompilation_setPriority,
		.ANeuralNetworksCompilation_setTimeout = ANeuralNetworksCompilation_setTimeout,
		.ANeuralNetworksDevice_getExtensionSupport = ANeuralNetworksDevice_getExtensionSupport,
		.ANeuralNetworksDevice_getFeatureLevel = ANeuralNetworksDevice_getFeatureLevel,
		.ANeuralNetworksDevice_getName = ANeuralNetworksDevice_getName,
		.ANeuralNetworksDevice_getType = ANeuralNetworksDevice_getType,
		.ANeuralNetworksDevice_getVersion = ANeuralNetworksDevice_getVersion,
		.ANeuralNetworksDevice_wait = ANeuralNetworksDevice_wait,
		.ANeuralNetworksEvent_createFromSyncFenceFd = ANeuralNetworksEvent_createFromSyncFenceFd,
		.ANeuralNetworksEvent_free = ANeuralNetworksEvent_free,
		.ANeuralNetworksEvent_getSyncFenceFd = ANeuralNetworksEvent_getSyncFenceFd,
		.ANeuralNetworksEvent_wait = ANeuralNetworksEvent_wait,
		.ANeuralNetworksExecution_burstCompute = ANeuralNetworksExecution_burstCompute,
		.ANeuralNetworksExecution_compute = ANeuralNetworksExecution_compute,
		.ANeuralNetworksExecution_create = ANeuralNetworksExecution_create,
		.ANeuralNetworksExecution_enableInputAndOutputPadding =
			ANeuralNetworksExecution_enableInputAndOutputPadding,
		.ANeuralNetworksExecution_free = ANeuralNetworksExecution_free,
		.ANeuralNetworksExecution_getDuration = ANeuralNetworksExecution_getDuration,
		.ANeuralNetworksExecution_getOutputOperandDimensions =
			ANeuralNetworksExecution_getOutputOperandDimensions,
		.ANeuralNetworksExecution_getOutputOperandRank =
			ANeuralNetworksExecution_getOutputOperandRank,
		.ANeuralNetworksExecution_setInput = ANeuralNetworksExecution_setInput,
		.ANeuralNetworksExecution_setInputFromMemory = ANeuralNetworksExecution_setInputFromMemory,
		.ANeuralNetworksExecution_setLoopTimeout = ANeuralNetworksExecution_setLoopTimeout,
		.ANeuralNetworksExecution_setMeasureTiming = ANeuralNetworksExecution_setMeasureTiming,
		.ANeuralNetworksExecution_setOutput = ANeuralNetworksExecution_setOutput,
		.ANeuralNetworksExecution_setOutputFromMemory = ANeuralNetworksExecution_setOutputFromMemory,
		.ANeuralNetworksExecution_setReusable = ANeuralNetworksExecution_setReusable,
		.ANeuralNetworksExecution_setTimeout = ANeuralNetworksExecution_setTimeout,
		.ANeuralNetworksExecution_startComputeWithDependencies =
			ANeuralNetworksExecution_startComputeWithDependencies,
		.ANeuralNetworksMemoryDesc_addInputRole = ANeuralNetworksMemoryDesc_addInputRole,
		.ANeuralNetworksMemoryDesc_addOutputRole = ANeuralNetworksMemoryDesc_addOutputRole,
		.ANeuralNetworksMemoryDesc_create = ANeuralNetworksMemoryDesc_create,
		.ANeuralNetworksMemoryDesc_finish = ANeuralNetworksMemoryDesc_finish,
		.ANeuralNetworksMemoryDesc_free = ANeuralNetworksMemoryDesc_free,
		.ANeuralNetworksMemoryDesc_setDimensions = ANeuralNetworksMemoryDesc_setDimensions,
		.ANeuralNetworksMemory_copy = ANeuralNetworksMemory_copy,
		.ANeuralNetworksMemory_createFromAHardwareBuffer =
			ANeuralNetworksMemory_createFromAHardwareBuffer,
		.ANeuralNetworksMemory_createFromDesc = ANeuralNetworksMemory_createFromDesc,
		.ANeuralNetworksMemory_createFromFd = ANeuralNetworksMemory_createFromFd,
		.ANeuralNetworksMemory_free = ANeuralNetworksMemory_free,
		.ANeuralNetworksModel_addOperand = ANeuralNetworksModel_addOperand,
		.ANeuralNetworksModel_addOperation = ANeuralNetworksModel_addOperation,
		.ANeuralNetworksModel_create = sl_model_create,
		.ANeuralNetworksModel_finish = ANeuralNetworksModel_finish,
		.ANeuralNetworksModel_free = ANeuralNetworksModel_free,
		.ANeuralNetworksModel_getExtensionOperandType = ANeuralNetworksModel_getExtensionOperandType,
		.ANeuralNetworksModel_getExtensionOperationType =
			ANeuralNetworksModel_getExtensionOperationType,
		.ANeuralNetworksModel_getSupportedOperationsForDevices =
			ANeuralNetworksModel_getSupportedOperationsForDevices,
		.ANeuralNetworksModel_identifyInputsAndOutputs =
			ANeuralNetworksModel_identifyInputsAndOutputs,
		.ANeuralNetworksModel_relaxComputationFloat32toFloat16 =
			ANeuralNetworksModel_relaxComputationFloat32toFloat16,
		.ANeuralNetworksModel_setOperandExtensionData = ANeuralNetworksModel_setOperandExtensionData,
		.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams =
			ANeuralNetworksModel_setOperandSymmPerChannelQuantParams,
		.ANeuralNetworksModel_setOperandValue = ANeuralNetworksModel_setOperandValue,
		.ANeuralNetworksModel_setOperandValueFromMemory =
			ANeuralNetworksModel_setOperandValueFromMemory,
		.ANeuralNetworksModel_setOperandValueFromModel =
			ANeuralNetworksModel_setOperandValueFromModel,
		.ANeuralNetworks_getDefaultLoopTimeout = ANeuralNetworks_getDefaultLoopTimeout,
		.ANeuralNetworks_getDevice = sl_get_device,
		.ANeuralNetworks_getDeviceCount = sl_get_device_count,
		.ANeuralNetworks_getMaximumLoopTimeout = ANeuralNetworks_getMaximumLoopTimeout,
		.ANeuralNetworks_getRuntimeFeatureLevel = ANeuralNetworks_getRuntimeFeatureLevel,
		.SL_ANeuralNetworksCompilation_setCachingFromFds = nnr_sl_compilation_set_caching_from_fds,
		.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded =
			nnr_sl_device_get_number_of_cache_files_needed,
		.SL_ANeuralNetworksDevice_getPerformanceInfo = nnr_sl_device_get_performance_info,
		.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo =
			nnr_sl_device_for_each_operand_performance_info,
		.SL_ANeuralNetworksDevice_getVendorExtensionCount = nnr_sl_device_get_vendor_extension_count,
		.SL_ANeuralNetworksDevice_getVendorExtensionName = nnr_sl_device_get_vendor_extension_name,
		.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation =
			nnr_sl_device_for_each_vendor_extension_operand_type_information,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId =
			nnr_sl_diagnostic_compilation_info_get_session_id,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion =
			nnr_sl_diagnostic_compilation_info_get_nn_api_version,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash =
			nnr_sl_diagnostic_compilation_info_get_model_arch_hash,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds =
			nnr_sl_diagnostic_compilation_info_get_device_ids,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode =
			nnr_sl_diagnostic_compilation_info_get_error_code,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass =
			nnr_sl_diagnostic_compilation_info_get_input_data_class,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass =
			nnr_sl_diagnostic_compilation_info_get_output_data_class,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos =
			nnr_sl_diagnostic_compilation_info_get_compilation_time_nanos,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled =
			nnr_sl_diagnostic_compilation_info_is_caching_enabled,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed =
			nnr_sl_diagnostic_compilation_info_is_control_flow_used,
		.SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed =
			nnr_sl_diagnostic_compilation_info_are_dynamic_tensors_used,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId =
			nnr_sl_diagnostic_execution_info_get_session_id,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion =
			nnr_sl_diagnostic_execution_info_get_nn_api_version,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash =
			nnr_sl_diagnostic_execution_info_get_model_arch_hash,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds =
			nnr_sl_diagnostic_execution_info_get_device_ids,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode =
			nnr_sl_diagnostic_execution_info_get_execution_mode,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass =
			nnr_sl_diagnostic_execution_info_get_input_data_class,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass =
			nnr_sl_diagnostic_execution_info_get_output_data_class,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode =
			nnr_sl_diagnostic_execution_info_get_error_code,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos =
			nnr_sl_diagnostic_execution_info_get_runtime_execution_time_nanos,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos =
			nnr_sl_diagnostic_execution_info_get_driver_execution_time_nanos,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos =
			nnr_sl_diagnostic_execution_info_get_hardware_execution_time_nanos,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled =
			nnr_sl_diagnostic_execution_info_is_caching_enabled,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed =
			nnr_sl_diagnostic_execution_info_is_control_flow_used,
		.SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed =
			nnr_sl_diagnostic_execution_info_are_dynamic_tensors_used,
		.SL_ANeuralNetworksDiagnostic_registerCallbacks = nnr_sl_diagnostic_register_callbacks,
	},
	.ANeuralNetworksCompilation_addExtensionAttribute = ANeuralNetworksCompilation_addExtensionAttribute,
	.ANeuralNetworksExecution_addExtensionAttribute = ANeuralNetworksExecution_addExtensionAttribute,
};

/* The same with the level that the configuration wants to be reported. */
static NnApiSLDriverImplFL8 reported;

static void report_level(void)
{
	const uint32_t level = nnr_settings()->feature_level;

	reported = table;
	reported.base.base.implFeatureLevel =
		nnr_level_to_code(level > MIN_TABLE_LEVEL ? level : MIN_TABLE_LEVEL);
}

NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, report_level);
	return &reported.base.base;
}

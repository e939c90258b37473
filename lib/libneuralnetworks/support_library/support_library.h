/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that only the Support Library's table has; each is documented at its member there. */
#ifndef NNR_SUPPORT_LIBRARY_H
#define NNR_SUPPORT_LIBRARY_H

#include "registry/registry.h"

#pragma GCC visibility push(default)
#include "NeuralNetworksSupportLibraryImpl.h"
#pragma GCC visibility pop

int nnr_sl_compilation_set_caching_from_fds(ANeuralNetworksCompilation *compilation,
					    const int *modelCacheFds,
					    const uint32_t numModelCacheFiles,
					    const int *dataCacheFds,
					    const uint32_t numDataCacheFiles, const uint8_t *token);
int nnr_sl_device_get_number_of_cache_files_needed(const ANeuralNetworksDevice *device,
						   uint32_t *numModelCacheFiles,
						   uint32_t *numDataCacheFiles);
int nnr_sl_device_get_performance_info(const ANeuralNetworksDevice *device,
				       int32_t performanceInfoKind,
				       SL_ANeuralNetworksPerformanceInfo *performanceInfo);
int nnr_sl_device_for_each_operand_performance_info(
	const ANeuralNetworksDevice *device, void *context,
	void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void *));
int nnr_sl_device_get_vendor_extension_count(const ANeuralNetworksDevice *device,
					     uint32_t *vendorExtensionCount);
int nnr_sl_device_get_vendor_extension_name(const ANeuralNetworksDevice *device,
					    uint32_t vendorExtensionIndex,
					    const char **extensionName);
int nnr_sl_device_for_each_vendor_extension_operand_type_information(
	const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
	void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *));
int32_t nnr_sl_diagnostic_compilation_info_get_session_id(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
int64_t nnr_sl_diagnostic_compilation_info_get_nn_api_version(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
const uint8_t *nnr_sl_diagnostic_compilation_info_get_model_arch_hash(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
const char *nnr_sl_diagnostic_compilation_info_get_device_ids(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
int32_t nnr_sl_diagnostic_compilation_info_get_error_code(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_compilation_info_get_input_data_class(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_compilation_info_get_output_data_class(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
uint64_t nnr_sl_diagnostic_compilation_info_get_compilation_time_nanos(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
bool nnr_sl_diagnostic_compilation_info_is_caching_enabled(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
bool nnr_sl_diagnostic_compilation_info_is_control_flow_used(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
bool nnr_sl_diagnostic_compilation_info_are_dynamic_tensors_used(
	const ANeuralNetworksDiagnosticCompilationInfo *info);
int32_t
nnr_sl_diagnostic_execution_info_get_session_id(const ANeuralNetworksDiagnosticExecutionInfo *info);
int64_t nnr_sl_diagnostic_execution_info_get_nn_api_version(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
const uint8_t *nnr_sl_diagnostic_execution_info_get_model_arch_hash(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
const char *
nnr_sl_diagnostic_execution_info_get_device_ids(const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticExecutionMode nnr_sl_diagnostic_execution_info_get_execution_mode(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_execution_info_get_input_data_class(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_execution_info_get_output_data_class(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
uint32_t
nnr_sl_diagnostic_execution_info_get_error_code(const ANeuralNetworksDiagnosticExecutionInfo *info);
uint64_t nnr_sl_diagnostic_execution_info_get_runtime_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
uint64_t nnr_sl_diagnostic_execution_info_get_driver_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
uint64_t nnr_sl_diagnostic_execution_info_get_hardware_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
bool nnr_sl_diagnostic_execution_info_is_caching_enabled(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
bool nnr_sl_diagnostic_execution_info_is_control_flow_used(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
bool nnr_sl_diagnostic_execution_info_are_dynamic_tensors_used(
	const ANeuralNetworksDiagnosticExecutionInfo *info);
void nnr_sl_diagnostic_register_callbacks(
	ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
	ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
	void *callbackContext);

#endif

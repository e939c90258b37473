/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics of the Support Library: the callbacks that an application registered hear of every
 * finish() and of every computation. Call the hooks only if nnr_diagnostics_on().
 */
#ifndef NNR_DIAGNOSTICS_H
#define NNR_DIAGNOSTICS_H

#include "plan/nnr_plan.h"

#pragma GCC visibility push(default)
#include "NeuralNetworksSupportLibraryImpl.h"
#pragma GCC visibility pop

enum nnr_diagnostic_mode {
	NNR_DIAGNOSTIC_ASYNC = 1,
	NNR_DIAGNOSTIC_SYNC = 2,
	NNR_DIAGNOSTIC_BURST = 3,
	NNR_DIAGNOSTIC_ASYNC_WITH_DEPS = 4
};
extern atomic_bool nnr_diagnostics;
static inline bool nnr_diagnostics_on(void)
{
	return atomic_load_explicit(&nnr_diagnostics, memory_order_acquire);
}
/** At the end of finish(), with any @result; it took @duration_ns. */
void nnr_diagnostic_compilation(const ANeuralNetworksCompilation *compilation, int result,
				uint64_t duration_ns);
/**
 * At the end of a computation of the plan. @runtime_ns from the call to the end; @timing has no
 * times unless measured.
 */
void nnr_diagnostic_execution(const ANeuralNetworksCompilation *compilation,
			      const struct nnr_plan *plan, enum nnr_diagnostic_mode mode,
			      int result, uint64_t runtime_ns, const struct nnhal_timing *timing);

/* ---- members of the Support Library's table, where each is documented ---- */

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

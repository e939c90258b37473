/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that only the Support Library's table has; each is documented at its member there. */
#ifndef NNR_SUPPORT_LIBRARY_H
#define NNR_SUPPORT_LIBRARY_H

#include "base/nnr_base.h"

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

#endif

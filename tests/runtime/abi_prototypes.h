/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the NDK and of the platform: PROTOTYPE(result, name, (arguments)). */
PROTOTYPE(int, ANeuralNetworksMemoryDesc_create, (ANeuralNetworksMemoryDesc **))
PROTOTYPE(void, ANeuralNetworksMemoryDesc_free, (ANeuralNetworksMemoryDesc *))
PROTOTYPE(int, ANeuralNetworksMemoryDesc_addInputRole,
	  (ANeuralNetworksMemoryDesc *, const ANeuralNetworksCompilation *, uint32_t, float))
PROTOTYPE(int, ANeuralNetworksMemoryDesc_addOutputRole,
	  (ANeuralNetworksMemoryDesc *, const ANeuralNetworksCompilation *, uint32_t, float))
PROTOTYPE(int, ANeuralNetworksMemoryDesc_setDimensions,
	  (ANeuralNetworksMemoryDesc *, uint32_t, const uint32_t *))
PROTOTYPE(int, ANeuralNetworksMemoryDesc_finish, (ANeuralNetworksMemoryDesc *))
PROTOTYPE(int, ANeuralNetworksMemory_createFromDesc,
	  (const ANeuralNetworksMemoryDesc *, ANeuralNetworksMemory **))
PROTOTYPE(int, ANeuralNetworksMemory_copy,
	  (const ANeuralNetworksMemory *, const ANeuralNetworksMemory *))
PROTOTYPE(int, ANeuralNetworks_getDeviceCount, (uint32_t *))
PROTOTYPE(int, ANeuralNetworks_getDevice, (uint32_t, ANeuralNetworksDevice **))
PROTOTYPE(int, ANeuralNetworksDevice_getName, (const ANeuralNetworksDevice *, const char **))
PROTOTYPE(int, ANeuralNetworksDevice_getType, (const ANeuralNetworksDevice *, int32_t *))
PROTOTYPE(int, ANeuralNetworksDevice_getVersion, (const ANeuralNetworksDevice *, const char **))
PROTOTYPE(int, ANeuralNetworksDevice_getFeatureLevel, (const ANeuralNetworksDevice *, int64_t *))
PROTOTYPE(int, ANeuralNetworksDevice_wait, (const ANeuralNetworksDevice *))
PROTOTYPE(int, ANeuralNetworksModel_getSupportedOperationsForDevices,
	  (const ANeuralNetworksModel *, const ANeuralNetworksDevice *const *, uint32_t, bool *))
PROTOTYPE(int, ANeuralNetworksCompilation_createForDevices,
	  (ANeuralNetworksModel *, const ANeuralNetworksDevice *const *, uint32_t,
	   ANeuralNetworksCompilation **))
PROTOTYPE(int, ANeuralNetworksCompilation_setCaching,
	  (ANeuralNetworksCompilation *, const char *, const uint8_t *))
PROTOTYPE(int, ANeuralNetworksExecution_compute, (ANeuralNetworksExecution *))
PROTOTYPE(int, ANeuralNetworksExecution_getOutputOperandRank,
	  (ANeuralNetworksExecution *, int32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksExecution_getOutputOperandDimensions,
	  (ANeuralNetworksExecution *, int32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksBurst_create, (ANeuralNetworksCompilation *, ANeuralNetworksBurst **))
PROTOTYPE(void, ANeuralNetworksBurst_free, (ANeuralNetworksBurst *))
PROTOTYPE(int, ANeuralNetworksExecution_burstCompute,
	  (ANeuralNetworksExecution *, ANeuralNetworksBurst *))
PROTOTYPE(int, ANeuralNetworksMemory_createFromAHardwareBuffer,
	  (const AHardwareBuffer *, ANeuralNetworksMemory **))
PROTOTYPE(int, ANeuralNetworksExecution_setMeasureTiming, (ANeuralNetworksExecution *, bool))
PROTOTYPE(int, ANeuralNetworksExecution_getDuration,
	  (const ANeuralNetworksExecution *, int32_t, uint64_t *))
PROTOTYPE(int, ANeuralNetworksMemory_createFromFd,
	  (size_t, int, int, size_t, ANeuralNetworksMemory **))
PROTOTYPE(void, ANeuralNetworksMemory_free, (ANeuralNetworksMemory *))
PROTOTYPE(int, ANeuralNetworksModel_create, (ANeuralNetworksModel **))
PROTOTYPE(void, ANeuralNetworksModel_free, (ANeuralNetworksModel *))
PROTOTYPE(int, ANeuralNetworksModel_finish, (ANeuralNetworksModel *))
PROTOTYPE(int, ANeuralNetworksModel_addOperand,
	  (ANeuralNetworksModel *, const ANeuralNetworksOperandType *))
PROTOTYPE(int, ANeuralNetworksModel_setOperandValue,
	  (ANeuralNetworksModel *, int32_t, const void *, size_t))
PROTOTYPE(int, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams,
	  (ANeuralNetworksModel *, int32_t, const ANeuralNetworksSymmPerChannelQuantParams *))
PROTOTYPE(int, ANeuralNetworksModel_setOperandValueFromMemory,
	  (ANeuralNetworksModel *, int32_t, const ANeuralNetworksMemory *, size_t, size_t))
PROTOTYPE(int, ANeuralNetworksModel_setOperandValueFromModel,
	  (ANeuralNetworksModel *, int32_t, const ANeuralNetworksModel *))
PROTOTYPE(int, ANeuralNetworksModel_addOperation,
	  (ANeuralNetworksModel *, ANeuralNetworksOperationType, uint32_t, const uint32_t *,
	   uint32_t, const uint32_t *))
PROTOTYPE(int, ANeuralNetworksModel_identifyInputsAndOutputs,
	  (ANeuralNetworksModel *, uint32_t, const uint32_t *, uint32_t, const uint32_t *))
PROTOTYPE(int, ANeuralNetworksModel_relaxComputationFloat32toFloat16,
	  (ANeuralNetworksModel *, bool))
PROTOTYPE(int, ANeuralNetworksCompilation_create,
	  (ANeuralNetworksModel *, ANeuralNetworksCompilation **))
PROTOTYPE(void, ANeuralNetworksCompilation_free, (ANeuralNetworksCompilation *))
PROTOTYPE(int, ANeuralNetworksCompilation_setPreference, (ANeuralNetworksCompilation *, int32_t))
PROTOTYPE(int, ANeuralNetworksCompilation_finish, (ANeuralNetworksCompilation *))
PROTOTYPE(int, ANeuralNetworksCompilation_setPriority, (ANeuralNetworksCompilation *, int))
PROTOTYPE(int, ANeuralNetworksCompilation_setTimeout, (ANeuralNetworksCompilation *, uint64_t))
PROTOTYPE(int, ANeuralNetworksExecution_create,
	  (ANeuralNetworksCompilation *, ANeuralNetworksExecution **))
PROTOTYPE(void, ANeuralNetworksExecution_free, (ANeuralNetworksExecution *))
PROTOTYPE(int, ANeuralNetworksExecution_setInput,
	  (ANeuralNetworksExecution *, int32_t, const ANeuralNetworksOperandType *, const void *,
	   size_t))
PROTOTYPE(int, ANeuralNetworksExecution_setInputFromMemory,
	  (ANeuralNetworksExecution *, int32_t, const ANeuralNetworksOperandType *,
	   const ANeuralNetworksMemory *, size_t, size_t))
PROTOTYPE(int, ANeuralNetworksExecution_setOutput,
	  (ANeuralNetworksExecution *, int32_t, const ANeuralNetworksOperandType *, void *, size_t))
PROTOTYPE(int, ANeuralNetworksExecution_setOutputFromMemory,
	  (ANeuralNetworksExecution *, int32_t, const ANeuralNetworksOperandType *,
	   const ANeuralNetworksMemory *, size_t, size_t))
PROTOTYPE(int, ANeuralNetworksExecution_startCompute,
	  (ANeuralNetworksExecution *, ANeuralNetworksEvent **))
PROTOTYPE(int, ANeuralNetworksExecution_setTimeout, (ANeuralNetworksExecution *, uint64_t))
PROTOTYPE(int, ANeuralNetworksExecution_setLoopTimeout, (ANeuralNetworksExecution *, uint64_t))
PROTOTYPE(uint64_t, ANeuralNetworks_getDefaultLoopTimeout, (void))
PROTOTYPE(uint64_t, ANeuralNetworks_getMaximumLoopTimeout, (void))
PROTOTYPE(int, ANeuralNetworksEvent_wait, (ANeuralNetworksEvent *))
PROTOTYPE(void, ANeuralNetworksEvent_free, (ANeuralNetworksEvent *))
PROTOTYPE(int, ANeuralNetworksEvent_createFromSyncFenceFd, (int, ANeuralNetworksEvent **))
PROTOTYPE(int, ANeuralNetworksEvent_getSyncFenceFd, (const ANeuralNetworksEvent *, int *))
PROTOTYPE(int, ANeuralNetworksExecution_startComputeWithDependencies,
	  (ANeuralNetworksExecution *, const ANeuralNetworksEvent *const *, uint32_t, uint64_t,
	   ANeuralNetworksEvent **))
PROTOTYPE(int64_t, ANeuralNetworks_getRuntimeFeatureLevel, (void))
PROTOTYPE(int, ANeuralNetworksExecution_enableInputAndOutputPadding,
	  (ANeuralNetworksExecution *, bool))
PROTOTYPE(int, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
	  (const ANeuralNetworksCompilation *, uint32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
	  (const ANeuralNetworksCompilation *, uint32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
	  (const ANeuralNetworksCompilation *, uint32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
	  (const ANeuralNetworksCompilation *, uint32_t, uint32_t *))
PROTOTYPE(int, ANeuralNetworksExecution_setReusable, (ANeuralNetworksExecution *, bool))
PROTOTYPE(int, ANeuralNetworksDevice_getExtensionSupport,
	  (const ANeuralNetworksDevice *, const char *, bool *))
PROTOTYPE(int, ANeuralNetworksModel_getExtensionOperandType,
	  (ANeuralNetworksModel *, const char *, uint16_t, int32_t *))
PROTOTYPE(int, ANeuralNetworksModel_getExtensionOperationType,
	  (ANeuralNetworksModel *, const char *, uint16_t, ANeuralNetworksOperationType *))
PROTOTYPE(int, ANeuralNetworksModel_setOperandExtensionData,
	  (ANeuralNetworksModel *, int32_t, const void *, size_t))
PROTOTYPE(int, ANeuralNetworksCompilation_addExtensionAttribute,
	  (ANeuralNetworksCompilation *, const char *, uint16_t, const void *, size_t))
PROTOTYPE(int, ANeuralNetworksExecution_addExtensionAttribute,
	  (ANeuralNetworksExecution *, const char *, uint16_t, const void *, size_t))

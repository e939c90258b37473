/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NNAPI: the NDK's C API, feature levels 1 to 8. Functions return a ResultCode.
 */
#ifndef ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_H
#define ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_H

#include "NeuralNetworksTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the runtime ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);

/** Since NNAPI feature level 3. */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device);

/** Since NNAPI feature level 4. */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/** Since NNAPI feature level 4. */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/** Since NNAPI feature level 5. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/* ---- Device ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name);

/** Since NNAPI feature level 3. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type);

/** Since NNAPI feature level 3. */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version);

/** Since NNAPI feature level 3. */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *featureLevel);

/** Since NNAPI feature level 4. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

/* ---- Model ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices, uint32_t numDevices, bool *supportedOps);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_create(ANeuralNetworksModel **model);

/** Since NNAPI feature level 1. */
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index, const void *buffer, size_t length);

/** Since NNAPI feature level 3. */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksMemory *memory, size_t offset, size_t length);

/** Since NNAPI feature level 4. */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksModel *value);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model, ANeuralNetworksOperationType type, uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount, const uint32_t *outputs);

/** Since NNAPI feature level 1. */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount, const uint32_t *outputs);

/** Since NNAPI feature level 2. */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow);

/* ---- Compilation ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices, uint32_t numDevices, ANeuralNetworksCompilation **compilation);

/** Since NNAPI feature level 3. */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation, const char *cacheDir, const uint8_t *token);

/** Since NNAPI feature level 1. */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation);

/** Since NNAPI feature level 1. */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);

/** Since NNAPI feature level 1. */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation, int32_t preference);

/** Since NNAPI feature level 1. */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/** Since NNAPI feature level 4. */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority);

/** Since NNAPI feature level 4. */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation, uint64_t duration);

/** Since NNAPI feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/** Since NNAPI feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/** Since NNAPI feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/** Since NNAPI feature level 5. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/* ---- Execution ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank);

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions);

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst);

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure);

/** Since NNAPI feature level 3. */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution, int32_t durationCode, uint64_t *duration);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution);

/** Since NNAPI feature level 1. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, const void *buffer, size_t length);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory, size_t offset, size_t length);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, void *buffer, size_t length);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory, size_t offset, size_t length);

/** Since NNAPI feature level 1. */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event);

/** Since NNAPI feature level 4. */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/** Since NNAPI feature level 4. */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/** Since NNAPI feature level 4. */
int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies, uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);

/** Since NNAPI feature level 5. */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution, bool enable);

/** Since NNAPI feature level 5. */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable);

/* ---- Event ---- */

/** Since NNAPI feature level 1. */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);

/** Since NNAPI feature level 1. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);

/** Since NNAPI feature level 4. */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event);

/** Since NNAPI feature level 4. */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd);

/* ---- Burst ---- */

/** Since NNAPI feature level 3. */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst);

/** Since NNAPI feature level 3. */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

/* ---- Memory ---- */

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc, ANeuralNetworksMemory **memory);

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst);

/** Since NNAPI feature level 3. */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory);

/** Since NNAPI feature level 1. */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory **memory);

/** Since NNAPI feature level 1. */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/* ---- MemoryDesc ---- */

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);

/** Since NNAPI feature level 4. */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency);

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation, uint32_t index, float frequency);

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank, const uint32_t *dimensions);

/** Since NNAPI feature level 4. */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

#ifdef __cplusplus
}
#endif

#endif

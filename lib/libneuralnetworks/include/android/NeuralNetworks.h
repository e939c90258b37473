/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NNAPI: the NDK's C API, feature levels 1 to 8, on Linux. A program builds a model of operands and
 * operations, compiles it for devices, and executes the compilation any number of times.
 *
 * Results. Functions return a ResultCode unless they say otherwise; a function that fails has done
 * nothing, but for those that say so. Checks come in this order: pointers (UNEXPECTED_NULL), the
 * state of the object (BAD_STATE), what was given (BAD_DATA); where a function differs its
 * description lists the codes in its order. UNEXPECTED_NULL is not repeated below: a pointer may be
 * NULL only where its description allows it. Functions that make an object set it to NULL when they
 * fail, and may fail for OUT_OF_MEMORY. NNAPI_LOG=warning makes every failed call say why on
 * stderr.
 *
 * Ownership. The caller owns the objects that a function makes, and frees them with the function of
 * that name; free(NULL) is allowed. Structures, dimensions, names and tokens that are passed in are
 * copied; buffers and memories are referred to as each function says. A model must live longer than
 * its compilations and the models that refer to it, a compilation longer than its executions,
 * bursts and memory descriptors, an execution longer than its event.
 *
 * Threads. Functions on different objects may be called by any threads at any time. One object is
 * changed by one thread at a time; a finished model or compilation may be shared freely. Exceptions
 * are documented below.
 *
 * Units. Lengths and offsets are bytes, durations and times nanoseconds, dimensions elements.
 * Tensors are dense, row by row, the last dimension fastest. Environment and configuration:
 * Documentation/runtime.rst.
 */
#ifndef ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_H
#define ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_H

#include "NeuralNetworksTypes.h"

/**
 * The level of Android that functions of feature level 5 came with, for programs that ask
 * __builtin_available().
 */
#define __NNAPI_FL5_MIN_ANDROID_API__ 31

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the runtime ---- */

/**
 * Number of devices, nnapi-reference, the CPU, included. It may grow while the process lives, when
 * a card is plugged in; it never shrinks. Any thread. Since feature level 3.
 */
int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);

/**
 * Device number @devIndex: the same one each time. Vendor devices come first, nnapi-reference after
 * those that were present at the first call, later ones behind it. BAD_DATA: there is none,
 * *@device is NULL. Any thread. Since feature level 3.
 */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device);

/**
 * The time that one entry of a WHILE may take unless an execution says otherwise: 2 s, in ns. Any
 * thread. Since feature level 4.
 */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/**
 * The longest time that an execution can give to one entry of a WHILE: 15 s, in ns. Any thread.
 * Since feature level 4.
 */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/**
 * The FeatureLevelCode that this runtime implements: ANEURALNETWORKS_FEATURE_LEVEL_8. Devices may
 * be of lower ones. Any thread. Since feature level 5.
 */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/* ---- Device ---- */

/*
 * Devices are the runtime's: they live as long as the process, are never freed, and may be used by
 * any thread.
 */

/**
 * Name of a device, unique among devices: *@name is the runtime's, NUL-terminated, valid as long as
 * the process lives. Since feature level 3.
 */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name);

/**
 * DeviceTypeCode of a device. OP_FAILED: the driver does not say. Since feature level 3.
 */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type);

/**
 * Version of a device's driver in its own words: the same string means the same results and caches.
 * *@version is the runtime's, valid as long as the process lives. Since feature level 3.
 */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version);

/**
 * FeatureLevelCode of a device: the operations that it may get, at most the runtime's. BAD_STATE:
 * the driver does not report it. Since feature level 3.
 */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
					  int64_t *featureLevel);

/**
 * Block until a device can be used: at once, unless it was lost and is not back yet.
 * UNAVAILABLE_DEVICE: it did not come back within the time that the configuration gives (10 s).
 * Since feature level 4.
 */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

/* ---- Model ---- */

/*
 * A model is under construction until ANeuralNetworksModel_finish(); after that, even if it failed,
 * functions that change the model return BAD_STATE. Operands are numbered from 0 in the order of
 * their adding; a number that does not exist is BAD_DATA. A call that is refused leaves the model
 * as it was.
 */

/**
 * Which operations of a finished model at least one of @numDevices devices can run. @supportedOps
 * has one element per operation, in the order of their adding, and is filled on success. In order:
 * UNEXPECTED_NULL; BAD_DATA: @numDevices is 0; BAD_STATE: the model is not finished or invalid;
 * UNEXPECTED_NULL: an entry of
 * @devices; BAD_DATA: a device is there twice. Since feature level 3.
 */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
	const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
	uint32_t numDevices, bool *supportedOps);

/**
 * An empty model. Since feature level 1.
 */
int ANeuralNetworksModel_create(ANeuralNetworksModel **model);

/**
 * Any thread, at any state; nothing may refer to it any more. Since feature level 1.
 */
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);

/**
 * End of construction. Operations are put in an order in which they can run, large constants are
 * copied into shared memory, and the whole is checked. BAD_DATA: there is a cycle, an operand is
 * read but never written or written twice, an operation or operand is invalid, there is no
 * operation, or the model needs a higher feature level than the runtime has; the model is invalid
 * from then on and can only be freed. Buffers of ANeuralNetworksModel_setOperandValue() are not
 * read after it. Since feature level 1.
 */
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);

/**
 * Add an operand; its number is the count of those before it. Dimensions may be 0 (unknown) and a
 * tensor may be of unknown rank (dimensionCount 0). BAD_DATA: no such type or an extension's that
 * no device reports or that this process may not use; dimensions of a scalar; scale or zero point
 * outside of what the type allows; more than 2^32 - 1 bytes. Since feature level 1.
 */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
				    const ANeuralNetworksOperandType *type);

/**
 * Make an operand a constant of @length bytes; the last call for an operand counts. Up to
 * ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes are copied at once; a larger @buffer
 * is referred to and must stay as it is until the model is finished (portable programs: until the
 * model is freed). @buffer NULL with @length 0: the operand is an optional one that is left out.
 * BAD_DATA: no such operand, its dimensions are not all known, or @length is not its size. Since
 * feature level 1.
 */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
					 const void *buffer, size_t length);

/**
 * Scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand, which it must have. BAD_DATA: another type;
 * channelDim is no dimension of the operand or an unknown one; scaleCount is not its extent; a
 * scale is not above 0. Since feature level 3.
 */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
	ANeuralNetworksModel *model, int32_t index,
	const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);

/**
 * Make an operand a constant that lies in @memory, which is referred to: it must not change as long
 * as the model is in use. @offset should be a multiple of the size of an element. BAD_DATA: as
 * ANeuralNetworksModel_setOperandValue(); the range is not inside the memory; memory from a
 * descriptor. Since feature level 1.
 */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
						   const ANeuralNetworksMemory *memory,
						   size_t offset, size_t length);

/**
 * Make an operand of type ANEURALNETWORKS_MODEL stand for a finished model: a branch of IF, the
 * condition or body of WHILE. @value is referred to and must outlive @model. BAD_STATE: one of the
 * models is in the wrong state. BAD_DATA: no such operand. Since feature level 4.
 */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
						  const ANeuralNetworksModel *value);

/**
 * Add an operation on operands that exist. Operations may come in any order. The signature is
 * checked now, so constants that it depends on must have values already. BAD_DATA: no such
 * operation, or an extension's that this process may not use; an operand does not exist; number,
 * types, quantization or values of the operands are not what the operation takes. Since feature
 * level 1.
 */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
				      ANeuralNetworksOperationType type, uint32_t inputCount,
				      const uint32_t *inputs, uint32_t outputCount,
				      const uint32_t *outputs);

/**
 * The operands that executions give and get, in the order in which executions number them; both
 * arrays are needed, even empty ones. An output may also be read by operations. BAD_DATA: no such
 * operand; one that is a constant, left out, or in a list already (so a second call fails). Since
 * feature level 1.
 */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
						  const uint32_t *inputs, uint32_t outputCount,
						  const uint32_t *outputs);

/**
 * Whether float32 may be computed with the range and precision of float16. Default: no. Holds for
 * referenced models, too. Since feature level 2.
 */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow);

/* ---- Compilation ---- */

/*
 * A compilation is open until ANeuralNetworksCompilation_finish(); after that, even if it failed,
 * functions that change the compilation return BAD_STATE.
 */

/**
 * A compilation for these devices alone: what none of them can run is not run. They are tried in
 * the order given where they are equally good. In order: UNEXPECTED_NULL; BAD_DATA: @numDevices is
 * 0; UNEXPECTED_NULL: an entry; BAD_DATA: a device twice, or not the runtime's; BAD_STATE: the
 * model is not finished or invalid. The model is referred to. Since feature level 3.
 */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
						const ANeuralNetworksDevice *const *devices,
						uint32_t numDevices,
						ANeuralNetworksCompilation **compilation);

/**
 * Where devices may keep what they compiled: files in folder @cacheDir (copied; "" is the current
 * one), named by a token of ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN bytes. The token stands for
 * the model and all that it was made of: another model, or other constants, need another one. Files
 * that are missing, foreign or corrupt cost time and nothing else. Since feature level 3.
 */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
					  const char *cacheDir, const uint8_t *token);

/**
 * A compilation for all devices: each operation runs where it is fastest (or takes least power),
 * with the CPU for what no other takes, and for what fails elsewhere. The model is referred to.
 * BAD_STATE: the model is not finished or invalid. Since feature level 1.
 */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
				      ANeuralNetworksCompilation **compilation);

/**
 * Nothing may refer to it any more. Since feature level 1.
 */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);

/**
 * A PreferenceCode; default PREFER_FAST_SINGLE_ANSWER. BAD_DATA: a number above those. Since
 * feature level 1.
 */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
					     int32_t preference);

/**
 * Choose devices and compile for them; may take long. BAD_DATA: an operation that no device in
 * question can run; OP_FAILED: a device failed; MISSED_DEADLINE_TRANSIENT or _PERSISTENT: it took
 * longer than the timeout; UNAVAILABLE_DEVICE, RESOURCE_EXHAUSTED_TRANSIENT or _PERSISTENT: as the
 * device reported. A compilation for all devices falls back to the CPU before it fails. BAD_STATE:
 * it was called before. Since feature level 1.
 */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/**
 * A PriorityCode among the executions of this application; default PRIORITY_MEDIUM. A hint.
 * BAD_DATA: another number. Since feature level 4.
 */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority);

/**
 * How long finish() may take, in ns from its start; 0: no limit. A device may notice late.
 * BAD_DATA: the compilation is not for exactly one device (createForDevices). Since feature
 * level 4.
 */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
					  uint64_t duration);

/**
 * The alignment in bytes, a power of two, of a buffer or of an offset in a memory at which a device
 * takes input number @index without copying it. BAD_STATE: the compilation is not finished or
 * failed. BAD_DATA: no such input. Since feature level 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/**
 * To what a length in bytes, a power of two, input number @index is best rounded up, see
 * ANeuralNetworksExecution_enableInputAndOutputPadding(). BAD_STATE: the compilation is not
 * finished or failed. BAD_DATA: no such input. Since feature level 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/**
 * As ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(), of an output. BAD_STATE: the
 * compilation is not finished or failed. BAD_DATA: no such output. Since feature level 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/**
 * As ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(), of an output. BAD_STATE: the
 * compilation is not finished or failed. BAD_DATA: no such output. Since feature level 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/* ---- Execution ---- */

/*
 * An execution is prepared, then computed by one of compute(), startCompute(), burstCompute() and
 * startComputeWithDependencies(), then completed. Functions that change it answer BAD_STATE once a
 * computation was started, for ever. Arguments are numbered as in the model's lists of inputs and
 * outputs.
 */

/**
 * Compute and wait. NO_ERROR; BAD_STATE: computing, or computed and not reusable; BAD_DATA: an
 * input or output was not set, or the device found an argument invalid; OUTPUT_INSUFFICIENT_SIZE:
 * an output is too small, ask for its dimensions and try again with a new execution; OP_FAILED,
 * UNMAPPABLE, MISSED_DEADLINE_*, RESOURCE_EXHAUSTED_*, UNAVAILABLE_DEVICE, DEAD_OBJECT. What
 * outputs hold after a failure is not defined. Two threads that compute one execution: one of them
 * gets BAD_STATE, or both go one after the other. Since feature level 3.
 */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);

/**
 * Number of dimensions of output number @index, once completed with NO_ERROR or
 * OUTPUT_INSUFFICIENT_SIZE. The latter is returned, with the rank, if this output was too small.
 * BAD_STATE: not completed, or failed otherwise. BAD_DATA: no such output. Since feature level 3.
 */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
						  int32_t index, uint32_t *rank);

/**
 * The dimensions of output number @index into @dimensions, which has room for as many as
 * ANeuralNetworksExecution_getOutputOperandRank() says. Results as there; BAD_DATA for a scalar,
 * too. Since feature level 3.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
							int32_t index, uint32_t *dimensions);

/**
 * ANeuralNetworksExecution_compute() on a burst of the same compilation. In order: UNEXPECTED_NULL;
 * BAD_DATA: a burst of another one; BAD_STATE: the burst is in use, or as compute(); then as
 * compute(). Since feature level 3.
 */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
					  ANeuralNetworksBurst *burst);

/**
 * Whether to measure durations; default: no. In order: UNEXPECTED_NULL; BAD_DATA: the compilation
 * is not for exactly one device; BAD_STATE. Since feature level 3.
 */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure);

/**
 * The duration that a DurationCode names, in ns, of an execution that was measured and completed
 * with NO_ERROR. *@duration UINT64_MAX: the device does not say (NO_ERROR), or there is nothing to
 * say (BAD_STATE: not measured, not completed, failed). BAD_DATA: no such code. Since feature
 * level 3.
 */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
					 int32_t durationCode, uint64_t *duration);

/**
 * An execution of a finished compilation, which is referred to. Any number of them may exist and
 * compute at a time. BAD_STATE: the compilation is not finished or failed. Since feature level 1.
 */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
				    ANeuralNetworksExecution **execution);

/**
 * One that is computing is freed when that ends. Since feature level 1.
 */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);

/**
 * Input number @index is at @buffer, which is read during computations and must stay as it is until
 * they ended. @type (may be NULL) gives the dimensions where the model leaves them open; of it only
 * dimensions count. @buffer NULL with @length 0: an optional input that is left out. In order:
 * UNEXPECTED_NULL; BAD_STATE; BAD_DATA: no such input, dimensions incomplete or not the model's,
 * more than 2^32 - 1 bytes; BAD_STATE: it is set already; BAD_DATA: @length is not the input's
 * size, nor, with padding, above it. Since feature level 1.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
				      const ANeuralNetworksOperandType *type, const void *buffer,
				      size_t length);

/**
 * Input number @index is @length bytes at @offset of @memory, which is referred to. As
 * ANeuralNetworksExecution_setInput(); BAD_DATA also for a range that is not inside the memory, for
 * a memory from a descriptor that has no such role, or with an @offset or @length that is not 0.
 * Since feature level 1.
 */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
						const ANeuralNetworksOperandType *type,
						const ANeuralNetworksMemory *memory, size_t offset,
						size_t length);

/**
 * Output number @index goes to @buffer, which is written during computations. @type (may be NULL)
 * may leave dimensions open that the model leaves open: then @buffer must be large enough for what
 * comes, else the computation ends in OUTPUT_INSUFFICIENT_SIZE. Otherwise as
 * ANeuralNetworksExecution_setInput(). Outputs may not overlap each other or inputs. Since feature
 * level 1.
 */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
				       const ANeuralNetworksOperandType *type, void *buffer,
				       size_t length);

/**
 * Output number @index goes to @length bytes at @offset of @memory. As
 * ANeuralNetworksExecution_setOutput() and ANeuralNetworksExecution_setInputFromMemory(). Since
 * feature level 1.
 */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
						 const ANeuralNetworksOperandType *type,
						 const ANeuralNetworksMemory *memory, size_t offset,
						 size_t length);

/**
 * Compute in the background; *@event is the end of it, the caller's. Errors after the start come
 * from ANeuralNetworksEvent_wait(). BAD_STATE, BAD_DATA as ANeuralNetworksExecution_compute().
 * Neither the execution nor what it refers to may be changed or freed before the event was waited
 * for or freed. Since feature level 1.
 */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
					  ANeuralNetworksEvent **event);

/**
 * How long a computation may take, in ns from its start; 0: no limit. A device may notice late, and
 * end it with MISSED_DEADLINE_TRANSIENT or _PERSISTENT. In order: UNEXPECTED_NULL; BAD_DATA: the
 * compilation is not for exactly one device; BAD_STATE. Since feature level 4.
 */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * How long one entry of a WHILE may take, in ns; more than the maximum is the maximum, 0 ends every
 * loop at its first check. A loop that takes longer ends the computation with
 * MISSED_DEADLINE_TRANSIENT or _PERSISTENT. Since feature level 4.
 */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * Compute when all of @num_dependencies events have ended; @dependencies stay the caller's and may
 * be NULL if there are none. *@event may have a fence, see ANeuralNetworksEvent_getSyncFenceFd():
 * when that signals, outputs are there. @duration: how long it may take in ns once they ended, 0:
 * no limit. In order: UNEXPECTED_NULL (an entry, too); BAD_STATE and BAD_DATA as
 * ANeuralNetworksExecution_compute(); BAD_DATA:
 * @duration without a compilation for exactly one device, or an output whose dimensions are not all
 * known. The call itself may fail as a computation does. Since feature level 4.
 */
int ANeuralNetworksExecution_startComputeWithDependencies(
	ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
	uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);

/**
 * Whether lengths of inputs and outputs may be larger than they are, for devices that work on whole
 * blocks; default: no. BAD_STATE also when an input or output was set already. Since feature
 * level 5.
 */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
							 bool enable);

/**
 * Whether it can be computed again once it is completed, with the same arguments; default: no.
 * Since feature level 5.
 */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable);

/* ---- Event ---- */

/*
 * An event is the end of a computation, or a fence from outside.
 */

/**
 * Block until the end, and return the computation's result; of a fence OP_FAILED if it carries an
 * error. Any number of threads, any number of times. Since feature level 1.
 */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);

/**
 * Blocks until the end first. No thread may be waiting. Since feature level 1.
 */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);

/**
 * An event that ends when a descriptor becomes readable: a sync_file, or anything that poll() can
 * wait for. It is duplicated, the caller's stays. BAD_DATA: @sync_fence_fd is not above 0. Since
 * feature level 4.
 */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event);

/**
 * A duplicate of the event's fence, the caller's; -1 on failure. BAD_DATA: the event has none; wait
 * for it instead. Since feature level 4.
 */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd);

/* ---- Burst ---- */

/*
 * A burst tells devices that executions of one compilation will follow each other quickly, so that
 * they keep what they can between them. Memories that it was used with are remembered until either
 * is freed.
 */

/**
 * A burst of a finished compilation. One execution at a time runs on it. BAD_STATE: the compilation
 * is not finished or failed. Since feature level 3.
 */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
				ANeuralNetworksBurst **burst);

/**
 * No execution may be running on it. Since feature level 3.
 */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

/* ---- Memory ---- */

/*
 * Memory holds constants, inputs or outputs without copying them through the application. It must
 * outlive models, compilations, executions and bursts that use it; a burst may be freed before or
 * after it.
 */

/**
 * Memory for the roles of a finished descriptor, on their device if all are on one. Its contents
 * are undefined until an execution or ANeuralNetworksMemory_copy() wrote them. BAD_STATE: the
 * descriptor is not finished. OP_FAILED: the device has no such memory, or its size is not known;
 * other codes as the device says. The descriptor may be freed. Since feature level 4.
 */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
					 ANeuralNetworksMemory **memory);

/**
 * Copy all of one memory to another of the same size, or between a memory from a descriptor and one
 * that has exactly the bytes of its tensor. BAD_DATA: sizes, types or dimensions differ, or @src
 * was never written; UNMAPPABLE; as the device says. After a failure contents of @dst are
 * undefined. Neither may be in use by an execution that writes. Since feature level 4.
 */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst);

/**
 * A buffer of nnaccel's libnativewindow.so (android/hardware_buffer.h), which the program links or
 * opens itself. One of format BLOB is like a memory of its width in bytes: for inputs, outputs and
 * constants, by offset and length. Others are taken, but nothing can be done with them: BAD_DATA.
 * The memory lives on when the buffer is released before it. Contents are written and read between
 * AHardwareBuffer_lock() and _unlock(), and not while an execution uses them. BAD_DATA: not a
 * buffer, or another library's; OP_FAILED: no descriptors left. Since feature level 3.
 */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
						    ANeuralNetworksMemory **memory);

/**
 * @size bytes at @offset of a file that mmap() can map: a memfd, a file in /dev/shm, a dma-buf.
 * @protect: PROT_READ, PROT_WRITE or both, how it will be mapped. The descriptor is duplicated, the
 * caller's stays. Nothing is mapped or checked before it is used: then UNMAPPABLE or OP_FAILED
 * tells of a file that is too short or cannot be mapped so. OP_FAILED: not a descriptor. A memfd
 * that is sealed against shrinking is used by devices without a copy. Since feature level 1.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
				       ANeuralNetworksMemory **memory);

/**
 * Executions that are running keep what they need. Since feature level 1.
 */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/* ---- MemoryDesc ---- */

/*
 * A descriptor says how a memory will be used, so that the device can choose where it is. It is
 * open until ANeuralNetworksMemoryDesc_finish(); after that functions that change it answer
 * BAD_STATE.
 */

/**
 * An empty descriptor. Since feature level 4.
 */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);

/**
 * Memories made from it stay. Since feature level 4.
 */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/**
 * It will be input number @index of executions of @compilation, which must be finished and must
 * outlive the descriptor. @frequency: how often, above 0 to 1, relative to other roles; a hint.
 * BAD_DATA: the compilation is not finished or failed; no such input; the same role again; type,
 * quantization or dimensions are not those of the other roles; @frequency. Since feature level 4.
 */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
					   const ANeuralNetworksCompilation *compilation,
					   uint32_t index, float frequency);

/**
 * It will be output number @index of executions of @compilation, which must be finished and must
 * outlive the descriptor. @frequency: how often, above 0 to 1, relative to other roles; a hint.
 * BAD_DATA: the compilation is not finished or failed; no such output; the same role again; type,
 * quantization or dimensions are not those of the other roles; @frequency. Since feature level 4.
 */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
					    const ANeuralNetworksCompilation *compilation,
					    uint32_t index, float frequency);

/**
 * What is known of the dimensions beyond the roles; 0 is unknown, @rank 0 says nothing (@dimensions
 * may be NULL then). Several calls add up. BAD_DATA: they contradict what is known, or a role is a
 * scalar. Since feature level 4.
 */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
					    const uint32_t *dimensions);

/**
 * End of description. BAD_DATA: it has no role. Since feature level 4.
 */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

#ifdef __cplusplus
}
#endif

#endif

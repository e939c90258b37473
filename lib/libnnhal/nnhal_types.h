/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnhal_types.h
 *
 * The values that cross the vendor HAL: statuses, capabilities, memory, requests, results and
 * configurations. nnhal.h has the objects that take and give them, and the rules for sized structs,
 * ownership, threads, fork() and times.
 */
#ifndef NNHAL_TYPES_H
#define NNHAL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** NNHAL_NO_TIME - no deadline, no duration, or a time that was not measured */
#define NNHAL_NO_TIME ((int64_t)-1)
/** NNHAL_LOOP_TIMEOUT_DEFAULT_NS - limit of a WHILE when the client sets none */
#define NNHAL_LOOP_TIMEOUT_DEFAULT_NS 2000000000ll
/** NNHAL_LOOP_TIMEOUT_MAXIMUM_NS - largest limit of a WHILE */
#define NNHAL_LOOP_TIMEOUT_MAXIMUM_NS 15000000000ll
/** NNHAL_CACHE_TOKEN_SIZE - bytes of a cache token */
#define NNHAL_CACHE_TOKEN_SIZE 32
/** NNHAL_MAX_CACHE_FILES - most cache files of each kind */
#define NNHAL_MAX_CACHE_FILES 32

/**
 * enum nnhal_status - ErrorStatus of the HAL
 * @NNHAL_NONE: success
 * @NNHAL_DEVICE_UNAVAILABLE: the device is offline or gone
 * @NNHAL_GENERAL_FAILURE: the device cannot do it
 * @NNHAL_OUTPUT_INSUFFICIENT_SIZE: an output is larger than its memory
 * @NNHAL_INVALID_ARGUMENT: an argument breaks a rule of the interface
 * @NNHAL_MISSED_DEADLINE_TRANSIENT: the deadline passed; the same call may succeed later
 * @NNHAL_MISSED_DEADLINE_PERSISTENT: the deadline had passed before the call
 * @NNHAL_RESOURCE_EXHAUSTED_TRANSIENT: no memory or descriptors at the moment
 * @NNHAL_RESOURCE_EXHAUSTED_PERSISTENT: the device can never have enough
 * @NNHAL_DEAD_OBJECT: the process that has the object is gone, or fork() was called
 */
enum nnhal_status {
	NNHAL_NONE = 0,
	NNHAL_DEVICE_UNAVAILABLE = 1,
	NNHAL_GENERAL_FAILURE = 2,
	NNHAL_OUTPUT_INSUFFICIENT_SIZE = 3,
	NNHAL_INVALID_ARGUMENT = 4,
	NNHAL_MISSED_DEADLINE_TRANSIENT = 5,
	NNHAL_MISSED_DEADLINE_PERSISTENT = 6,
	NNHAL_RESOURCE_EXHAUSTED_TRANSIENT = 7,
	NNHAL_RESOURCE_EXHAUSTED_PERSISTENT = 8,
	NNHAL_DEAD_OBJECT = 10000,
};

/**
 * nnhal_status_name() - name of a status
 * @status: any value
 *
 * Return: "INVALID_ARGUMENT" and its like; a static string.
 */
const char *nnhal_status_name(enum nnhal_status status);

/**
 * nnhal_status_result_code() - result code of the NDK
 * @status: any value
 *
 * Return: the ANEURALNETWORKS_ code that an application gets for @status.
 */
int nnhal_status_result_code(enum nnhal_status status);

/**
 * enum nnhal_device_type - DeviceType of the HAL
 * @NNHAL_DEVICE_OTHER: none of the others
 * @NNHAL_DEVICE_CPU: operations run on the CPU
 * @NNHAL_DEVICE_GPU: operations run on a GPU
 * @NNHAL_DEVICE_ACCELERATOR: a neural network accelerator
 */
enum nnhal_device_type {
	NNHAL_DEVICE_OTHER = 1,
	NNHAL_DEVICE_CPU = 2,
	NNHAL_DEVICE_GPU = 3,
	NNHAL_DEVICE_ACCELERATOR = 4
};

/**
 * enum nnhal_preference - ExecutionPreference of the HAL
 * @NNHAL_LOW_POWER: least energy
 * @NNHAL_FAST_SINGLE_ANSWER: shortest latency
 * @NNHAL_SUSTAINED_SPEED: highest throughput
 */
enum nnhal_preference {
	NNHAL_LOW_POWER = 0,
	NNHAL_FAST_SINGLE_ANSWER = 1,
	NNHAL_SUSTAINED_SPEED = 2
};

/**
 * enum nnhal_priority - Priority of the HAL
 * @NNHAL_PRIORITY_LOW: after all others
 * @NNHAL_PRIORITY_MEDIUM: the default
 * @NNHAL_PRIORITY_HIGH: before all others
 */
enum nnhal_priority { NNHAL_PRIORITY_LOW = 0, NNHAL_PRIORITY_MEDIUM = 1, NNHAL_PRIORITY_HIGH = 2 };

/**
 * struct nnhal_performance - performance relative to the CPU, which is 1.0
 * @exec_time: time; smaller is faster; > 0; FLT_MAX: not supported
 * @power_usage: energy; smaller is less; > 0; FLT_MAX: not supported
 */
struct nnhal_performance {
	float exec_time, power_usage;
};

/**
 * struct nnhal_capabilities - Capabilities of the HAL
 * @size: of this struct
 * @relaxed_scalar: float32 scalars in relaxed precision
 * @relaxed_tensor: float32 tensors in relaxed precision
 * @if_performance: IF
 * @while_performance: WHILE
 * @operand: by enum nnmodel_type; the element of NNMODEL_SUBGRAPH means nothing
 */
struct nnhal_capabilities {
	uint32_t size;
	struct nnhal_performance relaxed_scalar, relaxed_tensor, if_performance, while_performance;
	struct nnhal_performance operand[NNMODEL_TYPE_COUNT];
};

/**
 * struct nnhal_memory - part of a file as shared memory
 * @fd: a memfd, a file or a dma-buf
 * @prot: PROT_READ, or PROT_READ | PROT_WRITE
 * @offset: of the memory in the file, bytes
 * @size: of the memory, bytes; > 0
 */
struct nnhal_memory {
	int fd;
	int prot;
	uint64_t offset, size;
};

/**
 * struct nnhal_request_pool - memory of a request
 * @is_token: true: @token counts, false: @memory counts
 * @token: of a device buffer, from allocate()
 * @memory: shared memory
 */
struct nnhal_request_pool {
	bool is_token;
	uint32_t token;
	struct nnhal_memory memory;
};

/**
 * struct nnhal_request_argument - an input or output of a request
 * @has_no_value: the argument is omitted; all other members are 0
 * @pool: number of the pool
 * @offset: in the pool, bytes; 0 for a device buffer
 * @length: bytes; 0 for a device buffer
 * @padding: bytes after the argument that the driver may read or write
 * @rank: number of @dims; 0: the dimensions of the model's operand
 * @dims: dimensions; complete for an input
 */
struct nnhal_request_argument {
	bool has_no_value;
	uint32_t pool;
	uint64_t offset, length, padding;
	uint32_t rank;
	const uint32_t *dims;
};

/**
 * struct nnhal_request - Request of the HAL
 * @size: of this struct
 * @num_inputs: length of @inputs; that of the model's
 * @inputs: in the order of the model's main subgraph
 * @outputs: in the order of the model's main subgraph
 * @num_outputs: length of @outputs; that of the model's
 * @num_pools: length of @pools
 * @pools: memory of the arguments
 */
struct nnhal_request {
	uint32_t size;
	uint32_t num_inputs;
	const struct nnhal_request_argument *inputs, *outputs;
	uint32_t num_outputs, num_pools;
	const struct nnhal_request_pool *pools;
};

/**
 * struct nnhal_timing - duration of an execution
 * @on_device_ns: on the device; at most @in_driver_ns; NNHAL_NO_TIME: not measured
 * @in_driver_ns: in the driver; NNHAL_NO_TIME: not measured
 */
struct nnhal_timing {
	int64_t on_device_ns, in_driver_ns;
};

/**
 * struct nnhal_output_shape - shape of an output after an execution
 * @rank: number of @dims
 * @dims: dimensions; 0: unknown
 * @sufficient: the output's memory was large enough
 */
struct nnhal_output_shape {
	uint32_t rank;
	uint32_t *dims;
	bool sufficient;
};

/**
 * struct nnhal_execution_result - result of an execution
 * @size: of this struct
 * @num_shapes: length of @shapes: the number of outputs, or 0
 * @shapes: with NNHAL_NONE and NNHAL_OUTPUT_INSUFFICIENT_SIZE only; a burst leaves them out when
 *          the request says all shapes
 * @timing: of a successful execution that was measured
 * @message: why the execution failed, in English; empty on success
 *
 * The client frees @shapes with nnhal_execution_result_clear().
 */
struct nnhal_execution_result {
	uint32_t size;
	uint32_t num_shapes;
	struct nnhal_output_shape *shapes;
	struct nnhal_timing timing;
	char message[256];
};

/** NNHAL_EXECUTION_RESULT_INIT - an empty result */
#define NNHAL_EXECUTION_RESULT_INIT                            \
	{                                                      \
		.size = sizeof(struct nnhal_execution_result), \
		.timing = { NNHAL_NO_TIME, NNHAL_NO_TIME },    \
	}

/**
 * nnhal_execution_result_clear() - free what a result has and make it empty
 * @result: a result; its size stays
 */
void nnhal_execution_result_clear(struct nnhal_execution_result *result);

/**
 * struct nnhal_token_value - TokenValuePair of the HAL: a hint
 * @token: prefix of an extension << 16 | number
 * @value: contents; what they mean is the extension's matter
 * @size: bytes of @value
 */
struct nnhal_token_value {
	uint32_t token;
	const void *value;
	size_t size;
};

/**
 * struct nnhal_execution_config - ExecutionConfig of the HAL
 * @size: of this struct; at least through @measure_timing
 * @measure_timing: the result has times
 * @loop_timeout_ns: limit of each WHILE, at most NNHAL_LOOP_TIMEOUT_MAXIMUM_NS; NNHAL_NO_TIME, the
 *	default of this member: NNHAL_LOOP_TIMEOUT_DEFAULT_NS
 * @hints: a hint that the driver does not know has no effect; no token twice
 * @num_hints: length of @hints
 * @num_extensions: length of @extensions
 * @extensions: names of the prefixes in @hints; no name or prefix twice
 */
struct nnhal_execution_config {
	uint32_t size;
	bool measure_timing;
	int64_t loop_timeout_ns;
	const struct nnhal_token_value *hints;
	uint32_t num_hints, num_extensions;
	const struct nnmodel_extension *extensions;
};

/** NNHAL_EXECUTION_CONFIG_INIT - the default configuration */
#define NNHAL_EXECUTION_CONFIG_INIT                                                              \
	{                                                                                        \
		.size = sizeof(struct nnhal_execution_config), .loop_timeout_ns = NNHAL_NO_TIME, \
	}

/**
 * struct nnhal_prepare_config - PrepareModelConfig of the HAL
 * @size: of this struct; at least through @priority
 * @preference: enum nnhal_preference
 * @priority: enum nnhal_priority
 * @num_model_cache: length of @model_cache: 0, or as get_number_of_cache_files() says
 * @num_data_cache: length of @data_cache: 0, or as get_number_of_cache_files() says
 * @num_hints: length of @hints
 * @deadline_ns: of the preparation; NNHAL_NO_TIME is the default of this member
 * @model_cache: files for the compiled model, open for reading and writing
 * @data_cache: files for constant data, open for reading and writing
 * @token: NNHAL_CACHE_TOKEN_SIZE bytes; NULL without cache files
 * @hints: as in struct nnhal_execution_config
 * @extensions: as in struct nnhal_execution_config
 * @num_extensions: length of @extensions
 * @reserved: 0
 */
struct nnhal_prepare_config {
	uint32_t size;
	uint32_t preference;
	uint32_t priority;
	uint32_t num_model_cache, num_data_cache, num_hints;
	int64_t deadline_ns;
	const int *model_cache, *data_cache;
	const uint8_t *token;
	const struct nnhal_token_value *hints;
	const struct nnmodel_extension *extensions;
	uint32_t num_extensions;
	uint32_t reserved;
};

/** NNHAL_PREPARE_CONFIG_INIT - the default configuration */
#define NNHAL_PREPARE_CONFIG_INIT                                                          \
	{                                                                                  \
		.size = sizeof(struct nnhal_prepare_config),                               \
		.preference = NNHAL_FAST_SINGLE_ANSWER, .priority = NNHAL_PRIORITY_MEDIUM, \
		.deadline_ns = NNHAL_NO_TIME,                                              \
	}

#ifdef __cplusplus
}
#endif

#endif

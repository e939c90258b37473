/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnhal.h
 *
 * The vendor HAL of NNAPI in C: IDevice, IPreparedModel and the objects that they create, in their
 * newest form (AIDL V4). nnhal_view_create() offers the older versions. The source of the rules is
 * the NNAPI HAL: IDevice.aidl, IPreparedModel.aidl, IBurst.aidl, IExecution.aidl, IBuffer.aidl.
 *
 * Objects: an object is opaque and is driven through the operations table that it carries. A table
 * begins with its size and grows at its end. Another library or a proxy to another process may
 * implement any object.
 *
 * Sized structs: a struct whose first member is "size" grows at its end. The side that makes the
 * struct sets size to sizeof(struct ...). The receiver uses defaults for members that an older
 * struct lacks. It refuses a newer struct whose unknown bytes are not 0, and an invalid size, with
 * NNHAL_INVALID_ARGUMENT or -EINVAL. A callee writes at most size bytes of a result. Elements of
 * arrays and structs that are members do not grow within one NNHAL_ABI_VERSION: new data of
 * elements comes as a parallel array at the end of the struct that has the array. NULL is no sized
 * struct: a result that is not optional must not be NULL.
 *
 * Ownership: arguments are valid during the call; a callee that keeps one copies it. File
 * descriptors stay the caller's unless the description says otherwise.
 *
 * Threads: any number of threads may use one object at the same time. destroy() must be the last
 * call on an object. A callback comes exactly once, from a thread of the driver or during the call,
 * with no lock held. Objects may be destroyed in any order and while work is in flight: the work
 * ends by itself, and its callback still comes.
 *
 * fork(): in a child, every object of the parent answers NNHAL_DEAD_OBJECT at once (-ENODEV where
 * an errno is returned, NNHAL_OFFLINE for get_status()), and destroy() does nothing. The child can
 * open devices of its own.
 *
 * Times: deadlines are CLOCK_BOOTTIME in ns, durations are ns. NNHAL_NO_TIME means none; other
 * negative values are NNHAL_INVALID_ARGUMENT.
 */
#ifndef NNHAL_H
#define NNHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** NNHAL_ABI_VERSION - version of this interface; drivers and clients must have the same */
#define NNHAL_ABI_VERSION 2u
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

struct nnhal_device;
struct nnhal_prepared_model;
struct nnhal_fenced_callback;
struct nnhal_burst;
struct nnhal_execution;
struct nnhal_buffer;
struct nnhal_device_info;
struct nnhal_counters;

/**
 * typedef nnhal_prepared_cb - IPreparedModelCallback::notify
 * @cookie: of the call
 * @status: how the preparation ended
 * @model: the client's, which destroys it; NULL unless @status is NNHAL_NONE
 * @message: why it failed, in English; valid during the call; may be NULL
 */
typedef void (*nnhal_prepared_cb)(void *cookie, enum nnhal_status status,
				  struct nnhal_prepared_model *model, const char *message);

/**
 * typedef nnhal_execution_cb - IExecutionCallback::notify
 * @cookie: of the call
 * @status: how the execution ended
 * @result: the driver's; valid during the call
 */
typedef void (*nnhal_execution_cb)(void *cookie, enum nnhal_status status,
				   const struct nnhal_execution_result *result);

/**
 * enum nnhal_device_status - DeviceStatus of HIDL
 * @NNHAL_AVAILABLE: takes calls
 * @NNHAL_BUSY: calls wait, for a reset for instance
 * @NNHAL_OFFLINE: calls fail
 * @NNHAL_UNKNOWN: the device does not say
 */
enum nnhal_device_status {
	NNHAL_AVAILABLE = 0,
	NNHAL_BUSY = 1,
	NNHAL_OFFLINE = 2,
	NNHAL_UNKNOWN = 3
};

/**
 * struct nnhal_extension_type - operand type of an extension
 * @type: number within the extension
 * @is_tensor: a tensor, else a scalar
 * @byte_size: of a scalar or of an element
 */
struct nnhal_extension_type {
	uint16_t type;
	bool is_tensor;
	uint32_t byte_size;
};

/**
 * struct nnhal_extension - Extension of the HAL
 * @size: of this struct; the driver sets it
 * @num_types: length of @types
 * @name: "vendor.name"
 * @types: operand types that the extension adds
 */
struct nnhal_extension {
	uint32_t size;
	uint32_t num_types;
	const char *name;
	const struct nnhal_extension_type *types;
};

/**
 * struct nnhal_buffer_role - BufferRole of the HAL
 * @model_index: number of the model in allocate()'s list
 * @io_index: number of the input or output
 * @probability: how likely the buffer is used so; above 0, at most 1
 */
struct nnhal_buffer_role {
	uint32_t model_index, io_index;
	float probability;
};

/**
 * struct nnhal_buffer_desc - BufferDesc of the HAL
 * @size: of this struct
 * @rank: number of @dims; 0: only the operands of the roles say the shape
 * @dims: dimensions; 0: unknown
 */
struct nnhal_buffer_desc {
	uint32_t size;
	uint32_t rank;
	const uint32_t *dims;
};

/**
 * struct nnhal_device_ops - IDevice
 *
 * The last three operations are beyond IDevice. A table may end before them or have NULL there.
 * Clients call them by nnhal_memory_create(), nnhal_device_get_info() and
 * nnhal_device_get_counters(), which answer -EOPNOTSUPP then.
 */
struct nnhal_device_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the device object */
	void (*destroy)(struct nnhal_device *dev);
	/** @name: instance name, "vendor-accel"; valid as long as the device object */
	const char *(*name)(struct nnhal_device *dev);
	/** @version: version of driver and device; valid as long as the device object */
	const char *(*version)(struct nnhal_device *dev);
	/** @type: kind of device */
	enum nnhal_device_type (*type)(struct nnhal_device *dev);
	/** @feature_level: NNAPI feature level of the interface, 1 to 8 */
	uint32_t (*feature_level)(struct nnhal_device *dev);
	/** @get_capabilities: performance; the client sets the size of @caps */
	enum nnhal_status (*get_capabilities)(struct nnhal_device *dev,
					      struct nnhal_capabilities *caps);
	/** @get_number_of_cache_files: how many files prepare_model() takes; both 0: no caching */
	enum nnhal_status (*get_number_of_cache_files)(struct nnhal_device *dev,
						       uint32_t *num_model, uint32_t *num_data);
	/**
	 * @get_supported_operations: which operations the device can run
	 *
	 * @supported has one bool per operation of the model's main subgraph. @reasons may be NULL;
	 * else it has one pointer per operation, set to NULL or to the reason why the operation is
	 * not supported, which the client frees with free(). @err may be NULL; it says why the
	 * answer is NNHAL_INVALID_ARGUMENT.
	 */
	enum nnhal_status (*get_supported_operations)(struct nnhal_device *dev,
						      const struct nnmodel *model, bool *supported,
						      char **reasons, struct nnmodel_error *err);
	/**
	 * @prepare_model: compile a model, asynchronously
	 *
	 * After an argument error, the call returns the status that the callback had. Otherwise it
	 * returns NNHAL_NONE, and the callback comes later. The driver copies the model.
	 */
	enum nnhal_status (*prepare_model)(struct nnhal_device *dev, const struct nnmodel *model,
					   const struct nnhal_prepare_config *config,
					   nnhal_prepared_cb callback, void *cookie);

	/** @get_status: whether the device takes calls */
	enum nnhal_device_status (*get_status)(struct nnhal_device *dev);
	/**
	 * @get_supported_extensions: calls @found for each extension until it returns nonzero; the
	 * extension is valid during the call
	 */
	enum nnhal_status (*get_supported_extensions)(
		struct nnhal_device *dev,
		int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie);
	/**
	 * @prepare_model_from_cache: as prepare_model(), from files that it wrote
	 *
	 * NNHAL_GENERAL_FAILURE: the files are corrupt, or another driver, device or token wrote
	 * them.
	 */
	enum nnhal_status (*prepare_model_from_cache)(struct nnhal_device *dev, int64_t deadline_ns,
						      const int *model_cache,
						      uint32_t num_model_cache,
						      const int *data_cache,
						      uint32_t num_data_cache,
						      const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						      nnhal_prepared_cb callback, void *cookie);
	/**
	 * @allocate: memory of the device for inputs and outputs of its prepared models
	 *
	 * The client owns *@buffer. *@token (> 0) names the buffer in requests until the buffer is
	 * destroyed.
	 */
	enum nnhal_status (*allocate)(
		struct nnhal_device *dev, const struct nnhal_buffer_desc *desc,
		struct nnhal_prepared_model *const *models, uint32_t num_models,
		const struct nnhal_buffer_role *input_roles, uint32_t num_input_roles,
		const struct nnhal_buffer_role *output_roles, uint32_t num_output_roles,
		struct nnhal_buffer **buffer, uint32_t *token);

	/** @create_memory: see nnhal_memory_create() */
	int (*create_memory)(struct nnhal_device *dev, uint64_t size, int *fd);
	/** @get_info: see nnhal_device_get_info() */
	int (*get_info)(struct nnhal_device *dev, struct nnhal_device_info *info);
	/** @get_counters: see nnhal_device_get_counters() */
	int (*get_counters)(struct nnhal_device *dev, struct nnhal_counters *counters);
};

/**
 * struct nnhal_device - a device
 * @ops: its operations
 */
struct nnhal_device {
	const struct nnhal_device_ops *ops;
};

/**
 * struct nnhal_prepared_model_ops - IPreparedModel
 */
struct nnhal_prepared_model_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the prepared model */
	void (*destroy)(struct nnhal_prepared_model *model);
	/**
	 * @execute: run a request, asynchronously
	 *
	 * After an argument or launch error, the call returns the status that the callback had.
	 */
	enum nnhal_status (*execute)(struct nnhal_prepared_model *model,
				     const struct nnhal_request *request,
				     const struct nnhal_execution_config *config,
				     int64_t deadline_ns, nnhal_execution_cb callback,
				     void *cookie);
	/** @execute_synchronously: run a request; the client sets the size of @result */
	enum nnhal_status (*execute_synchronously)(struct nnhal_prepared_model *model,
						   const struct nnhal_request *request,
						   const struct nnhal_execution_config *config,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	/**
	 * @execute_fenced: run a request after fences
	 *
	 * @wait_for has sync_file descriptors, which stay the client's. *@sync_fence becomes a
	 * sync_file of the client's, or -1 when the execution has finished. @duration_ns counts
	 * from the moment when all of @wait_for have signalled. With NNHAL_NONE, *@callback is an
	 * object that the client destroys.
	 */
	enum nnhal_status (*execute_fenced)(struct nnhal_prepared_model *model,
					    const struct nnhal_request *request,
					    const int *wait_for, uint32_t num_wait_for,
					    const struct nnhal_execution_config *config,
					    int64_t deadline_ns, int64_t duration_ns,
					    int *sync_fence,
					    struct nnhal_fenced_callback **callback);

	/** @configure_burst: create a burst, which the client destroys */
	enum nnhal_status (*configure_burst)(struct nnhal_prepared_model *model,
					     struct nnhal_burst **burst);
	/**
	 * @create_reusable_execution: check a request once, to run it several times
	 *
	 * Each execution reads the memory of the request anew. The client destroys *@execution.
	 */
	enum nnhal_status (*create_reusable_execution)(struct nnhal_prepared_model *model,
						       const struct nnhal_request *request,
						       const struct nnhal_execution_config *config,
						       struct nnhal_execution **execution);
};

/**
 * struct nnhal_prepared_model - a compiled model
 * @ops: its operations
 */
struct nnhal_prepared_model {
	const struct nnhal_prepared_model_ops *ops;
};

/**
 * struct nnhal_fenced_callback_ops - IFencedExecutionCallback
 */
struct nnhal_fenced_callback_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the object; the execution goes on */
	void (*destroy)(struct nnhal_fenced_callback *callback);
	/**
	 * @get_execution_info: how the execution ended
	 *
	 * NNHAL_GENERAL_FAILURE before the fence has signalled. @launched counts from the call,
	 * @fenced from the moment when all fences had signalled; both are unavailable unless the
	 * execution was measured and succeeded.
	 */
	enum nnhal_status (*get_execution_info)(struct nnhal_fenced_callback *callback,
						struct nnhal_timing *launched,
						struct nnhal_timing *fenced);
};

/**
 * struct nnhal_fenced_callback - a fenced execution
 * @ops: its operations
 */
struct nnhal_fenced_callback {
	const struct nnhal_fenced_callback_ops *ops;
};

/**
 * struct nnhal_burst_ops - IBurst
 *
 * A burst runs one execution at a time; a second one gets NNHAL_GENERAL_FAILURE.
 */
struct nnhal_burst_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the burst and the memories that it knows */
	void (*destroy)(struct nnhal_burst *burst);
	/**
	 * @execute_synchronously: run a request
	 *
	 * @memory_tokens has one number per pool of the request. A number >= 0 stands for the same
	 * memory until release_memory_resource(). -1: the burst does not keep the memory; device
	 * buffers have -1. Other negative numbers are NNHAL_INVALID_ARGUMENT.
	 */
	enum nnhal_status (*execute_synchronously)(struct nnhal_burst *burst,
						   const struct nnhal_request *request,
						   const int64_t *memory_tokens,
						   uint32_t num_memory_tokens,
						   const struct nnhal_execution_config *config,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	/**
	 * @release_memory_resource: forget a memory
	 *
	 * An unknown number and -1 have no effect; below -1 is NNHAL_INVALID_ARGUMENT.
	 */
	enum nnhal_status (*release_memory_resource)(struct nnhal_burst *burst,
						     int64_t memory_token);
};

/**
 * struct nnhal_burst - executions in quick succession
 * @ops: its operations
 */
struct nnhal_burst {
	const struct nnhal_burst_ops *ops;
};

/**
 * struct nnhal_execution_ops - IExecution
 *
 * An execution object runs one execution at a time; a second one gets NNHAL_GENERAL_FAILURE.
 */
struct nnhal_execution_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the object */
	void (*destroy)(struct nnhal_execution *execution);
	/** @execute_synchronously: as that of the prepared model */
	enum nnhal_status (*execute_synchronously)(struct nnhal_execution *execution,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	/** @execute_fenced: as that of the prepared model */
	enum nnhal_status (*execute_fenced)(struct nnhal_execution *execution, const int *wait_for,
					    uint32_t num_wait_for, int64_t deadline_ns,
					    int64_t duration_ns, int *sync_fence,
					    struct nnhal_fenced_callback **callback);
};

/**
 * struct nnhal_execution - a request that can run several times
 * @ops: its operations
 */
struct nnhal_execution {
	const struct nnhal_execution_ops *ops;
};

/**
 * struct nnhal_buffer_ops - IBuffer
 *
 * A buffer is uninitialised until an execution or copy_from() has written it, and again after a
 * write that failed.
 */
struct nnhal_buffer_ops {
	/** @size: of this struct */
	uint32_t size;

	/** @destroy: release the buffer; its token is invalid from now on */
	void (*destroy)(struct nnhal_buffer *buffer);
	/**
	 * @copy_to: copy the contents into memory of exactly the buffer's size
	 *
	 * NNHAL_INVALID_ARGUMENT: another size. NNHAL_GENERAL_FAILURE: uninitialised.
	 */
	enum nnhal_status (*copy_to)(struct nnhal_buffer *buffer, const struct nnhal_memory *dst);
	/**
	 * @copy_from: set the contents from memory of exactly the size of the shape
	 *
	 * @dims is complete; @rank 0: the shape of the buffer.
	 */
	enum nnhal_status (*copy_from)(struct nnhal_buffer *buffer, const struct nnhal_memory *src,
				       uint32_t rank, const uint32_t *dims);
};

/**
 * struct nnhal_buffer - memory of a device
 * @ops: its operations
 */
struct nnhal_buffer {
	const struct nnhal_buffer_ops *ops;
};

/* ---- older interfaces ---- */

/**
 * enum nnhal_version - versions of the HAL, oldest first
 * @NNHAL_HIDL_1_0: android.hardware.neuralnetworks@1.0
 * @NNHAL_HIDL_1_1: android.hardware.neuralnetworks@1.1
 * @NNHAL_HIDL_1_2: android.hardware.neuralnetworks@1.2
 * @NNHAL_HIDL_1_3: android.hardware.neuralnetworks@1.3
 * @NNHAL_AIDL_V1: android.hardware.neuralnetworks, AIDL version 1
 * @NNHAL_AIDL_V2: AIDL version 2
 * @NNHAL_AIDL_V3: AIDL version 3
 * @NNHAL_AIDL_V4: AIDL version 4
 * @NNHAL_NATIVE: this interface
 */
enum nnhal_version {
	NNHAL_HIDL_1_0,
	NNHAL_HIDL_1_1,
	NNHAL_HIDL_1_2,
	NNHAL_HIDL_1_3,
	NNHAL_AIDL_V1,
	NNHAL_AIDL_V2,
	NNHAL_AIDL_V3,
	NNHAL_AIDL_V4,
	NNHAL_NATIVE
};

/**
 * nnhal_view_create() - a device behind an older interface
 * @dev: any device; it must outlive the view
 * @version: version of the interface
 * @view: set to the view, which the client destroys
 *
 * The view refuses what the version lacks: operations and types of later feature levels and
 * unknown sizes inside control flow with NNHAL_INVALID_ARGUMENT; later methods with
 * NNHAL_GENERAL_FAILURE. Statuses that the version lacks become NNHAL_GENERAL_FAILURE.
 *
 * Return: 0; -EINVAL: no device, no such version, or a table that ends before allocate(); -ENOMEM.
 */
int nnhal_view_create(struct nnhal_device *dev, enum nnhal_version version,
		      struct nnhal_device **view);

/* ---- finding devices ---- */

/**
 * struct nnhal_driver - what a vendor library exports as "nnhal_driver"
 */
struct nnhal_driver {
	/** @abi_version: NNHAL_ABI_VERSION; the runtime refuses another */
	uint32_t abi_version;
	/** @size: of this struct */
	uint32_t size;
	/** @name: of the driver */
	const char *name;
	/**
	 * @enumerate: calls @found with the specification of each device that can be opened now
	 * ("accel0", "cpu"), until it returns nonzero, which is then returned
	 */
	int (*enumerate)(int (*found)(void *cookie, const char *spec), void *cookie);
	/** @open: see nnhal_open() */
	int (*open)(const char *spec, struct nnhal_device **dev, char *message, size_t size);
};

/** nnhal_driver - the driver in this library */
extern const struct nnhal_driver nnhal_driver;

/**
 * nnhal_open() - open a device of this library
 * @spec: "cpu" (in process), "accelN" or a path (/dev/accel/accelN); NULL: the first accel node,
 *	else "cpu"
 * @dev: set to the device, which the client destroys
 * @message: on an error, what is wrong and what to do; may be NULL
 * @size: of @message
 *
 * Return: 0 or -errno.
 */
int nnhal_open(const char *spec, struct nnhal_device **dev, char *message, size_t size);

/**
 * enum nnhal_device_state - whether a device takes jobs, in process or on a card
 * @NNHAL_STATE_ONLINE: yes
 * @NNHAL_STATE_RESETTING: jobs wait until a reset is over
 * @NNHAL_STATE_LINK_LOST: jobs wait until the card is back
 * @NNHAL_STATE_FAILED: the firmware cannot be used; the kernel log says why
 * @NNHAL_STATE_UNKNOWN: the driver is newer than this library
 */
enum nnhal_device_state {
	NNHAL_STATE_ONLINE = 0,
	NNHAL_STATE_RESETTING = 1,
	NNHAL_STATE_LINK_LOST = 2,
	NNHAL_STATE_FAILED = 3,
	NNHAL_STATE_UNKNOWN = 4
};

/**
 * struct nnhal_device_info - a device, for tools
 * @size: of this struct; at least through @node
 * @node: "/dev/accel/accel0"; "" in process
 * @contract_version: version of the device contract
 * @fw_version: major << 16 | minor << 8 | patch of the firmware
 * @opset_version: version of the operation set
 * @generation: starts of the firmware; grows with each reset or loss
 * @state: whether the device takes jobs
 * @arena_size: most bytes of one job's intermediate tensors
 * @program_quota: bytes of programs that the firmware keeps
 * @driver_major: version of the kernel driver; 0 in process
 * @driver_minor: version of the kernel driver; 0 in process
 */
struct nnhal_device_info {
	uint32_t size;
	char node[64];
	uint32_t contract_version, fw_version, opset_version, generation;
	enum nnhal_device_state state;
	uint64_t arena_size, program_quota;
	uint32_t driver_major, driver_minor;
};

/**
 * nnhal_device_get_info() - describe a device
 * @dev: any device, also a view or a device of another library
 * @info: filled; all 0 but for the size on error
 *
 * Return: 0; -EOPNOTSUPP: the device does not say; -EINVAL: no device, or an invalid size; or the
 * device's error.
 */
int nnhal_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info);

/**
 * struct nnhal_counters - copies and jobs of a device object since it was opened
 * @size: of this struct; at least through @executions
 * @executions: jobs that ended
 * @bytes_staged_in: copied from request memory into device memory
 * @bytes_staged_out: copied back
 * @bytes_bounced: copied on the device
 * @bytes_in_place: request memory that the device used without a copy
 */
struct nnhal_counters {
	uint32_t size;
	uint64_t executions;
	uint64_t bytes_staged_in;
	uint64_t bytes_staged_out;
	uint64_t bytes_bounced;
	uint64_t bytes_in_place;
};

/**
 * nnhal_device_get_counters() - counters of a device
 * @dev: any device; a view gives those of the device behind it
 * @counters: filled; all 0 but for the size on error
 *
 * Return: as nnhal_device_get_info().
 */
int nnhal_device_get_counters(struct nnhal_device *dev, struct nnhal_counters *counters);

/* ---- calibration ---- */

/** NNHAL_MAX_CALIBRATED - most programs of a report */
#define NNHAL_MAX_CALIBRATED 16u

/**
 * struct nnhal_calibration_report - how fast a device is against the CPU
 * @size: of this struct
 * @device: name of the device
 * @firmware: version of the firmware
 * @library: version and builds of the library and of the device's operations
 * @cpu: name of the processor
 * @path: file that has the values; "": none
 * @reference: the device is the reference: 1.0 by definition, no times
 * @num_programs: length of @programs
 * @programs: name and time of one execution on the device and on the reference, ns; both times 0:
 *	one of them cannot run the program
 */
struct nnhal_calibration_report {
	uint32_t size;
	char device[48], firmware[24], library[72], cpu[96];
	char path[512];
	bool reference;
	uint32_t num_programs;
	struct {
		char name[24];
		int64_t device_ns, reference_ns;
	} programs[NNHAL_MAX_CALIBRATED];
};

/**
 * enum nnhal_calibrate - what nnhal_calibrate() does
 * @NNHAL_CALIBRATE_SHOW: report the stored values
 * @NNHAL_CALIBRATE_MEASURE: measure, about 0.1 s, on device objects of its own
 * @NNHAL_CALIBRATE_STORE: measure, store, and use the values in this process from now on
 */
enum nnhal_calibrate { NNHAL_CALIBRATE_SHOW, NNHAL_CALIBRATE_MEASURE, NNHAL_CALIBRATE_STORE };

/**
 * nnhal_calibrate() - calibrate a device
 * @spec: as for nnhal_open()
 * @how: what to do
 * @report: filled, also when only storing failed
 * @message: on an error, what is wrong; may be NULL
 * @size: of @message
 *
 * get_capabilities() gives the stored values, or 1.0 without any. Nothing else measures.
 *
 * Return: 0 or -errno; -ENOENT: nothing is stored.
 */
int nnhal_calibrate(const char *spec, enum nnhal_calibrate how,
		    struct nnhal_calibration_report *report, char *message, size_t size);

/**
 * nnhal_memory_create() - memory that a device reaches without a copy
 * @dev: any device
 * @size: bytes
 * @fd: set to a descriptor of the client's: a dma-buf of the card or a sealed memfd; -1 on error
 *
 * The descriptor is for mmap() (read and write, offset 0) and for pools of requests.
 *
 * Return: 0; -EOPNOTSUPP: the device has none, use a memfd; -EINVAL: @size is 0, or no device;
 * -ENOMEM, -ENOSPC, -EFBIG, -ENODEV.
 */
int nnhal_memory_create(struct nnhal_device *dev, uint64_t size, int *fd);

#ifdef __cplusplus
}
#endif

#endif

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

#include "nnhal_types.h"
#include "nnmodel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** NNHAL_ABI_VERSION - version of this interface; drivers and clients must have the same */
#define NNHAL_ABI_VERSION 2u

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
	 * @wait_for has fences, which stay the client's: sync_files, and fences of user space
	 * (Documentation/hal.rst), which a driver may refuse with INVALID_ARGUMENT. *@sync_fence
	 * becomes a fence of the client's of either kind, or -1 when the execution has finished.
	 * @duration_ns counts from the moment when all of @wait_for have signalled. With
	 * NNHAL_NONE, *@callback is an object that the client destroys.
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

/* ---- preparing and waiting ---- */

/**
 * nnhal_prepare_model() - prepare a model and wait until it is prepared
 * @dev: any device
 * @model: see prepare_model()
 * @config: NULL: NNHAL_PREPARE_CONFIG_INIT
 * @prepared: set to the prepared model, which the client destroys; NULL on an error
 * @message: on an error, the reason in English; may be NULL
 * @size: of @message
 *
 * May be called from any thread but one that runs a callback of @dev.
 *
 * Return: the status that the callback of prepare_model() had.
 */
enum nnhal_status nnhal_prepare_model(struct nnhal_device *dev, const struct nnmodel *model,
				      const struct nnhal_prepare_config *config,
				      struct nnhal_prepared_model **prepared, char *message,
				      size_t size);

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
 * NNHAL_GENERAL_FAILURE. Statuses that the version lacks become NNHAL_GENERAL_FAILURE; for HIDL,
 * NNHAL_DEAD_OBJECT becomes NNHAL_DEVICE_UNAVAILABLE.
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
	 * @enumerate: calls @found with the specification of each device that is there now
	 * ("accel0", "cpu"), until it returns nonzero, which is then returned. Opening one may
	 * still fail, for lack of permission for example
	 */
	int (*enumerate)(int (*found)(void *cookie, const char *spec), void *cookie);
	/** @open: see nnhal_open() */
	int (*open)(const char *spec, struct nnhal_device **dev, char *message, size_t size);
};

/** nnhal_driver - the driver in this library */
extern const struct nnhal_driver nnhal_driver;

/**
 * nnhal_enumerate() - the devices that can be opened now
 * @target: NULL: devices of this library. "worker": the same in a worker process;
 *	"worker=LIBRARY": those of another vendor library; "service", "service=SOCKET": those of
 *	nnaccel-hald
 * @found: called with the specification of each, for nnhal_open(), until it returns nonzero
 * @cookie: for @found
 * @message: on an error, what is wrong and what to do; may be NULL
 * @size: of @message
 *
 * Return: 0, what @found returned, or -errno.
 */
int nnhal_enumerate(const char *target, int (*found)(void *cookie, const char *spec), void *cookie,
		    char *message, size_t size);

/**
 * nnhal_open() - open a device of this library
 * @spec: "cpu" (in process), "accelN" or a path (/dev/accel/accelN); NULL: the first accel node,
 *	else "cpu". "worker:SPEC": the same in a sandboxed worker process;
 *	"worker=LIBRARY:SPEC": a device of another vendor library; "service:SPEC",
 *	"service=SOCKET:SPEC": behind nnaccel-hald. Those need libnnipc
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
 * enum nnhal_isolation - where the vendor library of a device runs
 * @NNHAL_ISOLATION_NONE: in the process of the client
 * @NNHAL_ISOLATION_WORKER: in a worker process of the client
 * @NNHAL_ISOLATION_SERVICE: in a process of the service nnaccel-hald
 */
enum nnhal_isolation {
	NNHAL_ISOLATION_NONE = 0,
	NNHAL_ISOLATION_WORKER = 1,
	NNHAL_ISOLATION_SERVICE = 2
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
 * @isolation: where the vendor library runs; the members below are of its worker process
 * @worker_pid: in the client's pid namespace; 0: none, or not known
 * @worker_restarts: workers after the first one, of this process
 * @reserved: 0
 * @sandbox: names of the layers that are active, separated by blanks; "none"
 * @sandbox_missing: names of the layers that the machine does not allow; "none"
 * @isa: the set of instructions that operations in process use; "": the device does not say
 * @isa_usable: names of the sets that could be used here, separated by blanks, worst first
 * @isa_missing: names of the sets that operations have too, but not the machine
 */
struct nnhal_device_info {
	uint32_t size;
	char node[64];
	uint32_t contract_version, fw_version, opset_version, generation;
	enum nnhal_device_state state;
	uint64_t arena_size, program_quota;
	uint32_t driver_major, driver_minor;
	enum nnhal_isolation isolation;
	int32_t worker_pid;
	uint32_t worker_restarts, reserved;
	char sandbox[128], sandbox_missing[128];
	char isa[16], isa_usable[64], isa_missing[64];
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
 * nnhal_use_amx() - choose whether programs in this process may use AMX
 * @use: false: never; true, the default: those with many 8-bit multiply-adds
 *
 * AMX needs the kernel's permission, which is for the whole process. From then on sigaltstack()
 * refuses stacks that are too small for AMX's registers, in every thread
 * (Documentation/manners.rst). The choice is for devices in process that are opened later.
 * NNACCEL_AMX=0 does the same. Any thread.
 */
void nnhal_use_amx(bool use);

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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor HAL: IDevice, IPreparedModel and the objects that they return, in their newest form
 * (AIDL V4), as C. Views of a device offer older HAL versions.
 *
 * Objects are opaque and driven through the operations table that they carry: another library, or a
 * proxy to another process, can implement them. Arguments are valid during the call only, and the
 * callee copies what it keeps. Memory and fences are passed as file descriptors, which stay the
 * caller's unless said otherwise.
 *
 * Threads: any number of threads may use an object at a time, except for destroy(), which is the
 * last call on it. Callbacks come from a thread of the driver, exactly once, with no lock held, and
 * possibly before the call that registered them returns. Objects may be destroyed in any order and
 * while work is in flight: the work ends by itself, and its callback still comes.
 *
 * fork(): in a child, objects made before the fork answer DEAD_OBJECT at once (-ENODEV if the
 * method returns an errno, OFFLINE for get_status()), and destroying them does nothing. Objects
 * that the child makes work.
 *
 * Times: deadlines are CLOCK_BOOTTIME in ns, durations in ns. NNHAL_NO_TIME (-1) is none; other
 * negative values are INVALID_ARGUMENT. Source: NNAPI HAL AIDL, IDevice.aidl and others.
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

#define NNHAL_ABI_VERSION 2u
#define NNHAL_NO_TIME ((int64_t)-1)
#define NNHAL_LOOP_TIMEOUT_DEFAULT_NS 2000000000ll
#define NNHAL_LOOP_TIMEOUT_MAXIMUM_NS 15000000000ll
#define NNHAL_CACHE_TOKEN_SIZE 32
#define NNHAL_MAX_CACHE_FILES 32

/**
 * ErrorStatus of the HAL. DEAD_OBJECT: the object belongs to another process, behind a proxy or
 * before fork().
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
const char *nnhal_status_name(enum nnhal_status status);
/** The ANEURALNETWORKS_ result code of a status (Documentation/status-codes.rst). */
int nnhal_status_result_code(enum nnhal_status status);

enum nnhal_device_type {
	NNHAL_DEVICE_OTHER = 1,
	NNHAL_DEVICE_CPU = 2,
	NNHAL_DEVICE_GPU = 3,
	NNHAL_DEVICE_ACCELERATOR = 4
};
enum nnhal_preference {
	NNHAL_LOW_POWER = 0,
	NNHAL_FAST_SINGLE_ANSWER = 1,
	NNHAL_SUSTAINED_SPEED = 2
};
enum nnhal_priority { NNHAL_PRIORITY_LOW = 0, NNHAL_PRIORITY_MEDIUM = 1, NNHAL_PRIORITY_HIGH = 2 };

/** Relative to the reference CPU, which is 1.0: smaller is better; > 0. */
struct nnhal_performance {
	float exec_time, power_usage;
};

struct nnhal_capabilities {
	uint32_t size; /* of this struct: set by the caller */
	struct nnhal_performance relaxed_scalar, relaxed_tensor, if_performance, while_performance;
	/* by enum nnmodel_type; SUBGRAPH unused */
	struct nnhal_performance operand[NNMODEL_TYPE_COUNT];
};

/** A piece of shared memory. */
struct nnhal_memory {
	int fd; /* memfd, file or dma-buf */
	int prot; /* PROT_READ, PROT_READ | PROT_WRITE */
	uint64_t offset, size; /* of the memory in the file; size > 0 */
};

/** Pool of a request: shared memory, or a device buffer by its token. */
struct nnhal_request_pool {
	bool is_token;
	uint32_t token;
	struct nnhal_memory memory;
};

struct nnhal_request_argument {
	bool has_no_value; /* all other fields are 0 */
	uint32_t pool;
	uint64_t offset, length, padding;
	uint32_t rank; /* 0: the dimensions of the model apply */
	const uint32_t *dims; /* complete, or none */
};

struct nnhal_request {
	uint32_t size; /* of this struct: set by the caller */
	uint32_t num_inputs;
	const struct nnhal_request_argument *inputs, *outputs; /* in the order of main's lists */
	uint32_t num_outputs, num_pools;
	const struct nnhal_request_pool *pools;
};

/** Of an execution; NNHAL_NO_TIME when not measured. on_device <= in_driver. */
struct nnhal_timing {
	int64_t on_device_ns, in_driver_ns;
};

struct nnhal_output_shape {
	uint32_t rank;
	uint32_t *dims;
	bool sufficient;
};

/** Result of an execution. Shapes are malloc'ed: nnhal_execution_result_clear(). */
struct nnhal_execution_result {
	uint32_t size; /* of this struct: set by who makes it */
	uint32_t num_shapes;
	struct nnhal_output_shape *shapes; /* empty unless NONE or OUTPUT_INSUFFICIENT_SIZE */
	struct nnhal_timing timing;
	char message[256]; /* English; empty on success */
};
#define NNHAL_EXECUTION_RESULT_INIT                            \
	{                                                      \
		.size = sizeof(struct nnhal_execution_result), \
		.timing = { NNHAL_NO_TIME, NNHAL_NO_TIME },    \
	}
void nnhal_execution_result_clear(struct nnhal_execution_result *result);

/** ExecutionConfig: options of an execution. Unknown hints are ignored. */
struct nnhal_token_value {
	uint32_t token;
	const void *value;
	size_t size;
};
struct nnhal_execution_config {
	uint32_t size; /* of this struct: set by the caller */
	bool measure_timing;
	int64_t loop_timeout_ns; /* of each WHILE; NNHAL_NO_TIME: default; at most the maximum */
	const struct nnhal_token_value *hints;
	uint32_t num_hints, num_extensions;
	const struct nnmodel_extension *extensions;
};
#define NNHAL_EXECUTION_CONFIG_INIT                                                             \
	{                                                                                       \
		.size = sizeof(struct nnhal_execution_config), .loop_timeout_ns = NNHAL_NO_TIME \
	}

/** PrepareModelConfig. Cache files: both counts 0, or as get_number_of_cache_files() says. */
struct nnhal_prepare_config {
	uint32_t size; /* of this struct: set by the caller */
	uint32_t preference; /* enum nnhal_preference */
	uint32_t priority; /* enum nnhal_priority */
	uint32_t num_model_cache, num_data_cache, num_hints;
	int64_t deadline_ns;
	const int *model_cache, *data_cache;
	const uint8_t *token; /* NNHAL_CACHE_TOKEN_SIZE bytes; NULL without cache files */
	const struct nnhal_token_value *hints;
	const struct nnmodel_extension *extensions;
	uint32_t num_extensions;
	uint32_t reserved; /* 0 */
};
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
 * IPreparedModelCallback::notify. @model is the receiver's, NULL unless NONE. @message may be NULL.
 */
typedef void (*nnhal_prepared_cb)(void *cookie, enum nnhal_status status,
				  struct nnhal_prepared_model *model, const char *message);
/** IExecutionCallback::notify. @result is valid during the call. */
typedef void (*nnhal_execution_cb)(void *cookie, enum nnhal_status status,
				   const struct nnhal_execution_result *result);

/** DeviceStatus of HIDL. */
enum nnhal_device_status {
	NNHAL_AVAILABLE = 0,
	NNHAL_BUSY = 1,
	NNHAL_OFFLINE = 2,
	NNHAL_UNKNOWN = 3
};

/** Extension: its name and operand types. */
struct nnhal_extension_type {
	uint16_t type;
	bool is_tensor;
	uint32_t byte_size; /* of a scalar or an element */
};
struct nnhal_extension {
	uint32_t size; /* of this struct: set by the driver */
	uint32_t num_types;
	const char *name;
	const struct nnhal_extension_type *types;
};

/**
 * BufferRole: input or output number @io_index of model number @model_index of allocate()'s list.
 */
struct nnhal_buffer_role {
	uint32_t model_index, io_index;
	float probability; /* that the buffer is used so; (0, 1] */
};

/** BufferDesc: what is known of the shape besides the operands of the roles; rank 0: nothing. */
struct nnhal_buffer_desc {
	uint32_t size; /* of this struct: set by the caller */
	uint32_t rank;
	const uint32_t *dims; /* 0 is unknown */
};

/** IDevice. */
struct nnhal_device_ops {
	uint32_t size; /* of this struct, for growth at the end */

	void (*destroy)(struct nnhal_device *dev);
	/** Instance name, "vendor-accel"; static to the device. */
	const char *(*name)(struct nnhal_device *dev);
	const char *(*version)(struct nnhal_device *dev);
	enum nnhal_device_type (*type)(struct nnhal_device *dev);
	/** NNAPI feature level 1 to 8 of the interface. */
	uint32_t (*feature_level)(struct nnhal_device *dev);
	enum nnhal_status (*get_capabilities)(struct nnhal_device *dev,
					      struct nnhal_capabilities *caps);
	enum nnhal_status (*get_number_of_cache_files)(struct nnhal_device *dev,
						       uint32_t *num_model, uint32_t *num_data);
	/**
	 * @supported: one bool per operation of main, filled. @reasons (may be NULL): per operation
	 * why not, malloc'ed strings or NULL, to be freed by the caller. INVALID_ARGUMENT with
	 * @err.
	 */
	enum nnhal_status (*get_supported_operations)(struct nnhal_device *dev,
						      const struct nnmodel *model, bool *supported,
						      char **reasons, struct nnmodel_error *err);
	/**
	 * Asynchronous. On an argument error the callback comes with the same status that is
	 * returned; else NONE is returned and the callback comes later. The model is copied.
	 */
	enum nnhal_status (*prepare_model)(struct nnhal_device *dev, const struct nnmodel *model,
					   const struct nnhal_prepare_config *config,
					   nnhal_prepared_cb callback, void *cookie);

	enum nnhal_device_status (*get_status)(struct nnhal_device *dev);
	/**
	 * Call @found for each extension, until it returns nonzero. Its argument is valid during
	 * the call.
	 */
	enum nnhal_status (*get_supported_extensions)(
		struct nnhal_device *dev,
		int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie);
	/**
	 * As prepare_model, from files that it wrote. GENERAL_FAILURE: the files cannot be used,
	 * compile the model.
	 */
	enum nnhal_status (*prepare_model_from_cache)(struct nnhal_device *dev, int64_t deadline_ns,
						      const int *model_cache,
						      uint32_t num_model_cache,
						      const int *data_cache,
						      uint32_t num_data_cache,
						      const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						      nnhal_prepared_cb callback, void *cookie);
	/**
	 * Memory of the device for inputs and outputs of prepared models of this device. *@token >
	 * 0 names it in requests as long as *@buffer lives; *@buffer is the caller's.
	 */
	enum nnhal_status (*allocate)(
		struct nnhal_device *dev, const struct nnhal_buffer_desc *desc,
		struct nnhal_prepared_model *const *models, uint32_t num_models,
		const struct nnhal_buffer_role *input_roles, uint32_t num_input_roles,
		const struct nnhal_buffer_role *output_roles, uint32_t num_output_roles,
		struct nnhal_buffer **buffer, uint32_t *token);

	/*
	 * Beyond IDevice, for clients and tools. These return 0 or -errno. A table may end before
	 * them or have NULL, so call them through nnhal_memory_create() and its like, which return
	 * -EOPNOTSUPP then.
	 */
	int (*create_memory)(struct nnhal_device *dev, uint64_t size, int *fd);
	int (*get_info)(struct nnhal_device *dev, struct nnhal_device_info *info);
	int (*get_counters)(struct nnhal_device *dev, struct nnhal_counters *counters);
};

struct nnhal_device {
	const struct nnhal_device_ops *ops;
};

/** IPreparedModel. */
struct nnhal_prepared_model_ops {
	uint32_t size;

	void (*destroy)(struct nnhal_prepared_model *model);
	/**
	 * Asynchronous. Return value and callback agree on errors of arguments and of the launch.
	 */
	enum nnhal_status (*execute)(struct nnhal_prepared_model *model,
				     const struct nnhal_request *request,
				     const struct nnhal_execution_config *config,
				     int64_t deadline_ns, nnhal_execution_cb callback,
				     void *cookie);
	enum nnhal_status (*execute_synchronously)(struct nnhal_prepared_model *model,
						   const struct nnhal_request *request,
						   const struct nnhal_execution_config *config,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	/**
	 * @wait_for: sync_file descriptors, which stay the caller's. *@sync_fence: a sync_file of
	 * the caller's, or -1: the execution has finished. @duration_ns counts from the time when
	 * all of @wait_for have signalled. *@callback is not NULL on NONE; the caller destroys it.
	 */
	enum nnhal_status (*execute_fenced)(struct nnhal_prepared_model *model,
					    const struct nnhal_request *request,
					    const int *wait_for, uint32_t num_wait_for,
					    const struct nnhal_execution_config *config,
					    int64_t deadline_ns, int64_t duration_ns,
					    int *sync_fence,
					    struct nnhal_fenced_callback **callback);

	/** *@burst is the caller's; one execution on it at a time (a second is GENERAL_FAILURE). */
	enum nnhal_status (*configure_burst)(struct nnhal_prepared_model *model,
					     struct nnhal_burst **burst);
	/** The request is checked here; each execution reads its memory again. */
	enum nnhal_status (*create_reusable_execution)(struct nnhal_prepared_model *model,
						       const struct nnhal_request *request,
						       const struct nnhal_execution_config *config,
						       struct nnhal_execution **execution);
};

struct nnhal_prepared_model {
	const struct nnhal_prepared_model_ops *ops;
};

/** IFencedExecutionCallback. */
struct nnhal_fenced_callback_ops {
	uint32_t size;

	void (*destroy)(struct nnhal_fenced_callback *callback);
	/**
	 * GENERAL_FAILURE before the fence signalled. Timings unavailable unless measured and NONE.
	 */
	enum nnhal_status (*get_execution_info)(struct nnhal_fenced_callback *callback,
						struct nnhal_timing *launched,
						struct nnhal_timing *fenced);
};

struct nnhal_fenced_callback {
	const struct nnhal_fenced_callback_ops *ops;
};

/** IBurst. */
struct nnhal_burst_ops {
	uint32_t size;

	void (*destroy)(struct nnhal_burst *burst);
	/**
	 * @memory_tokens: one per pool of the request. A number means the same memory until it is
	 * released; -1: not remembered (required for device buffers); smaller ones are
	 * INVALID_ARGUMENT.
	 */
	enum nnhal_status (*execute_synchronously)(struct nnhal_burst *burst,
						   const struct nnhal_request *request,
						   const int64_t *memory_tokens,
						   uint32_t num_memory_tokens,
						   const struct nnhal_execution_config *config,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	/** Unknown tokens and -1 are ignored; smaller ones are INVALID_ARGUMENT. */
	enum nnhal_status (*release_memory_resource)(struct nnhal_burst *burst,
						     int64_t memory_token);
};

struct nnhal_burst {
	const struct nnhal_burst_ops *ops;
};

/** IExecution: one request, any number of times; one at a time (a second is GENERAL_FAILURE). */
struct nnhal_execution_ops {
	uint32_t size;

	void (*destroy)(struct nnhal_execution *execution);
	enum nnhal_status (*execute_synchronously)(struct nnhal_execution *execution,
						   int64_t deadline_ns,
						   struct nnhal_execution_result *result);
	enum nnhal_status (*execute_fenced)(struct nnhal_execution *execution, const int *wait_for,
					    uint32_t num_wait_for, int64_t deadline_ns,
					    int64_t duration_ns, int *sync_fence,
					    struct nnhal_fenced_callback **callback);
};

struct nnhal_execution {
	const struct nnhal_execution_ops *ops;
};

/**
 * IBuffer. It has no content until an execution or copy_from() has written it, and after one of
 * them failed.
 */
struct nnhal_buffer_ops {
	uint32_t size;

	void (*destroy)(struct nnhal_buffer *buffer);
	/**
	 * @dst of exactly the buffer's size. GENERAL_FAILURE when uninitialised (checked after the
	 * size).
	 */
	enum nnhal_status (*copy_to)(struct nnhal_buffer *buffer, const struct nnhal_memory *dst);
	/**
	 * @dims: complete, or rank 0 when the buffer's shape is known; @src of exactly that size.
	 */
	enum nnhal_status (*copy_from)(struct nnhal_buffer *buffer, const struct nnhal_memory *src,
				       uint32_t rank, const uint32_t *dims);
};

struct nnhal_buffer {
	const struct nnhal_buffer_ops *ops;
};

/* ---- older interfaces ---- */

/** HAL versions, oldest first. */
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
 * A device that behaves like @dev behind an older interface. Operations and types beyond the
 * version, and unknown sizes inside control flow, are INVALID_ARGUMENT; newer statuses become
 * GENERAL_FAILURE; bursts, fences, buffers and deadlines that the version lacks are refused. *@view
 * is the caller's and uses @dev, which must outlive it. 0; -EINVAL: no device, no such version, or
 * a table of operations that ends before allocate(); -ENOMEM.
 */
int nnhal_view_create(struct nnhal_device *dev, enum nnhal_version version,
		      struct nnhal_device **view);

/* ---- finding devices ---- */

/**
 * What a vendor library exports as "nnhal_driver". @enumerate calls @found with the specification
 * of each device that can be opened now ("accel0", "cpu"), until it returns nonzero.
 */
struct nnhal_driver {
	uint32_t abi_version; /* NNHAL_ABI_VERSION */
	uint32_t size; /* of this struct */
	const char *name;
	int (*enumerate)(int (*found)(void *cookie, const char *spec), void *cookie);
	/** 0 or -errno. @message (@size bytes): the reason, and what to do. */
	int (*open)(const char *spec, struct nnhal_device **dev, char *message, size_t size);
};
extern const struct nnhal_driver nnhal_driver;

/**
 * Open a device of this library: "cpu" (in process), "accelN" or a path (/dev/accel/accelN), NULL:
 * the first accel node, else "cpu". 0 or -errno with @message.
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

/** Properties of a device beyond IDevice. Strings are NUL-terminated. */
struct nnhal_device_info {
	uint32_t size; /* of this struct: set by the caller */
	char node[64]; /* "/dev/accel/accel0"; "" in process */
	uint32_t contract_version, fw_version, opset_version, generation;
	enum nnhal_device_state state;
	uint64_t arena_size, program_quota;
	uint32_t driver_major, driver_minor;
};
/**
 * Of any device, including views and devices of other libraries. 0; -EOPNOTSUPP: the device lacks
 * the method; -EINVAL: no device; or the error of the device. *@info is all zero on error.
 */
int nnhal_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info);

/**
 * Counters of copies and jobs, of this device object since it was opened; for nnctl and benchmarks.
 */
struct nnhal_counters {
	uint32_t size; /* of this struct: set by the caller */
	uint64_t executions;
	uint64_t bytes_staged_in; /* copied from request memory into device memory */
	uint64_t bytes_staged_out; /* copied back */
	uint64_t bytes_bounced; /* copied on the device */
	uint64_t bytes_in_place; /* request memory used by the device without a copy */
};
/** As nnhal_device_get_info(). A view has the counters of its device. */
int nnhal_device_get_counters(struct nnhal_device *dev, struct nnhal_counters *counters);

/* ---- calibration ---- */

/**
 * How fast a device is compared with the reference CPU. get_capabilities() returns what was stored
 * for the device, or 1.0: no library measures unless asked. Documentation/capabilities.rst says
 * what is measured, and where it is stored.
 */
#define NNHAL_MAX_CALIBRATED 16u
struct nnhal_calibration_report {
	uint32_t size; /* of this struct: set by the caller */
	char device[48], firmware[24], library[72], cpu[96]; /* what it is of */
	char path[512]; /* the file that it is stored in; "": none */
	bool reference; /* the device is the reference: 1.0 by definition, no times */
	uint32_t num_programs;
	struct {
		char name[24];
		/* of one execution; both 0: not measured */
		int64_t device_ns, reference_ns;
	} programs[NNHAL_MAX_CALIBRATED];
};
enum nnhal_calibrate { NNHAL_CALIBRATE_SHOW, NNHAL_CALIBRATE_MEASURE, NNHAL_CALIBRATE_STORE };
/**
 * @spec: as for nnhal_open(). SHOW: read what is stored, -ENOENT: nothing. MEASURE: takes about 0.1
 * s, on device objects of its own. STORE: the same, stored, and used by this process from now on. 0
 * or -errno with @message; *@report is also filled if only storing failed.
 */
int nnhal_calibrate(const char *spec, enum nnhal_calibrate how,
		    struct nnhal_calibration_report *report, char *message, size_t size);

/**
 * Memory of @size bytes that the device reaches without a copy: a dma-buf of the card, a sealed
 * memfd in process. *@fd is the caller's, -1 on error; for mmap(2) (read and write, offset 0) and
 * for pools of requests. 0; -EOPNOTSUPP: the device has no such memory, use a memfd; -EINVAL (size
 * 0, no device); -ENOMEM, -ENOSPC, -EFBIG, -ENODEV.
 */
int nnhal_memory_create(struct nnhal_device *dev, uint64_t size, int *fd);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnsensors.h
 *
 * Sensors: ISensorManager, IEventQueue, IEventQueueCallback and IDirectReportChannel of
 * android.frameworks.sensorservice@1.0 in C, on the service nnaccel-sensord. The source of the
 * rules is that interface, and for values and layouts the sensor HAL types 1.0 (2.1 for
 * HINGE_ANGLE). Additions of this interface are marked "ours".
 *
 * Objects: an object is opaque and is driven through the operations table that it carries. A table
 * begins with its size and grows at its end. A struct whose first member is "size" grows at its
 * end: the side that makes the struct sets size to sizeof(struct ...). The receiver uses defaults
 * for members that an older struct lacks; a callee writes at most size bytes of a result.
 *
 * Ownership: arguments are valid during the call. File descriptors stay the caller's. The receiver
 * of an object calls its destroy(). Queues and channels may be destroyed after their manager: they
 * keep the connection.
 *
 * Threads: any number of threads may use one object at the same time; destroy() must be the last
 * call on an object. The callbacks of all queues of a manager come from one thread of the manager,
 * with no lock held, in the order in which the events were generated. They must return quickly: a
 * queue that is not read loses its own oldest events. When destroy() of a queue returns, no
 * callback of the queue runs or comes any more, except that destroy() may be called in a callback
 * of the queue: then that callback is the last one.
 *
 * fork(): in a child, every object of the parent answers NNSENSORS_NO_INIT and destroy() frees
 * memory only. The child can open a manager of its own.
 *
 * Death of the service: calls answer NNSENSORS_NO_INIT, each queue gets on_service_died() once.
 * Handles, queues and channels of that manager are of no use any more; open a new one.
 *
 * Times: CLOCK_BOOTTIME in ns; periods and latencies are us, as in the interface.
 */
#ifndef NNSENSORS_H
#define NNSENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** enum nnsensors_result - Result of sensorservice@1.0; not the negative one of the sensor HAL */
enum nnsensors_result {
	NNSENSORS_OK = 0,
	NNSENSORS_NOT_EXIST = 1,
	NNSENSORS_NO_MEMORY = 2,
	NNSENSORS_NO_INIT = 3,
	NNSENSORS_PERMISSION_DENIED = 4,
	NNSENSORS_BAD_VALUE = 5,
	NNSENSORS_INVALID_OPERATION = 6,
	NNSENSORS_UNKNOWN_ERROR = 7
};

/** enum nnsensors_type - SensorType; from NNSENSORS_TYPE_PRIVATE_BASE on it is the vendor's */
enum nnsensors_type {
	NNSENSORS_TYPE_META_DATA = 0,
	NNSENSORS_TYPE_ACCELEROMETER = 1, /* m/s^2 */
	NNSENSORS_TYPE_MAGNETIC_FIELD = 2, /* uT */
	NNSENSORS_TYPE_ORIENTATION = 3, /* degrees */
	NNSENSORS_TYPE_GYROSCOPE = 4, /* rad/s */
	NNSENSORS_TYPE_LIGHT = 5, /* lux */
	NNSENSORS_TYPE_PRESSURE = 6, /* hPa */
	NNSENSORS_TYPE_TEMPERATURE = 7, /* degrees C; deprecated */
	NNSENSORS_TYPE_PROXIMITY = 8, /* cm */
	NNSENSORS_TYPE_GRAVITY = 9, /* m/s^2 */
	NNSENSORS_TYPE_LINEAR_ACCELERATION = 10, /* m/s^2 */
	NNSENSORS_TYPE_ROTATION_VECTOR = 11, /* unit quaternion x y z w, heading accuracy in rad */
	NNSENSORS_TYPE_RELATIVE_HUMIDITY = 12, /* percent */
	NNSENSORS_TYPE_AMBIENT_TEMPERATURE = 13, /* degrees C */
	NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED = 14, /* uT */
	NNSENSORS_TYPE_GAME_ROTATION_VECTOR = 15, /* unit quaternion x y z w */
	NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED = 16, /* rad/s */
	NNSENSORS_TYPE_SIGNIFICANT_MOTION = 17,
	NNSENSORS_TYPE_STEP_DETECTOR = 18,
	NNSENSORS_TYPE_STEP_COUNTER = 19, /* steps, u64 */
	NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR = 20, /* as ROTATION_VECTOR */
	NNSENSORS_TYPE_HEART_RATE = 21, /* beats per minute */
	NNSENSORS_TYPE_TILT_DETECTOR = 22,
	NNSENSORS_TYPE_WAKE_GESTURE = 23,
	NNSENSORS_TYPE_GLANCE_GESTURE = 24,
	NNSENSORS_TYPE_PICK_UP_GESTURE = 25,
	NNSENSORS_TYPE_WRIST_TILT_GESTURE = 26,
	NNSENSORS_TYPE_DEVICE_ORIENTATION = 27, /* 0 to 3, quarters of a turn counter-clockwise */
	NNSENSORS_TYPE_POSE_6DOF = 28,
	NNSENSORS_TYPE_STATIONARY_DETECT = 29,
	NNSENSORS_TYPE_MOTION_DETECT = 30,
	NNSENSORS_TYPE_HEART_BEAT = 31, /* confidence, 0 to 1 */
	NNSENSORS_TYPE_DYNAMIC_SENSOR_META = 32,
	NNSENSORS_TYPE_ADDITIONAL_INFO = 33,
	NNSENSORS_TYPE_LOW_LATENCY_OFFBODY_DETECT = 34, /* 0 off, 1 on the body */
	NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED = 35, /* m/s^2 */
	NNSENSORS_TYPE_HINGE_ANGLE = 36, /* degrees */
	NNSENSORS_TYPE_PRIVATE_BASE = 0x10000
};

/** Bits of nnsensors_info.flags. */
#define NNSENSORS_FLAG_WAKE_UP 0x1u
#define NNSENSORS_FLAG_MODE_MASK 0xeu
#define NNSENSORS_FLAG_CONTINUOUS 0x0u
#define NNSENSORS_FLAG_ON_CHANGE 0x2u
#define NNSENSORS_FLAG_ONE_SHOT 0x4u
#define NNSENSORS_FLAG_SPECIAL 0x6u
#define NNSENSORS_FLAG_DATA_INJECTION 0x10u
#define NNSENSORS_FLAG_DYNAMIC 0x20u
#define NNSENSORS_FLAG_ADDITIONAL_INFO 0x40u
#define NNSENSORS_FLAG_DIRECT_REPORT_MASK 0x380u /* highest nnsensors_rate_level */
#define NNSENSORS_FLAG_DIRECT_REPORT_SHIFT 7
#define NNSENSORS_FLAG_DIRECT_ASHMEM 0x400u
#define NNSENSORS_FLAG_DIRECT_GRALLOC 0x800u

/** enum nnsensors_rate_level - RateLevel: nominal rate, legal from 55 % to 220 % of it */
enum nnsensors_rate_level {
	NNSENSORS_RATE_STOP = 0,
	NNSENSORS_RATE_NORMAL = 1, /* 50 Hz */
	NNSENSORS_RATE_FAST = 2, /* 200 Hz */
	NNSENSORS_RATE_VERY_FAST = 3 /* 800 Hz */
};

/** enum nnsensors_status - SensorStatus */
enum nnsensors_status {
	NNSENSORS_STATUS_NO_CONTACT = -1,
	NNSENSORS_STATUS_UNRELIABLE = 0,
	NNSENSORS_STATUS_LOW = 1,
	NNSENSORS_STATUS_MEDIUM = 2,
	NNSENSORS_STATUS_HIGH = 3
};

#define NNSENSORS_NAME_MAX 64

/**
 * struct nnsensors_info - SensorInfo
 * @size: of this struct
 * @handle: key in every call; a handle is not used again while the service runs
 * @type: enum nnsensors_type, or the vendor's
 * @version: of hardware and driver
 * @flags: NNSENSORS_FLAG_*
 * @min_delay_us: continuous: smallest period, > 0; on-change: >= 0; one-shot: -1; special: 0
 * @max_delay_us: continuous and on-change: largest period; else 0
 * @fifo_reserved: events of the hardware's FIFO that are this sensor's
 * @fifo_max: events that it can have of it
 * @max_range: in the sensor's unit
 * @resolution: smallest step, in the sensor's unit
 * @power_ma: while it is active; 0: not known
 * @name: unique among the sensors of a type
 * @vendor: not empty
 * @type_string: "android.sensor.accelerometer"
 * @permission: name of the rule of the service's configuration that it needs; "": none
 */
struct nnsensors_info {
	uint32_t size;
	int32_t handle;
	int32_t type;
	int32_t version;
	uint32_t flags;
	int32_t min_delay_us;
	int32_t max_delay_us;
	uint32_t fifo_reserved;
	uint32_t fifo_max;
	float max_range;
	float resolution;
	float power_ma;
	char name[NNSENSORS_NAME_MAX];
	char vendor[NNSENSORS_NAME_MAX];
	char type_string[NNSENSORS_NAME_MAX];
	char permission[NNSENSORS_NAME_MAX];
};

/**
 * union nnsensors_payload - 64 bytes of data; the type says which member it is
 * @data: floats: a scalar is the first, rotation vectors have 4 or 5, POSE_6DOF has 15
 * @step_count: of STEP_COUNTER
 * @vec3: three axes, and an enum nnsensors_status
 * @uncal: three axes, and the bias that was not taken off
 * @heart_rate: of HEART_RATE, with an enum nnsensors_status
 * @meta: of META_DATA: what (1: flush complete), and the sensor that it is about
 * @dynamic: of DYNAMIC_SENSOR_META: a sensor came or went
 * @additional: a frame of ADDITIONAL_INFO
 * @data64: all of it
 */
union nnsensors_payload {
	float data[16];
	uint64_t step_count;
	struct {
		float x, y, z;
		int8_t status;
		uint8_t reserved[3];
	} vec3;
	struct {
		float x, y, z, bias_x, bias_y, bias_z;
	} uncal;
	struct {
		float bpm;
		int8_t status;
	} heart_rate;
	struct {
		int32_t what, sensor;
	} meta;
	struct {
		int32_t connected, handle;
		uint64_t unused;
		uint8_t uuid[16];
	} dynamic;
	struct {
		int32_t type, serial;
		union {
			int32_t i[14];
			float f[14];
		};
	} additional;
	uint64_t data64[8];
};

/** struct nnsensors_event - an event of a queue: sensors_event_t, 104 bytes */
struct nnsensors_event {
	int32_t version; /* 104 */
	int32_t sensor; /* handle; 0 for META_DATA */
	int32_t type;
	int32_t reserved0;
	int64_t timestamp; /* CLOCK_BOOTTIME, ns */
	union nnsensors_payload u;
	uint32_t flags;
	int32_t reserved1[3];
};

/**
 * struct nnsensors_record - a record of a direct channel, 104 bytes
 * @size: 104
 * @token: of configure()
 * @type: of the sensor
 * @counter: from 1, +1 per record, 0 left out; written last
 * @timestamp: CLOCK_BOOTTIME, ns
 * @u: the payload
 * @reserved: 0
 *
 * The reader's protocol is nnsensors_reader_*() of nnsensors_records.h.
 */
struct nnsensors_record {
	int32_t size;
	int32_t token;
	int32_t type;
	uint32_t counter;
	int64_t timestamp;
	union nnsensors_payload u;
	int32_t reserved[4];
};

#if defined(__cplusplus)
static_assert(sizeof(struct nnsensors_event) == 104 && sizeof(struct nnsensors_record) == 104,
	      "104 bytes");
#else
_Static_assert(sizeof(struct nnsensors_event) == 104 && sizeof(struct nnsensors_record) == 104,
	       "104 bytes");
#endif

struct nnsensors_manager;
struct nnsensors_event_queue;
struct nnsensors_direct_channel;

/**
 * struct nnsensors_event_queue_callback - IEventQueueCallback; members but on_event may be NULL
 */
struct nnsensors_event_queue_callback {
	/** @size: of this struct */
	uint32_t size;
	/** @on_event: an event; valid during the call */
	void (*on_event)(void *cookie, const struct nnsensors_event *event);
	/** @on_lost: ours: the queue was not read in time, @events of its oldest ones are gone */
	void (*on_lost)(void *cookie, uint64_t events);
	/** @on_sensor_gone: ours: a sensor that the queue had enabled was unplugged */
	void (*on_sensor_gone)(void *cookie, int32_t handle);
	/** @on_service_died: ours: the last callback */
	void (*on_service_died)(void *cookie);
};

/** struct nnsensors_event_queue_ops - IEventQueue */
struct nnsensors_event_queue_ops {
	uint32_t size;
	/** @destroy: all sensors of the queue stop for it */
	void (*destroy)(struct nnsensors_event_queue *queue);
	/**
	 * @enable_sensor: start a sensor for this queue, or set it anew
	 *
	 * BAD_VALUE: no such sensor, or a negative number; PERMISSION_DENIED; NO_INIT; a period
	 * outside of the sensor's range is taken to its end. One-shot: ends itself after its event.
	 */
	enum nnsensors_result (*enable_sensor)(struct nnsensors_event_queue *queue, int32_t handle,
					       int32_t sampling_period_us,
					       int64_t max_batch_report_latency_us);
	/** @disable_sensor: BAD_VALUE: the queue has not enabled it */
	enum nnsensors_result (*disable_sensor)(struct nnsensors_event_queue *queue,
						int32_t handle);
};

struct nnsensors_event_queue {
	const struct nnsensors_event_queue_ops *ops;
};

/** struct nnsensors_direct_channel_ops - IDirectReportChannel */
struct nnsensors_direct_channel_ops {
	uint32_t size;
	/** @destroy: when it returns, the service has stopped writing to the memory */
	void (*destroy)(struct nnsensors_direct_channel *channel);
	/**
	 * @configure: start, change or stop the report of a sensor
	 *
	 * *@token > 0 with OK and a rate; 0 with STOP and on errors. Handle -1 with STOP stops all.
	 * BAD_VALUE: -1 with a rate, a rate that the sensor does not have; NOT_EXIST: no such
	 * sensor; INVALID_OPERATION: the sensor has no direct report into this kind of memory;
	 * PERMISSION_DENIED.
	 */
	enum nnsensors_result (*configure)(struct nnsensors_direct_channel *channel, int32_t handle,
					   enum nnsensors_rate_level rate, int32_t *token);
};

struct nnsensors_direct_channel {
	const struct nnsensors_direct_channel_ops *ops;
};

/**
 * struct nnsensors_client - ours: a client of the service, for nnctl sensors top
 * @size: of this struct
 * @pid: of the client's process
 * @uid: of its user
 * @queues: that it has
 * @channels: that it has
 * @sensors: that it has enabled, each queue's and channel's counted
 * @delivered: events since it connected
 * @lost: of these, overwritten before the client took them
 * @comm: name of its process
 */
struct nnsensors_client {
	uint32_t size;
	int32_t pid;
	uint32_t uid;
	uint32_t queues, channels, sensors;
	uint64_t delivered, lost;
	char comm[16];
};

/** struct nnsensors_manager_ops - ISensorManager */
struct nnsensors_manager_ops {
	uint32_t size;
	/** @destroy: objects of the manager stay usable */
	void (*destroy)(struct nnsensors_manager *manager);
	/**
	 * @get_sensor_list: the sensors that are there now
	 *
	 * *@infos becomes an array of *@count that the caller frees with free().
	 */
	enum nnsensors_result (*get_sensor_list)(struct nnsensors_manager *manager,
						 struct nnsensors_info **infos, uint32_t *count);
	/**
	 * @get_default_sensor: the first of a type, of its natural wake-up flavour; NOT_EXIST
	 *
	 * The caller sets info->size.
	 */
	enum nnsensors_result (*get_default_sensor)(struct nnsensors_manager *manager, int32_t type,
						    struct nnsensors_info *info);
	/**
	 * @create_ashmem_direct_channel: a channel into memory of a memfd
	 *
	 * BAD_VALUE unless 104 <= @size <= @mem_size, or if the memory cannot be sealed against
	 * shrinking; NO_MEMORY: the memory is smaller, or another channel has it, or the user has
	 * as much memory as it may have. Pages that the memory has not are allocated, in this
	 * process: they are the client's. A hole that is made in it later ends the channel's
	 * records.
	 */
	enum nnsensors_result (*create_ashmem_direct_channel)(
		struct nnsensors_manager *manager, int fd, uint64_t mem_size, uint64_t size,
		struct nnsensors_direct_channel **channel);
	/**
	 * @create_gralloc_direct_channel: a channel into a dma-buf
	 *
	 * Of udmabuf, a DMA heap or an accelerator. Results as above; INVALID_OPERATION: the
	 * processor cannot write to it.
	 */
	enum nnsensors_result (*create_gralloc_direct_channel)(
		struct nnsensors_manager *manager, int fd, uint64_t size,
		struct nnsensors_direct_channel **channel);
	/** @create_event_queue: BAD_VALUE: no callback, or no on_event */
	enum nnsensors_result (*create_event_queue)(
		struct nnsensors_manager *manager,
		const struct nnsensors_event_queue_callback *callback, void *cookie,
		struct nnsensors_event_queue **queue);
	/**
	 * @get_clients: ours: the service's clients; *@clients as *@infos above
	 *
	 * A client sees those of its own user; root sees all.
	 */
	enum nnsensors_result (*get_clients)(struct nnsensors_manager *manager,
					     struct nnsensors_client **clients, uint32_t *count);
};

/**
 * struct nnsensors_manager - ISensorManager, a connection to the service
 * @ops: its operations
 */
struct nnsensors_manager {
	const struct nnsensors_manager_ops *ops;
};

/** Where the service listens unless NNSENSORS_SOCKET in the environment says otherwise. */
#define NNSENSORS_SOCKET_DEFAULT "/run/nnaccel/sensors.socket"

/**
 * nnsensors_manager_open() - connect to the service
 * @path: its socket; NULL: NNSENSORS_SOCKET of the environment, else NNSENSORS_SOCKET_DEFAULT
 * @manager: set to the manager, which the caller destroys; NULL on failure
 * @message: set to why it failed, at most @message_size bytes; may be NULL
 * @message_size: bytes of @message
 *
 * Return: 0; -ENOENT, -ECONNREFUSED: no service there; -EACCES: not for this user; -EUSERS: too
 * many clients of this user; -EPROTO: no such service; -ETIME: it does not answer; -EAGAIN: it is
 * busy; -ENOMEM, -EMFILE.
 *
 * NNSENSORS_CALL_MS of the environment is how long a call waits for its answer (30000): a service
 * that takes longer counts as dead.
 */
int nnsensors_manager_open(const char *path, struct nnsensors_manager **manager, char *message,
			   size_t message_size);

/** "NNSENSORS_BAD_VALUE"; "unknown" for other numbers. */
const char *nnsensors_result_name(enum nnsensors_result result);

#ifdef __cplusplus
}
#endif

#endif

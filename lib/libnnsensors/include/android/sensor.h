/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensors with the names, values and layouts of the NDK, up to API level 33, direct channels
 * included. Functions are in libnnsensors.so and speak to nnaccel-sensord; nnsensors.h is what they
 * stand on. Documentation/sensors-ndk.rst says what differs from Android.
 *
 * Results: functions that return an int or ssize_t return a negative errno when they fail,
 * INT32_MIN for what has none; -EINVAL stands for NULL where an object must be. NNAPI_LOG=warning
 * makes them say why on stderr.
 *
 * Lifetime: sensors and lists belong to the manager, which belongs to the process: neither is ever
 * freed. Queues and direct channels are destroyed by who made them.
 *
 * Threads: any thread may call anything; destroying an object must be the last call on it.
 *
 * Events are CLOCK_BOOTTIME in ns; periods and latencies are us.
 */
#ifndef ANDROID_SENSOR_H
#define ANDROID_SENSOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "looper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AHardwareBuffer AHardwareBuffer;

#define ASENSOR_RESOLUTION_INVALID (nanf(""))
#define ASENSOR_FIFO_COUNT_INVALID (-1)
#define ASENSOR_DELAY_INVALID INT32_MIN
#define ASENSOR_INVALID (-1)

/** m/s^2 */
#define ASENSOR_STANDARD_GRAVITY (9.80665f)
/** uT */
#define ASENSOR_MAGNETIC_FIELD_EARTH_MAX (60.0f)
#define ASENSOR_MAGNETIC_FIELD_EARTH_MIN (30.0f)

/** Types; units and payloads are those of nnsensors.h. */
enum {
	ASENSOR_TYPE_INVALID = -1,
	ASENSOR_TYPE_ACCELEROMETER = 1,
	ASENSOR_TYPE_MAGNETIC_FIELD = 2,
	ASENSOR_TYPE_GYROSCOPE = 4,
	ASENSOR_TYPE_LIGHT = 5,
	ASENSOR_TYPE_PRESSURE = 6,
	ASENSOR_TYPE_PROXIMITY = 8,
	ASENSOR_TYPE_GRAVITY = 9,
	ASENSOR_TYPE_LINEAR_ACCELERATION = 10,
	ASENSOR_TYPE_ROTATION_VECTOR = 11,
	ASENSOR_TYPE_RELATIVE_HUMIDITY = 12,
	ASENSOR_TYPE_AMBIENT_TEMPERATURE = 13,
	ASENSOR_TYPE_MAGNETIC_FIELD_UNCALIBRATED = 14,
	ASENSOR_TYPE_GAME_ROTATION_VECTOR = 15,
	ASENSOR_TYPE_GYROSCOPE_UNCALIBRATED = 16,
	ASENSOR_TYPE_SIGNIFICANT_MOTION = 17,
	ASENSOR_TYPE_STEP_DETECTOR = 18,
	ASENSOR_TYPE_STEP_COUNTER = 19,
	ASENSOR_TYPE_GEOMAGNETIC_ROTATION_VECTOR = 20,
	ASENSOR_TYPE_HEART_RATE = 21,
	ASENSOR_TYPE_POSE_6DOF = 28,
	ASENSOR_TYPE_STATIONARY_DETECT = 29,
	ASENSOR_TYPE_MOTION_DETECT = 30,
	ASENSOR_TYPE_HEART_BEAT = 31,
	ASENSOR_TYPE_DYNAMIC_SENSOR_META = 32,
	ASENSOR_TYPE_ADDITIONAL_INFO = 33,
	ASENSOR_TYPE_LOW_LATENCY_OFFBODY_DETECT = 34,
	ASENSOR_TYPE_ACCELEROMETER_UNCALIBRATED = 35,
	ASENSOR_TYPE_HINGE_ANGLE = 36,
	/* from here on the service has none */
	ASENSOR_TYPE_HEAD_TRACKER = 37,
	ASENSOR_TYPE_ACCELEROMETER_LIMITED_AXES = 38,
	ASENSOR_TYPE_GYROSCOPE_LIMITED_AXES = 39,
	ASENSOR_TYPE_ACCELEROMETER_LIMITED_AXES_UNCALIBRATED = 40,
	ASENSOR_TYPE_GYROSCOPE_LIMITED_AXES_UNCALIBRATED = 41,
	ASENSOR_TYPE_HEADING = 42,
};

/** How far a value can be trusted. */
enum {
	ASENSOR_STATUS_NO_CONTACT = -1,
	ASENSOR_STATUS_UNRELIABLE = 0,
	ASENSOR_STATUS_ACCURACY_LOW = 1,
	ASENSOR_STATUS_ACCURACY_MEDIUM = 2,
	ASENSOR_STATUS_ACCURACY_HIGH = 3,
};

/** When events come. */
enum {
	AREPORTING_MODE_INVALID = -1,
	AREPORTING_MODE_CONTINUOUS = 0,
	AREPORTING_MODE_ON_CHANGE = 1,
	AREPORTING_MODE_ONE_SHOT = 2,
	AREPORTING_MODE_SPECIAL_TRIGGER = 3,
};

/** Rates of direct reports: nominally 50, 200 and 800 Hz, from 55 % to 220 % of it. */
enum {
	ASENSOR_DIRECT_RATE_STOP = 0,
	ASENSOR_DIRECT_RATE_NORMAL = 1,
	ASENSOR_DIRECT_RATE_FAST = 2,
	ASENSOR_DIRECT_RATE_VERY_FAST = 3,
};

/** Memory of direct channels. */
enum {
	ASENSOR_DIRECT_CHANNEL_TYPE_SHARED_MEMORY = 1,
	ASENSOR_DIRECT_CHANNEL_TYPE_HARDWARE_BUFFER = 2,
};

/** Frames of ADDITIONAL_INFO. */
enum {
	ASENSOR_ADDITIONAL_INFO_BEGIN = 0,
	ASENSOR_ADDITIONAL_INFO_END = 1,
	ASENSOR_ADDITIONAL_INFO_UNTRACKED_DELAY = 0x10000,
	ASENSOR_ADDITIONAL_INFO_INTERNAL_TEMPERATURE,
	ASENSOR_ADDITIONAL_INFO_VEC3_CALIBRATION,
	ASENSOR_ADDITIONAL_INFO_SENSOR_PLACEMENT,
	ASENSOR_ADDITIONAL_INFO_SAMPLING,
};

/* ---- events ---- */

typedef struct ASensorVector {
	union {
		float v[3];
		__extension__ struct {
			float x, y, z;
		};
		__extension__ struct {
			float azimuth, pitch, roll;
		};
	};
	int8_t status;
	uint8_t reserved[3];
} ASensorVector;

typedef struct AMetaDataEvent {
	int32_t what;
	int32_t sensor;
} AMetaDataEvent;

typedef struct AUncalibratedEvent {
	union {
		float uncalib[3];
		__extension__ struct {
			float x_uncalib, y_uncalib, z_uncalib;
		};
	};
	union {
		float bias[3];
		__extension__ struct {
			float x_bias, y_bias, z_bias;
		};
	};
} AUncalibratedEvent;

typedef struct AHeartRateEvent {
	float bpm;
	int8_t status;
} AHeartRateEvent;

typedef struct ADynamicSensorEvent {
	int32_t connected;
	int32_t handle;
} ADynamicSensorEvent;

typedef struct AAdditionalInfoEvent {
	int32_t type;
	int32_t serial;
	union {
		int32_t data_int32[14];
		float data_float[14];
	};
} AAdditionalInfoEvent;

typedef struct AHeadTrackerEvent {
	float rx, ry, rz;
	float vx, vy, vz;
	int32_t discontinuity_count;
} AHeadTrackerEvent;

typedef struct ALimitedAxesImuEvent {
	union {
		float calib[3];
		__extension__ struct {
			float x, y, z;
		};
	};
	union {
		float supported[3];
		__extension__ struct {
			float x_supported, y_supported, z_supported;
		};
	};
} ALimitedAxesImuEvent;

typedef struct ALimitedAxesImuUncalibratedEvent {
	union {
		float uncalib[3];
		__extension__ struct {
			float x_uncalib, y_uncalib, z_uncalib;
		};
	};
	union {
		float bias[3];
		__extension__ struct {
			float x_bias, y_bias, z_bias;
		};
	};
	union {
		float supported[3];
		__extension__ struct {
			float x_supported, y_supported, z_supported;
		};
	};
} ALimitedAxesImuUncalibratedEvent;

typedef struct AHeadingEvent {
	float heading;
	float accuracy;
} AHeadingEvent;

/** 104 bytes: an event of nnsensors.h. */
typedef struct ASensorEvent {
	int32_t version; /* 104 */
	int32_t sensor; /* handle */
	int32_t type;
	int32_t reserved0;
	int64_t timestamp; /* CLOCK_BOOTTIME, ns */
	union {
		union {
			float data[16];
			ASensorVector vector;
			ASensorVector acceleration;
			ASensorVector gyro;
			ASensorVector magnetic;
			float temperature;
			float distance;
			float light;
			float pressure;
			float relative_humidity;
			AUncalibratedEvent uncalibrated_acceleration;
			AUncalibratedEvent uncalibrated_gyro;
			AUncalibratedEvent uncalibrated_magnetic;
			AMetaDataEvent meta_data;
			AHeartRateEvent heart_rate;
			ADynamicSensorEvent dynamic_sensor_meta;
			AAdditionalInfoEvent additional_info;
			AHeadTrackerEvent head_tracker;
			ALimitedAxesImuEvent limited_axes_imu;
			ALimitedAxesImuUncalibratedEvent limited_axes_imu_uncalibrated;
			AHeadingEvent heading;
		};
		union {
			uint64_t data[8];
			uint64_t step_counter;
		} u64;
	};
	uint32_t flags;
	int32_t reserved1[3];
} ASensorEvent;

typedef struct ASensorManager ASensorManager;
typedef struct ASensorEventQueue ASensorEventQueue;
typedef struct ASensor ASensor;
typedef ASensor const *ASensorRef;
typedef ASensorRef const *ASensorList;

/* ---- the manager ---- */

/**
 * The process's manager; NULL: the service cannot be reached. It is the same one as long as the
 * service lives; after that a call connects anew, and what came of the manager before answers
 * -ENODEV. The package name is not looked at.
 */
ASensorManager *ASensorManager_getInstance(void);
ASensorManager *ASensorManager_getInstanceForPackage(const char *packageName);

/**
 * The sensors that are there now. Returns their number; *@list (which may be NULL) is the same one
 * as before unless a sensor came or went.
 */
int ASensorManager_getSensorList(ASensorManager *manager, ASensorList *list);
/** The same of those that come and go; *@list is NULL if there are none. Since API level 33. */
ssize_t ASensorManager_getDynamicSensorList(ASensorManager *manager, ASensorList *list);
/** The first of @type, of its natural wake-up flavour; NULL: there is none. */
ASensor const *ASensorManager_getDefaultSensor(ASensorManager *manager, int type);
/** The first of @type that wakes the system up, or does not. Since API level 21. */
ASensor const *ASensorManager_getDefaultSensorEx(ASensorManager *manager, int type, bool wakeUp);

/**
 * A queue whose events make @looper call @callback with @data, or return @ident if there is no
 * callback. NULL: refused, or no memory.
 */
ASensorEventQueue *ASensorManager_createEventQueue(ASensorManager *manager, ALooper *looper,
						   int ident, ALooper_callbackFunc callback,
						   void *data);
/** May be called in the queue's callback. */
int ASensorManager_destroyEventQueue(ASensorManager *manager, ASensorEventQueue *queue);

/**
 * A direct channel into @size bytes of a memfd; events are written as records of 104 bytes, see
 * nnsensors_records.h. @fd stays the caller's. Returns its id, > 0; <= 0: refused. Since API level
 * 26.
 */
int ASensorManager_createSharedMemoryDirectChannel(ASensorManager *manager, int fd, size_t size);
/** The same into a buffer of libnativewindow.so of format BLOB. Since API level 26. */
int ASensorManager_createHardwareBufferDirectChannel(ASensorManager *manager,
						     AHardwareBuffer const *buffer, size_t size);
/** When it returns nothing writes to the memory any more. Since API level 26. */
void ASensorManager_destroyDirectChannel(ASensorManager *manager, int channelId);
/**
 * Start, change or stop the report of a sensor. @sensor NULL, with STOP: of all. Returns the token
 * that its records have, > 0; 0: stopped; negative: refused. Since API level 26.
 */
int ASensorManager_configureDirectReport(ASensorManager *manager, ASensor const *sensor,
					 int channelId, int rate);

/* ---- queues ---- */

/** Start a sensor, or set it anew. Since API level 26. */
int ASensorEventQueue_registerSensor(ASensorEventQueue *queue, ASensor const *sensor,
				     int32_t samplingPeriodUs, int64_t maxBatchReportLatencyUs);
/** The same with a period of 200 ms, without batching. */
int ASensorEventQueue_enableSensor(ASensorEventQueue *queue, ASensor const *sensor);
int ASensorEventQueue_disableSensor(ASensorEventQueue *queue, ASensor const *sensor);
/** The same as registering it without batching. */
int ASensorEventQueue_setEventRate(ASensorEventQueue *queue, ASensor const *sensor, int32_t usec);
/** 1: there are events; 0: none. -ENODEV: none, and the service is gone. */
int ASensorEventQueue_hasEvents(ASensorEventQueue *queue);
/** Take at most @count events. Returns how many; 0: none. -ENODEV as above. */
ssize_t ASensorEventQueue_getEvents(ASensorEventQueue *queue, ASensorEvent *events, size_t count);
/** Whether events of type ADDITIONAL_INFO are wanted; at first they are not. Since API level 29. */
int ASensorEventQueue_requestAdditionalInfoEvents(ASensorEventQueue *queue, bool enable);

/* ---- sensors: without one NULL, -1, NaN, ASENSOR_DELAY_INVALID or false ---- */

const char *ASensor_getName(ASensor const *sensor);
const char *ASensor_getVendor(ASensor const *sensor);
int ASensor_getType(ASensor const *sensor);
float ASensor_getResolution(ASensor const *sensor);
/** us; 0: no fixed period */
int ASensor_getMinDelay(ASensor const *sensor);
int ASensor_getFifoMaxEventCount(ASensor const *sensor);
int ASensor_getFifoReservedEventCount(ASensor const *sensor);
const char *ASensor_getStringType(ASensor const *sensor);
/** Of the bridge for vendors, not of the NDK. */
float ASensor_getMaxRange(ASensor const *sensor);
int ASensor_getReportingMode(ASensor const *sensor);
bool ASensor_isWakeUpSensor(ASensor const *sensor);
bool ASensor_isDirectChannelTypeSupported(ASensor const *sensor, int channelType);
int ASensor_getHighestDirectReportRateLevel(ASensor const *sensor);
int ASensor_getHandle(ASensor const *sensor);

#ifdef __cplusplus
}
#endif

#endif

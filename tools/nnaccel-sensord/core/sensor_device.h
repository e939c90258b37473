/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensors and the devices that have them. A backend (iio, virtual, fusion) makes a device with its
 * sensors; the core does all the rest: who gets which event, at which rate.
 *
 * A device has one thread, the service thread of everything about it: it reads samples, converts
 * them (backend), and writes them to every subscriber's ring (core). On it there is no allocation
 * and no lock per event. Changes (a subscription, a rate, the end) run on the thread by
 * device_call(). So nothing about a device's running state needs a lock:
 *
 *   object                     who may touch it
 *   sensor.info, device.name   anybody; constant after device_add()
 *   everything marked (T)      the device's thread, that is: backend operations and device_call()
 *   the list of all sensors    sensor_list.h, under its lock
 *
 * Lock order: connection > sensor list > device's mailbox. The device's thread takes its own
 * mailbox, and the list's lock when the device is lost: no thread holds the list's lock while it
 * waits for a thread.
 *
 * Lives: a device is counted. The list has a reference until device_remove(), each lookup and each
 * subscription has one. device_remove() (unplugged, or the service ends) tells every subscriber
 * (SENSOR_NOTICE_GONE), stops the hardware and ends the thread; a subscription of it then answers
 * -ENODEV and is destroyed as any other.
 */
#ifndef SENSORD_SENSOR_DEVICE_H
#define SENSORD_SENSOR_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "nnsensors.h"
#include "values/sensor_types.h"

struct sensor_device;
struct subscription;

#define SENSORS_PER_DEVICE 32u
/** Most rates that a sensor can list. */
#define SENSOR_RATES_MAX 64u

/**
 * struct sensor - a sensor of a device
 * @info: what clients see; handle is set by device_add()
 * @row: of its type
 * @device: whose sensor it is
 * @index: its place in the device
 * @num_periods, @periods_ns: all periods that it can run at, ascending; 0: any between
 *	info.min_delay_us and info.max_delay_us
 */
struct sensor {
	struct nnsensors_info info;
	const struct sensor_type *row;
	struct sensor_device *device;
	unsigned int index;
	unsigned int num_periods;
	int64_t periods_ns[SENSOR_RATES_MAX];
	/* (T) */
	struct subscription *subscriptions; /* linked by subscription.next */
	struct nnsensors_record last; /* on-change: the value for a new subscriber */
	bool has_last;
	int64_t last_timestamp; /* of the last event; the next one's is larger */
};

/** Its reporting mode: NNSENSORS_FLAG_CONTINUOUS... */
static inline uint32_t sensor_mode(const struct sensor *sensor)
{
	return sensor->info.flags & NNSENSORS_FLAG_MODE_MASK;
}

/**
 * struct sensor_demand - what the subscribers of a sensor want of the hardware
 * @period_ns: the fastest period wanted, one of the sensor's; 0: it is off, without subscribers
 * @latency_ns: how long the hardware may keep events; 0: not at all
 */
struct sensor_demand {
	int64_t period_ns, latency_ns;
};

/** struct sensor_device_ops - what a backend does; all on the device's thread */
struct sensor_device_ops {
	/**
	 * @configure: run the hardware so; the demands of all sensors, by index
	 *
	 * Called when a demand changed. A sensor whose demand did not change goes on, without a gap
	 * where the hardware can. Return: 0; or -errno: the hardware refused, and runs as before.
	 */
	int (*configure)(struct sensor_device *device, const struct sensor_demand *demands);
	/** @ready: a descriptor of device_watch() has @events of epoll; emit what is there */
	void (*ready)(struct sensor_device *device, int fd, uint32_t events);
	/** @tick: the time of device_tick_at() has come */
	void (*tick)(struct sensor_device *device, int64_t now_ns);
	/** @destroy: all is off, the thread does nothing more; free @priv */
	void (*destroy)(struct sensor_device *device);
	/** @now: the device's CLOCK_BOOTTIME; NULL: the system's. For tests */
	int64_t (*now)(struct sensor_device *device);
};

/** struct sensor_device_config - a new device */
struct sensor_device_config {
	const char *name; /* of its thread and in messages: "iio:device0" */
	const struct sensor_device_ops *ops;
	void *priv;
	const struct sensor *sensors; /* info, row and periods are copied */
	unsigned int num_sensors;
};

/**
 * device_add() - a device is there: start its thread, give its sensors handles, list them
 * @config: the device
 * @device: set to the device; the caller has a reference. NULL: not wanted
 *
 * The sensors are checked by sensor_check() first. Return: 0; -EINVAL: a sensor is not valid, or
 * its name is taken by another of its type; -ENOMEM, -EAGAIN, -EMFILE. @priv is freed by
 * ops->destroy() unless this fails.
 */
int device_add(const struct sensor_device_config *config, struct sensor_device **device);
/** The device is gone, or shall be. Any thread but the device's own, where device_lost() is. */
void device_remove(struct sensor_device *device);
/** From an operation: the hardware is gone. The device is removed as soon as possible. */
void device_lost(struct sensor_device *device);
/** References. */
void device_get(struct sensor_device *device);
void device_put(struct sensor_device *device);
const char *device_name(const struct sensor_device *device);
void *device_priv(const struct sensor_device *device);
unsigned int device_num_sensors(const struct sensor_device *device);
struct sensor *device_sensor(struct sensor_device *device, unsigned int index);

/**
 * device_call() - run @function on the device's thread and wait for it
 *
 * Return: what @function returned; -ENODEV: the device is gone, @function did not run.
 */
int device_call(struct sensor_device *device, int (*function)(struct sensor_device *, void *),
		void *argument);

/* ---- for operations, on the device's thread ---- */

/** Call ops->ready() when @fd has @events of epoll; 0: no longer. 0 or -errno. */
int device_watch(struct sensor_device *device, int fd, uint32_t events);
/** Call ops->tick() at @time_ns of CLOCK_BOOTTIME; negative: no longer. */
void device_tick_at(struct sensor_device *device, int64_t time_ns);
/**
 * From ops->configure(): the sensor runs at another period than is demanded, as where one clock
 * drives all sensors of the device. Without it, it runs at the demand's.
 */
void sensor_runs_at(struct sensor *sensor, int64_t period_ns);
/**
 * sensor_emit() - an event of a sensor
 * @sensor: the sensor
 * @timestamp_ns: CLOCK_BOOTTIME; not later than now, and made later than the sensor's last one
 * @payload: what the type has is taken
 *
 * On-change: an event with the value that the sensor had last is no event. Delivered to each
 * subscriber that is due.
 */
void sensor_emit(struct sensor *sensor, int64_t timestamp_ns,
		 const union nnsensors_payload *payload);

/** Whether a list of sensors may have @sensor: the rules are in sensor_check.c. */
bool sensor_check(const struct sensor *sensor, char *message, size_t size);

#endif

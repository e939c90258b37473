/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is inside of the core. */
#ifndef SENSORD_DEVICE_STATE_H
#define SENSORD_DEVICE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/sensor_device.h"

/** struct device_request - a device_call() that waits for its answer, in its caller's frame */
struct device_request {
	int (*function)(struct sensor_device *device, void *argument);
	void *argument;
	int result;
	bool answered; /* under the lock */
	pthread_cond_t was_answered;
	struct device_request *next;
};

/**
 * struct sensor_device - see sensor_device.h
 * @lock: the mailbox's, for @requests, @closed and @ended
 * @has_ended: @ended
 * @end: the thread shall end
 * @closed: no request is taken any more, and no subscription is there
 * @ended: the thread touches the device no more, but to give back its reference
 * @listed: sensor_list_add() has succeeded, under the list's lock
 * @list_next: under the list's lock
 */
struct sensor_device {
	atomic_uint references;
	char name[32];
	const struct sensor_device_ops *ops;
	void *priv;

	pthread_mutex_t lock;
	pthread_cond_t has_ended;
	struct device_request *requests, **requests_end;
	atomic_bool end;
	bool closed, ended;
	int mailbox_fd;

	bool listed;
	struct sensor_device *list_next;

	/* (T) */
	int epoll_fd, timer_fd;
	int64_t tick_ns, wake_ns, deferred_ns; /* INT64_MAX: never */
	int64_t armed_ns; /* what the timer is set to */
	bool has_requests; /* there may be some; one is run per round */
	bool lost;
	bool demands_old; /* a subscription ended by itself */
	struct sensor_demand demands[SENSORS_PER_DEVICE]; /* requested from the hardware */
	int64_t periods_ns[SENSORS_PER_DEVICE]; /* what it runs at */
	int *watched;
	unsigned int num_watched, max_watched;

	unsigned int num_sensors;
	struct sensor sensors[];
};

/** One reference, no thread, not listed. NULL: no memory, or no descriptors: errno. */
struct sensor_device *device_create(const struct sensor_device_config *config);
/** The device's clock. */
int64_t device_now(struct sensor_device *device);

#endif

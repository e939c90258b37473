/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sensors that a queue or a channel has enabled. The thread of the connection changes the set;
 * other threads count it under the client's lock, which is therefore held while the set changes.
 */
#ifndef SENSORD_ENABLED_SENSORS_H
#define SENSORD_ENABLED_SENSORS_H

#include <pthread.h>

#include "core/subscription.h"

struct enabled_sensor {
	struct subscription subscription;
	struct enabled_sensor *next;
};

/** struct enabled_sensors - zeros and a lock are an empty set */
struct enabled_sensors {
	pthread_mutex_t *lock; /* the client's */
	struct enabled_sensor *first;
};

/**
 * The sensor's entry; NULL: it is not enabled. An entry whose subscription has ended (one-shot and
 * over, unplugged) is none: those are taken out first.
 */
struct enabled_sensor *enabled_sensors_find(struct enabled_sensors *set, int32_t handle);
/** The entry with @token likewise. */
struct enabled_sensor *enabled_sensors_find_token(struct enabled_sensors *set, int32_t token);
/**
 * enabled_sensors_start() - a sensor that is not in the set, with a period
 *
 * Takes over the caller's reference to the sensor's device, also on errors. Return: 0; or the error
 * of subscription_start(), -ENOMEM.
 */
int enabled_sensors_start(struct enabled_sensors *set, struct sensor *sensor, struct sink *sink,
			  int32_t token, int64_t period_ns, int64_t latency_ns);
/** Stop the sensor and take it out. False: it is not enabled. */
bool enabled_sensors_stop(struct enabled_sensors *set, int32_t handle);
void enabled_sensors_stop_all(struct enabled_sensors *set);
/** How many run. Under the lock. */
uint32_t enabled_sensors_count(const struct enabled_sensors *set);

#endif

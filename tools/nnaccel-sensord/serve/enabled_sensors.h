/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sensors that a queue or a channel has enabled. The thread of the connection changes the set;
 * other threads count it under the client's lock, which is therefore held while the set changes.
 */
#ifndef SENSORD_ENABLED_SENSORS_H
#define SENSORD_ENABLED_SENSORS_H

#include <pthread.h>

#include "core/subscription.h"
#include "serve/client_budget.h"

struct enabled_sensor {
	struct subscription subscription;
	uint64_t events; /* per second, as charged */
	struct enabled_sensor *next;
};

/** struct enabled_sensors - zeros, a lock and who pays are an empty set */
struct enabled_sensors {
	pthread_mutex_t *lock; /* the client's */
	struct nnipc_budget *budget; /* BUDGET_EVENTS of @payer */
	uid_t payer;
	struct enabled_sensor *first;
};

/**
 * The sensor's entry; NULL: it is not enabled. An entry whose subscription has ended (one-shot and
 * over, unplugged) is none: those are taken out first.
 */
struct enabled_sensor *enabled_sensors_find(struct enabled_sensors *set, int32_t handle);
/** Take out the entries whose subscriptions have ended, so that they cost nothing any more. */
void enabled_sensors_sweep(struct enabled_sensors *set);
/** The entry with @token likewise. */
struct enabled_sensor *enabled_sensors_find_token(struct enabled_sensors *set, int32_t token);
/**
 * enabled_sensors_start() - a sensor that is not in the set, with a period
 *
 * Takes over the caller's reference to the sensor's device, also on errors. Return: 0; or the error
 * of subscription_start(), -ENOMEM: there is no memory, or no budget for so many events.
 */
int enabled_sensors_start(struct enabled_sensors *set, struct sensor *sensor, struct sink *sink,
			  int32_t token, int64_t period_ns, int64_t latency_ns);
/** An entry goes on with another period and latency; on errors as before. Returns are the same. */
int enabled_sensors_change(struct enabled_sensors *set, struct enabled_sensor *entry,
			   int64_t period_ns, int64_t latency_ns);
/** Stop the sensor and take it out. False: it is not enabled. */
bool enabled_sensors_stop(struct enabled_sensors *set, int32_t handle);
void enabled_sensors_stop_all(struct enabled_sensors *set);
/** How many run. Under the lock. */
uint32_t enabled_sensors_count(const struct enabled_sensors *set);

#endif

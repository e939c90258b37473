// SPDX-License-Identifier: Apache-2.0
#include "serve/enabled_sensors.h"

#include <errno.h>
#include <stdlib.h>

static bool runs(const struct enabled_sensor *entry)
{
	return atomic_load(&entry->subscription.started);
}

static void stop(struct enabled_sensors *set, struct enabled_sensor *entry)
{
	struct enabled_sensor **at = &set->first;

	/* not under the lock: the device may take its time */
	subscription_fini(&entry->subscription);
	pthread_mutex_lock(set->lock);
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	pthread_mutex_unlock(set->lock);
	free(entry);
}

void enabled_sensors_stop_all(struct enabled_sensors *set)
{
	while (set->first)
		stop(set, set->first);
}

static void sweep(struct enabled_sensors *set)
{
	struct enabled_sensor *next;

	for (struct enabled_sensor *entry = set->first; entry; entry = next) {
		next = entry->next;
		if (!runs(entry))
			stop(set, entry);
	}
}

struct enabled_sensor *enabled_sensors_find(struct enabled_sensors *set, int32_t handle)
{
	struct enabled_sensor *entry;

	sweep(set);
	for (entry = set->first; entry; entry = entry->next)
		if (entry->subscription.sensor->info.handle == handle)
			return entry;
	return NULL;
}

bool enabled_sensors_stop(struct enabled_sensors *set, int32_t handle)
{
	struct enabled_sensor *entry = enabled_sensors_find(set, handle);

	if (!entry)
		return false;
	stop(set, entry);
	return true;
}

struct enabled_sensor *enabled_sensors_find_token(struct enabled_sensors *set, int32_t token)
{
	struct enabled_sensor *entry;

	for (entry = set->first; entry; entry = entry->next)
		if (entry->subscription.token == token)
			return entry;
	return NULL;
}

int enabled_sensors_start(struct enabled_sensors *set, struct sensor *sensor, struct sink *sink,
			  int32_t token, int64_t period_ns, int64_t latency_ns)
{
	struct enabled_sensor *entry = calloc(1, sizeof(*entry));
	int ret;

	if (!entry) {
		device_put(sensor->device);
		return -ENOMEM;
	}
	subscription_init(&entry->subscription, sensor, sink, token);
	ret = subscription_start(&entry->subscription, period_ns, latency_ns);
	if (ret) {
		subscription_fini(&entry->subscription);
		free(entry);
		return ret;
	}
	pthread_mutex_lock(set->lock);
	entry->next = set->first;
	set->first = entry;
	pthread_mutex_unlock(set->lock);
	return 0;
}

uint32_t enabled_sensors_count(const struct enabled_sensors *set)
{
	uint32_t count = 0;

	for (const struct enabled_sensor *entry = set->first; entry; entry = entry->next)
		count += runs(entry);
	return count;
}

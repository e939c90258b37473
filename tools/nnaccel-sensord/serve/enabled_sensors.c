// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <errno.h>
#include <stdlib.h>

#include "nnutil_clock.h"

/* Of a subscription: it costs a look at each sample of the device, also at those that it leaves. */
#define LEAST_EVENTS 10u

/* What is charged, per second. */
static uint64_t events_of(const struct sensor *sensor, int64_t period_ns)
{
	const int64_t period = sensor_period_for(sensor, period_ns);
	const uint64_t events = (uint64_t)((NNUTIL_NS_PER_S + period - 1) / period);

	/* one event, whatever the period says */
	if (sensor_mode(sensor) == NNSENSORS_FLAG_ONE_SHOT || events < LEAST_EVENTS)
		return LEAST_EVENTS;
	return events;
}

static int enabled_sensors_charge(struct enabled_sensors *set, uint64_t events)
{
	return nnipc_budget_take(set->budget, set->payer, BUDGET_EVENTS, events) ? -ENOMEM : 0;
}

static void discharge(struct enabled_sensors *set, uint64_t events)
{
	nnipc_budget_give(set->budget, set->payer, BUDGET_EVENTS, events);
}

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
	discharge(set, entry->events);
	free(entry);
}

void enabled_sensors_stop_all(struct enabled_sensors *set)
{
	while (set->first)
		stop(set, set->first);
}

void enabled_sensors_sweep(struct enabled_sensors *set)
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

	enabled_sensors_sweep(set);
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
	const uint64_t events = events_of(sensor, period_ns);
	struct enabled_sensor *entry = calloc(1, sizeof(*entry));
	int ret;

	if (!entry || enabled_sensors_charge(set, events)) {
		device_put(sensor->device);
		free(entry);
		return -ENOMEM;
	}
	entry->events = events;
	subscription_init(&entry->subscription, sensor, sink, token);
	ret = subscription_start(&entry->subscription, period_ns, latency_ns);
	if (ret) {
		subscription_fini(&entry->subscription);
		discharge(set, events);
		free(entry);
		return ret;
	}
	pthread_mutex_lock(set->lock);
	entry->next = set->first;
	set->first = entry;
	pthread_mutex_unlock(set->lock);
	return 0;
}

int enabled_sensors_change(struct enabled_sensors *set, struct enabled_sensor *entry,
			   int64_t period_ns, int64_t latency_ns)
{
	const uint64_t events = events_of(entry->subscription.sensor, period_ns);
	const uint64_t before = entry->events, most = events > before ? events : before;
	int ret = enabled_sensors_charge(set, most - before);

	if (ret)
		return ret;
	ret = subscription_start(&entry->subscription, period_ns, latency_ns);
	entry->events = ret ? before : events;
	discharge(set, most - entry->events);
	return ret;
}

uint32_t enabled_sensors_count(const struct enabled_sensors *set)
{
	uint32_t count = 0;

	for (const struct enabled_sensor *entry = set->first; entry; entry = entry->next)
		count += runs(entry);
	return count;
}

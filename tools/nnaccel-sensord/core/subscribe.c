// SPDX-License-Identifier: Apache-2.0
/*
 * Subscriptions begin, change and end, each on the device's thread; and what they want of the
 * hardware.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/sensord_core.h"

struct start {
	struct subscription *s;
	int64_t period_ns, latency_ns;
};

void subscription_init(struct subscription *s, struct sensor *sensor, struct sink *sink,
		       int32_t token)
{
	*s = (struct subscription){ .sensor = sensor, .sink = sink, .token = token };
	atomic_init(&s->started, false);
}

void subscription_fini(struct subscription *s)
{
	if (!s->sensor)
		return;
	subscription_stop(s);
	device_put(s->sensor->device);
	s->sensor = NULL;
}

static struct subscription **subscribe_find(struct subscription *s)
{
	struct subscription **link = &s->sensor->subscriptions;

	while (*link && *link != s)
		link = &(*link)->next;
	return link;
}

/* A first start. Until the hardware runs the subscription is linked, but not started. */
static int subscribe_begin(struct sensor_device *device, const struct start *start)
{
	struct subscription *s = start->s, **link;
	int ret;

	s->next = s->sensor->subscriptions;
	s->sensor->subscriptions = s;
	s->period_ns = start->period_ns;
	s->latency_ns = start->latency_ns;
	ret = demand_update(device);
	if (ret || device->lost) {
		link = subscribe_find(s);
		*link = s->next;
		return ret ? ret : -ENODEV;
	}
	s->started_ns = s->due_ns = device_now(device);
	s->deferred = false;
	atomic_store_explicit(&s->started, true, memory_order_release);
	if (sensor_mode(s->sensor) == NNSENSORS_FLAG_ON_CHANGE)
		delivery_last(s);
	return 0;
}

/* Go on from the last sample that it had. */
static int change(struct sensor_device *device, const struct start *start)
{
	struct subscription *s = start->s;
	const int64_t period_ns = s->period_ns, latency_ns = s->latency_ns;
	int ret;

	if (!start->latency_ns)
		delivery_flush(s);
	s->period_ns = start->period_ns;
	s->latency_ns = start->latency_ns;
	ret = demand_update(device);
	if (ret || device->lost) {
		s->period_ns = period_ns;
		s->latency_ns = latency_ns;
		return ret ? ret : -ENODEV;
	}
	if (s->due_ns != s->started_ns)
		s->due_ns += s->period_ns - period_ns;
	if (s->deferred)
		delivery_deferred(device);
	return 0;
}

static int start_on_thread(struct sensor_device *device, void *argument)
{
	const struct start *start = argument;

	return *subscribe_find(start->s) ? change(device, start) : subscribe_begin(device, start);
}

int subscription_start(struct subscription *s, int64_t period_ns, int64_t latency_ns)
{
	struct start start = {
		.s = s,
		.period_ns = sensor_period_for(s->sensor, period_ns),
		.latency_ns = latency_ns > 0 ? latency_ns : 0,
	};

	return device_call(s->sensor->device, start_on_thread, &start);
}

static int stop_on_thread(struct sensor_device *device, void *argument)
{
	struct subscription *s = argument, **link = subscribe_find(s);

	if (!*link)
		return 0;
	*link = s->next;
	atomic_store_explicit(&s->started, false, memory_order_release);
	delivery_flush(s);
	/* hardware that refuses a slower rate keeps its rate; the next update tries again */
	demand_update(device);
	return 0;
}

void subscription_stop(struct subscription *s)
{
	/* -ENODEV: the device's end has ended it */
	device_call(s->sensor->device, stop_on_thread, s);
}

/* ---- what the subscribers of a device want of the hardware ---- */

/* The fastest of all, and no later than the most impatient wants it. */
static struct sensor_demand demand_of(const struct sensor *sensor)
{
	struct sensor_demand demand = { 0, 0 };

	for (const struct subscription *s = sensor->subscriptions; s; s = s->next) {
		if (!demand.period_ns || s->period_ns < demand.period_ns)
			demand.period_ns = s->period_ns;
		if (s == sensor->subscriptions || s->latency_ns < demand.latency_ns)
			demand.latency_ns = s->latency_ns;
	}
	return demand;
}

void sensor_runs_at(struct sensor *sensor, int64_t period_ns)
{
	sensor->device->periods_ns[sensor->index] = period_ns;
}

int demand_update(struct sensor_device *device)
{
	struct sensor_demand demands[SENSORS_PER_DEVICE];
	int64_t before[SENSORS_PER_DEVICE];
	int ret;

	memset(demands, 0, sizeof(demands));
	device->demands_old = false;
	for (unsigned int i = 0; i < device->num_sensors; i++)
		demands[i] = demand_of(&device->sensors[i]);
	if (!memcmp(demands, device->demands, sizeof(demands)))
		return 0;
	memcpy(before, device->periods_ns, sizeof(before));
	for (unsigned int i = 0; i < device->num_sensors; i++)
		device->periods_ns[i] = demands[i].period_ns;
	ret = device->ops->configure(device, demands);
	if (ret) {
		memcpy(device->periods_ns, before, sizeof(before));
		return ret;
	}
	memcpy(device->demands, demands, sizeof(demands));
	/* what it is when it is switched on again is not known */
	for (unsigned int i = 0; i < device->num_sensors; i++)
		if (!demands[i].period_ns)
			device->sensors[i].has_last = false;
	return 0;
}

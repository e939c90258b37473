// SPDX-License-Identifier: Apache-2.0
/* Events on their way to the sinks: who gets which. */
#include "core/sensord_core.h"

#include <string.h>

#include "nnutil_clock.h"

/* Whether its events may wait in the sink. */
static bool may_wait(const struct subscription *s)
{
	return s->latency_ns && s->sink->wake_at;
}

static void delivery_put(struct sensor_device *device, const struct subscription *s,
			 struct nnsensors_record *record)
{
	int64_t wake_ns;

	record->token = s->token;
	s->sink->put(s->sink, s, record);
	if (!may_wait(s))
		return;
	wake_ns = s->sink->wake_at(s->sink);
	if (wake_ns < device->wake_ns)
		device->wake_ns = wake_ns;
}

/*
 * Whether @s takes the sample of @timestamp. Its samples are a grid of its own period, from its
 * start on; the one that is nearest to a point of the grid is the point's. A subscriber at the
 * hardware's own rate takes every sample, however fast the hardware really is.
 */
static bool take_sample(struct subscription *s, int64_t timestamp, int64_t device_period_ns)
{
	bool all = s->period_ns <= device_period_ns;

	if (timestamp < s->started_ns)
		return false;
	if (!all && timestamp < s->due_ns - device_period_ns / 2)
		return false;
	/* after a gap, or out of step with the hardware: from here on */
	if (all || timestamp - s->due_ns >= s->period_ns)
		s->due_ns = timestamp;
	s->due_ns += s->period_ns;
	return true;
}

/* At @due_ns of the device's clock, which may be another than the timer's. */
static void look_again_at(struct sensor_device *device, int64_t due_ns)
{
	const int64_t left = due_ns - device_now(device);
	const int64_t at = nnutil_boottime_ns() + (left > 0 ? left : 0);

	if (at < device->deferred_ns)
		device->deferred_ns = at;
}

/* A change is not passed over, or it would be missing until the next one: it comes later. */
static bool take_change(struct subscription *s, int64_t timestamp)
{
	if (timestamp < s->started_ns)
		return false;
	s->deferred = timestamp < s->due_ns;
	if (s->deferred)
		look_again_at(s->sensor->device, s->due_ns);
	else
		s->due_ns = timestamp + s->period_ns;
	return !s->deferred;
}

static bool is_for(struct subscription *s, uint32_t mode, int64_t timestamp,
		   int64_t device_period_ns)
{
	if (mode == NNSENSORS_FLAG_CONTINUOUS)
		return take_sample(s, timestamp, device_period_ns);
	if (mode == NNSENSORS_FLAG_ON_CHANGE)
		return take_change(s, timestamp);
	return timestamp >= s->started_ns;
}

/* A one-shot subscription that had its event. The hardware is switched off after the operation. */
static void end_one_shot(struct sensor *sensor, struct subscription **link)
{
	struct subscription *s = *link;

	*link = s->next;
	sensor->device->demands_old = true;
	delivery_flush(s);
	/* its owner may know it from here on */
	atomic_store_explicit(&s->started, false, memory_order_release);
}

static void delivery_deliver(struct sensor *sensor, const struct nnsensors_record *event)
{
	struct sensor_device *device = sensor->device;
	const uint32_t mode = sensor_mode(sensor);
	const int64_t period_ns = device->periods_ns[sensor->index];
	struct nnsensors_record record = *event;
	struct subscription **link = &sensor->subscriptions, *s;

	while ((s = *link)) {
		if (atomic_load_explicit(&s->started, memory_order_relaxed) &&
		    is_for(s, mode, record.timestamp, period_ns)) {
			delivery_put(device, s, &record);
			if (mode == NNSENSORS_FLAG_ONE_SHOT) {
				end_one_shot(sensor, link);
				continue;
			}
		}
		link = &s->next;
	}
}

void sensor_emit(struct sensor *sensor, int64_t timestamp_ns,
		 const union nnsensors_payload *payload)
{
	const bool on_change = sensor_mode(sensor) == NNSENSORS_FLAG_ON_CHANGE;
	const int64_t now = device_now(sensor->device);
	struct nnsensors_record record = {
		.size = sizeof(record),
		.type = sensor->info.type,
	};

	nnsensors_payload_copy(sensor->row->payload, &record.u, payload);
	if (on_change && sensor->has_last &&
	    !memcmp(record.u.data64, sensor->last.u.data64, sizeof(record.u.data64)))
		return;
	record.timestamp = timestamp_ns < now ? timestamp_ns : now;
	if (record.timestamp <= sensor->last_timestamp)
		record.timestamp = sensor->last_timestamp + 1;
	sensor->last_timestamp = record.timestamp;
	if (on_change) {
		sensor->last = record;
		sensor->has_last = true;
	}
	delivery_deliver(sensor, &record);
}

void delivery_last(struct subscription *s)
{
	struct sensor *sensor = s->sensor;
	struct nnsensors_record record = sensor->last;

	/*
	 * a change that was measured before, and comes after, gets a later time stamp than this
	 * event
	 */
	sensor->last_timestamp =
		s->started_ns > sensor->last_timestamp ? s->started_ns : sensor->last_timestamp + 1;
	if (!sensor->has_last)
		return;
	record.timestamp = sensor->last_timestamp;
	s->due_ns = record.timestamp + s->period_ns;
	delivery_put(sensor->device, s, &record);
}

void delivery_deferred(struct sensor_device *device)
{
	const int64_t now = device_now(device);

	device->deferred_ns = INT64_MAX;
	for (unsigned int i = 0; i < device->num_sensors; i++)
		for (struct subscription *s = device->sensors[i].subscriptions; s; s = s->next) {
			struct nnsensors_record record = s->sensor->last;

			if (!s->deferred)
				continue;
			if (now < s->due_ns) {
				look_again_at(device, s->due_ns);
				continue;
			}
			s->deferred = false;
			s->due_ns += s->period_ns;
			delivery_put(device, s, &record);
		}
}

static void end_subscription(struct subscription *s)
{
	s->sink->gone(s->sink, s);
	atomic_store_explicit(&s->started, false, memory_order_release);
}

void delivery_end(struct sensor_device *device)
{
	struct subscription *s;

	for (unsigned int i = 0; i < device->num_sensors; i++)
		while ((s = device->sensors[i].subscriptions)) {
			device->sensors[i].subscriptions = s->next;
			end_subscription(s);
		}
}

/* ---- events that may wait ---- */

void delivery_flush(const struct subscription *s)
{
	if (may_wait(s) && s->sink->wake_at(s->sink) != INT64_MAX)
		s->sink->wake(s->sink);
}

void delivery_wake(struct sensor_device *device, int64_t now_ns)
{
	int64_t next = INT64_MAX, at;

	for (unsigned int i = 0; i < device->num_sensors; i++)
		for (const struct subscription *s = device->sensors[i].subscriptions; s;
		     s = s->next) {
			if (!may_wait(s))
				continue;
			at = s->sink->wake_at(s->sink);
			if (at <= now_ns)
				s->sink->wake(s->sink);
			else if (at < next)
				next = at;
		}
	device->wake_ns = next;
}

// SPDX-License-Identifier: Apache-2.0
/* A device whose sensors say what a recording says. */
#include "virtual/sensord_virtual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"

/* Older events are skipped after a pause. */
#define CATCH_UP_NS (500 * NNUTIL_NS_PER_MS)
/* What a recording can say of a sensor; the rest is what this one is. */
#define KEPT_FLAGS (NNSENSORS_FLAG_WAKE_UP | NNSENSORS_FLAG_MODE_MASK)
#define SLOWEST_NS NNUTIL_NS_PER_S
#define LONGEST_NS (365ll * 24 * 3600 * NNUTIL_NS_PER_S)

struct played_device {
	struct nnsensors_recording recording; /* sorted; event.sensor is an index */
	bool once;
	bool playing;
	size_t next; /* event */
	int64_t offset_ns; /* from a stamp in the recording to one of now */
	int64_t length_ns; /* from one begin to the next */
	int64_t periods_ns[SENSORS_PER_DEVICE]; /* of continuous sensors; 0: not known */
	bool on[SENSORS_PER_DEVICE];
};

/* ---- playing ---- */

static int64_t time_of_next(const struct played_device *p)
{
	return p->recording.events[p->next].timestamp + p->offset_ns;
}

/* Behind the last event: to the first one again. False: it is over. */
static bool go_round(struct played_device *p, int64_t now)
{
	int64_t behind;

	if (p->next < p->recording.num_events)
		return true;
	if (p->once || !p->recording.num_events)
		return false;
	p->next = 0;
	p->offset_ns += p->length_ns;
	/* whole rounds that passed unread */
	behind = now - CATCH_UP_NS - time_of_next(p);
	if (behind > p->length_ns)
		p->offset_ns += behind / p->length_ns * p->length_ns;
	return true;
}

static void play(struct sensor_device *device, struct played_device *p, int64_t now)
{
	while (go_round(p, now) && time_of_next(p) <= now) {
		const struct nnsensors_event *event = &p->recording.events[p->next];

		if (p->on[event->sensor] && time_of_next(p) >= now - CATCH_UP_NS)
			sensor_emit(device_sensor(device, (unsigned int)event->sensor),
				    time_of_next(p), &event->u);
		p->next++;
	}
}

static void set_tick(struct sensor_device *device, const struct played_device *p)
{
	const bool is_over = p->next == p->recording.num_events;

	device_tick_at(device, p->playing && !is_over ? time_of_next(p) : -1);
}

static void played_device_tick(struct sensor_device *device, int64_t now)
{
	struct played_device *p = device_priv(device);

	play(device, p, now);
	set_tick(device, p);
}

/* New subscribers get the last value of an on-change sensor. */
static void emit_last(struct sensor_device *device, const struct played_device *p, unsigned int i,
		      int64_t now)
{
	struct sensor *sensor = device_sensor(device, i);

	if (sensor_mode(sensor) != NNSENSORS_FLAG_ON_CHANGE)
		return;
	for (size_t k = p->next; k--;)
		if (p->recording.events[k].sensor == (int32_t)i) {
			sensor_emit(sensor, now, &p->recording.events[k].u);
			return;
		}
}

static int played_device_configure(struct sensor_device *device,
				   const struct sensor_demand *demands)
{
	struct played_device *p = device_priv(device);
	const int64_t now = nnutil_boottime_ns();
	bool wanted = false;

	if (p->playing)
		play(device, p, now);
	for (unsigned int i = 0; i < p->recording.num_sensors; i++)
		wanted |= demands[i].period_ns > 0;
	if (wanted && !p->playing && p->recording.num_events) {
		p->next = 0;
		p->offset_ns = now + p->length_ns / (int64_t)p->recording.num_events -
			       p->recording.events[0].timestamp;
	}
	p->playing = wanted;
	for (unsigned int i = 0; i < p->recording.num_sensors; i++) {
		if (demands[i].period_ns && !p->on[i])
			emit_last(device, p, i, now);
		p->on[i] = demands[i].period_ns > 0;
		if (p->on[i] && p->periods_ns[i])
			sensor_runs_at(device_sensor(device, i), p->periods_ns[i]);
	}
	set_tick(device, p);
	return 0;
}

static void free_played(struct played_device *p)
{
	nnsensors_recording_fini(&p->recording);
	free(p);
}

static void played_device_destroy(struct sensor_device *device)
{
	free_played(device_priv(device));
}

static const struct sensor_device_ops ops = {
	.configure = played_device_configure,
	.tick = played_device_tick,
	.destroy = played_device_destroy,
};

/* ---- what the recording has ---- */

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
	const struct nnsensors_event *x = a, *y = b;

	if (x->timestamp != y->timestamp)
		return x->timestamp < y->timestamp ? -1 : 1;
	return (x->sensor > y->sensor) - (x->sensor < y->sensor);
}

static void index_events(struct nnsensors_recording *r)
{
	for (size_t k = 0; k < r->num_events; k++) {
		int32_t i = 0;

		while (r->sensors[i].handle != r->events[k].sensor)
			i++;
		r->events[k].sensor = i;
	}
	if (r->num_events)
		qsort(r->events, r->num_events, sizeof(r->events[0]), by_time);
}

/* The middle one of the times between two events: what the hardware did, whatever was lost. */
static int64_t period_of(const struct nnsensors_recording *r, unsigned int i, int64_t *between)
{
	int64_t last = -1;
	size_t n = 0;

	for (size_t k = 0; k < r->num_events; k++) {
		if (r->events[k].sensor != (int32_t)i)
			continue;
		if (last >= 0)
			between[n++] = r->events[k].timestamp - last;
		last = r->events[k].timestamp;
	}
	if (!n)
		return 0;
	qsort(between, n, sizeof(between[0]), by_number);
	return between[n / 2];
}

static int find_periods(struct played_device *p)
{
	const struct nnsensors_recording *r = &p->recording;
	int64_t *between, longest = 0;

	if (!r->num_events)
		return 0;
	p->length_ns = r->events[r->num_events - 1].timestamp - r->events[0].timestamp;
	if (p->length_ns > LONGEST_NS)
		return -EFBIG;
	between = malloc(r->num_events * sizeof(*between));
	if (!between)
		return -ENOMEM;
	for (unsigned int i = 0; i < r->num_sensors; i++) {
		if ((r->sensors[i].flags & NNSENSORS_FLAG_MODE_MASK) != NNSENSORS_FLAG_CONTINUOUS)
			continue;
		p->periods_ns[i] = period_of(r, i, between);
		if (p->periods_ns[i] > longest)
			longest = p->periods_ns[i];
	}
	free(between);
	p->length_ns += longest ? longest : NNUTIL_NS_PER_S;
	return 0;
}

/* It keeps its rate; subscribers that want fewer events get every second one, every fourth... */
static void set_periods(struct sensor *sensor, int64_t period_ns)
{
	unsigned int n = 0;

	if (!period_ns)
		return;
	do {
		sensor->periods_ns[n++] = period_ns;
		period_ns *= 2;
	} while (period_ns <= SLOWEST_NS && n < SENSOR_RATES_MAX);
	sensor->num_periods = n;
	sensor->info.min_delay_us = sensor_delay_us(sensor->periods_ns[0]);
	sensor->info.max_delay_us = sensor_delay_us(sensor->periods_ns[n - 1]);
}

static int make_sensors(struct played_device *p, const char *prefix, struct sensor *sensors,
			char *message, size_t size)
{
	for (unsigned int i = 0; i < p->recording.num_sensors; i++) {
		struct sensor *sensor = &sensors[i];
		char name[2 * NNSENSORS_NAME_MAX];

		sensor->info = p->recording.sensors[i];
		sensor->info.flags &= KEPT_FLAGS;
		sensor->info.fifo_max = sensor->info.fifo_reserved = 0;
		sensor->row = nnsensors_type_row(sensor->info.type);
		snprintf(name, sizeof(name), "%s%s", prefix, sensor->info.name);
		if (strlen(name) >= NNSENSORS_NAME_MAX)
			return nnutil_refuse(message, size, -EINVAL, "\"%s\" is too long a name",
					     name);
		strcpy(sensor->info.name, name);
		if (p->periods_ns[i] > SLOWEST_NS * 1000)
			return nnutil_refuse(message, size, -EINVAL,
					     "%s: its events are too far from each other", name);
		set_periods(sensor, p->periods_ns[i]);
		sensor_set_direct(sensor);
		if (!sensor_check(sensor, message, size))
			return -EINVAL;
	}
	return 0;
}

static int add(const char *name, struct played_device *p, const char *prefix,
	       struct sensor_device **device, char *message, size_t size)
{
	const unsigned int n = p->recording.num_sensors;
	struct sensor *sensors;
	int ret;

	if (n > SENSORS_PER_DEVICE)
		return nnutil_refuse(message, size, -EINVAL, "more than %u sensors",
				     SENSORS_PER_DEVICE);
	index_events(&p->recording);
	ret = find_periods(p);
	if (ret == -EFBIG)
		nnutil_refuse(message, size, ret, "it is longer than a year");
	sensors = calloc(n, sizeof(*sensors));
	if (!sensors)
		ret = -ENOMEM;
	if (!ret)
		ret = make_sensors(p, prefix, sensors, message, size);
	if (!ret)
		ret = device_add(&(struct sensor_device_config){ .name = name,
								 .ops = &ops,
								 .priv = p,
								 .sensors = sensors,
								 .num_sensors = n },
				 device);
	free(sensors);
	return ret;
}

int played_device_add(const char *name, struct nnsensors_recording *recording, const char *prefix,
		      bool once, struct sensor_device **device, char *message, size_t size)
{
	struct played_device *p = calloc(1, sizeof(*p));
	int ret;

	if (!p) {
		nnsensors_recording_fini(recording);
		return -ENOMEM;
	}
	p->recording = *recording;
	*recording = (struct nnsensors_recording){ 0 };
	p->once = once;
	ret = add(name, p, prefix, device, message, size);
	if (ret)
		free_played(p);
	return ret;
}

// SPDX-License-Identifier: Apache-2.0
/* A device of generated sensors. */
#include "virtual/sensord_virtual.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "nnutil_clock.h"

int64_t virtual_catch_up_ns = 500 * NNUTIL_NS_PER_MS;

/* A sensor while it runs. */
struct generated {
	struct virtual_sensor config;
	int64_t period_ns; /* 0: it is off */
	int64_t due_ns; /* stamp of the next sample */
	int64_t hold_ns; /* how long the FIFO may keep one */
	int64_t on_since_ns;
	uint64_t count; /* of samples since it is on, with those that are missing */
	uint64_t random, fault_random;
};

struct virtual_device {
	unsigned int num_sensors;
	int64_t unplug_ns; /* when the device goes; INT64_MAX: not yet known, or never */
	struct generated sensors[];
};

/* ---- samples ---- */

static bool every(uint64_t n, uint64_t count)
{
	return n && count % n == 0;
}

static bool is_stalled(const struct generated *g)
{
	const struct virtual_faults *f = &g->config.faults;
	const int64_t on_for_ns = g->due_ns - g->on_since_ns - f->stall_after_ns;

	return f->stalls && on_for_ns >= 0 && (!f->stall_for_ns || on_for_ns < f->stall_for_ns);
}

static int64_t stamp_of(struct generated *g)
{
	const struct virtual_faults *f = &g->config.faults;
	int64_t stamp = g->due_ns;

	if (f->jitter_ns)
		stamp -= (int64_t)(generator_random(&g->fault_random) * (double)f->jitter_ns);
	if (every(f->backwards, g->count))
		stamp -= 2 * g->period_ns;
	return stamp;
}

static void make_sample(struct sensor *sensor, struct generated *g)
{
	union nnsensors_payload payload;

	g->count++;
	/* a sample that is missing was measured nevertheless */
	generator_make(&g->config.generator, &sensor->info, sensor->row, g->due_ns, &g->random,
		       &payload);
	if (!is_stalled(g) && !every(g->config.faults.drop, g->count))
		sensor_emit(sensor, stamp_of(g), &payload);
	g->due_ns += g->period_ns;
}

/* After a time without ticks, as in a suspended machine: go on with the last of it. */
static void skip_ages(struct generated *g, int64_t now)
{
	const int64_t behind = now - g->hold_ns - virtual_catch_up_ns - g->due_ns;

	if (behind > 0)
		g->due_ns += (behind + g->period_ns - 1) / g->period_ns * g->period_ns;
}

/* The sensor whose next sample is the earliest; NULL: none is due at @now. */
static struct generated *next_due(struct virtual_device *virtual, int64_t now)
{
	struct generated *found = NULL;

	for (unsigned int i = 0; i < virtual->num_sensors; i++) {
		struct generated *g = &virtual->sensors[i];

		if (g->period_ns && g->due_ns <= now && (!found || g->due_ns < found->due_ns))
			found = g;
	}
	return found;
}

static void make_samples(struct sensor_device *device, struct virtual_device *virtual, int64_t now)
{
	struct generated *g;

	/* however late it is noticed, nothing was measured after it was unplugged */
	if (now > virtual->unplug_ns)
		now = virtual->unplug_ns;
	for (unsigned int i = 0; i < virtual->num_sensors; i++)
		if (virtual->sensors[i].period_ns)
			skip_ages(&virtual->sensors[i], now);
	while ((g = next_due(virtual, now)))
		make_sample(device_sensor(device, (unsigned int)(g - virtual->sensors)), g);
}

static void set_tick(struct sensor_device *device, const struct virtual_device *virtual)
{
	int64_t at = virtual->unplug_ns;

	for (unsigned int i = 0; i < virtual->num_sensors; i++) {
		const struct generated *g = &virtual->sensors[i];

		if (g->period_ns && g->due_ns + g->hold_ns < at)
			at = g->due_ns + g->hold_ns;
	}
	device_tick_at(device, at == INT64_MAX ? -1 : at);
}

static void virtual_device_tick(struct sensor_device *device, int64_t now)
{
	struct virtual_device *virtual = device_priv(device);

	make_samples(device, virtual, now);
	if (now >= virtual->unplug_ns)
		device_lost(device);
	else
		set_tick(device, virtual);
}

/* ---- rates ---- */

static bool tells_of_events(const struct generated *g)
{
	const uint32_t mode = sensor_mode(&g->config.sensor);

	return mode == NNSENSORS_FLAG_ONE_SHOT || mode == NNSENSORS_FLAG_SPECIAL;
}

/* Period of event generators: it comes from the configuration, not from the requested rate. */
static int64_t period_of(const struct generated *g, const struct sensor_demand *demand)
{
	if (demand->period_ns && tells_of_events(g))
		return (int64_t)((double)NNUTIL_NS_PER_S / g->config.generator.frequency);
	return demand->period_ns;
}

static int64_t hold_of(const struct generated *g, int64_t latency_ns)
{
	const uint32_t events = g->config.sensor.info.fifo_max;
	const int64_t full_ns = events ? (int64_t)(events - 1) * g->period_ns : 0;

	return latency_ns < full_ns ? latency_ns : full_ns;
}

static bool is_refused(const struct generated *g, const struct sensor_demand *demand)
{
	return demand->period_ns && demand->period_ns <= g->config.faults.refused_ns;
}

static void switch_on(struct virtual_device *virtual, struct generated *g, int64_t period_ns,
		      int64_t now)
{
	const bool changes = sensor_mode(&g->config.sensor) == NNSENSORS_FLAG_ON_CHANGE;

	g->on_since_ns = now;
	g->count = 0;
	g->random = g->config.generator.seed;
	g->fault_random = ~g->config.generator.seed;
	/* an on-change sensor reports its current value when it is switched on */
	g->due_ns = changes ? now : now + period_ns;
	if (g->config.faults.unplug_after_ns &&
	    now + g->config.faults.unplug_after_ns < virtual->unplug_ns)
		virtual->unplug_ns = now + g->config.faults.unplug_after_ns;
}

static void set_rate(struct virtual_device *virtual, struct generated *g,
		     const struct sensor_demand *demand, int64_t now)
{
	const int64_t period_ns = period_of(g, demand);

	if (period_ns && !g->period_ns)
		switch_on(virtual, g, period_ns, now);
	else if (period_ns)
		/* from the last sample on */
		g->due_ns += period_ns - g->period_ns;
	g->period_ns = period_ns;
	g->hold_ns = period_ns ? hold_of(g, demand->latency_ns) : 0;
}

static void hang(const struct virtual_device *virtual)
{
	for (unsigned int i = 0; i < virtual->num_sensors; i++)
		if (virtual->sensors[i].config.faults.hang_ns) {
			struct timespec left =
				nnutil_timespec(virtual->sensors[i].config.faults.hang_ns);

			while (nanosleep(&left, &left) && errno == EINTR)
				;
		}
}

static int virtual_device_configure(struct sensor_device *device,
				    const struct sensor_demand *demands)
{
	struct virtual_device *virtual = device_priv(device);
	int64_t now;

	hang(virtual);
	for (unsigned int i = 0; i < virtual->num_sensors; i++)
		if (is_refused(&virtual->sensors[i], &demands[i]))
			return -EIO;
	now = nnutil_boottime_ns();
	make_samples(device, virtual, now);
	for (unsigned int i = 0; i < virtual->num_sensors; i++)
		set_rate(virtual, &virtual->sensors[i], &demands[i], now);
	make_samples(device, virtual, now);
	set_tick(device, virtual);
	return 0;
}

static void virtual_device_destroy(struct sensor_device *device)
{
	free(device_priv(device));
}

static const struct sensor_device_ops ops = {
	.configure = virtual_device_configure,
	.tick = virtual_device_tick,
	.destroy = virtual_device_destroy,
};

int virtual_device_add(const char *name, const struct virtual_sensor *const *sensors,
		       unsigned int n, struct sensor_device **device)
{
	struct virtual_device *virtual = calloc(1,
						sizeof(*virtual) + n * sizeof(virtual->sensors[0]));
	struct sensor *list = calloc(n, sizeof(*list));
	int ret = -ENOMEM;

	if (virtual && list) {
		virtual->num_sensors = n;
		virtual->unplug_ns = INT64_MAX;
		for (unsigned int i = 0; i < n; i++) {
			virtual->sensors[i].config = *sensors[i];
			list[i] = sensors[i]->sensor;
		}
		ret = device_add(&(struct sensor_device_config){ .name = name,
								 .ops = &ops,
								 .priv = virtual,
								 .sensors = list,
								 .num_sensors = n },
				 device);
	}
	if (ret)
		free(virtual);
	free(list);
	return ret;
}

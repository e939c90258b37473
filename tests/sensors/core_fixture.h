/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Around the core without the outside: a backend whose clock and samples are the test's, and a sink
 * that keeps what it is given.
 */
#ifndef TESTS_SENSORS_CORE_FIXTURE_H
#define TESTS_SENSORS_CORE_FIXTURE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/sensord_core.h"

#define MS 1000000ll
#define S 1000000000ll

/* ---- sensors ---- */

/** A sensor that sensor_check() takes, of @type and with the name @name; 1 to 200 ms. */
struct sensor make_sensor(int32_t type, const char *name);
/** Periods of @n rates in Hz, descending. */
void set_rates(struct sensor *sensor, const int *rates, unsigned int n);

/* ---- the backend ---- */

struct fake {
	_Atomic int64_t now; /* 0: the system's clock */
	struct sensor_demand demands[SENSORS_PER_DEVICE]; /* the last that were taken */
	atomic_int configured, refusals, ticks, readies, destroyed;
	int refuse; /* -errno of configure() */
	int64_t at_least_ns; /* periods below are refused with -EINVAL */
	void (*on_configure)(struct sensor_device *device);
	void (*on_tick)(struct sensor_device *device, int64_t now);
	void (*on_ready)(struct sensor_device *device, int fd);
};

/** A device of @n sensors; the test has a reference. */
struct sensor_device *add_device(struct fake *fake, const char *name, const struct sensor *sensors,
				 unsigned int n);
/** The same of one sensor. */
struct sensor *add_sensor(struct fake *fake, const struct sensor *sensor);
/** Let the device of @sensor go, and give back the reference. */
void remove_device(struct sensor_device *device);

/** Emit a sample of @sensor with stamp and clock at @time, whose values begin with @value. */
void emit_at(struct sensor *sensor, int64_t time, float value);
/** The same with another stamp than the clock. */
void emit_stamped(struct sensor *sensor, int64_t now, int64_t stamp, float value);
/** Samples at begin + period, begin + 2 period...: up to and with @end. */
void emit_every(struct sensor *sensor, int64_t begin, int64_t end, int64_t period);

/* ---- the sink ---- */

#define KEPT 65536u

struct kept_sink {
	struct sink sink;
	pthread_mutex_t lock;
	unsigned int count, gone, wakes;
	int64_t wake_at; /* INT64_MAX: nothing waits */
	struct nnsensors_record *records;
};

void kept_sink_init(struct kept_sink *kept);
void kept_sink_fini(struct kept_sink *kept);
unsigned int kept_count(struct kept_sink *kept);
unsigned int kept_wakes(struct kept_sink *kept);
unsigned int kept_gone(struct kept_sink *kept);
/** Forget what was kept. */
void kept_clear(struct kept_sink *kept);

/** A subscription of @sensor into @kept, started. */
void subscribe(struct subscription *s, struct sensor *sensor, struct kept_sink *kept,
	       int64_t period_ns);

/* ---- a subscription with a sink of its own ---- */

struct listener {
	struct kept_sink kept;
	struct subscription s;
};

void listen_to(struct listener *l, struct sensor *sensor, int64_t period_ns);
void stop_listening(struct listener *l);
/** The record number @index, which there must be. */
struct nnsensors_record heard(struct listener *l, unsigned int index);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * A fused device: reads its bases while a sensor is wanted, feeds the filters, and emits at each
 * accelerometer sample, with its time.
 */
#include "fusion/sensord_fusion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "nnutil_clock.h"

/** Filters need samples that often, however seldom their results are wanted. */
#define SLOWEST_BASE_NS 20000000ll
/** A walk of so many steps is a significant motion. */
#define SIGNIFICANT_STEPS 10u

/**
 * struct fused_device - its private part; all of it is the device's thread's
 * @on: sensors that are wanted, KIND_BIT
 * @index: of each kind's sensor in the device; -1: it has none
 * @significant_from: steps when significant motion was enabled
 */
struct fused_device {
	struct base_reader bases;
	struct fused_memory *memory;
	unsigned int on;
	int index[NUM_FUSED_KINDS];
	struct attitude attitude;
	struct compass compass;
	struct low_pass gravity; /* without a gyroscope */
	struct steps steps;
	struct tilt tilt;
	struct orientation orientation;
	uint64_t significant_from;
};

static bool is_on(const struct fused_device *f, enum fused_kind kind)
{
	return f->on & KIND_BIT(kind);
}

static struct sensor *kind_sensor(struct sensor_device *device, enum fused_kind kind)
{
	const struct fused_device *f = device_priv(device);

	return device_sensor(device, (unsigned int)f->index[kind]);
}

/* ---- events ---- */

static void emit_scalar(struct sensor_device *device, enum fused_kind kind, int64_t at_ns,
			float value)
{
	const union nnsensors_payload payload = { .data = { value } };

	sensor_emit(kind_sensor(device, kind), at_ns, &payload);
}

static void emit_count(struct sensor_device *device, int64_t at_ns)
{
	const struct fused_device *f = device_priv(device);
	const union nnsensors_payload payload = { .step_count = f->memory->steps };

	sensor_emit(kind_sensor(device, FUSED_STEP_COUNTER), at_ns, &payload);
}

static void emit_vector(struct sensor_device *device, enum fused_kind kind, int64_t at_ns,
			struct vec3 v, int8_t status)
{
	const union nnsensors_payload payload = {
		.vec3 = { .x = v.x, .y = v.y, .z = v.z, .status = status },
	};

	sensor_emit(kind_sensor(device, kind), at_ns, &payload);
}

static void emit_rotation(struct sensor_device *device, enum fused_kind kind, int64_t at_ns,
			  struct quat q, float accuracy)
{
	const union nnsensors_payload payload = { .data = { q.x, q.y, q.z, q.w, accuracy } };

	sensor_emit(kind_sensor(device, kind), at_ns, &payload);
}

/* ---- what a sample makes ---- */

static void count_steps(struct sensor_device *device, int64_t at_ns, struct vec3 v)
{
	struct fused_device *f = device_priv(device);
	int64_t steps_ns[STEPS_TO_WALK];
	const unsigned int n = steps_accelerometer(&f->steps, at_ns, v, steps_ns);

	f->memory->steps += n;
	for (unsigned int i = 0; i < n && is_on(f, FUSED_STEP_DETECTOR); i++)
		emit_scalar(device, FUSED_STEP_DETECTOR, steps_ns[i], 1);
	if (n && is_on(f, FUSED_STEP_COUNTER))
		emit_count(device, at_ns);
	if (n && is_on(f, FUSED_SIGNIFICANT_MOTION) &&
	    steps_walked(&f->steps, at_ns) >= SIGNIFICANT_STEPS &&
	    f->memory->steps - f->significant_from >= SIGNIFICANT_STEPS) {
		emit_scalar(device, FUSED_SIGNIFICANT_MOTION, at_ns, 1);
		f->significant_from = f->memory->steps;
	}
}

/** False: which way is down is not known. */
static bool find_gravity(const struct fused_device *f, int64_t at_ns, struct vec3 *gravity)
{
	if (f->bases.periods_ns[BASE_GYROSCOPE]) {
		*gravity = attitude_gravity(&f->attitude, at_ns);
		return f->attitude.level;
	}
	if (!vec3_unit(f->gravity.value, gravity))
		return false;
	*gravity = vec3_scale(*gravity, STANDARD_GRAVITY);
	return true;
}

static void split_gravity(struct sensor_device *device, int64_t at_ns, struct vec3 v)
{
	const struct fused_device *f = device_priv(device);
	const int8_t status = f->bases.periods_ns[BASE_GYROSCOPE] ? NNSENSORS_STATUS_HIGH
								  : NNSENSORS_STATUS_MEDIUM;
	struct vec3 gravity;

	if (!find_gravity(f, at_ns, &gravity))
		return;
	if (is_on(f, FUSED_GRAVITY))
		emit_vector(device, FUSED_GRAVITY, at_ns, gravity, status);
	if (is_on(f, FUSED_LINEAR))
		emit_vector(device, FUSED_LINEAR, at_ns, vec3_sub(v, gravity), status);
}

static void tell_rotations(struct sensor_device *device, int64_t at_ns)
{
	const struct fused_device *f = device_priv(device);
	const struct quat q = attitude_at(&f->attitude, at_ns);
	struct quat compass;

	if (is_on(f, FUSED_GAME_ROTATION) && f->attitude.level)
		emit_rotation(device, FUSED_GAME_ROTATION, at_ns, q, 0);
	if (is_on(f, FUSED_ROTATION) && f->attitude.level && f->attitude.north)
		emit_rotation(device, FUSED_ROTATION, at_ns, q, f->attitude.heading_error);
	if (is_on(f, FUSED_GEOMAGNETIC) && compass_rotation(&f->compass, &compass))
		emit_rotation(device, FUSED_GEOMAGNETIC, at_ns, compass, f->compass.heading_error);
}

static void accelerometer(struct sensor_device *device, int64_t at_ns, struct vec3 v)
{
	struct fused_device *f = device_priv(device);

	/* a broken sample makes no event */
	if (!vec3_is_sample(v))
		return;
	attitude_accelerometer(&f->attitude, at_ns, v);
	compass_accelerometer(&f->compass, at_ns, v);
	low_pass_feed(&f->gravity, at_ns, v, 0.5f);
	if (f->on & (KIND_BIT(FUSED_STEP_COUNTER) | KIND_BIT(FUSED_STEP_DETECTOR) |
		     KIND_BIT(FUSED_SIGNIFICANT_MOTION)))
		count_steps(device, at_ns, v);
	if (is_on(f, FUSED_TILT) && tilt_accelerometer(&f->tilt, at_ns, v))
		emit_scalar(device, FUSED_TILT, at_ns, 1);
	if (is_on(f, FUSED_ORIENTATION) && orientation_accelerometer(&f->orientation, at_ns, v))
		emit_scalar(device, FUSED_ORIENTATION, at_ns, (float)f->orientation.edge);
	split_gravity(device, at_ns, v);
	tell_rotations(device, at_ns);
}

static void fused_device_ready(struct sensor_device *device, int fd, uint32_t events)
{
	struct fused_device *f = device_priv(device);
	struct nnsensors_record record;
	int base;

	(void)fd;
	(void)events;
	base_reader_woken(&f->bases);
	while ((base = base_reader_next(&f->bases, &record)) >= 0) {
		const struct vec3 v = { record.u.data[0], record.u.data[1], record.u.data[2] };

		switch (base) {
		case BASE_ACCELEROMETER:
			accelerometer(device, record.timestamp, v);
			break;
		case BASE_GYROSCOPE:
			attitude_gyroscope(&f->attitude, record.timestamp, v);
			break;
		default:
			attitude_magnetometer(&f->attitude, record.timestamp, v);
			compass_magnetometer(&f->compass, record.timestamp, v);
		}
	}
}

/* ---- on and off ---- */

/** The sensors of @kinds were off: what they know of before is of no use. */
static void reset_filters(struct fused_device *f, unsigned int kinds, bool all)
{
	if (all) {
		attitude_reset(&f->attitude);
		compass_reset(&f->compass);
		steps_reset(&f->steps);
		f->gravity = (struct low_pass){ 0 };
	}
	if (kinds & KIND_BIT(FUSED_SIGNIFICANT_MOTION))
		f->significant_from = f->memory->steps;
	if (kinds & KIND_BIT(FUSED_TILT))
		tilt_reset(&f->tilt);
	if (kinds & KIND_BIT(FUSED_ORIENTATION))
		orientation_reset(&f->orientation);
}

static int fused_device_configure(struct sensor_device *device, const struct sensor_demand *demands)
{
	struct fused_device *f = device_priv(device);
	int64_t periods_ns[NUM_BASES] = { 0 }, period_ns = SLOWEST_BASE_NS, latency_ns = INT64_MAX;
	unsigned int on = 0, uses = 0, before = f->on;
	struct nnsensors_record record;
	int ret;

	for (unsigned int k = 0; k < NUM_FUSED_KINDS; k++) {
		const struct sensor_demand *d = f->index[k] >= 0 ? &demands[f->index[k]] : NULL;

		if (!d || !d->period_ns)
			continue;
		on |= KIND_BIT(k);
		uses |= fused_kind_row(k)->uses;
		/* the others' periods say how often to tell, not how often to look */
		if (kind_sensor(device, k)->row->mode == NNSENSORS_FLAG_CONTINUOUS &&
		    d->period_ns < period_ns)
			period_ns = d->period_ns;
		if (d->latency_ns < latency_ns)
			latency_ns = d->latency_ns;
	}
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (f->bases.subscriptions[i].sensor && (uses & BASE_BIT(i)))
			periods_ns[i] =
				sensor_period_for(f->bases.subscriptions[i].sensor, period_ns);
	ret = on ? device_watch(device, f->bases.event_fd, EPOLLIN) : 0;
	if (ret)
		return ret;
	/* nothing runs: what is left in the ring is of the time before the pause */
	while (!before && base_reader_next(&f->bases, &record) >= 0)
		;
	ret = base_reader_run(&f->bases, periods_ns, on ? latency_ns : 0);
	if (ret)
		return ret;
	reset_filters(f, on & ~before, !before);
	f->on = on;
	for (unsigned int k = 0; k < NUM_FUSED_KINDS; k++)
		if (on & KIND_BIT(k))
			sensor_runs_at(kind_sensor(device, k), periods_ns[BASE_ACCELEROMETER]);
	/* the core sends it to current and later subscribers */
	if (on & ~before & KIND_BIT(FUSED_STEP_COUNTER))
		emit_count(device, nnutil_boottime_ns());
	return 0;
}

static void fused_device_destroy(struct sensor_device *device)
{
	struct fused_device *f = device_priv(device);

	base_reader_close(&f->bases);
	free(f);
}

static const struct sensor_device_ops ops = {
	.configure = fused_device_configure,
	.ready = fused_device_ready,
	.destroy = fused_device_destroy,
};

int fused_device_add(enum fused_group group, unsigned int kinds,
		     struct sensor *const bases[NUM_BASES], struct fused_memory *memory,
		     struct sensor_device **device)
{
	struct fused_device *f = calloc(1, sizeof(*f));
	struct sensor *sensors = calloc(NUM_FUSED_KINDS, sizeof(*sensors));
	struct sensor_device_config config = {
		.name = fused_group_name(group),
		.ops = &ops,
		.priv = f,
		.sensors = sensors,
	};
	int ret = f && sensors ? base_reader_open(&f->bases, bases) : -ENOMEM;

	if (ret) {
		bases_put(bases);
		goto out;
	}
	f->memory = memory;
	for (unsigned int k = 0; k < NUM_FUSED_KINDS; k++) {
		f->index[k] = -1;
		if ((kinds & KIND_BIT(k)) &&
		    fused_kind_sensor(k, bases, &sensors[config.num_sensors]))
			f->index[k] = (int)config.num_sensors++;
	}
	/* after a gap nothing, before the first sample nothing: quaternions are valid from here on
	 */
	reset_filters(f, ~0u, true);
	ret = config.num_sensors ? device_add(&config, device) : -EINVAL;
	if (ret)
		base_reader_close(&f->bases);
out:
	free(sensors);
	if (ret)
		free(f);
	return ret;
}

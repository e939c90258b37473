// SPDX-License-Identifier: Apache-2.0
/*
 * The devices of fused sensors on base sensors of the test's own: which there are, that they follow
 * their bases, that they are off without subscribers, and that their events have the time stamps of
 * the accelerometer's samples.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core_fixture.h"
#include "eventually.h"
#include "fusion/sensord_fusion.h"
#include "nnutil_clock.h"
#include "serve/sensord_serve.h"
#include "test_case.h"

/* ---- a device that moves ---- */

enum { ACCEL, GYRO, MAGN, NUM_PARTS };

/** Steps in a second: a run, so that the test is short. */
#define STEP_HZ 3.0f

static const int32_t part_types[NUM_PARTS] = {
	NNSENSORS_TYPE_ACCELEROMETER,
	NNSENSORS_TYPE_GYROSCOPE,
	NNSENSORS_TYPE_MAGNETIC_FIELD,
};

/* One sensor each, as on a board. */
static struct imu {
	struct fake fake[NUM_PARTS];
	struct sensor_device *device[NUM_PARTS];
	int64_t due_ns[NUM_PARTS];
	atomic_bool walks, broken;
	int64_t walk_from_ns;
} imu;

static void sample_at(unsigned int part, int64_t at_ns, union nnsensors_payload *p)
{
	float up = 0;

	*p = (union nnsensors_payload){ 0 };
	if (part == GYRO)
		return;
	if (part == MAGN) {
		p->vec3.y = 20;
		p->vec3.z = -44;
		return;
	}
	if (imu.walks)
		up = 6 * sinf(2 * (float)M_PI * STEP_HZ *
			      (float)(at_ns % (1000 * NNUTIL_NS_PER_S)) * 1e-9f);
	p->vec3.y = 1;
	p->vec3.z = imu.broken ? NAN : STANDARD_GRAVITY + up;
}

static unsigned int part_of(struct sensor_device *device)
{
	const struct fake *fake = device_priv(device);

	return (unsigned int)(fake - imu.fake);
}

/** All samples that are due, with their own times. */
static void emit_due(struct sensor_device *device, int64_t now_ns)
{
	const unsigned int part = part_of(device);
	const int64_t period_ns = imu.fake[part].demands[0].period_ns;
	union nnsensors_payload payload;

	if (!period_ns)
		return;
	for (; imu.due_ns[part] <= now_ns; imu.due_ns[part] += period_ns) {
		sample_at(part, imu.due_ns[part], &payload);
		sensor_emit(device_sensor(device, 0), imu.due_ns[part], &payload);
	}
	device_tick_at(device, imu.due_ns[part]);
}

static void on_configure(struct sensor_device *device)
{
	const unsigned int part = part_of(device);
	const int64_t period_ns = imu.fake[part].demands[0].period_ns;

	imu.due_ns[part] = nnutil_boottime_ns() + period_ns;
	device_tick_at(device, period_ns ? imu.due_ns[part] : -1);
}

static void plug(unsigned int part)
{
	const struct sensor sensor = make_sensor(part_types[part], "base");

	memset(&imu.fake[part], 0, sizeof(imu.fake[part]));
	imu.fake[part].on_configure = on_configure;
	imu.fake[part].on_tick = emit_due;
	imu.device[part] = add_device(&imu.fake[part], "base", &sensor, 1);
}

static void unplug(unsigned int part)
{
	if (imu.device[part])
		remove_device(imu.device[part]);
	imu.device[part] = NULL;
}

/** The last demand on the hardware of @part, read on its thread. */
struct last_demand {
	struct sensor_demand demand;
};

static int read_demand(struct sensor_device *device, void *argument)
{
	const struct fake *fake = device_priv(device);
	struct last_demand *last = argument;

	last->demand = fake->demands[0];
	return 0;
}

static struct sensor_demand demand(unsigned int part)
{
	struct last_demand last;

	assert_int_equal(device_call(imu.device[part], read_demand, &last), 0);
	return last.demand;
}

/* ---- fixture ---- */

FIXTURE(begin)
{
	imu.walks = imu.broken = false;
	plug(ACCEL);
	return fused_sensors_start();
}

FIXTURE(finish)
{
	fused_sensors_stop();
	for (unsigned int i = 0; i < NUM_PARTS; i++)
		unplug(i);
	sensor_list_clear();
	return 0;
}

static bool is_listed(int32_t type)
{
	struct sensor *sensor = sensor_list_default(type);

	if (!sensor)
		return false;
	device_put(sensor->device);
	return true;
}

/** A started subscription of the default sensor of @type. */
static void subscribe_type(struct subscription *s, int32_t type, struct kept_sink *kept,
			   int64_t period_ns)
{
	struct sensor *sensor = sensor_list_default(type);

	assert_non_null(sensor);
	subscribe(s, sensor, kept, period_ns);
	device_put(sensor->device);
}

/* ---- which there are ---- */

static const int32_t with_accel[] = {
	NNSENSORS_TYPE_STEP_COUNTER,	    NNSENSORS_TYPE_STEP_DETECTOR,
	NNSENSORS_TYPE_SIGNIFICANT_MOTION,  NNSENSORS_TYPE_TILT_DETECTOR,
	NNSENSORS_TYPE_DEVICE_ORIENTATION,  NNSENSORS_TYPE_GRAVITY,
	NNSENSORS_TYPE_LINEAR_ACCELERATION,
};

static bool accel_kinds_listed(void)
{
	for (unsigned int i = 0; i < sizeof(with_accel) / sizeof(with_accel[0]); i++)
		if (!is_listed(with_accel[i]))
			return false;
	return true;
}

static void check_fused(void)
{
	struct nnsensors_info *infos;
	uint32_t count;

	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	for (uint32_t i = 0; i < count; i++) {
		struct sensor *sensor = sensor_list_get(infos[i].handle);
		char message[160];

		/* a fused device may be on its way to be replaced */
		if (!sensor)
			continue;
		assert_true(sensor_check(sensor, message, sizeof(message)));
		if (sensor->info.type != NNSENSORS_TYPE_ACCELEROMETER &&
		    sensor->info.type != NNSENSORS_TYPE_GYROSCOPE &&
		    sensor->info.type != NNSENSORS_TYPE_MAGNETIC_FIELD)
			assert_string_equal(sensor->info.vendor, FUSION_VENDOR);
		device_put(sensor->device);
	}
	free(infos);
}

TEST(test_list)
{
	assert_true(accel_kinds_listed());
	assert_false(is_listed(NNSENSORS_TYPE_GAME_ROTATION_VECTOR));
	assert_false(is_listed(NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR));
	check_fused();
	plug(GYRO);
	assert_true(EVENTUALLY(is_listed(NNSENSORS_TYPE_GAME_ROTATION_VECTOR)));
	assert_false(is_listed(NNSENSORS_TYPE_ROTATION_VECTOR));
	assert_true(accel_kinds_listed());
	check_fused();
	plug(MAGN);
	assert_true(EVENTUALLY(is_listed(NNSENSORS_TYPE_ROTATION_VECTOR) &&
			       is_listed(NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR)));
	check_fused();
	unplug(GYRO);
	assert_true(EVENTUALLY(!is_listed(NNSENSORS_TYPE_GAME_ROTATION_VECTOR) &&
			       !is_listed(NNSENSORS_TYPE_ROTATION_VECTOR) &&
			       is_listed(NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR)));
	unplug(ACCEL);
	assert_true(EVENTUALLY(!is_listed(NNSENSORS_TYPE_GRAVITY) &&
			       !is_listed(NNSENSORS_TYPE_STEP_COUNTER) &&
			       !is_listed(NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR)));
	plug(ACCEL);
	assert_true(EVENTUALLY(accel_kinds_listed() &&
			       is_listed(NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR)));
}

/** What the hardware measures is not computed. */
TEST(test_hardware_first)
{
	const struct sensor gravity = make_sensor(NNSENSORS_TYPE_GRAVITY, "hardware");
	struct fake fake = { 0 };
	struct sensor *sensor, *fused = sensor_list_default(NNSENSORS_TYPE_GRAVITY);
	const int32_t handle = fused->info.handle;

	device_put(fused->device);
	sensor = add_sensor(&fake, &gravity);
	assert_true(EVENTUALLY(({
		struct sensor *old = sensor_list_get(handle);

		if (old)
			device_put(old->device);
		!old &&is_listed(NNSENSORS_TYPE_LINEAR_ACCELERATION);
	})));
	fused = sensor_list_default(NNSENSORS_TYPE_GRAVITY);
	assert_ptr_equal(fused, sensor);
	device_put(fused->device);
	remove_device(sensor->device);
	assert_true(EVENTUALLY(is_listed(NNSENSORS_TYPE_GRAVITY)));
}

/* ---- what they tell ---- */

/** The record of @token with the time of @of; NULL: none. */
static const struct nnsensors_record *at_time(const struct kept_sink *kept, int32_t token,
					      const struct nnsensors_record *of)
{
	for (unsigned int i = 0; i < kept->count; i++)
		if (kept->records[i].token == token && kept->records[i].timestamp == of->timestamp)
			return &kept->records[i];
	return NULL;
}

/** Gravity and linear acceleration of a sample have its time, and are the sample together. */
static void check_sums(bool with_gyro)
{
	struct subscription accel, gravity, linear;
	unsigned int checked = 0;
	struct kept_sink kept;

	kept_sink_init(&kept);
	subscribe_type(&accel, NNSENSORS_TYPE_ACCELEROMETER, &kept, 5 * MS);
	subscribe_type(&gravity, NNSENSORS_TYPE_GRAVITY, &kept, 5 * MS);
	subscribe_type(&linear, NNSENSORS_TYPE_LINEAR_ACCELERATION, &kept, 5 * MS);
	assert_int_equal(demand(ACCEL).period_ns, 5 * MS);
	if (with_gyro)
		assert_int_equal(demand(GYRO).period_ns, 5 * MS);
	assert_true(EVENTUALLY(kept_count(&kept) > 300));
	subscription_fini(&linear);
	subscription_fini(&gravity);
	subscription_fini(&accel);
	for (unsigned int i = 0; i < kept.count; i++) {
		const struct nnsensors_record *g = &kept.records[i], *a, *l;
		struct vec3 difference;

		if (g->type != NNSENSORS_TYPE_GRAVITY)
			continue;
		a = at_time(&kept, accel.token, g);
		l = at_time(&kept, linear.token, g);
		assert_non_null(a);
		if (!l) /* the first one, before linear acceleration was wanted */
			continue;
		assert_true(fabsf(hypotf(hypotf(g->u.vec3.x, g->u.vec3.y), g->u.vec3.z) -
				  STANDARD_GRAVITY) < 1e-3f);
		difference = (struct vec3){ g->u.vec3.x + l->u.vec3.x - a->u.vec3.x,
					    g->u.vec3.y + l->u.vec3.y - a->u.vec3.y,
					    g->u.vec3.z + l->u.vec3.z - a->u.vec3.z };
		assert_true(vec3_norm(difference) < 1e-4f);
		/* at rest: all of it is gravity, but for the length of the test's */
		assert_true(hypotf(l->u.vec3.x, l->u.vec3.y) < 0.1f);
		checked++;
	}
	assert_true(checked > 50);
	kept_sink_fini(&kept);
}

TEST(test_gravity)
{
	check_sums(false);
	plug(GYRO);
	assert_true(EVENTUALLY(is_listed(NNSENSORS_TYPE_GAME_ROTATION_VECTOR)));
	check_sums(true);
}

TEST(test_rotations)
{
	static const int32_t types[] = { NNSENSORS_TYPE_GAME_ROTATION_VECTOR,
					 NNSENSORS_TYPE_ROTATION_VECTOR,
					 NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR };

	plug(GYRO);
	plug(MAGN);
	assert_true(EVENTUALLY(is_listed(types[0]) && is_listed(types[1]) && is_listed(types[2])));
	for (unsigned int i = 0; i < 3; i++) {
		struct subscription s;
		struct kept_sink kept;

		kept_sink_init(&kept);
		/* the device may be replaced while bases are plugged */
		assert_true(EVENTUALLY(is_listed(types[i])));
		subscribe_type(&s, types[i], &kept, 10 * MS);
		assert_true(EVENTUALLY(kept_count(&kept) > 20 || kept_gone(&kept)));
		assert_int_equal(kept_gone(&kept), 0);
		/* what is not used is not on */
		assert_int_equal(demand(GYRO).period_ns != 0,
				 types[i] != NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR);
		assert_int_equal(demand(MAGN).period_ns != 0,
				 types[i] != NNSENSORS_TYPE_GAME_ROTATION_VECTOR);
		subscription_fini(&s);
		for (unsigned int k = 0; k < kept.count && k < KEPT; k++) {
			const float *q = kept.records[k].u.data;

			/* the accelerometer says 1 on y: its top is up by 0.1, to the north */
			assert_true(fabsf(q[0] - 0.0508f) < 0.01f);
			assert_true(fabsf(q[1]) < 0.01f && fabsf(q[2]) < 0.01f);
			assert_true(fabsf(q[3] - 0.9987f) < 0.001f);
		}
		kept_sink_fini(&kept);
	}
}

/** Samples that are no numbers make no event, and nothing afterwards is wrong. */
TEST(test_broken_base)
{
	struct subscription gravity, accel;
	struct kept_sink kept, base;
	unsigned int before;

	kept_sink_init(&kept);
	kept_sink_init(&base);
	subscribe_type(&gravity, NNSENSORS_TYPE_GRAVITY, &kept, 5 * MS);
	subscribe_type(&accel, NNSENSORS_TYPE_ACCELEROMETER, &base, 5 * MS);
	assert_true(EVENTUALLY(kept_count(&kept) > 5));
	imu.broken = true;
	before = kept_count(&base);
	assert_true(EVENTUALLY(kept_count(&base) > before + 20));
	imu.broken = false;
	before = kept_count(&kept);
	assert_true(EVENTUALLY(kept_count(&kept) > before + 20));
	subscription_fini(&accel);
	subscription_fini(&gravity);
	for (unsigned int i = 0; i < kept.count; i++) {
		assert_true(isfinite(kept.records[i].u.vec3.z));
		assert_true(fabsf(kept.records[i].u.vec3.z - STANDARD_GRAVITY) < 0.2f);
	}
	kept_sink_fini(&kept);
	kept_sink_fini(&base);
}

static unsigned int count_type(struct kept_sink *kept, int32_t type)
{
	unsigned int n = 0;

	pthread_mutex_lock(&kept->lock);
	for (unsigned int i = 0; i < kept->count; i++)
		n += kept->records[i].type == type;
	pthread_mutex_unlock(&kept->lock);
	return n;
}

/** The last value of the step counter; UINT64_MAX: none. */
static uint64_t last_count(struct kept_sink *kept)
{
	uint64_t last = UINT64_MAX;

	pthread_mutex_lock(&kept->lock);
	for (unsigned int i = 0; i < kept->count; i++)
		if (kept->records[i].type == NNSENSORS_TYPE_STEP_COUNTER)
			last = kept->records[i].u.step_count;
	pthread_mutex_unlock(&kept->lock);
	return last;
}

/**
 * Steps are reported one by one and counted; the count stays without subscribers; a walk is a
 * significant motion.
 */
TEST(test_steps)
{
	struct subscription counter, detector, motion;
	struct kept_sink kept;
	uint64_t first, last;
	unsigned int steps;

	kept_sink_init(&kept);
	subscribe_type(&counter, NNSENSORS_TYPE_STEP_COUNTER, &kept, 0);
	/* the value comes at once */
	first = last_count(&kept);
	assert_true(first != UINT64_MAX);
	subscribe_type(&detector, NNSENSORS_TYPE_STEP_DETECTOR, &kept, 0);
	subscribe_type(&motion, NNSENSORS_TYPE_SIGNIFICANT_MOTION, &kept, 0);
	assert_int_equal(demand(ACCEL).period_ns, 20 * MS);
	imu.walks = true;
	assert_true(EVENTUALLY(count_type(&kept, NNSENSORS_TYPE_STEP_DETECTOR) >= 14));
	imu.walks = false;
	subscription_stop(&detector);
	steps = count_type(&kept, NNSENSORS_TYPE_STEP_DETECTOR);
	last = last_count(&kept);
	/* the counter may have had one more, after the detector was stopped */
	assert_true(last - first >= steps && last - first <= steps + 1);
	assert_int_equal(count_type(&kept, NNSENSORS_TYPE_SIGNIFICANT_MOTION), 1);
	assert_false(atomic_load(&motion.started));
	subscription_fini(&motion);
	subscription_fini(&detector);
	subscription_stop(&counter);
	last = last_count(&kept);
	assert_true(EVENTUALLY(demand(ACCEL).period_ns == 0));
	kept_clear(&kept);
	assert_int_equal(subscription_start(&counter, 0, 0), 0);
	assert_int_equal(last_count(&kept), last);
	subscription_fini(&counter);
	/* and to one that comes while the bases run for another */
	subscribe_type(&detector, NNSENSORS_TYPE_STEP_DETECTOR, &kept, 0);
	for (unsigned int i = 0; i < 20; i++) {
		kept_clear(&kept);
		subscribe_type(&counter, NNSENSORS_TYPE_STEP_COUNTER, &kept, 0);
		assert_int_equal(last_count(&kept), last);
		subscription_fini(&counter);
	}
	subscription_fini(&detector);
	kept_sink_fini(&kept);
}

/* ---- what they ask of their bases ---- */

TEST(test_demand)
{
	struct subscription slow, fast;
	struct kept_sink kept;

	kept_sink_init(&kept);
	assert_int_equal(demand(ACCEL).period_ns, 0);
	subscribe_type(&slow, NNSENSORS_TYPE_GRAVITY, &kept, 200 * MS);
	/* filters need more samples than the subscriber wants results */
	assert_int_equal(demand(ACCEL).period_ns, 20 * MS);
	assert_int_equal(subscription_start(&slow, 200 * MS, 500 * MS), 0);
	assert_int_equal(demand(ACCEL).latency_ns, 500 * MS);
	subscribe_type(&fast, NNSENSORS_TYPE_LINEAR_ACCELERATION, &kept, 2 * MS);
	assert_int_equal(demand(ACCEL).period_ns, 2 * MS);
	assert_int_equal(demand(ACCEL).latency_ns, 0);
	assert_true(EVENTUALLY(count_type(&kept, NNSENSORS_TYPE_GRAVITY) >= 4));
	subscription_fini(&fast);
	assert_int_equal(demand(ACCEL).period_ns, 20 * MS);
	subscription_fini(&slow);
	assert_int_equal(demand(ACCEL).period_ns, 0);
	/* its own period, however fast the base runs for others */
	for (unsigned int i = 0, n = 0; i < kept.count; i++) {
		if (kept.records[i].type != NNSENSORS_TYPE_GRAVITY)
			continue;
		for (unsigned int k = i + 1; n < 3 && k < kept.count; k++)
			if (kept.records[k].type == NNSENSORS_TYPE_GRAVITY) {
				const int64_t interval =
					kept.records[k].timestamp - kept.records[i].timestamp;

				assert_true(interval > 150 * MS);
				n++;
				break;
			}
	}
	kept_sink_fini(&kept);
}

/** As fast as accelerometer and gyroscope; the magnetometer limits only what has no gyroscope. */
TEST(test_rates)
{
	static const int accel_hz[] = { 800, 200, 50 }, gyro_hz[] = { 400, 100 },
			 magn_hz[] = { 100, 20 };
	static const struct {
		int32_t type;
		int64_t fastest_ns;
		uint32_t level;
	} fused[] = {
		{ NNSENSORS_TYPE_GRAVITY, 5 * MS, NNSENSORS_RATE_FAST },
		{ NNSENSORS_TYPE_ROTATION_VECTOR, 5 * MS, NNSENSORS_RATE_FAST },
		{ NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR, 20 * MS, NNSENSORS_RATE_NORMAL },
	};
	static const int *const hz[NUM_PARTS] = { accel_hz, gyro_hz, magn_hz };

	unplug(ACCEL);
	for (unsigned int part = 0; part < NUM_PARTS; part++) {
		struct sensor sensor = make_sensor(part_types[part], "base");

		set_rates(&sensor, hz[part], part == ACCEL ? 3 : 2);
		memset(&imu.fake[part], 0, sizeof(imu.fake[part]));
		imu.device[part] = add_device(&imu.fake[part], "base", &sensor, 1);
	}
	for (unsigned int i = 0; i < 3; i++) {
		struct sensor *sensor;

		/* until all bases are known, and the device is the last one */
		assert_true(EVENTUALLY(({
			sensor = sensor_list_default(fused[i].type);
			if (sensor && sensor->periods_ns[0] != fused[i].fastest_ns) {
				device_put(sensor->device);
				sensor = NULL;
			}
			sensor;
		})));
		assert_int_equal((sensor->info.flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
					 NNSENSORS_FLAG_DIRECT_REPORT_SHIFT,
				 fused[i].level);
		device_put(sensor->device);
	}
	check_fused();
}

/** What a base refuses is the caller's answer; what ran before goes on. */
TEST(test_refused)
{
	struct subscription gravity, rotation;
	struct kept_sink kept;
	unsigned int before;

	plug(GYRO);
	assert_true(EVENTUALLY(is_listed(NNSENSORS_TYPE_GAME_ROTATION_VECTOR)));
	kept_sink_init(&kept);
	subscribe_type(&gravity, NNSENSORS_TYPE_GRAVITY, &kept, 20 * MS);
	imu.fake[GYRO].at_least_ns = 10 * MS;
	subscribe_type(&rotation, NNSENSORS_TYPE_GAME_ROTATION_VECTOR, &kept, 20 * MS);
	assert_int_equal(subscription_start(&rotation, 2 * MS, 0), -EINVAL);
	assert_int_equal(demand(ACCEL).period_ns, 20 * MS);
	assert_int_equal(demand(GYRO).period_ns, 20 * MS);
	before = kept_count(&kept);
	assert_true(EVENTUALLY(kept_count(&kept) > before + 5));
	subscription_fini(&rotation);
	subscription_fini(&gravity);
	assert_int_equal(demand(ACCEL).period_ns, 0);
	kept_sink_fini(&kept);
}

/* ---- bases that go ---- */

TEST(test_unplugged)
{
	struct subscription gravity, counter;
	struct kept_sink kept;

	for (unsigned int round = 0; round < 20; round++) {
		kept_sink_init(&kept);
		assert_true(EVENTUALLY(accel_kinds_listed()));
		subscribe_type(&gravity, NNSENSORS_TYPE_GRAVITY, &kept, 1 * MS);
		subscribe_type(&counter, NNSENSORS_TYPE_STEP_COUNTER, &kept, 0);
		assert_true(EVENTUALLY(kept_count(&kept) > 2));
		unplug(ACCEL);
		assert_true(EVENTUALLY(kept_gone(&kept) == 2));
		assert_int_equal(subscription_start(&gravity, 1 * MS, 0), -ENODEV);
		subscription_fini(&gravity);
		subscription_fini(&counter);
		plug(ACCEL);
		kept_sink_fini(&kept);
	}
}

/** The service's end with a subscriber: nothing hangs, the base is off. */
TEST(test_stop_in_use)
{
	struct subscription gravity;
	struct kept_sink kept;

	kept_sink_init(&kept);
	subscribe_type(&gravity, NNSENSORS_TYPE_GRAVITY, &kept, 1 * MS);
	assert_true(EVENTUALLY(kept_count(&kept) > 2));
	fused_sensors_stop();
	assert_int_equal(kept_gone(&kept), 1);
	assert_int_equal(demand(ACCEL).period_ns, 0);
	assert_false(is_listed(NNSENSORS_TYPE_GRAVITY));
	subscription_fini(&gravity);
	kept_sink_fini(&kept);
}

/* The table of permissions has every base of every kind. */
TEST(test_permissions_know)
{
	static const int32_t bases[NUM_BASES] = {
		[BASE_ACCELEROMETER] = NNSENSORS_TYPE_ACCELEROMETER,
		[BASE_GYROSCOPE] = NNSENSORS_TYPE_GYROSCOPE,
		[BASE_MAGNETOMETER] = NNSENSORS_TYPE_MAGNETIC_FIELD,
	};

	for (enum fused_kind kind = 0; kind < NUM_FUSED_KINDS; kind++)
		for (unsigned int i = 0; i < NUM_BASES; i++)
			if (fused_kind_row(kind)->uses & BASE_BIT(i))
				assert_true(type_is_computed_from(fused_kind_row(kind)->type,
								  bases[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_permissions_know),
		cmocka_unit_test_setup_teardown(test_list, begin, finish),
		cmocka_unit_test_setup_teardown(test_hardware_first, begin, finish),
		cmocka_unit_test_setup_teardown(test_gravity, begin, finish),
		cmocka_unit_test_setup_teardown(test_rotations, begin, finish),
		cmocka_unit_test_setup_teardown(test_broken_base, begin, finish),
		cmocka_unit_test_setup_teardown(test_steps, begin, finish),
		cmocka_unit_test_setup_teardown(test_demand, begin, finish),
		cmocka_unit_test_setup_teardown(test_rates, begin, finish),
		cmocka_unit_test_setup_teardown(test_refused, begin, finish),
		cmocka_unit_test_setup_teardown(test_unplugged, begin, finish),
		cmocka_unit_test_setup_teardown(test_stop_in_use, begin, finish),
	};

	return cmocka_run_group_tests_name("sensors-fused", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * The core: what may be in the list, at which period a request is served, and who gets which sample
 * at which rate. Clock and samples are the test's, so ten seconds take none.
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_fixture.h"
#include "test_case.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* The clock's start in a test: of no special value. */
#define T0 (1234567ll * MS)

static const int rates[] = { 800, 400, 200, 100, 50 };

static struct sensor make_accelerometer(const char *name)
{
	struct sensor sensor = make_sensor(NNSENSORS_TYPE_ACCELEROMETER, name);

	set_rates(&sensor, rates, ARRAY_SIZE(rates));
	sensor_set_direct(&sensor);
	return sensor;
}

/* ---- rules of a list of sensors ---- */

static void spoil(struct sensor *s, unsigned int how)
{
	struct nnsensors_info *info = &s->info;

	switch (how) {
	case 0:
		info->name[0] = '\0';
		break;
	case 1:
		info->vendor[0] = '\0';
		break;
	case 2:
		memset(info->name, 'x', sizeof(info->name));
		break;
	case 3:
		strcpy(info->type_string, "android.sensor.gyroscope");
		break;
	case 4:
		info->power_ma = -1;
		break;
	case 5:
		info->max_range = 0;
		break;
	case 6:
		info->max_range = NAN;
		break;
	case 7:
		info->fifo_reserved = 2, info->fifo_max = 1;
		break;
	case 8:
		info->flags |= NNSENSORS_FLAG_ON_CHANGE;
		break;
	case 9:
		info->min_delay_us = 0;
		break;
	case 10:
		info->max_delay_us = info->min_delay_us - 1;
		break;
	case 11:
		info->type = NNSENSORS_TYPE_META_DATA;
		break;
	case 12:
		s->row = nnsensors_type_row(NNSENSORS_TYPE_GYROSCOPE);
		break;
	case 13:
		s->periods_ns[1] = s->periods_ns[0];
		break;
	case 14:
		info->min_delay_us += 2;
		break;
	case 15:
		info->resolution = -1;
		break;
	case 16:
		info->flags |= 0x8;
		break;
	default:
		s->num_periods = SENSOR_RATES_MAX + 1;
	}
}

TEST(test_list_valid)
{
	struct sensor good = make_accelerometer("a");
	struct nnsensors_info *infos;
	char text[128];
	uint32_t count;

	assert_true(sensor_check(&good, text, sizeof(text)));
	for (unsigned int i = 0; i <= 17; i++) {
		struct sensor bad = good;
		struct fake fake = { 0 };
		const struct sensor_device_config config = {
			.name = "bad",
			.ops = &(struct sensor_device_ops){ 0 },
			.priv = &fake,
			.sensors = &bad,
			.num_sensors = 1,
		};

		spoil(&bad, i);
		text[0] = '\0';
		if (sensor_check(&bad, text, sizeof(text)))
			fail_msg("case %u is taken", i);
		assert_int_not_equal(text[0], 0);
		assert_int_equal(device_add(&config, NULL), -EINVAL);
	}
	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	assert_int_equal(count, 0);
	assert_null(infos);
}

TEST(test_list_valid_every_type)
{
	const struct sensor_type *row;
	char text[128];

	for (size_t i = 0; (row = nnsensors_type_at(i)); i++) {
		struct sensor sensor = make_sensor(row->type, "x");

		if (row->type == NNSENSORS_TYPE_PRIVATE_BASE)
			strcpy(sensor.info.type_string, "com.example.sensor");
		if (sensor_check(&sensor, text, sizeof(text)) != row->listed)
			fail_msg("%s: %s", row->name, text);
	}
}

/* A mode's periods: minDelay and maxDelay. */
TEST(test_list_valid_delays)
{
	static const struct {
		int32_t type, min, max;
		bool good;
	} cases[] = {
		{ NNSENSORS_TYPE_LIGHT, 0, 0, true },
		{ NNSENSORS_TYPE_LIGHT, 0, 100, true },
		{ NNSENSORS_TYPE_LIGHT, -1, 0, false },
		{ NNSENSORS_TYPE_LIGHT, 10, 9, false },
		{ NNSENSORS_TYPE_MOTION_DETECT, -1, 0, true },
		{ NNSENSORS_TYPE_MOTION_DETECT, 0, 0, false },
		{ NNSENSORS_TYPE_MOTION_DETECT, -1, 1, false },
		{ NNSENSORS_TYPE_STEP_DETECTOR, 0, 0, true },
		{ NNSENSORS_TYPE_STEP_DETECTOR, -1, 0, false },
		{ NNSENSORS_TYPE_STEP_DETECTOR, 0, 1, false },
		{ NNSENSORS_TYPE_GYROSCOPE, 1, 1, true },
		{ NNSENSORS_TYPE_GYROSCOPE, -1, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sensor sensor = make_sensor(cases[i].type, "x");

		sensor.info.min_delay_us = cases[i].min;
		sensor.info.max_delay_us = cases[i].max;
		if (sensor_check(&sensor, NULL, 0) != cases[i].good)
			fail_msg("case %zu", i);
	}
}

/* ---- periods ---- */

TEST(test_period_of_a_list)
{
	struct sensor s = make_accelerometer("a");

	assert_int_equal(sensor_period_for(&s, 20 * MS), 20 * MS);
	assert_int_equal(sensor_period_for(&s, 19 * MS), 10 * MS);
	assert_int_equal(sensor_period_for(&s, 10 * MS), 10 * MS);
	assert_int_equal(sensor_period_for(&s, 10 * MS - 1), 5 * MS);
	assert_int_equal(sensor_period_for(&s, 0), 1250000);
	assert_int_equal(sensor_period_for(&s, 1), 1250000);
	assert_int_equal(sensor_period_for(&s, 3600 * S), 20 * MS);
}

TEST(test_period_between_limits)
{
	struct sensor s = make_sensor(NNSENSORS_TYPE_GYROSCOPE, "g");
	struct sensor light = make_sensor(NNSENSORS_TYPE_LIGHT, "l");

	assert_int_equal(sensor_period_for(&s, 7777777), 7777777);
	assert_int_equal(sensor_period_for(&s, 0), MS);
	assert_int_equal(sensor_period_for(&s, 3 * S), 200 * MS);
	/* without limits of its own: the framework's floor */
	light.info.min_delay_us = light.info.max_delay_us = 0;
	assert_int_equal(sensor_period_for(&light, 0), MS);
	assert_int_equal(sensor_period_for(&light, 60 * S), 60 * S);
}

/* Contract 12.5: 12.5 to 1660 Hz are 52, 208 and 833 Hz. */
TEST(test_period_of_levels)
{
	static const int64_t mhz[] = {
		1660000, 833000, 416000, 208000, 104000, 52000, 26000, 12500
	};
	struct sensor s = make_sensor(NNSENSORS_TYPE_ACCELEROMETER, "a");

	s.num_periods = ARRAY_SIZE(mhz);
	for (size_t i = 0; i < ARRAY_SIZE(mhz); i++)
		s.periods_ns[i] = 1000 * S / mhz[i];
	assert_int_equal(sensor_period_for_level(&s, NNSENSORS_RATE_STOP), 0);
	assert_int_equal(sensor_period_for_level(&s, NNSENSORS_RATE_NORMAL), 1000 * S / 52000);
	assert_int_equal(sensor_period_for_level(&s, NNSENSORS_RATE_FAST), 1000 * S / 208000);
	assert_int_equal(sensor_period_for_level(&s, NNSENSORS_RATE_VERY_FAST), 1000 * S / 833000);
}

static uint32_t direct_level(struct sensor *s)
{
	sensor_set_direct(s);
	return (s->info.flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
	       NNSENSORS_FLAG_DIRECT_REPORT_SHIFT;
}

TEST(test_direct_bits)
{
	static const int fast[] = { 200, 50 }, only_fast[] = { 800, 200 }, slow[] = { 25 };
	const uint32_t memory = NNSENSORS_FLAG_DIRECT_ASHMEM | NNSENSORS_FLAG_DIRECT_GRALLOC;
	struct sensor s = make_accelerometer("a");

	assert_int_equal(direct_level(&s), NNSENSORS_RATE_VERY_FAST);
	assert_int_equal(s.info.flags & memory, memory);
	set_rates(&s, fast, 2);
	assert_int_equal(direct_level(&s), NNSENSORS_RATE_FAST);
	/* a level means all below it, too */
	set_rates(&s, only_fast, 2);
	assert_int_equal(direct_level(&s), NNSENSORS_RATE_STOP);
	assert_int_equal(s.info.flags & memory, 0);
	set_rates(&s, slow, 1);
	assert_int_equal(direct_level(&s), NNSENSORS_RATE_STOP);
	s = make_sensor(NNSENSORS_TYPE_PRESSURE, "p");
	assert_int_equal(direct_level(&s), NNSENSORS_RATE_VERY_FAST);
	s = make_sensor(NNSENSORS_TYPE_LIGHT, "l");
	assert_int_equal(direct_level(&s), NNSENSORS_RATE_STOP);
}

/* ---- the list ---- */

TEST(test_handles_and_names)
{
	struct sensor sensors[2] = { make_accelerometer("a"),
				     make_sensor(NNSENSORS_TYPE_LIGHT, "a") };
	struct fake fake = { 0 }, other = { 0 };
	const struct sensor_device_config same = {
		.name = "same",
		.ops = &(struct sensor_device_ops){ 0 },
		.priv = &other,
		.sensors = sensors,
		.num_sensors = 1,
	};
	struct sensor_device *device;
	struct nnsensors_info *infos;
	struct sensor *found;
	uint32_t count;
	int32_t handle;

	device = add_device(&fake, "two", sensors, 2);
	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	assert_int_equal(count, 2);
	assert_true(infos[0].handle > 0);
	assert_int_equal(infos[1].handle, infos[0].handle + 1);
	assert_int_equal(infos[0].size, sizeof(infos[0]));
	handle = infos[1].handle;
	free(infos);
	found = sensor_list_get(handle);
	assert_ptr_equal(found, device_sensor(device, 1));
	device_put(found->device);
	/* a name is of one sensor of a type; destroy() was not called for the refused */
	assert_int_equal(device_add(&same, NULL), -EINVAL);
	sensors[1] = sensors[0];
	assert_int_equal(device_add(&(struct sensor_device_config){ .name = "twice",
								    .ops = same.ops,
								    .sensors = sensors,
								    .num_sensors = 2 },
				    NULL),
			 -EINVAL);
	remove_device(device);
	assert_int_equal(fake.destroyed, 1);
	assert_null(sensor_list_get(handle));
	assert_null(sensor_list_get(0));
	assert_null(sensor_list_get(-1));
	/* the name is free, the handle is not used again */
	found = add_sensor(&other, &sensors[0]);
	assert_true(found->info.handle > handle);
	remove_device(found->device);
}

TEST(test_default_sensor)
{
	static const int32_t types[] = { NNSENSORS_TYPE_PROXIMITY, NNSENSORS_TYPE_ACCELEROMETER };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct sensor other = make_sensor(types[i], "other"),
			      natural = make_sensor(types[i], "n");
		struct fake fakes[2] = { 0 };
		struct sensor *first, *second, *found;

		assert_null(sensor_list_default(types[i]));
		other.info.flags ^= NNSENSORS_FLAG_WAKE_UP;
		first = add_sensor(&fakes[0], &other);
		assert_null(sensor_list_default(types[i]));
		second = add_sensor(&fakes[1], &natural);
		found = sensor_list_default(types[i]);
		assert_ptr_equal(found, second);
		device_put(found->device);
		remove_device(first->device);
		remove_device(second->device);
	}
}

/* ---- rates ---- */

/* All intervals of @kept from record @from on are @period. */
static void check_intervals(struct kept_sink *kept, unsigned int from, int64_t period)
{
	for (unsigned int i = from + 1; i < kept->count; i++)
		if (kept->records[i].timestamp - kept->records[i - 1].timestamp != period)
			fail_msg("record %u: %lld ns behind the one before, not %lld", i,
				 (long long)(kept->records[i].timestamp -
					     kept->records[i - 1].timestamp),
				 (long long)period);
}

TEST(test_each_its_own_rate)
{
	static const int64_t wanted[] = { 20 * MS, 10 * MS, 5 * MS, 2500000, 1250000 };
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener all[5];

	for (int i = 0; i < 5; i++) {
		listen_to(&all[i], sensor, wanted[i]);
		assert_int_equal(fake.demands[0].period_ns, wanted[i]);
	}
	emit_every(sensor, T0, T0 + 10 * S, 1250000);
	for (int i = 0; i < 5; i++) {
		int64_t expected = 10 * S / wanted[i];

		assert_true(llabs(all[i].kept.count - expected) <= 1);
		/* the first point of the grid is the start, and may have a sample a little later */
		check_intervals(&all[i].kept, 1, wanted[i]);
		assert_int_equal(all[i].kept.records[0].token, sensor->info.handle);
		assert_int_equal(all[i].kept.records[0].type, NNSENSORS_TYPE_ACCELEROMETER);
		assert_int_equal(all[i].kept.records[0].u.data[1], 2);
	}
	/* the hardware follows the fastest that is left */
	for (int i = 4; i >= 0; i--) {
		stop_listening(&all[i]);
		assert_int_equal(fake.demands[0].period_ns, i ? wanted[i - 1] : 0);
	}
	remove_device(sensor->device);
}

/* A client's rate stays the same while others, faster and slower, come and go. */
TEST(test_constant_rate)
{
	static const int64_t others[] = { 1250000, 20 * MS, 5 * MS, 2500000, 10 * MS };
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener mine, other;
	int64_t t = T0;

	listen_to(&mine, sensor, 10 * MS);
	emit_every(sensor, t, t + S, fake.demands[0].period_ns);
	t += S;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(others); i++) {
		listen_to(&other, sensor, others[i % ARRAY_SIZE(others)]);
		emit_every(sensor, t, t + S, fake.demands[0].period_ns);
		t += S;
		stop_listening(&other);
		emit_every(sensor, t, t + S, fake.demands[0].period_ns);
		t += S;
	}
	assert_int_equal(fake.demands[0].period_ns, 10 * MS);
	assert_int_equal(mine.kept.count, (t - T0) / (10 * MS));
	check_intervals(&mine.kept, 0, 10 * MS);
	stop_listening(&mine);
	remove_device(sensor->device);
}

#define LEVELS 3

/* Periods that are no multiples, of hardware that is not exact: in (55 %, 220 %] all the time. */
TEST(test_windows)
{
	static const int odd[] = { 833, 416, 104, 52 };
	static const enum nnsensors_rate_level levels[LEVELS] = { NNSENSORS_RATE_NORMAL,
								  NNSENSORS_RATE_FAST,
								  NNSENSORS_RATE_VERY_FAST };

	for (int percent = 92; percent <= 108; percent += 4) {
		struct sensor make = make_sensor(NNSENSORS_TYPE_GYROSCOPE, "g"), *sensor;
		struct fake fake = { .now = T0 };
		struct listener per_level[LEVELS], third;

		set_rates(&make, odd, ARRAY_SIZE(odd));
		sensor = add_sensor(&fake, &make);
		for (int i = 0; i < LEVELS; i++)
			listen_to(&per_level[i], sensor,
				  sensor_period_for_level(sensor, levels[i]));
		listen_to(&third, sensor, S / 104);
		emit_every(sensor, T0, T0 + 10 * S, fake.demands[0].period_ns * percent / 100);
		for (int i = 0; i < LEVELS; i++) {
			int64_t period = nnsensors_rate_period_ns(levels[i]);

			assert_true(per_level[i].kept.count * 100.0 >
				    55.0 * 10 * S / (double)period);
			assert_true(per_level[i].kept.count * 100.0 <=
				    220.0 * 10 * S / (double)period);
		}
		/* 104 Hz out of 833: the grid does not drift, however wrong the hardware's clock */
		assert_true(abs((int)third.kept.count - 1040) <= 2);
		/* a subscriber at the hardware's own rate gets all */
		assert_true(llabs(per_level[2].kept.count - 10ll * 833 * 100 / percent) <= 1);
		stop_listening(&third);
		for (int i = 0; i < LEVELS; i++)
			stop_listening(&per_level[i]);
		remove_device(sensor->device);
	}
}

/* VTS "rate hot switch": smallest to largest period and back, without a stop. */
TEST(test_hot_switch)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l;
	int64_t t = T0, period;

	listen_to(&l, sensor, 1250000);
	for (int i = 0; i < 6; i++) {
		period = i & 1 ? 20 * MS : 1250000;
		assert_int_equal(subscription_start(&l.s, period, 0), 0);
		assert_int_equal(fake.demands[0].period_ns, period);
		kept_clear(&l.kept);
		emit_every(sensor, t, t + S, period);
		t += S;
		assert_true(llabs(l.kept.count - S / period) <= 1);
		check_intervals(&l.kept, 0, period);
		assert_true(l.kept.records[0].timestamp - (t - S) <= 21 * MS);
	}
	stop_listening(&l);
	remove_device(sensor->device);
}

/* While another keeps the hardware fast, a switch is one of the decimation only. */
TEST(test_hot_switch_in_company)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l, fast;
	int configured;

	listen_to(&fast, sensor, 1250000);
	listen_to(&l, sensor, 20 * MS);
	configured = fake.configured;
	emit_every(sensor, T0, T0 + S, 1250000);
	assert_int_equal(subscription_start(&l.s, 5 * MS, 0), 0);
	kept_clear(&l.kept);
	emit_every(sensor, T0 + S, T0 + 2 * S, 1250000);
	assert_int_equal(l.kept.count, 200);
	check_intervals(&l.kept, 0, 5 * MS);
	assert_int_equal(fake.configured, configured);
	check_intervals(&fast.kept, 0, 1250000);
	stop_listening(&l);
	stop_listening(&fast);
	remove_device(sensor->device);
}

/* After a hole in the samples no subscriber gets a burst. */
TEST(test_gap)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l, fast;

	listen_to(&fast, sensor, 1250000);
	listen_to(&l, sensor, 20 * MS);
	emit_every(sensor, T0, T0 + S, 1250000);
	kept_clear(&l.kept);
	emit_every(sensor, T0 + 5 * S, T0 + 6 * S, 1250000);
	assert_true(abs((int)l.kept.count - 50) <= 1);
	check_intervals(&l.kept, 0, 20 * MS);
	stop_listening(&l);
	stop_listening(&fast);
	remove_device(sensor->device);
}

static void one_clock(struct sensor_device *device)
{
	for (unsigned int i = 0; i < device_num_sensors(device); i++)
		sensor_runs_at(device_sensor(device, i), 2500000);
}

/* One clock drives both sensors of the device: the slower one's subscriber has its own rate. */
TEST(test_device_with_one_clock)
{
	const struct sensor make[2] = { make_accelerometer("a"),
					make_sensor(NNSENSORS_TYPE_GYROSCOPE, "g") };
	struct fake fake = { .now = T0, .on_configure = one_clock };
	struct sensor_device *device = add_device(&fake, "both", make, 2);
	struct listener l;

	listen_to(&l, device_sensor(device, 0), 10 * MS);
	emit_every(device_sensor(device, 0), T0, T0 + S, 2500000);
	assert_true(abs((int)l.kept.count - 100) <= 1);
	check_intervals(&l.kept, 1, 10 * MS);
	stop_listening(&l);
	remove_device(device);
}

TEST(test_refused_rate)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0, .at_least_ns = 5 * MS };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription fast;
	struct kept_sink rest;
	struct listener l;

	kept_sink_init(&rest);
	listen_to(&l, sensor, 10 * MS);
	device_get(sensor->device);
	subscription_init(&fast, sensor, &rest.sink, 1);
	assert_int_equal(subscription_start(&fast, 1250000, 0), -EINVAL);
	assert_false(fast.started);
	/* a running one goes on as it was */
	assert_int_equal(subscription_start(&l.s, 1250000, 0), -EINVAL);
	assert_true(l.s.started);
	assert_int_equal(fake.demands[0].period_ns, 10 * MS);
	emit_every(sensor, T0, T0 + S, 10 * MS);
	assert_int_equal(l.kept.count, 100);
	assert_int_equal(rest.count, 0);
	assert_int_equal(subscription_start(&fast, 5 * MS, 0), 0);
	subscription_fini(&fast);
	stop_listening(&l);
	kept_sink_fini(&rest);
	remove_device(sensor->device);
}

/* ---- stamps ---- */

static void check_ascending(struct kept_sink *kept)
{
	for (unsigned int i = 1; i < kept->count; i++)
		assert_true(kept->records[i].timestamp > kept->records[i - 1].timestamp);
}

TEST(test_stamps)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l;

	listen_to(&l, sensor, 1250000);
	emit_stamped(sensor, T0 + 10 * MS, T0 + 10 * MS, 1);
	/* twice the same, backwards, and in the future */
	emit_stamped(sensor, T0 + 11 * MS, T0 + 10 * MS, 2);
	emit_stamped(sensor, T0 + 12 * MS, T0 + 5 * MS, 3);
	emit_stamped(sensor, T0 + 13 * MS, T0 + 99 * S, 4);
	emit_stamped(sensor, T0 + 14 * MS, T0 + 14 * MS, 5);
	assert_int_equal(l.kept.count, 5);
	check_ascending(&l.kept);
	assert_int_equal(l.kept.records[1].timestamp, T0 + 10 * MS + 1);
	assert_int_equal(l.kept.records[2].timestamp, T0 + 10 * MS + 2);
	assert_int_equal(l.kept.records[3].timestamp, T0 + 13 * MS);
	assert_int_equal(l.kept.records[4].timestamp, T0 + 14 * MS);
	/* and over a stop and a start */
	subscription_stop(&l.s);
	assert_int_equal(subscription_start(&l.s, 1250000, 0), 0);
	emit_stamped(sensor, T0 + 14 * MS, T0 + 14 * MS, 6);
	emit_stamped(sensor, T0 + 16 * MS, T0 + 15 * MS, 7);
	check_ascending(&l.kept);
	stop_listening(&l);
	remove_device(sensor->device);
}

/* VTS "no stale events": none older than the re-enabling. */
TEST(test_no_stale_events)
{
	const struct sensor make = make_accelerometer("a");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l, other;

	listen_to(&other, sensor, 1250000);
	listen_to(&l, sensor, 20 * MS);
	emit_every(sensor, T0, T0 + S, 1250000);
	subscription_stop(&l.s);
	kept_clear(&l.kept);
	emit_every(sensor, T0 + S, T0 + 2 * S, 1250000);
	assert_int_equal(l.kept.count, 0);
	fake.now = T0 + 3 * S;
	assert_int_equal(subscription_start(&l.s, 20 * MS, 0), 0);
	/* the hardware's FIFO still had these */
	for (int i = 0; i < 8; i++)
		emit_stamped(sensor, T0 + 3 * S + i, T0 + 3 * S - (8 - i) * MS, 1);
	assert_int_equal(l.kept.count, 0);
	emit_at(sensor, T0 + 3 * S + MS, 2);
	assert_int_equal(l.kept.count, 1);
	assert_int_equal(l.kept.records[0].timestamp, T0 + 3 * S + MS);
	stop_listening(&l);
	stop_listening(&other);
	remove_device(sensor->device);
}

/* ---- modes ---- */

TEST(test_one_shot)
{
	const struct sensor make = make_sensor(NNSENSORS_TYPE_SIGNIFICANT_MOTION, "m");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l[2];

	for (int i = 0; i < 2; i++)
		listen_to(&l[i], sensor, 0);
	assert_true(fake.demands[0].period_ns > 0);
	/* what was before the start is not meant */
	emit_stamped(sensor, T0 + MS, T0 - MS, 1);
	assert_int_equal(l[0].kept.count, 0);
	assert_true(l[0].s.started && l[1].s.started);
	emit_at(sensor, T0 + 2 * MS, 1);
	emit_at(sensor, T0 + 3 * MS, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(l[i].kept.count, 1);
		assert_int_equal(l[i].kept.records[0].timestamp, T0 + 2 * MS);
		assert_false(l[i].s.started);
	}
	/* off by itself, and on again by a start */
	assert_int_equal(fake.demands[0].period_ns, 0);
	assert_int_equal(subscription_start(&l[0].s, 0, 0), 0);
	assert_true(fake.demands[0].period_ns > 0);
	emit_at(sensor, T0 + 4 * MS, 1);
	assert_int_equal(l[0].kept.count, 2);
	assert_int_equal(l[1].kept.count, 1);
	for (int i = 0; i < 2; i++)
		stop_listening(&l[i]);
	remove_device(sensor->device);
}

TEST(test_special)
{
	const struct sensor make = make_sensor(NNSENSORS_TYPE_STEP_DETECTOR, "d");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l;

	listen_to(&l, sensor, 200 * MS);
	/* the same value each time, and faster than requested */
	for (int i = 1; i <= 5; i++)
		emit_at(sensor, T0 + i * MS, 1);
	assert_int_equal(l.kept.count, 5);
	assert_true(l.s.started);
	stop_listening(&l);
	assert_int_equal(fake.demands[0].period_ns, 0);
	remove_device(sensor->device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_valid),
		cmocka_unit_test(test_list_valid_every_type),
		cmocka_unit_test(test_list_valid_delays),
		cmocka_unit_test(test_period_of_a_list),
		cmocka_unit_test(test_period_between_limits),
		cmocka_unit_test(test_period_of_levels),
		cmocka_unit_test(test_direct_bits),
		cmocka_unit_test(test_handles_and_names),
		cmocka_unit_test(test_default_sensor),
		cmocka_unit_test(test_each_its_own_rate),
		cmocka_unit_test(test_constant_rate),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_hot_switch),
		cmocka_unit_test(test_hot_switch_in_company),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_device_with_one_clock),
		cmocka_unit_test(test_refused_rate),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_no_stale_events),
		cmocka_unit_test(test_one_shot),
		cmocka_unit_test(test_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

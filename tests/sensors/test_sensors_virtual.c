// SPDX-License-Identifier: Apache-2.0
/*
 * Virtual sensors: each generator's values from the stamps of what comes, each fault, recordings as
 * they were, and each way in which a file can be wrong. The stamps tell when a sample was due, and
 * the sensors give up none, so it makes no difference how busy the machine is.
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_fixture.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "temp.h"
#include "test_case.h"
#include "values/nnsensors_values.h"
#include "virtual/sensord_virtual.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define GRAVITY 9.80665

static const char *path;
static struct kept_sink kept;

FIXTURE(before)
{
	kept_sink_init(&kept);
	return 0;
}

FIXTURE(after)
{
	sensor_list_clear();
	kept_sink_fini(&kept);
	return 0;
}

static void add(const char *text)
{
	char message[300] = "";

	temp_write_text(path, text);
	if (virtual_sensors_add(path, message, sizeof(message)))
		fail_msg("%s", message);
}

/* The only sensor of @type, with the test's reference in the subscription @s. */
static struct sensor *subscribe_type(struct subscription *s, int32_t type, int64_t period_ns)
{
	struct nnsensors_info *infos;
	struct sensor *sensor = NULL;
	uint32_t count;

	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	for (uint32_t i = 0; i < count && !sensor; i++)
		if (infos[i].type == type)
			sensor = sensor_list_get(infos[i].handle);
	free(infos);
	assert_non_null(sensor);
	subscription_init(s, sensor, &kept.sink, sensor->info.handle);
	assert_int_equal(subscription_start(s, period_ns, 0), 0);
	return sensor;
}

/* Collect @n events of @type. */
static void collect(int32_t type, int64_t period_ns, unsigned int n)
{
	struct subscription s;

	subscribe_type(&s, type, period_ns);
	assert_true(EVENTUALLY(kept_count(&kept) >= n));
	subscription_fini(&s);
}

static double seconds(const struct nnsensors_record *record)
{
	return (double)(record->timestamp % (1000 * S)) * 1e-9;
}

static void check_grid(int64_t period_ns)
{
	for (unsigned int i = 1; i < kept.count; i++)
		assert_int_equal(kept.records[i].timestamp - kept.records[i - 1].timestamp,
				 period_ns);
}

/* ---- generators ---- */

TEST(test_constant)
{
	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nvalues = 0 0 9.81\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, 2 * MS, 50);
	check_grid(2 * MS);
	for (unsigned int i = 0; i < kept.count; i++) {
		assert_true(kept.records[i].u.vec3.x == 0);
		assert_true(kept.records[i].u.vec3.z == 9.81f);
		assert_int_equal(kept.records[i].u.vec3.status, NNSENSORS_STATUS_HIGH);
	}
}

TEST(test_sine)
{
	add("[sensor]\nname = P\ntype = pressure\ngenerator = sine\nvalues = 1000\namplitude = 20\n"
	    "frequency = 10\nphase = 90\n");
	collect(NNSENSORS_TYPE_PRESSURE, 3 * MS, 100);
	for (unsigned int i = 0; i < kept.count; i++) {
		/* 10 Hz: whole seconds make no difference */
		double t = seconds(&kept.records[i]);

		assert_true(fabs((double)kept.records[i].u.data[0] -
				 (1000 + 20 * cos(2 * M_PI * 10 * t))) < 0.01);
	}
}

TEST(test_noise)
{
	static float first[200];
	double sum = 0, squares = 0;

	add("[sensor]\nname = G\ntype = gyroscope\ngenerator = noise\nvalues = 1 2 3\nnoise = 0.5\n"
	    "seed = 7\n");
	for (int round = 0; round < 2; round++) {
		kept_clear(&kept);
		collect(NNSENSORS_TYPE_GYROSCOPE, MS, 200);
		/* a seed is always the same noise */
		for (int i = 0; i < 200; i++)
			if (!round)
				first[i] = kept.records[i].u.vec3.x;
			else
				assert_true(first[i] == kept.records[i].u.vec3.x);
	}
	for (int i = 0; i < 200; i++) {
		sum += (double)first[i] - 1;
		squares += ((double)first[i] - 1) * ((double)first[i] - 1);
	}
	assert_true(fabs(sum / 200) < 0.15);
	assert_true(fabs(sqrt(squares / 200) - 0.5) < 0.1);
}

TEST(test_range_and_resolution)
{
	add("[sensor]\nname = G\ntype = gyroscope\ngenerator = sine\namplitude = 10\nfrequency = 50\n"
	    "range = 4\nresolution = 0.5\n");
	collect(NNSENSORS_TYPE_GYROSCOPE, MS, 100);
	for (unsigned int i = 0; i < 100; i++) {
		float x = kept.records[i].u.vec3.x;

		assert_true(fabsf(x) <= 4);
		assert_true(x * 2 == rintf(x * 2));
	}
}

TEST(test_steps_between_values)
{
	add("[sensor]\nname = L\ntype = light\ngenerator = steps\nvalues = 10 20 40\nfrequency = 50\n");
	collect(NNSENSORS_TYPE_LIGHT, 5 * MS, 10);
	for (unsigned int i = 1; i < kept.count; i++) {
		float last = kept.records[i - 1].u.data[0], next = kept.records[i].u.data[0];

		assert_true(next == (last == 40 ? 10 : 2 * last));
	}
}

TEST(test_step_counter)
{
	add("[sensor]\nname = C\ntype = step_counter\ngenerator = steps\nfrequency = 100\n");
	collect(NNSENSORS_TYPE_STEP_COUNTER, 2 * MS, 10);
	for (unsigned int i = 1; i < kept.count; i++) {
		int64_t t = kept.records[i].timestamp;

		assert_true(kept.records[i].u.step_count > kept.records[i - 1].u.step_count);
		/* since boot */
		assert_true(llabs((int64_t)kept.records[i].u.step_count - t / (10 * MS)) <= 1);
	}
}

TEST(test_step_detector)
{
	add("[sensor]\nname = D\ntype = step_detector\ngenerator = steps\nfrequency = 100\n");
	collect(NNSENSORS_TYPE_STEP_DETECTOR, 0, 10);
	check_grid(10 * MS);
	assert_true(kept.records[3].u.data[0] == 1);
}

TEST(test_one_shot)
{
	struct subscription s;

	add("[sensor]\nname = M\ntype = significant_motion\ngenerator = steps\nfrequency = 50\n");
	subscribe_type(&s, NNSENSORS_TYPE_SIGNIFICANT_MOTION, 0);
	assert_true(EVENTUALLY(!s.started));
	assert_int_equal(kept_count(&kept), 1);
	assert_true(kept.records[0].u.data[0] == 1);
	subscription_fini(&s);
}

static void collect_motion(const char *motion, const char *type, int32_t number)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "[sensor]\nname = %s\ntype = %s\ngenerator = motion\nmotion = %s\nfrequency = 4\n",
		 motion, type, motion);
	add(text);
	kept_clear(&kept);
	collect(number, MS, 500); /* two periods of 4 Hz */
	sensor_list_clear();
}

static double largest(unsigned int axis, double minus)
{
	double found = 0;

	for (unsigned int i = 0; i < kept.count; i++)
		if (fabs((double)kept.records[i].u.data[axis] - minus) > found)
			found = fabs((double)kept.records[i].u.data[axis] - minus);
	return found;
}

TEST(test_motion)
{
	double floating = 1000;

	collect_motion("still", "accelerometer", NNSENSORS_TYPE_ACCELEROMETER);
	assert_true(largest(2, GRAVITY) < 1e-5);
	collect_motion("still", "gyroscope", NNSENSORS_TYPE_GYROSCOPE);
	assert_true(largest(0, 0) == 0);
	collect_motion("walk", "accelerometer", NNSENSORS_TYPE_ACCELEROMETER);
	assert_true(largest(2, GRAVITY) > 2 && largest(2, GRAVITY) < 4);
	collect_motion("walk", "linear_acceleration", NNSENSORS_TYPE_LINEAR_ACCELERATION);
	assert_true(largest(2, 0) > 2 && largest(2, 0) < 4);
	collect_motion("shake", "accelerometer", NNSENSORS_TYPE_ACCELEROMETER);
	assert_true(largest(0, 0) > 11 && largest(0, 0) < 12.1);
	collect_motion("shake", "gyroscope", NNSENSORS_TYPE_GYROSCOPE);
	assert_true(largest(1, 0) > 2.9);
	collect_motion("walk", "gravity", NNSENSORS_TYPE_GRAVITY);
	assert_true(largest(2, GRAVITY) < 1e-5);
	/* at 4 Hz it falls all the time */
	collect_motion("fall", "accelerometer", NNSENSORS_TYPE_ACCELEROMETER);
	for (unsigned int i = 0; i < kept.count; i++)
		floating = fmin(floating, fabs((double)kept.records[i].u.vec3.z));
	assert_true(floating < 0.01);
	collect_motion("fall", "gyroscope", NNSENSORS_TYPE_GYROSCOPE);
	assert_true(largest(0, 0) == 2);
}

/* A fall of the motion's own frequency: weightless, then the floor, then still. */
TEST(test_fall)
{
	double low = 1000, high = 0;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = motion\nmotion = fall\n"
	    "frequency = 2\namplitude = 50\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, MS, 1000);
	for (unsigned int i = 0; i < kept.count; i++) {
		low = fmin(low, (double)kept.records[i].u.vec3.z);
		high = fmax(high, (double)kept.records[i].u.vec3.z);
	}
	assert_true(fabs(low) < 0.01);
	assert_true(high > 55 && high < 60);
}

/* ---- rates ---- */

/* VTS "rate hot switch", "streaming": a mean interval like the wanted one, to 1 kHz and above. */
TEST(test_rates)
{
	static const int64_t periods[] = { 5 * MS, MS, 500000, 2 * MS, 10 * MS };
	struct subscription s;
	struct sensor *sensor;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nrates = 100 200 500 1000 2000\n");
	sensor = subscribe_type(&s, NNSENSORS_TYPE_ACCELEROMETER, 10 * MS);
	assert_int_equal(sensor->info.min_delay_us, 500);
	assert_int_equal(sensor->info.max_delay_us, 10000);
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		assert_int_equal(subscription_start(&s, periods[i], 0), 0);
		kept_clear(&kept);
		assert_true(EVENTUALLY(kept_count(&kept) > 100));
	}
	subscription_stop(&s);
	check_grid(10 * MS);
	/* one after the other, with the switch between them */
	subscription_fini(&s);
}

/* Two sensors of one device: each at its own rate, and one's coming leaves the other as it is. */
TEST(test_two_of_a_device)
{
	struct subscription a;
	struct listener g;
	struct sensor *sensor;

	add("[sensor]\nname = A\ntype = accelerometer\ndevice = imu\ngenerator = constant\n"
	    "[sensor]\nname = G\ntype = gyroscope\ndevice = imu\ngenerator = constant\n");
	sensor = subscribe_type(&a, NNSENSORS_TYPE_ACCELEROMETER, 5 * MS);
	assert_string_equal(device_name(sensor->device), "imu");
	assert_int_equal(device_num_sensors(sensor->device), 2);
	assert_true(EVENTUALLY(kept_count(&kept) >= 5));
	listen_to(&g, device_sensor(sensor->device, 1), 2 * MS);
	assert_true(EVENTUALLY(kept_count(&g.kept) >= 50));
	subscription_stop(&g.s);
	assert_true(EVENTUALLY(kept_count(&kept) >= 40));
	subscription_fini(&a);
	check_grid(5 * MS);
	for (unsigned int i = 1; i < g.kept.count; i++)
		assert_int_equal(g.kept.records[i].timestamp - g.kept.records[i - 1].timestamp,
				 2 * MS);
	stop_listening(&g);
}

/* A FIFO delivers later, and the same. */
TEST(test_fifo)
{
	struct subscription s;
	struct sensor *sensor;

	add("[sensor]\nname = A\ntype = accelerometer\nfifo = 20 40\ngenerator = constant\n");
	sensor = subscribe_type(&s, NNSENSORS_TYPE_ACCELEROMETER, 2 * MS);
	assert_int_equal(sensor->info.fifo_reserved, 20);
	assert_int_equal(sensor->info.fifo_max, 40);
	assert_int_equal(subscription_start(&s, 2 * MS, S), 0);
	kept_clear(&kept);
	assert_true(EVENTUALLY(kept_count(&kept) >= 100));
	subscription_fini(&s);
	check_grid(2 * MS);
}

/* ---- faults ---- */

TEST(test_drop)
{
	unsigned int holes = 0;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\ndrop = 5\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, 2 * MS, 41);
	for (unsigned int i = 1; i < 41; i++) {
		int64_t between = kept.records[i].timestamp - kept.records[i - 1].timestamp;

		assert_true(between == 2 * MS || between == 4 * MS);
		holes += between == 4 * MS;
	}
	assert_int_equal(holes, 10);
}

TEST(test_stall)
{
	unsigned int stalls = 0;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nstall-after = 0.05\n"
	    "stall-for = 0.1\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, 2 * MS, 50);
	for (unsigned int i = 1; i < 50; i++) {
		int64_t between = kept.records[i].timestamp - kept.records[i - 1].timestamp;

		assert_true(between == 2 * MS || between == 102 * MS);
		stalls += between == 102 * MS;
	}
	assert_int_equal(stalls, 1);
}

TEST(test_stall_for_ever)
{
	struct subscription stalled;
	struct listener other;
	struct sensor *sensor;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nstall-after = 0.02\ndevice = d\n"
	    "[sensor]\nname = G\ntype = gyroscope\ngenerator = constant\ndevice = d\n");
	sensor = subscribe_type(&stalled, NNSENSORS_TYPE_ACCELEROMETER, 2 * MS);
	listen_to(&other, device_sensor(sensor->device, 1), 2 * MS);
	assert_true(EVENTUALLY(kept_count(&other.kept) >= 100));
	stop_listening(&other);
	subscription_fini(&stalled);
	assert_int_equal(kept.count, 9);
}

TEST(test_jitter)
{
	int64_t last, different = 0;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\njitter = 900\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, 2 * MS, 100);
	last = 0;
	for (unsigned int i = 1; i < 100; i++) {
		int64_t between = kept.records[i].timestamp - kept.records[i - 1].timestamp;

		assert_true(between > 1100000 - 1 && between < 2900000 + 1);
		different += between != last;
		last = between;
	}
	assert_true(different > 80);
}

/* The core does not let stamps go back. */
TEST(test_backwards)
{
	unsigned int lifted = 0;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nbackwards = 4\n");
	collect(NNSENSORS_TYPE_ACCELEROMETER, 2 * MS, 41);
	for (unsigned int i = 1; i < 41; i++) {
		int64_t between = kept.records[i].timestamp - kept.records[i - 1].timestamp;

		assert_true(between > 0);
		lifted += between == 1;
	}
	assert_int_equal(lifted, 10);
}

TEST(test_unplug)
{
	struct subscription s;
	struct sensor *sensor;
	int32_t handle;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nunplug-after = 0.05\n");
	sensor = subscribe_type(&s, NNSENSORS_TYPE_ACCELEROMETER, 2 * MS);
	handle = sensor->info.handle;
	assert_true(EVENTUALLY(kept_gone(&kept) == 1));
	assert_int_equal(kept_count(&kept), 25);
	assert_null(sensor_list_get(handle));
	assert_int_equal(subscription_start(&s, 2 * MS, 0), -ENODEV);
	subscription_fini(&s);
}

TEST(test_refused_rate)
{
	struct subscription s;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\nrefuse-rate = 500\n");
	subscribe_type(&s, NNSENSORS_TYPE_ACCELEROMETER, 5 * MS);
	assert_int_equal(subscription_start(&s, 2 * MS, 0), -EIO);
	assert_int_equal(subscription_start(&s, MS, 0), -EIO);
	assert_true(EVENTUALLY(kept_count(&kept) >= 10));
	subscription_fini(&s);
	check_grid(5 * MS);
}

/* The call waits for the hardware; a sensor of another device does not. */
TEST(test_hang)
{
	struct subscription quick;
	struct listener slow;
	struct sensor *sensor;
	int64_t begin;

	add("[sensor]\nname = A\ntype = accelerometer\ngenerator = constant\n"
	    "[sensor]\nname = G\ntype = gyroscope\ngenerator = constant\nhang = 0.1\n");
	subscribe_type(&quick, NNSENSORS_TYPE_ACCELEROMETER, MS);
	sensor = sensor_list_default(NNSENSORS_TYPE_GYROSCOPE);
	begin = nnutil_boottime_ns();
	listen_to(&slow, sensor, 2 * MS);
	assert_true(nnutil_boottime_ns() - begin >= 100 * MS);
	device_put(sensor->device);
	assert_true(EVENTUALLY(kept_count(&kept) >= 100));
	stop_listening(&slow);
	subscription_fini(&quick);
	check_grid(MS);
}

/* ---- recordings ---- */

#define EVENTS 100

static float recorded_value(int i)
{
	return (float)i / 3;
}

static void write_recording(void)
{
	struct sensor accelerometer = make_sensor(NNSENSORS_TYPE_ACCELEROMETER, "A"),
		      light = make_sensor(NNSENSORS_TYPE_LIGHT, "L");
	FILE *file;

	accelerometer.info.handle = 12;
	light.info.handle = 99;
	file = fopen(temp_path("recording"), "we");
	assert_non_null(file);
	assert_int_equal(nnsensors_recording_begin(file), 0);
	assert_int_equal(nnsensors_recording_put_sensor(file, &accelerometer.info), 0);
	assert_int_equal(nnsensors_recording_put_sensor(file, &light.info), 0);
	for (int i = 0; i < EVENTS; i++) {
		struct nnsensors_event event = {
			.version = 104,
			.sensor = 12,
			.type = NNSENSORS_TYPE_ACCELEROMETER,
			.timestamp = 5000 * S + i * 2 * MS,
			.u.vec3 = { .x = recorded_value(i), .z = -1, .status = 2 },
		};

		assert_int_equal(nnsensors_recording_put_event(file, &event), 0);
		event.sensor = 99;
		event.type = NNSENSORS_TYPE_LIGHT;
		event.u = (union nnsensors_payload){ .data = { (float)(i / 10) } };
		assert_int_equal(nnsensors_recording_put_event(file, &event), 0);
	}
	assert_int_equal(fclose(file), 0);
}

TEST(test_played)
{
	struct sensor *sensor;
	struct subscription s;

	write_recording();
	add("[recording]\nfile = recording\nprefix = Played\n");
	sensor = subscribe_type(&s, NNSENSORS_TYPE_ACCELEROMETER, 0);
	assert_string_equal(sensor->info.name, "PlayedA");
	assert_string_equal(sensor->info.vendor, "test");
	assert_int_equal(sensor->info.min_delay_us, 2000);
	assert_int_equal(sensor->num_periods, 9); /* 2 ms to 512 ms */
	assert_true(EVENTUALLY(kept_count(&kept) >= 3 * EVENTS));
	subscription_fini(&s);
	/* over and over, without a jump in the stamps */
	check_grid(2 * MS);
	for (unsigned int i = 0; i < 3 * EVENTS; i++) {
		assert_true(kept.records[i].u.vec3.x == recorded_value((int)(i % EVENTS)));
		assert_int_equal(kept.records[i].u.vec3.status, 2);
	}
	/* slower: some of them, from the begin on */
	kept_clear(&kept);
	collect(NNSENSORS_TYPE_ACCELEROMETER, 8 * MS, 20);
	check_grid(8 * MS);
	assert_true(kept.records[0].u.vec3.x == 0);
	assert_true(kept.records[5].u.vec3.x == recorded_value(20));
}

TEST(test_played_once)
{
	struct subscription s;

	write_recording();
	add("[recording]\nfile = recording\nonce = yes\n");
	subscribe_type(&s, NNSENSORS_TYPE_LIGHT, 0);
	assert_true(EVENTUALLY(kept_count(&kept) == 10));
	for (int i = 0; i < 10; i++)
		assert_true(kept.records[i].u.data[0] == (float)i);
	subscription_fini(&s);
}

TEST(test_recording_refused)
{
	const char *to = temp_path("recording");
	char message[400];

	temp_write_text(path, "[recording]\nfile = nothing\n");
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -ENOENT);
	assert_non_null(strstr(message, "line 1"));
	assert_non_null(strstr(message, "nothing"));
	temp_write_text(
		to,
		"nnsensors recording 1\nsensor,1,light,0x0,1,0,0,0,0,1,1,1\nname,1,n\nvendor,1,v\n");
	/* absolute as well; the reporting mode is not that of the type */
	snprintf(message, sizeof(message), "[recording]\nfile = %s\n", to);
	temp_write_text(path, message);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "reporting mode"));
	temp_write_text(
		to,
		"nnsensors recording 1\nsensor,1,accelerometer,0,1,1000,1000,0,0,1,1,1\nname,1,n\n"
		"vendor,1,v\nevent,1,0,0,0,0,0\nevent,1,9223372036854775807,0,0,0,0\n");
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EFBIG);
	assert_non_null(strstr(message, "year"));
}

/* ---- files ---- */

/* All that there is, in one file. */
TEST(test_every_type)
{
	const struct sensor_type *row;
	struct nnsensors_info *infos;
	uint32_t count, expected = 0;
	FILE *file = fopen(path, "we");
	char message[300] = "";

	for (size_t i = 0; (row = nnsensors_type_at(i)); i++) {
		const bool steps = row->mode == NNSENSORS_FLAG_ONE_SHOT ||
				   row->mode == NNSENSORS_FLAG_SPECIAL ||
				   row->payload == SENSOR_PAYLOAD_STEP_COUNT;

		if (!row->listed || row->payload == SENSOR_PAYLOAD_DYNAMIC)
			continue;
		fprintf(file, "[sensor]\nname=%s\ntype=%d\ndevice=%zu\ngenerator=%s\n", row->name,
			row->type, i / 8, steps ? "steps\nfrequency=100" : "constant");
		if (row->type == NNSENSORS_TYPE_PRIVATE_BASE)
			fputs("type-string = com.example.own\nmode = on-change\nwake-up = yes\n",
			      file);
		expected++;
	}
	fclose(file);
	if (virtual_sensors_add(path, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	assert_int_equal(count, expected);
	for (uint32_t i = 0; i < count; i++) {
		struct subscription s;
		struct sensor *sensor = sensor_list_get(infos[i].handle);

		kept_clear(&kept);
		subscription_init(&s, sensor, &kept.sink, infos[i].handle);
		assert_int_equal(subscription_start(&s, 10 * MS, 0), 0);
		if (!EVENTUALLY(kept_count(&kept) >= 1))
			fail_msg("%s says nothing", infos[i].name);
		assert_int_equal(kept.records[0].type, infos[i].type);
		subscription_fini(&s);
		if (infos[i].type == NNSENSORS_TYPE_PRIVATE_BASE)
			assert_int_equal(infos[i].flags,
					 NNSENSORS_FLAG_ON_CHANGE | NNSENSORS_FLAG_WAKE_UP);
	}
	free(infos);
}

#define A "[sensor]\nname = A\ntype = accelerometer\n"
#define LONG_NAME "0123456789012345678901234567890123456789012345678901234567890123"

TEST(test_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "name = A\n", "line 1: before the first section" },
		{ "\n# x\n; y\nhello\n", "line 4: neither" },
		{ "[sensors]\n", "line 1: a section is" },
		{ "[sensor]\n", "line 1: a sensor needs a name and a type" },
		{ "[sensor]\nname = A\n", "line 1: a sensor needs a name and a type" },
		{ "[sensor]\ntype = light\n[sensor]\n",
		  "line 1: a sensor needs a name and a type" },
		{ A, "line 1: A: what does it say" },
		{ A "name = B\n", "line 4: a second \"name\"" },
		{ A "colour = red\n", "line 4: no key \"colour\" in a section [sensor]" },
		{ A "file = x\n", "no key \"file\"" },
		{ "[recording]\nname = x\n", "no key \"name\" in a section [recording]" },
		{ "[recording]\n", "line 1: a recording needs a file" },
		{ "[recording]\nfile = x\nonce = perhaps\n", "line 3: \"perhaps\" is not known" },
		{ "[recording]\nprefix = " LONG_NAME "\n", "longer than 63" },
		{ "[sensor]\nname =\n", "line 2: \"name\" has no value" },
		{ "[sensor]\nname = " LONG_NAME "\n", "longer than 63" },
		{ "[sensor]\nvendor = " LONG_NAME "\n", "longer than 63" },
		{ "[sensor]\ndevice = 01234567890123456789012345678901\n", "longer than 31" },
		{ "[sensor]\ntype = nothing\n", "line 2: \"nothing\" is no type" },
		{ "[sensor]\ntype = private\n", "\"private\" is no type" },
		{ "[sensor]\ntype = meta_data\n", "no sensor can be" },
		{ "[sensor]\ntype = 500\n", "no sensor can be" },
		{ "[sensor]\nname = X\ntype = dynamic_sensor_meta\ngenerator = steps\nfrequency = 1\n",
		  "cannot be generated" },
		{ A "generator = magic\n", "line 4: \"magic\" is not known" },
		{ A "generator = constant\nmode = on-change\n", "reporting mode" },
		{ A "generator = constant\nmode = sometimes\n", "\"sometimes\"" },
		{ A "generator = constant\ntype-string = x\n", "the type's string" },
		{ A "generator = constant\nwake-up = 1\n", "\"1\" is not known" },
		{ A "generator = constant\nversion = -1\n", "\"-1\" is no whole number" },
		{ A "generator = constant\nrange = -1\n", "\"-1\" is no number" },
		{ A "generator = constant\nrange = inf\n", "\"inf\" is no number" },
		{ A "generator = constant\nresolution = x\n", "\"x\" is no number" },
		{ A "generator = constant\npower = -0.1\n", "\"-0.1\"" },
		{ A "generator = constant\nfifo = 5\n", "a FIFO has two numbers" },
		{ A "generator = constant\nfifo = 5 4\n", "FIFO" },
		{ A "generator = constant\nfifo = 5 6 7\n", "more than 2 numbers" },
		{ A "generator = constant\nrates = 0\n", "\"0\" is no number from" },
		{ A "generator = constant\nrates = 50 50\n", "do not ascend" },
		{ A "generator = constant\nrates = 50\nperiods = 1 2\n", "exclude each other" },
		{ A "generator = constant\nperiods = 1000 2000\nrates = 50\n",
		  "exclude each other" },
		{ A "generator = constant\nperiods = 1000\n", "two periods" },
		{ A "generator = constant\nperiods = 2000 1000\n", "periods from 2000 to 1000" },
		{ A "generator = constant\nvalues = 1 2 3 4\n", "more values than the type has" },
		{ A "generator = constant\nvalues = 1 2 three\n", "\"three\"" },
		{ A "generator = constant\nvalues = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
		  "more than 16 numbers" },
		{ A "generator = sine\n", "needs a frequency" },
		{ A "generator = sine\nfrequency = 0\n", "\"0\" is no number" },
		{ A "generator = steps\nfrequency = 1\n", "two values" },
		{ A "generator = steps\nvalues = 1 2\n", "needs a frequency" },
		{ A "generator = noise\nnoise = -1\n", "\"-1\"" },
		{ A "generator = noise\nseed = x\n", "\"x\" is no whole number" },
		{ A "generator = motion\nmotion = fly\n", "\"fly\"" },
		{ A "generator = constant\namplitude = x\n", "\"x\"" },
		{ A "generator = constant\nphase = x\n", "\"x\"" },
		{ A "generator = constant\ndrop = x\n", "\"x\"" },
		{ A "generator = constant\nbackwards = 1.5\n", "\"1.5\"" },
		{ A "generator = constant\njitter = -5\n", "\"-5\"" },
		{ A "generator = constant\nstall-after = x\n", "\"x\"" },
		{ A "generator = constant\nstall-for = x\n", "\"x\"" },
		{ A "generator = constant\nunplug-after = 1e99\n", "\"1e99\"" },
		{ A "generator = constant\nhang = x\n", "\"x\"" },
		{ A "generator = constant\nrefuse-rate = 0\n", "\"0\"" },
		{ "[sensor]\nname = L\ntype = light\ngenerator = motion\n", "tell of motion" },
		{ "[sensor]\nname = S\ntype = step_counter\ngenerator = constant\n",
		  "generator = steps" },
		{ "[sensor]\nname = S\ntype = motion_detect\ngenerator = constant\n",
		  "generator = steps" },
		{ "[sensor]\nname = A\x01\n", "line 2: a control character" },
		/* what is right before it is not there either */
		{ A "generator = constant\n" A "generator = constant\ndevice = B\n",
		  "there already" },
		{ A "generator = constant\n" A "generator = constant\n", "line 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nnsensors_info *infos;
		char message[300] = "";
		uint32_t count;

		temp_write_text(path, cases[i].text);
		if (virtual_sensors_add(path, message, sizeof(message)) != -EINVAL ||
		    !strstr(message, cases[i].why) || !strstr(message, path))
			fail_msg("case %zu: \"%s\" instead of \"%s\"", i, message, cases[i].why);
		assert_int_equal(sensor_list_infos(&infos, &count), 0);
		assert_int_equal(count, 0);
	}
}

TEST(test_limits)
{
	char message[300];
	FILE *file = fopen(path, "we");

	for (int i = 0; i < 257; i++)
		fprintf(file, "[sensor]\nname = %d\ntype = light\ngenerator = constant\n", i);
	fclose(file);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "line 1025: too many sensors"));
	file = fopen(path, "we");
	for (int i = 0; i < 33; i++)
		fprintf(file,
			"[sensor]\nname = %d\ntype = light\ngenerator = constant\ndevice = d\n", i);
	fclose(file);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "line 161: too many sensors of one device"));
	file = fopen(path, "we");
	for (int i = 0; i < 17; i++)
		fprintf(file, "[recording]\nfile = x\n");
	fclose(file);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "too many recordings"));
	unlink(path);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -ENOENT);
	temp_write(path, "[sensor]\nname\0", 14);
	assert_int_equal(virtual_sensors_add(path, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "line 2: a byte is 0"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_constant),
		CASE(test_sine),
		CASE(test_noise),
		CASE(test_range_and_resolution),
		CASE(test_steps_between_values),
		CASE(test_step_counter),
		CASE(test_step_detector),
		CASE(test_one_shot),
		CASE(test_motion),
		CASE(test_fall),
		CASE(test_rates),
		CASE(test_two_of_a_device),
		CASE(test_fifo),
		CASE(test_drop),
		CASE(test_stall),
		CASE(test_stall_for_ever),
		CASE(test_jitter),
		CASE(test_backwards),
		CASE(test_unplug),
		CASE(test_refused_rate),
		CASE(test_hang),
		CASE(test_played),
		CASE(test_played_once),
		CASE(test_recording_refused),
		CASE(test_every_type),
		CASE(test_refused),
		CASE(test_limits),
	};

	virtual_catch_up_ns = INT64_MAX / 2;
	path = temp_path("virtual.conf");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

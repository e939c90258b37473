// SPDX-License-Identifier: Apache-2.0
/*
 * The IIO backend on IIO devices of the kernel: a hub of HID sensors (uhid_sensors.c). Needs root,
 * /dev/uhid and the hid-sensor drivers, and changes the machine's sensors: it runs in the VM
 * (tests/vm/guest.d/57-sensors.sh), which sets NNSENSORS_TEST_UHID.
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_fixture.h"
#include "eventually.h"
#include "iio/sensord_iio.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "temp.h"
#include "test_case.h"
#include "uhid_hub.h"

#define SYSFS "/sys/bus/iio/devices"

FIXTURE(start_hub)
{
	uhid_hub_start();
	return iio_sensors_start();
}

FIXTURE(stop_hub)
{
	iio_sensors_stop();
	sensor_list_clear();
	uhid_hub_stop();
	return 0;
}

/* ---- sensors ---- */

static bool is_there(int32_t type)
{
	struct sensor *sensor = sensor_list_default(type);

	if (sensor)
		device_put(sensor->device);
	return sensor;
}

/* With a reference to its device. */
static struct sensor *find(int32_t type)
{
	struct sensor *sensor = NULL;

	/* drivers are bound one after the other */
	assert_true(EVENTUALLY(is_there(type)));
	sensor = sensor_list_default(type);
	assert_non_null(sensor);
	return sensor;
}

/* The caller's reference goes to the subscription. */
static void listen_to_found(struct listener *l, struct sensor *sensor, int64_t period_ns)
{
	listen_to(l, sensor, period_ns);
	device_put(sensor->device);
}

/* The values of a sensor as it lies there: its newest event is kept out of a few. */
static struct nnsensors_record look_at(int32_t type, unsigned int events)
{
	struct nnsensors_record r;
	struct listener l;

	listen_to_found(&l, find(type), 20 * MS);
	if (!EVENTUALLY(kept_count(&l.kept) >= events))
		fail_msg("type %d: %u events", type, kept_count(&l.kept));
	r = heard(&l, kept_count(&l.kept) - 1);
	stop_listening(&l);
	assert_int_equal(r.type, type);
	return r;
}

static void expect_values(int32_t type, unsigned int events, const double *expected, unsigned int n,
			  double within)
{
	struct nnsensors_record r = look_at(type, events);

	for (unsigned int i = 0; i < n; i++)
		if (!(fabs((double)r.u.data[i] - expected[i]) <= within)) {
			print_error("type %d: value %u is %g, not %g\n", type, i,
				    (double)r.u.data[i], expected[i]);
			fail();
		}
}

#define VALUES(type, events, within, ...)                                             \
	expect_values(NNSENSORS_TYPE_##type, events, (const double[]){ __VA_ARGS__ }, \
		      sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), within)

/* ---- tests ---- */

static const int32_t types[] = {
	NNSENSORS_TYPE_ACCELEROMETER,
	NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED,
	NNSENSORS_TYPE_GYROSCOPE,
	NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED,
	NNSENSORS_TYPE_GRAVITY,
	NNSENSORS_TYPE_MAGNETIC_FIELD,
	NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED,
	NNSENSORS_TYPE_ORIENTATION,
	NNSENSORS_TYPE_LIGHT,
	NNSENSORS_TYPE_PRESSURE,
	NNSENSORS_TYPE_AMBIENT_TEMPERATURE,
	NNSENSORS_TYPE_PROXIMITY,
	NNSENSORS_TYPE_ROTATION_VECTOR,
	NNSENSORS_TYPE_GAME_ROTATION_VECTOR,
	NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR,
};
#define NUM_TYPES (sizeof(types) / sizeof(types[0]))

TEST(test_list)
{
	char message[128];

	for (size_t i = 0; i < NUM_TYPES; i++) {
		struct sensor *sensor = find(types[i]);

		print_message("%s \"%s\": %d to %d us, range %g, resolution %g, flags %x\n",
			      sensor->info.type_string, sensor->info.name,
			      sensor->info.min_delay_us, sensor->info.max_delay_us,
			      (double)sensor->info.max_range, (double)sensor->info.resolution,
			      sensor->info.flags);
		if (!sensor_check(sensor, message, sizeof(message)))
			fail_msg("%s", message);
		device_put(sensor->device);
	}
}

TEST(test_units)
{
	VALUES(ACCELEROMETER, 3, 0.01, 0, 0, 9.80665);
	VALUES(ACCELEROMETER_UNCALIBRATED, 3, 0.01, 0, 0, 9.80665, 0, 0, 0);
	VALUES(GYROSCOPE, 3, 0.001, 0, 0, 0);
	VALUES(GRAVITY, 3, 0.01, 0, 0, 9.80665);
	VALUES(MAGNETIC_FIELD, 3, 0.1, 2, 22.5, -41);
	VALUES(ORIENTATION, 3, 0.1, 0, 0, 90);
	VALUES(PRESSURE, 3, 0.1, 1013.25);
	VALUES(LIGHT, 1, 0.2, 320);
	VALUES(AMBIENT_TEMPERATURE, 1, 0.02, 21.5);
	VALUES(PROXIMITY, 1, 0, 5);
	VALUES(ROTATION_VECTOR, 3, 0.001, 0, 0, 0, 1, -1);
	VALUES(GAME_ROTATION_VECTOR, 3, 0.001, 0, 0, 0, 1, 0);
	VALUES(GEOMAGNETIC_ROTATION_VECTOR, 3, 0.001, 0, 0, 0, 1, -1);
}

/* What a driver's file says now, of the device that has @type. */
static void read_attribute(const struct sensor *sensor, const char *file, char *text, size_t size)
{
	char path[256], *found = NULL;

	snprintf(path, sizeof(path), SYSFS "/%s/%s", device_name(sensor->device), file);
	assert_int_equal(nnutil_read_file(path, size - 1, &found, NULL), 0);
	snprintf(text, size, "%s", found);
	text[strcspn(text, "\n")] = '\0';
	free(found);
}

/* The default is the time of day: 50 years later than the machine's start. */
TEST(test_clock)
{
	struct sensor *sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	int64_t begin = nnutil_boottime_ns(), end;
	char text[64];
	struct listener l;

	listen_to_found(&l, sensor, 20 * MS);
	assert_true(EVENTUALLY(kept_count(&l.kept) >= 10));
	end = nnutil_boottime_ns();
	for (unsigned int i = 0; i < 10; i++) {
		assert_true(heard(&l, i).timestamp >= begin);
		assert_true(heard(&l, i).timestamp <= end);
	}
	read_attribute(sensor, "current_timestamp_clock", text, sizeof(text));
	assert_string_equal(text, "boottime");
	stop_listening(&l);
}

TEST(test_trigger)
{
	struct sensor *sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	char text[64];
	struct listener l;

	listen_to_found(&l, sensor, 20 * MS);
	read_attribute(sensor, "trigger/current_trigger", text, sizeof(text));
	assert_memory_equal(text, "accel_3d-dev", 12);
	read_attribute(sensor, "buffer/enable", text, sizeof(text));
	assert_string_equal(text, "1");
	subscription_stop(&l.s);
	read_attribute(sensor, "buffer/enable", text, sizeof(text));
	assert_string_equal(text, "0");
	stop_listening(&l);
}

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Events from @first on: that stamps ascend, and the rate of their median interval. A machine that
 * stands still for a moment makes a few long intervals, which say nothing about the rate.
 */
static double rate_of(struct listener *l, unsigned int first)
{
	unsigned int count = kept_count(&l->kept) - first - 1;
	int64_t *intervals = calloc(count, sizeof(*intervals)), median;

	assert_non_null(intervals);
	for (unsigned int i = 0; i < count; i++) {
		intervals[i] = heard(l, first + i + 1).timestamp - heard(l, first + i).timestamp;
		assert_true(intervals[i] > 0);
	}
	qsort(intervals, count, sizeof(*intervals), ascending);
	median = intervals[count / 2];
	free(intervals);
	return 1e9 / (double)median;
}

static bool spans(struct listener *l, unsigned int first, int64_t ns)
{
	unsigned int count = kept_count(&l->kept);

	return count > first + 1 && heard(l, count - 1).timestamp - heard(l, first).timestamp >= ns;
}

/* The hub is a program: a busy machine runs it late, for a second or two. */
#define MEASUREMENTS 10

/* Whether the rate of @ns of events to come, after @skipped, is within the bounds, once. */
static bool reaches(struct listener *l, unsigned int skipped, int64_t ns, double least, double most)
{
	double rate = 0;

	for (int i = 0; i < MEASUREMENTS && !(rate > least && rate < most); i++) {
		const unsigned int first = kept_count(&l->kept) + skipped;

		assert_true(EVENTUALLY(spans(l, first, ns)));
		rate = rate_of(l, first);
	}
	return rate > least && rate < most;
}

static void check_level(enum nnsensors_rate_level level, double hz)
{
	struct sensor *sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	int64_t period = sensor_period_for_level(sensor, level);
	struct listener l;
	double rate;

	assert_true(period > 0);
	listen_to_found(&l, sensor, period);
	assert_true(EVENTUALLY(spans(&l, 0, 3 * S)));
	rate = rate_of(&l, 0);
	stop_listening(&l);
	print_message("level %d: period %lld us, %.1f Hz\n", (int)level, (long long)period / 1000,
		      rate);
	assert_true(rate > 0.55 * hz && rate <= 2.2 * hz);
}

TEST(test_rates)
{
	check_level(NNSENSORS_RATE_NORMAL, 50);
	check_level(NNSENSORS_RATE_FAST, 200);
}

/* One device, two clients: each has its own rate, and keeps it. */
TEST(test_two_rates)
{
	struct listener slow, fast;
	unsigned int middle;
	double before, after;

	listen_to_found(&slow, find(NNSENSORS_TYPE_GYROSCOPE), 50 * MS);
	assert_true(EVENTUALLY(spans(&slow, 0, 2 * S)));
	before = rate_of(&slow, 0);
	listen_to_found(&fast, find(NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED), 10 * MS);
	middle = kept_count(&slow.kept);
	assert_true(EVENTUALLY(spans(&slow, middle, 2 * S) && spans(&fast, 0, 2 * S)));
	after = rate_of(&slow, middle);
	print_message("20 Hz: %.1f alone, %.1f beside %.1f\n", before, after, rate_of(&fast, 0));
	assert_true(before > 18 && before < 44);
	assert_true(after > 18 && after < 44);
	assert_true(fabs(before - after) <= 0.1 * before);
	assert_true(rate_of(&fast, 0) > 90 * 0.9);
	/* across both changes of the device's rate */
	stop_listening(&fast);
	middle = kept_count(&slow.kept);
	assert_true(EVENTUALLY(spans(&slow, middle, S)));
	rate_of(&slow, 0);
	stop_listening(&slow);
}

TEST(test_hot_switch)
{
	static const int64_t periods[] = { 100 * MS, 10 * MS, 100 * MS };
	struct listener l;

	listen_to_found(&l, find(NNSENSORS_TYPE_ACCELEROMETER), 50 * MS);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		const double hz = 1e9 / (double)periods[i];

		assert_int_equal(subscription_start(&l.s, periods[i], 0), 0);
		assert_true(reaches(&l, 2, 2 * S, 0.9 * hz, 1.1 * hz));
	}
	rate_of(&l, 0);
	stop_listening(&l);
}

/* Events may wait: they come in the same order, with the stamps of when they happened. */
TEST(test_batched)
{
	struct sensor *sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	struct listener l;
	char text[32];

	listen_to_found(&l, sensor, 10 * MS);
	assert_int_equal(subscription_start(&l.s, 10 * MS, 200 * MS), 0);
	read_attribute(sensor, "buffer/watermark", text, sizeof(text));
	assert_string_equal(text, "20");
	assert_true(reaches(&l, 0, 2 * S, 90, INFINITY));
	stop_listening(&l);
}

static bool differ(struct listener *l)
{
	unsigned int count = kept_count(&l->kept);

	return count && fabsf(heard(l, count - 1).u.data[0]) > 2;
}

TEST(test_move)
{
	struct listener l, near;

	listen_to_found(&l, find(NNSENSORS_TYPE_ACCELEROMETER), 20 * MS);
	listen_to_found(&near, find(NNSENSORS_TYPE_PROXIMITY), 20 * MS);
	assert_true(EVENTUALLY(kept_count(&near.kept) >= 1));
	uhid_hub_command("move", "ok move");
	assert_true(EVENTUALLY(differ(&l)));
	/* only changes are events: far, near, far, near */
	assert_true(EVENTUALLY(kept_count(&near.kept) >= 4));
	uhid_hub_command("still", "ok still");
	for (unsigned int i = 1; i < 4; i++)
		assert_true((heard(&near, i).u.data[0] > 0) != (heard(&near, i - 1).u.data[0] > 0));
	stop_listening(&near);
	stop_listening(&l);
}

/* No event is older than the start, also after a pause. */
TEST(test_no_stale_events)
{
	struct listener l;

	listen_to_found(&l, find(NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	for (int i = 0; i < 5; i++) {
		int64_t begin;

		assert_true(EVENTUALLY(kept_count(&l.kept) >= 5));
		subscription_stop(&l.s);
		kept_clear(&l.kept);
		begin = nnutil_boottime_ns();
		assert_int_equal(subscription_start(&l.s, 10 * MS, 0), 0);
		assert_true(EVENTUALLY(kept_count(&l.kept) >= 5));
		assert_true(heard(&l, 0).timestamp >= begin);
	}
	stop_listening(&l);
}

static bool none_left(void)
{
	struct nnsensors_info *infos;
	uint32_t count;

	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	free(infos);
	return !count;
}

TEST(test_unplug)
{
	struct listener accel, light;
	struct sensor *sensor;
	int32_t handle;

	sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	handle = sensor->info.handle;
	listen_to_found(&accel, sensor, 10 * MS);
	listen_to_found(&light, find(NNSENSORS_TYPE_LIGHT), 20 * MS);
	assert_true(EVENTUALLY(kept_count(&accel.kept) >= 5));
	uhid_hub_command("unplug", "ok unplug");
	assert_true(EVENTUALLY(kept_gone(&accel.kept) == 1 && kept_gone(&light.kept) == 1));
	assert_int_equal(subscription_start(&accel.s, 10 * MS, 0), -ENODEV);
	stop_listening(&light);
	stop_listening(&accel);
	assert_true(EVENTUALLY(none_left()));
	uhid_hub_command("plug", "ok plug");
	uhid_hub_says("plugged");
	sensor = find(NNSENSORS_TYPE_ACCELEROMETER);
	assert_true(sensor->info.handle != handle);
	device_put(sensor->device);
	test_units(NULL);
}

/*
 * A timer of the kernel, for devices without a trigger of their own (HID sensors have one): a
 * device that is a file takes it.
 */
TEST(test_timer_trigger)
{
	static const struct iio_places *const places = &iio_system_places;
	struct iio_unit unit = { .places = places, .id = "iio:device999" };
	const char *path = temp_path("trigger/current_trigger");
	char timer[128], *text = NULL;
	int64_t actual = 0;

	temp_make_folders(path);
	temp_write_text(path, "");
	unit.dir = iio_dir_open(temp_folder());
	assert_true(unit.dir >= 0);
	assert_int_equal(iio_trigger_set(&unit, 5 * MS, &actual), 0);
	assert_int_equal(actual, 5 * MS);
	assert_int_equal(nnutil_read_file(path, 64, &text, NULL), 0);
	assert_string_equal(text, "nnaccel-iio:device999");
	free(text);
	/* again, at another rate: it is there already */
	assert_int_equal(iio_trigger_set(&unit, 80 * MS, &actual), 0);
	assert_int_equal(actual, 80 * MS);
	iio_trigger_drop(&unit);
	snprintf(timer, sizeof(timer), "%s/triggers/hrtimer/nnaccel-iio:device999",
		 places->configfs);
	assert_int_equal(access(timer, F_OK), -1);
	close(unit.dir);
	temp_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),	      cmocka_unit_test(test_units),
		cmocka_unit_test(test_clock),	      cmocka_unit_test(test_trigger),
		cmocka_unit_test(test_rates),	      cmocka_unit_test(test_two_rates),
		cmocka_unit_test(test_hot_switch),    cmocka_unit_test(test_batched),
		cmocka_unit_test(test_move),	      cmocka_unit_test(test_no_stale_events),
		cmocka_unit_test(test_timer_trigger), cmocka_unit_test(test_unplug),
	};

	if (!getenv("NNSENSORS_TEST_UHID")) {
		printf("NNSENSORS_TEST_UHID is not set: this runs in the VM\n");
		return UHID_SKIPPED;
	}
	return cmocka_run_group_tests(tests, start_hub, stop_hub);
}

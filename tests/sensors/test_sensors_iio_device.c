// SPDX-License-Identifier: Apache-2.0
/*
 * The IIO backend on devices that are files: what is made of them, what is set up in which case,
 * and what becomes of the values. The kernel's own devices are in test_sensors_hub.c.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/iio/events.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core_fixture.h"
#include "eventually.h"
#include "iio_fixture.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "test_case.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-4 * (1 + fabs((double)(b))))

/* ---- event descriptors ---- */

static int events_fd = -1;

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (request != IIO_GET_EVENT_FD_IOCTL)
		return __real_ioctl(fd, request, argument);
	if (events_fd < 0) {
		errno = ENODEV;
		return -1;
	}
	*(int *)argument = dup(events_fd);
	return 0;
}

/* ---- devices ---- */

/* Accelerometer, big endian in 12 of 16 bits; gyroscope; time stamps; the chip's temperature. */
static void make_imu(struct iio_tree *tree)
{
	static const char *const axes[] = { "x", "y", "z" };
	char id[32];

	iio_tree_create(tree, 0, "imu", "");
	for (int i = 0; i < 3; i++) {
		snprintf(id, sizeof(id), "accel_%s", axes[i]);
		iio_tree_channel(tree, id, i, "be:s12/16&gt;&gt;4");
		snprintf(id, sizeof(id), "anglvel_%s", axes[i]);
		iio_tree_channel(tree, id, 3 + i, "le:s16/16&gt;&gt;0");
	}
	iio_tree_channel(tree, "timestamp", 6, "le:s64/64&gt;&gt;0");
	iio_tree_channel(tree, "temp", -1, NULL);
	iio_tree_buffer(tree);
	iio_tree_file(tree, "in_temp_raw", "20\n");
	iio_tree_file(tree, "in_accel_scale", "0.010000\n");
	iio_tree_file(tree, "in_accel_x_scale", "0.020000\n");
	iio_tree_file(tree, "in_accel_z_offset", "100\n");
	iio_tree_file(tree, "in_accel_scale_available", "0.01 0.02 0.04\n");
	iio_tree_file(tree, "in_anglvel_scale", "0.001\n");
	iio_tree_file(tree, "in_anglvel_x_calibbias", "50\n");
	iio_tree_file(tree, "in_accel_mount_matrix", "0, 1, 0; -1, 0, 0; 0, 0, 1\n");
	iio_tree_file(tree, "sampling_frequency", "100\n");
	iio_tree_file(tree, "sampling_frequency_available", "200.000000 12.5 50 100 800\n");
}

static void write_imu_scan(const struct iio_tree *tree, const int16_t accel[3],
			   const int16_t gyro[3], int64_t stamp)
{
	uint8_t scan[24] = { 0 };

	for (int i = 0; i < 3; i++) {
		uint16_t word = (uint16_t)((uint16_t)accel[i] << 4 | 0xf);

		scan[2 * i] = (uint8_t)(word >> 8);
		scan[2 * i + 1] = (uint8_t)word;
		memcpy(scan + 6 + 2 * i, &gyro[i], 2);
	}
	memcpy(scan + 16, &stamp, 8);
	assert_int_equal(nnutil_write_all(tree->node, scan, sizeof(scan)), 0);
}

/* ---- tests: what is made of a device ---- */

TEST(test_numbers)
{
	struct iio_tree tree;
	struct sensor_device *device;
	struct sensor *accel, *gyro;

	make_imu(&tree);
	device = iio_tree_add(&tree);
	assert_non_null(device);
	assert_int_equal(device_num_sensors(device), 4);
	accel = iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER);
	gyro = iio_tree_sensor(device, NNSENSORS_TYPE_GYROSCOPE);
	/* no sensor has the chip's temperature */
	assert_null(iio_tree_sensor(device, NNSENSORS_TYPE_AMBIENT_TEMPERATURE));
	NEAR(accel->info.resolution, 0.02);
	NEAR(accel->info.max_range, 2048 * 0.04);
	NEAR(gyro->info.max_range, 32768 * 0.001);
	assert_int_equal(accel->num_periods, 5);
	assert_int_equal(accel->periods_ns[0], 1250000);
	assert_int_equal(accel->periods_ns[4], 80000000);
	assert_int_equal(accel->info.min_delay_us, 1250);
	assert_int_equal(accel->info.max_delay_us, 80000);
	assert_int_equal((accel->info.flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
				 NNSENSORS_FLAG_DIRECT_REPORT_SHIFT,
			 NNSENSORS_RATE_VERY_FAST);
	assert_string_equal(accel->info.name, "imu");
	remove_device(device);
	iio_tree_destroy(&tree);
}

TEST(test_units)
{
	static const struct {
		int32_t type;
		const char *channel, *raw, *scale;
		double value;
	} rows[] = {
		{ NNSENSORS_TYPE_LIGHT, "illuminance", "3200", "0.1", 320 },
		{ NNSENSORS_TYPE_PRESSURE, "pressure", "101325", "0.001", 1013.25 },
		{ NNSENSORS_TYPE_AMBIENT_TEMPERATURE, "temp", "2150", "10", 21.5 },
		{ NNSENSORS_TYPE_RELATIVE_HUMIDITY, "humidityrelative", "45500", "1", 45.5 },
		{ NNSENSORS_TYPE_PROXIMITY, "distance", "1234", "0.001", 123.4 },
		{ NNSENSORS_TYPE_PROXIMITY, "proximity", "50", "0.001", 5 },
		{ NNSENSORS_TYPE_HINGE_ANGLE, "angl", "3141593", "0.000001", 180 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sensor_device *device;
		struct iio_tree tree;
		struct listener l;
		char file[64];

		iio_tree_create(&tree, 1, "chip", "");
		iio_tree_channel(&tree, rows[i].channel, -1, NULL);
		snprintf(file, sizeof(file), "in_%s_raw", rows[i].channel);
		iio_tree_file(&tree, file, "%s\n", rows[i].raw);
		snprintf(file, sizeof(file), "in_%s_scale", rows[i].channel);
		iio_tree_file(&tree, file, "%s\n", rows[i].scale);
		device = iio_tree_add(&tree);
		assert_non_null(device);
		listen_to(&l, iio_tree_sensor(device, rows[i].type), 20 * MS);
		assert_true(EVENTUALLY(kept_count(&l.kept) >= 1));
		NEAR(heard(&l, 0).u.data[0], rows[i].value);
		stop_listening(&l);
		remove_device(device);
		iio_tree_destroy(&tree);
	}
}

/* Without a scale there is no unit: larger is nearer, from the driver's level on. */
TEST(test_near)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener l;

	iio_tree_create(&tree, 1, "chip", "proximity-palmrest");
	iio_tree_channel(&tree, "proximity", -1, NULL);
	iio_tree_file(&tree, "in_proximity_raw", "100\n");
	iio_tree_file(&tree, "in_proximity_nearlevel", "300\n");
	device = iio_tree_add(&tree);
	assert_non_null(device);
	listen_to(&l, iio_tree_sensor(device, NNSENSORS_TYPE_PROXIMITY), 20 * MS);
	assert_string_equal(l.s.sensor->info.name, "proximity-palmrest");
	assert_true(EVENTUALLY(kept_count(&l.kept) >= 1));
	NEAR(heard(&l, 0).u.data[0], 5);
	iio_tree_file(&tree, "in_proximity_raw", "301\n");
	assert_true(EVENTUALLY(kept_count(&l.kept) >= 2));
	NEAR(heard(&l, 1).u.data[0], 0);
	stop_listening(&l);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* Two of a type on one device, and two devices of one name: names stay unique. */
TEST(test_names)
{
	struct sensor_device *first, *second, *third;
	struct iio_tree a, b, c;

	iio_tree_create(&a, 1, "hum\xc3\xa9", "");
	iio_tree_channel(&a, "temp0", -1, NULL);
	iio_tree_channel(&a, "temp1", -1, NULL);
	iio_tree_file(&a, "in_temp0_input", "20000\n");
	iio_tree_file(&a, "in_temp1_input", "30000\n");
	first = iio_tree_add(&a);
	assert_int_equal(device_num_sensors(first), 2);
	assert_string_equal(device_sensor(first, 0)->info.name, "hum__ 0");
	assert_string_equal(device_sensor(first, 1)->info.name, "hum__ 1");
	iio_tree_create(&b, 2, "hum", "");
	iio_tree_channel(&b, "temp", -1, NULL);
	iio_tree_file(&b, "in_temp_input", "20000\n");
	second = iio_tree_add(&b);
	iio_tree_create(&c, 3, "hum", "");
	iio_tree_channel(&c, "temp", -1, NULL);
	iio_tree_file(&c, "in_temp_input", "20000\n");
	third = iio_tree_add(&c);
	assert_string_equal(device_sensor(second, 0)->info.name, "hum");
	assert_string_equal(device_sensor(third, 0)->info.name, "hum (iio:device3)");
	remove_device(first);
	remove_device(second);
	remove_device(third);
	iio_tree_destroy(&a);
	iio_tree_destroy(&b);
	iio_tree_destroy(&c);
}

/* What a driver should not say: such a sensor is not there, or goes on without. */
TEST(test_hostile_texts)
{
	static const struct {
		const char *file, *text;
		bool there; /* the accelerometer */
	} rows[] = {
		{ "in_accel_scale", "", false },
		{ "in_accel_scale", "0", false },
		{ "in_accel_scale", "nan", false },
		{ "in_accel_scale", "1e300", false },
		{ "in_accel_scale", "0.1 0.2", false },
		{ "in_accel_offset", "%n%s", false },
		{ "in_accel_mount_matrix", "1, 2", true },
		{ "in_accel_mount_matrix", "0,0,0;0,0,0;0,0,0", true },
		{ "in_accel_calibbias", "many", true },
		{ "in_accel_scale_available", "[[[", true },
		{ "sampling_frequency_available", "fast slow", true },
		{ "sampling_frequency_available", "[100 1 1]", true },
		{ "sampling_frequency_available", "0 -1 1e-9", true },
		{ "buffer/hwfifo_watermark_max", "-5", true },
		{ "buffer/hwfifo_watermark_max", "1e15", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sensor_device *device;
		struct sensor *accel;
		struct iio_tree tree;
		char message[128];

		make_imu(&tree);
		iio_tree_remove(&tree, "in_accel_x_scale");
		iio_tree_file(&tree, rows[i].file, "%s\n", rows[i].text);
		device = iio_tree_add(&tree);
		assert_non_null(device);
		accel = iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER);
		if (!!accel != rows[i].there)
			fail_msg("%s \"%s\"", rows[i].file, rows[i].text);
		for (unsigned int k = 0; k < device_num_sensors(device); k++)
			assert_true(
				sensor_check(device_sensor(device, k), message, sizeof(message)));
		remove_device(device);
		iio_tree_destroy(&tree);
	}
}

TEST(test_no_sensor)
{
	struct iio_tree tree;

	iio_tree_create(&tree, 0, "adc", "");
	iio_tree_channel(&tree, "voltage0", 0, "le:u12/16&gt;&gt;0");
	iio_tree_buffer(&tree);
	iio_tree_file(&tree, "in_voltage0_raw", "1\n");
	assert_null(iio_tree_add(&tree));
	iio_tree_destroy(&tree);
}

/* ---- tests: buffers ---- */

TEST(test_stream)
{
	const int16_t accel[3] = { 100, -200, 900 }, gyro[3] = { 1000, -2000, 3000 };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a, g, u;
	int64_t stamp;

	make_imu(&tree);
	device = iio_tree_add(&tree);
	assert_non_null(device);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	assert_true(iio_tree_has(&tree, "buffer/enable", "1"));
	assert_true(iio_tree_has(&tree, "buffer/watermark", "1"));
	assert_true(iio_tree_has(&tree, "current_timestamp_clock", "boottime"));
	assert_true(iio_tree_has(&tree, "sampling_frequency", "100"));
	assert_true(iio_tree_has(&tree, "scan_elements/in_accel_y_en", "1"));
	assert_true(iio_tree_has(&tree, "scan_elements/in_timestamp_en", "1"));
	assert_true(iio_tree_has(&tree, "scan_elements/in_anglvel_x_en", "0"));
	/* more sensors, and faster */
	listen_to(&g, iio_tree_sensor(device, NNSENSORS_TYPE_GYROSCOPE), 5 * MS);
	listen_to(&u, iio_tree_sensor(device, NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED), 5 * MS);
	assert_true(iio_tree_has(&tree, "scan_elements/in_anglvel_x_en", "1"));
	assert_true(iio_tree_has(&tree, "sampling_frequency", "200"));
	stamp = nnutil_boottime_ns();
	write_imu_scan(&tree, accel, gyro, stamp);
	assert_true(EVENTUALLY(kept_count(&a.kept) == 1 && kept_count(&g.kept) == 1 &&
			       kept_count(&u.kept) == 1));
	/* x has a scale of its own, z an offset; then the mount matrix */
	NEAR(heard(&a, 0).u.vec3.x, -2);
	NEAR(heard(&a, 0).u.vec3.y, -2);
	NEAR(heard(&a, 0).u.vec3.z, 10);
	assert_int_equal(heard(&a, 0).timestamp, stamp);
	NEAR(heard(&g, 0).u.vec3.x, 1);
	NEAR(heard(&g, 0).u.vec3.z, 3);
	/* the driver has added 50 to x */
	NEAR(heard(&u, 0).u.uncal.x, 0.95);
	NEAR(heard(&u, 0).u.uncal.bias_x, -0.05);
	NEAR(heard(&u, 0).u.uncal.bias_y, 0);
	stop_listening(&g);
	stop_listening(&u);
	assert_true(iio_tree_has(&tree, "sampling_frequency", "100"));
	stop_listening(&a);
	assert_true(iio_tree_has(&tree, "buffer/enable", "0"));
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* A scan that comes in two pieces, and stamps that mean nothing. */
TEST(test_stamps)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;
	int64_t begin;

	make_imu(&tree);
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 1250000);
	begin = nnutil_boottime_ns();
	/* without the gyroscope a scan is 16 bytes: 6, 2 of padding, 8 */
	for (int i = 0; i < 4; i++) {
		uint8_t scan[16] = { 0 };
		int64_t stamp = i < 2 ? 5 : 4;

		memcpy(scan + 8, &stamp, 8);
		assert_int_equal(nnutil_write_all(tree.node, scan, 7), 0);
		assert_int_equal(nnutil_write_all(tree.node, scan + 7, 9), 0);
		assert_true(EVENTUALLY(kept_count(&a.kept) == (unsigned int)i + 1));
		assert_true(heard(&a, (unsigned int)i).timestamp >= begin);
		assert_true(heard(&a, (unsigned int)i).timestamp <= nnutil_boottime_ns());
	}
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* A device that has no other clock than the time of day. */
TEST(test_clock_offset)
{
	const int16_t none[3] = { 0 };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a, g;

	make_imu(&tree);
	iio_tree_remove(&tree, "current_timestamp_clock");
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	listen_to(&g, iio_tree_sensor(device, NNSENSORS_TYPE_GYROSCOPE), 10 * MS);
	for (unsigned int i = 0; i < 3; i++) {
		int64_t before = nnutil_boottime_ns(), after, there;

		there = nnutil_clock_ns(CLOCK_REALTIME);
		after = nnutil_boottime_ns();
		write_imu_scan(&tree, none, none, there);
		/* the next is due in a period */
		assert_true(EVENTUALLY(nnutil_boottime_ns() - before > 10 * MS));
		assert_true(EVENTUALLY(kept_count(&a.kept) == i + 1));
		assert_true(heard(&a, i).timestamp >= before - MS);
		assert_true(heard(&a, i).timestamp <= after + MS);
	}
	stop_listening(&g);
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

TEST(test_batch)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	iio_tree_file(&tree, "buffer/hwfifo_watermark_max", "400\n");
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	assert_int_equal(a.s.sensor->info.fifo_max, 400);
	assert_int_equal(subscription_start(&a.s, 10 * MS, S), 0);
	assert_true(iio_tree_has(&tree, "buffer/watermark", "100"));
	assert_true(iio_tree_has(&tree, "buffer/length", "200"));
	assert_int_equal(subscription_start(&a.s, 10 * MS, 100 * S), 0);
	assert_true(iio_tree_has(&tree, "buffer/watermark", "400"));
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* What the driver refuses is refused, and what ran goes on. */
TEST(test_refused)
{
	struct sensor_device *device;
	struct subscription s;
	struct iio_tree tree;
	struct listener a;
	struct sensor *gyro;
	uint8_t scan[16] = { 0 };
	int64_t stamp;

	make_imu(&tree);
	iio_tree_file(&tree, "in_anglvel_sampling_frequency", "100\n");
	iio_tree_file(&tree, "in_anglvel_sampling_frequency_available", "100 200\n");
	device = iio_tree_add(&tree);
	iio_tree_stubborn(&tree, "in_anglvel_sampling_frequency");
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	gyro = iio_tree_sensor(device, NNSENSORS_TYPE_GYROSCOPE);
	device_get(device);
	subscription_init(&s, gyro, &a.kept.sink, 1);
	assert_int_equal(subscription_start(&s, 5 * MS, 0), -ENOSPC);
	subscription_fini(&s);
	assert_true(iio_tree_has(&tree, "buffer/enable", "1"));
	assert_true(iio_tree_has(&tree, "scan_elements/in_anglvel_x_en", "0"));
	stamp = nnutil_boottime_ns();
	memcpy(scan + 8, &stamp, 8);
	assert_int_equal(nnutil_write_all(tree.node, scan, sizeof(scan)), 0);
	assert_true(EVENTUALLY(kept_count(&a.kept) == 1));
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

TEST(test_gone)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	close(tree.node);
	tree.node = -1;
	assert_true(EVENTUALLY(kept_gone(&a.kept) == 1));
	assert_int_equal(subscription_start(&a.s, 10 * MS, 0), -ENODEV);
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* Unplugged, before the event of udev: the folder is empty. */
TEST(test_folder_gone)
{
	struct sensor_device *device;
	char from[256], to[256];
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "scan_elements" : "buffer";

		snprintf(from, sizeof(from), "%s/chip/%s/%s", tree.root, tree.id, name);
		snprintf(to, sizeof(to), "%s/%s", tree.root, name);
		assert_int_equal(rename(from, to), 0);
	}
	assert_int_equal(subscription_start(&a.s, 20 * MS, 0), -ENODEV);
	assert_true(EVENTUALLY(kept_gone(&a.kept) == 1));
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* ---- tests: triggers ---- */

TEST(test_own_trigger)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	iio_tree_file(&tree, "trigger/current_trigger", "\n");
	iio_tree_trigger(&tree, 1, "other-dev7", "other");
	iio_tree_trigger(&tree, 2, "any-motion-dev0", "");
	iio_tree_trigger(&tree, 3, "imu-dev0", "");
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	assert_true(iio_tree_has(&tree, "trigger/current_trigger", "imu-dev0"));
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

static void make_timers(const struct iio_tree *tree)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/triggers", tree->configfs);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/triggers/hrtimer", tree->configfs);
	assert_int_equal(mkdir(path, 0755), 0);
}

TEST(test_timer_trigger)
{
	struct sensor_device *device;
	char path[256];
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	iio_tree_file(&tree, "trigger/current_trigger", "\n");
	make_timers(&tree);
	/* what the kernel makes when the folder is made */
	iio_tree_trigger(&tree, 4, "nnaccel-iio:device0", "virtual");
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 20 * MS);
	assert_true(iio_tree_has(&tree, "trigger/current_trigger", "nnaccel-iio:device0"));
	assert_true(iio_tree_has(&tree, "../../sysfs/trigger4/sampling_frequency", "50"));
	snprintf(path, sizeof(path), "%s/triggers/hrtimer/nnaccel-iio:device0", tree.configfs);
	assert_int_equal(access(path, F_OK), 0);
	stop_listening(&a);
	remove_device(device);
	/* what it has made, it takes away */
	assert_true(EVENTUALLY(access(path, F_OK) != 0));
	iio_tree_destroy(&tree);
}

/* No trigger at all: a timer of the service reads the values. */
TEST(test_no_trigger)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;

	make_imu(&tree);
	iio_tree_file(&tree, "trigger/current_trigger", "\n");
	iio_tree_file(&tree, "in_accel_x_raw", "0\n");
	iio_tree_file(&tree, "in_accel_y_raw", "0\n");
	iio_tree_file(&tree, "in_accel_z_raw", "880\n");
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 20 * MS);
	assert_true(EVENTUALLY(kept_count(&a.kept) >= 20));
	NEAR(heard(&a, 0).u.vec3.z, 9.8);
	for (unsigned int i = 1; i < 20; i++)
		assert_true(heard(&a, i).timestamp > heard(&a, i - 1).timestamp);
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* ---- tests: on change ---- */

TEST(test_polled)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener l;

	iio_tree_create(&tree, 1, "als", "");
	iio_tree_channel(&tree, "illuminance", -1, NULL);
	iio_tree_file(&tree, "in_illuminance_input", "10\n");
	device = iio_tree_add(&tree);
	listen_to(&l, iio_tree_sensor(device, NNSENSORS_TYPE_LIGHT), 10 * MS);
	assert_true(EVENTUALLY(kept_count(&l.kept) == 1));
	iio_tree_file(&tree, "in_illuminance_input", "garbage\n");
	iio_tree_file(&tree, "in_illuminance_input", "20\n");
	/* a file that is written is empty for a moment: no event */
	assert_true(EVENTUALLY(kept_count(&l.kept) == 2));
	NEAR(heard(&l, 0).u.data[0], 10);
	NEAR(heard(&l, 1).u.data[0], 20);
	stop_listening(&l);
	remove_device(device);
	iio_tree_destroy(&tree);
}

TEST(test_events)
{
	struct iio_event_data event = { .id = 1 };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener c, d;
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	events_fd = pipes[0];
	iio_tree_create(&tree, 1, "pedometer", "");
	iio_tree_channel(&tree, "steps", -1, NULL);
	iio_tree_buffer(&tree);
	iio_tree_file(&tree, "in_steps_input", "1000\n");
	iio_tree_file(&tree, "in_steps_en", "0\n");
	iio_tree_file(&tree, "events/in_steps_change_en", "0\n");
	device = iio_tree_add(&tree);
	listen_to(&c, iio_tree_sensor(device, NNSENSORS_TYPE_STEP_COUNTER), 100 * MS);
	listen_to(&d, iio_tree_sensor(device, NNSENSORS_TYPE_STEP_DETECTOR), 100 * MS);
	assert_true(iio_tree_has(&tree, "in_steps_en", "1"));
	assert_true(iio_tree_has(&tree, "events/in_steps_change_en", "1"));
	assert_true(EVENTUALLY(kept_count(&c.kept) == 1));
	assert_int_equal(heard(&c, 0).u.step_count, 1000);
	assert_int_equal(kept_count(&d.kept), 0);
	iio_tree_file(&tree, "in_steps_input", "1003\n");
	event.timestamp = nnutil_boottime_ns();
	assert_int_equal(nnutil_write_all(pipes[1], &event, sizeof(event)), 0);
	assert_true(EVENTUALLY(kept_count(&c.kept) == 2 && kept_count(&d.kept) == 3));
	assert_int_equal(heard(&c, 1).u.step_count, 1003);
	assert_int_equal(heard(&c, 1).timestamp, event.timestamp);
	NEAR(heard(&d, 2).u.data[0], 1);
	stop_listening(&d);
	/* the other one still needs them */
	assert_true(iio_tree_has(&tree, "in_steps_en", "1"));
	stop_listening(&c);
	assert_true(iio_tree_has(&tree, "in_steps_en", "0"));
	assert_true(iio_tree_has(&tree, "events/in_steps_change_en", "0"));
	remove_device(device);
	iio_tree_destroy(&tree);
	close(pipes[0]);
	close(pipes[1]);
	events_fd = -1;
}

/* Thresholds are not ours: without an event a change is seen, too. */
TEST(test_threshold_events)
{
	struct iio_event_data event = { .id = 1 };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener l;
	unsigned int count;
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	events_fd = pipes[0];
	iio_tree_create(&tree, 1, "prox", "");
	iio_tree_channel(&tree, "proximity", -1, NULL);
	iio_tree_buffer(&tree);
	iio_tree_file(&tree, "in_proximity_raw", "0\n");
	iio_tree_file(&tree, "events/in_proximity_thresh_either_en", "0\n");
	device = iio_tree_add(&tree);
	/* the timer comes once in ten seconds: what comes before, the event has brought */
	listen_to(&l, iio_tree_sensor(device, NNSENSORS_TYPE_PROXIMITY), 10 * S);
	assert_true(iio_tree_has(&tree, "events/in_proximity_thresh_either_en", "1"));
	assert_true(EVENTUALLY(kept_count(&l.kept) == 1));
	/* the first read by the timer may come late, and see the change before its event does */
	for (count = 1; heard(&l, count - 1).timestamp != event.timestamp; count++) {
		assert_true(count < 10);
		iio_tree_file(&tree, "in_proximity_raw", count % 2 ? "1\n" : "0\n");
		event.timestamp = nnutil_boottime_ns();
		assert_int_equal(nnutil_write_all(pipes[1], &event, sizeof(event)), 0);
		assert_true(EVENTUALLY(kept_count(&l.kept) == count + 1));
	}
	/* and here, the timer */
	assert_int_equal(subscription_start(&l.s, 10 * MS, 0), 0);
	iio_tree_file(&tree, "in_proximity_raw", count % 2 ? "1\n" : "0\n");
	assert_true(EVENTUALLY(kept_count(&l.kept) == count + 1));
	stop_listening(&l);
	remove_device(device);
	iio_tree_destroy(&tree);
	close(pipes[0]);
	close(pipes[1]);
	events_fd = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_no_sensor),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_clock_offset),
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_folder_gone),
		cmocka_unit_test(test_own_trigger),
		cmocka_unit_test(test_timer_trigger),
		cmocka_unit_test(test_no_trigger),
		cmocka_unit_test(test_polled),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_threshold_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

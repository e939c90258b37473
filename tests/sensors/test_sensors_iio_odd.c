// SPDX-License-Identifier: Apache-2.0
/*
 * IIO devices that do otherwise than the kernel's ABI says, after public reports: times at another
 * place, a trigger that does not fire, a light sensor under another name.
 */

#include <stdio.h>
#include <string.h>

#include "core_fixture.h"
#include "eventually.h"
#include "iio_fixture.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "test_case.h"

/*
 * A rotation vector has an element of 16 bytes, and a scan 32. Linux up to 6.19 writes the time at
 * 24 of it, later ones at 16 and 24; one at 16 alone would be right by the elements.
 */
TEST(test_stamp_behind_quaternion)
{
	static const size_t places[][2] = { { 24, 24 }, { 16, 24 }, { 16, 16 } };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener r;
	int64_t stamp;

	iio_tree_create(&tree, 0, "dev_rotation", "");
	iio_tree_channel(&tree, "rot_quaternion", 0, "le:s32/32X4&gt;&gt;0");
	iio_tree_channel(&tree, "timestamp", 1, "le:s64/64&gt;&gt;0");
	iio_tree_buffer(&tree);
	iio_tree_file(&tree, "in_rot_quaternion_raw", "0 0 0 1\n");
	iio_tree_file(&tree, "sampling_frequency", "100\n");
	iio_tree_file(&tree, "sampling_frequency_available", "100\n");
	device = iio_tree_add(&tree);
	assert_non_null(device);
	listen_to(&r, iio_tree_sensor(device, NNSENSORS_TYPE_ROTATION_VECTOR), 10 * MS);
	for (unsigned int i = 0; i < 3; i++) {
		int32_t w = 100 + (int32_t)i;
		uint8_t scan[32] = { 0 };

		stamp = nnutil_boottime_ns();
		memcpy(scan + 12, &w, 4);
		memcpy(scan + places[i][0], &stamp, 8);
		memcpy(scan + places[i][1], &stamp, 8);
		/* later than the stamp, and due */
		assert_true(EVENTUALLY(nnutil_boottime_ns() - stamp > 20 * MS));
		assert_int_equal(nnutil_write_all(tree.node, scan, sizeof(scan)), 0);
		assert_true(EVENTUALLY(kept_count(&r.kept) == i + 1));
		assert_int_equal(heard(&r, i).timestamp, stamp);
	}
	stop_listening(&r);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* The buffer is on and its trigger never fires: the values are read, until all is off. */
TEST(test_silent_buffer)
{
	static const char *const axes[] = { "x", "y", "z" };
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener a;
	const uint8_t scan[6] = { 1, 0, 2, 0, 3, 0 };
	char text[32];

	iio_tree_create(&tree, 0, "imu", "");
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "accel_%s", axes[i]);
		iio_tree_channel(&tree, text, i, "le:s16/16&gt;&gt;0");
		snprintf(text, sizeof(text), "in_accel_%s_raw", axes[i]);
		iio_tree_file(&tree, text, "%d\n", 10 * (i + 1));
	}
	iio_tree_buffer(&tree);
	device = iio_tree_add(&tree);
	listen_to(&a, iio_tree_sensor(device, NNSENSORS_TYPE_ACCELEROMETER), 10 * MS);
	assert_true(iio_tree_has(&tree, "buffer/enable", "1"));
	assert_true(EVENTUALLY(kept_count(&a.kept) >= 3));
	assert_true(iio_tree_has(&tree, "buffer/enable", "0"));
	assert_true(heard(&a, 0).u.vec3.z == 30);
	/* the next time it may fire */
	subscription_stop(&a.s);
	assert_int_equal(subscription_start(&a.s, 10 * MS, 0), 0);
	assert_true(iio_tree_has(&tree, "buffer/enable", "1"));
	kept_clear(&a.kept);
	assert_int_equal(nnutil_write_all(tree.node, scan, sizeof(scan)), 0);
	assert_true(EVENTUALLY(kept_count(&a.kept)));
	assert_true(heard(&a, 0).u.vec3.z == 3);
	assert_true(iio_tree_has(&tree, "buffer/enable", "1"));
	stop_listening(&a);
	remove_device(device);
	iio_tree_destroy(&tree);
}

/* A light sensor that has its value as an intensity alone. */
TEST(test_intensity)
{
	struct sensor_device *device;
	struct iio_tree tree;
	struct listener l;

	for (int both = 0; both < 2; both++) {
		iio_tree_create(&tree, 0, "als", "");
		iio_tree_channel(&tree, "intensity_both", -1, NULL);
		iio_tree_file(&tree, "in_intensity_both_raw", "320\n");
		iio_tree_file(&tree, "in_intensity_scale", "0.5\n");
		if (both) {
			iio_tree_channel(&tree, "illuminance", -1, NULL);
			iio_tree_file(&tree, "in_illuminance_raw", "7\n");
		}
		device = iio_tree_add(&tree);
		assert_non_null(device);
		assert_int_equal(device_num_sensors(device), 1);
		listen_to(&l, iio_tree_sensor(device, NNSENSORS_TYPE_LIGHT), 100 * MS);
		assert_true(EVENTUALLY(kept_count(&l.kept)));
		assert_true(heard(&l, 0).u.data[0] == (both ? 7 : 160));
		stop_listening(&l);
		remove_device(device);
		iio_tree_destroy(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stamp_behind_quaternion),
		cmocka_unit_test(test_silent_buffer),
		cmocka_unit_test(test_intensity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

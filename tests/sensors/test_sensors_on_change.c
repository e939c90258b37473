// SPDX-License-Identifier: Apache-2.0
/* On-change sensors: which changes a subscriber gets, and when. */

#include "core_fixture.h"
#include "eventually.h"
#include "test_case.h"

#define T0 (1234567ll * MS)

static void check_ascending(struct kept_sink *kept)
{
	for (unsigned int i = 1; i < kept->count; i++)
		assert_true(kept->records[i].timestamp > kept->records[i - 1].timestamp);
}

TEST(test_on_change)
{
	const struct sensor make = make_sensor(NNSENSORS_TYPE_LIGHT, "l");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener l, late;

	listen_to(&l, sensor, MS);
	assert_int_equal(l.kept.count, 0);
	emit_at(sensor, T0 + 1 * MS, 5);
	emit_at(sensor, T0 + 2 * MS, 5);
	emit_at(sensor, T0 + 3 * MS, 6);
	emit_at(sensor, T0 + 4 * MS, 6);
	assert_int_equal(l.kept.count, 2);
	assert_true(l.kept.records[1].u.data[0] == 6);
	/* what the type does not have is 0 */
	assert_true(l.kept.records[1].u.data[1] == 0);
	/* the last value for one who comes later, with the time of its start */
	fake.now = T0 + 10 * MS;
	listen_to(&late, sensor, MS);
	assert_int_equal(late.kept.count, 1);
	assert_true(late.kept.records[0].u.data[0] == 6);
	assert_int_equal(late.kept.records[0].timestamp, T0 + 10 * MS);
	/* a change that was measured before that and comes after it is not missing, nor older */
	emit_stamped(sensor, T0 + 11 * MS, T0 + 9 * MS, 7);
	assert_true(EVENTUALLY(kept_count(&late.kept) == 2));
	assert_true(heard(&late, 1).timestamp > T0 + 10 * MS);
	check_ascending(&late.kept);
	check_ascending(&l.kept);
	/* setting it anew is no start */
	assert_int_equal(subscription_start(&late.s, 100 * MS, 0), 0);
	assert_int_equal(late.kept.count, 2);
	/* a sensor that is off knows nothing */
	stop_listening(&late);
	subscription_stop(&l.s);
	kept_clear(&l.kept);
	fake.now = T0 + 20 * MS;
	assert_int_equal(subscription_start(&l.s, 10 * MS, 0), 0);
	assert_int_equal(l.kept.count, 0);
	emit_at(sensor, T0 + 21 * MS, 7);
	assert_int_equal(l.kept.count, 1);
	stop_listening(&l);
	remove_device(sensor->device);
}

/*
 * A change comes to each subscriber at its own rate, though another one has the hardware run
 * faster; the newest one is not lost.
 */
TEST(test_on_change_rate)
{
	const struct sensor make = make_sensor(NNSENSORS_TYPE_LIGHT, "l");
	struct fake fake = { .now = T0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct listener fast, slow;

	listen_to(&fast, sensor, MS);
	listen_to(&slow, sensor, 100 * MS);
	for (int i = 1; i <= 1000; i++)
		emit_at(sensor, T0 + i * MS, (float)i);
	assert_int_equal(kept_count(&fast.kept), 1000);
	/* at 1, 101 ... 901: others fall between */
	assert_int_equal(kept_count(&slow.kept), 10);
	assert_true(heard(&slow, 9).u.data[0] == 901);
	/* the last of those in between, once its time has come */
	fake.now = T0 + 1001 * MS;
	assert_true(EVENTUALLY(kept_count(&slow.kept) == 11));
	assert_true(heard(&slow, 10).u.data[0] == 1000);
	assert_int_equal(heard(&slow, 10).timestamp, T0 + 1000 * MS);
	/* that counted as one of its rate */
	emit_at(sensor, T0 + 1050 * MS, 3);
	emit_at(sensor, T0 + 1060 * MS, 4);
	assert_int_equal(kept_count(&slow.kept), 11);
	/* and a rate that is set anew counts at once */
	assert_int_equal(subscription_start(&slow.s, 10 * MS, 0), 0);
	assert_int_equal(kept_count(&slow.kept), 12);
	assert_true(heard(&slow, 11).u.data[0] == 4);
	emit_at(sensor, T0 + 1200 * MS, 5);
	assert_int_equal(kept_count(&slow.kept), 13);
	check_ascending(&slow.kept);
	stop_listening(&fast);
	stop_listening(&slow);
	remove_device(sensor->device);
}

static void emit_in_configure(struct sensor_device *device)
{
	union nnsensors_payload payload = { .step_count = 42 };

	sensor_emit(device_sensor(device, 0), T0, &payload);
}

/* A backend that knows the value when it switches the sensor on. */
TEST(test_on_change_first_value)
{
	const struct sensor make = make_sensor(NNSENSORS_TYPE_STEP_COUNTER, "steps");
	struct fake fake = { .now = T0, .on_configure = emit_in_configure };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription s;
	struct kept_sink kept;

	kept_sink_init(&kept);
	for (unsigned int i = 1; i <= 2; i++) {
		subscribe(&s, sensor, &kept, 10 * MS);
		assert_int_equal(kept.count, i);
		assert_int_equal(kept.records[i - 1].u.step_count, 42);
		subscription_fini(&s);
	}
	check_ascending(&kept);
	kept_sink_fini(&kept);
	remove_device(sensor->device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_change),
		cmocka_unit_test(test_on_change_rate),
		cmocka_unit_test(test_on_change_first_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

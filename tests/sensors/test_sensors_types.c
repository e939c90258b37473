// SPDX-License-Identifier: Apache-2.0
/*
 * The table of sensor types against the interface's, which is written down here a second time:
 * mode, flavour, and where in the 104 bytes of an event and of a record each member of a payload
 * is.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test_case.h"
#include "values/nnsensors_values.h"

#define CONT 0u
#define CHANGE 2u
#define ONCE 4u
#define SPECIAL 6u

/* Members of a payload: kind, and offset from the begin of the payload. */
struct member {
	char kind; /* 'f' float, 'b' byte, 'i' int32, 'l' u64; 0: the end */
	size_t offset;
};

#define FLOATS_3                \
	{ 'f', 0 }, { 'f', 4 }, \
	{                       \
		'f', 8          \
	}
#define FLOATS_4        \
	FLOATS_3,       \
	{               \
		'f', 12 \
	}
#define FLOATS_8                                         \
	FLOATS_4, { 'f', 16 }, { 'f', 20 }, { 'f', 24 }, \
	{                                                \
		'f', 28                                  \
	}
#define WORDS_8_TO_64                                                                             \
	{ 'i', 8 }, { 'i', 12 }, { 'i', 16 }, { 'i', 20 }, { 'i', 24 }, { 'i', 28 }, { 'i', 32 }, \
		{ 'i', 36 }, { 'i', 40 }, { 'i', 44 }, { 'i', 48 }, { 'i', 52 }, { 'i', 56 },     \
	{                                                                                         \
		'i', 60                                                                           \
	}

static const struct member scalar[] = { { 'f', 0 }, { 0 } };
static const struct member vec3[] = { FLOATS_3, { 'b', 12 }, { 0 } };
static const struct member vec4[] = { FLOATS_4, { 0 } };
static const struct member rotation[] = { FLOATS_4, { 'f', 16 }, { 0 } };
static const struct member uncal[] = { FLOATS_4, { 'f', 16 }, { 'f', 20 }, { 0 } };
static const struct member steps[] = { { 'l', 0 }, { 0 } };
static const struct member heart[] = { { 'f', 0 }, { 'b', 4 }, { 0 } };
static const struct member pose[] = { FLOATS_8,	   { 'f', 32 }, { 'f', 36 },
				      { 'f', 40 }, { 'f', 44 }, { 'f', 48 },
				      { 'f', 52 }, { 'f', 56 }, { 0 } };
static const struct member meta[] = { { 'i', 0 }, { 'i', 4 }, { 0 } };
/* the pointer at 8 does not travel */
static const struct member dynamic[] = { { 'i', 0 }, { 'i', 4 }, { 'l', 16 }, { 'l', 24 }, { 0 } };
static const struct member additional[] = { { 'i', 0 }, { 'i', 4 }, WORDS_8_TO_64, { 0 } };
static const struct member all[] = { FLOATS_8,	  { 'f', 32 }, { 'f', 36 }, { 'f', 40 },
				     { 'f', 44 }, { 'f', 48 }, { 'f', 52 }, { 'f', 56 },
				     { 'f', 60 }, { 0 } };

/* Section 4 of the contract. */
static const struct expected {
	int32_t type;
	const char *name;
	uint32_t mode;
	bool wake_up, listed;
	const struct member *members;
	const char *unit;
} table[] = {
	{ 0, "meta_data", SPECIAL, false, false, meta, "" },
	{ 1, "accelerometer", CONT, false, true, vec3, "m/s^2" },
	{ 2, "magnetic_field", CONT, false, true, vec3, "uT" },
	{ 3, "orientation", CONT, false, true, vec3, "degrees" },
	{ 4, "gyroscope", CONT, false, true, vec3, "rad/s" },
	{ 5, "light", CHANGE, false, true, scalar, "lux" },
	{ 6, "pressure", CONT, false, true, scalar, "hPa" },
	{ 7, "temperature", CHANGE, false, true, scalar, "degrees C" },
	{ 8, "proximity", CHANGE, true, true, scalar, "cm" },
	{ 9, "gravity", CONT, false, true, vec3, "m/s^2" },
	{ 10, "linear_acceleration", CONT, false, true, vec3, "m/s^2" },
	{ 11, "rotation_vector", CONT, false, true, rotation, "" },
	{ 12, "relative_humidity", CHANGE, false, true, scalar, "%" },
	{ 13, "ambient_temperature", CHANGE, false, true, scalar, "degrees C" },
	{ 14, "magnetic_field_uncalibrated", CONT, false, true, uncal, "uT" },
	{ 15, "game_rotation_vector", CONT, false, true, vec4, "" },
	{ 16, "gyroscope_uncalibrated", CONT, false, true, uncal, "rad/s" },
	{ 17, "significant_motion", ONCE, true, true, scalar, "" },
	{ 18, "step_detector", SPECIAL, false, true, scalar, "" },
	{ 19, "step_counter", CHANGE, false, true, steps, "steps" },
	{ 20, "geomagnetic_rotation_vector", CONT, false, true, rotation, "" },
	{ 21, "heart_rate", CHANGE, false, true, heart, "bpm" },
	{ 22, "tilt_detector", SPECIAL, true, true, scalar, "" },
	{ 23, "wake_gesture", ONCE, true, true, scalar, "" },
	{ 24, "glance_gesture", ONCE, true, true, scalar, "" },
	{ 25, "pick_up_gesture", ONCE, true, true, scalar, "" },
	{ 26, "wrist_tilt_gesture", SPECIAL, true, true, scalar, "" },
	{ 27, "device_orientation", CHANGE, false, true, scalar, "" },
	{ 28, "pose_6dof", CONT, false, true, pose, "" },
	{ 29, "stationary_detect", ONCE, false, true, scalar, "" },
	{ 30, "motion_detect", ONCE, false, true, scalar, "" },
	{ 31, "heart_beat", CONT, false, true, scalar, "" },
	{ 32, "dynamic_sensor_meta", SPECIAL, true, true, dynamic, "" },
	{ 33, "additional_info", SPECIAL, false, false, additional, "" },
	{ 34, "low_latency_offbody_detect", CHANGE, true, true, scalar, "" },
	{ 35, "accelerometer_uncalibrated", CONT, false, true, uncal, "m/s^2" },
	{ 36, "hinge_angle", CHANGE, true, true, scalar, "degrees" },
};
#define NUM_TYPES (sizeof(table) / sizeof(table[0]))

static size_t size_of(char kind)
{
	return kind == 'b' ? 1 : kind == 'l' ? 8 : 4;
}

static unsigned int leading_floats(const struct member *m)
{
	unsigned int n = 0;

	while (m[n].kind == 'f')
		n++;
	return n;
}

TEST(test_rows)
{
	for (size_t i = 0; i < NUM_TYPES; i++) {
		const struct expected *e = &table[i];
		const struct sensor_type *row = nnsensors_type_row(e->type);
		char type_string[64] = "android.sensor.";

		assert_non_null(row);
		assert_ptr_equal(nnsensors_type_at(i), row);
		assert_int_equal(row->type, e->type);
		assert_string_equal(row->name, e->name);
		strcat(type_string, e->name);
		assert_string_equal(row->type_string, type_string);
		assert_string_equal(row->unit, e->unit);
		assert_int_equal(row->mode, e->mode);
		assert_int_equal(row->wake_up, e->wake_up);
		assert_int_equal(row->listed, e->listed);
		assert_ptr_equal(nnsensors_type_by_name(e->name), row);
		assert_ptr_equal(nnsensors_type_by_name(type_string), row);
	}
}

TEST(test_private)
{
	const struct sensor_type *row = nnsensors_type_row(0x10000);

	assert_non_null(row);
	assert_ptr_equal(nnsensors_type_row(INT32_MAX), row);
	assert_ptr_equal(nnsensors_type_row(0x10001), row);
	assert_ptr_equal(nnsensors_type_at(NUM_TYPES), row);
	assert_ptr_equal(nnsensors_type_by_name(row->name), row);
	assert_int_equal(row->payload, SENSOR_PAYLOAD_PRIVATE);
	assert_true(row->listed);
}

TEST(test_no_type)
{
	static const int32_t numbers[] = { -1, INT32_MIN, 37, 38, 0xffff };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_null(nnsensors_type_row(numbers[i]));
	assert_null(nnsensors_type_at(NUM_TYPES + 1));
	assert_null(nnsensors_type_at(SIZE_MAX));
	assert_null(nnsensors_type_by_name(""));
	assert_null(nnsensors_type_by_name("android.sensor."));
	assert_null(nnsensors_type_by_name("android.sensor"));
	assert_null(nnsensors_type_by_name("accelerometer "));
	assert_null(nnsensors_type_by_name("Accelerometer"));
	assert_null(nnsensors_type_by_name("android.sensor.android.sensor.light"));
}

/* Which bytes of 64 the members take. */
static void mark(const struct member *m, uint8_t *bytes)
{
	memset(bytes, 0, 64);
	for (; m->kind; m++)
		memset(bytes + m->offset, 1, size_of(m->kind));
}

static void expect_copy(enum sensor_payload payload, const struct member *members)
{
	union nnsensors_payload from, to, in_place;
	uint8_t carried[64];

	mark(members, carried);
	for (size_t i = 0; i < 64; i++)
		((uint8_t *)&from)[i] = (uint8_t)(i + 1);
	memset(&to, 0xcc, sizeof(to));
	in_place = from;
	nnsensors_payload_copy(payload, &to, &from);
	nnsensors_payload_copy(payload, &in_place, &in_place);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(((uint8_t *)&to)[i], carried[i] ? i + 1 : 0);
	assert_memory_equal(&to, &in_place, sizeof(to));
	assert_int_equal(nnsensors_payload_floats(payload), leading_floats(members));
}

TEST(test_payloads)
{
	for (size_t i = 0; i < NUM_TYPES; i++) {
		const struct sensor_type *row = nnsensors_type_row(table[i].type);
		const struct member *last = table[i].members;

		expect_copy(row->payload, table[i].members);
		while (last[1].kind)
			last++;
		assert_int_equal(nnsensors_payload_size(row->payload),
				 last->offset + size_of(last->kind));
	}
	expect_copy(SENSOR_PAYLOAD_PRIVATE, all);
	expect_copy(SENSOR_PAYLOAD_NONE, &(const struct member){ 0 });
	/* a number that is none: nothing is carried */
	expect_copy((enum sensor_payload)99, &(const struct member){ 0 });
	assert_int_equal(nnsensors_payload_size((enum sensor_payload)99), 0);
}

/* Section 5: where a member is in the event, written through the struct and read by its offset. */
TEST(test_event_bytes)
{
	struct nnsensors_event e = { .version = 104,
				     .sensor = 0x01020304,
				     .type = 0x11121314,
				     .reserved0 = 0x21222324,
				     .timestamp = 0x3132333435363738,
				     .flags = 0x41424344,
				     .reserved1 = { 0x51, 0x52, 0x53 } };
	const uint8_t *bytes = (const uint8_t *)&e;
	const uint32_t words[] = { 104, 0x01020304, 0x11121314, 0x21222324, 0x35363738, 0x31323334 };
	uint32_t word;

	assert_int_equal(sizeof(e), 104);
	for (size_t i = 0; i < 6; i++) {
		memcpy(&word, bytes + 4 * i, 4);
		assert_int_equal(word, words[i]);
	}
	memcpy(&word, bytes + 0x58, 4);
	assert_int_equal(word, 0x41424344);
	for (size_t i = 0; i < 3; i++) {
		memcpy(&word, bytes + 0x5c + 4 * i, 4);
		assert_int_equal(word, 0x51 + i);
	}
	assert_int_equal(offsetof(struct nnsensors_event, u), 0x18);
	e.u.vec3.status = -1;
	assert_int_equal(bytes[0x24], 0xff);
	e.u.heart_rate.status = 3;
	assert_int_equal(bytes[0x1c], 3);
	e.u.meta.sensor = 0x61626364;
	memcpy(&word, bytes + 0x1c, 4);
	assert_int_equal(word, 0x61626364);
	e.u.dynamic.uuid[15] = 0x77;
	assert_int_equal(bytes[0x18 + 31], 0x77);
	e.u.additional.f[13] = 1.0f;
	memcpy(&word, bytes + 0x18 + 60, 4);
	assert_int_equal(word, 0x3f800000);
	e.u.step_count = 0x0102030405060708;
	assert_int_equal(bytes[0x18], 8);
	assert_int_equal(bytes[0x1f], 1);
}

/* Section 6: the same of a record, whose payload is at the same place. */
TEST(test_record_bytes)
{
	assert_int_equal(sizeof(struct nnsensors_record), 104);
	assert_int_equal(offsetof(struct nnsensors_record, size), 0);
	assert_int_equal(offsetof(struct nnsensors_record, token), 4);
	assert_int_equal(offsetof(struct nnsensors_record, type), 8);
	assert_int_equal(offsetof(struct nnsensors_record, counter), 0x0c);
	assert_int_equal(offsetof(struct nnsensors_record, timestamp), 0x10);
	assert_int_equal(offsetof(struct nnsensors_record, u), 0x18);
	assert_int_equal(offsetof(struct nnsensors_record, reserved), 0x58);
}

TEST(test_rates)
{
	/* Hz * 1000 */
	static const struct {
		enum nnsensors_rate_level level;
		int64_t nominal, out, least, most, above;
	} windows[] = {
		{ NNSENSORS_RATE_NORMAL, 50000, 27500, 27501, 110000, 110001 },
		{ NNSENSORS_RATE_FAST, 200000, 110000, 110001, 440000, 440001 },
		{ NNSENSORS_RATE_VERY_FAST, 800000, 440000, 440010, 1760000, 1760010 },
	};

	for (size_t i = 0; i < 3; i++) {
		const enum nnsensors_rate_level level = windows[i].level;
		const int64_t T = 1000000000000; /* mHz to ns */

		assert_int_equal(nnsensors_rate_period_ns(level), T / windows[i].nominal);
		assert_true(nnsensors_rate_legal(level, nnsensors_rate_period_ns(level)));
		/* 55 % itself is too slow: the period that is the longest not above it */
		assert_false(nnsensors_rate_legal(level, T / windows[i].out + 1));
		assert_true(nnsensors_rate_legal(level, T / windows[i].least));
		/* 220 % itself is allowed */
		assert_true(nnsensors_rate_legal(level, T / windows[i].most + 1));
		assert_false(nnsensors_rate_legal(level, T / windows[i].above));
		assert_false(nnsensors_rate_legal(level, 0));
		assert_false(nnsensors_rate_legal(level, -1));
		assert_false(nnsensors_rate_legal(level, INT64_MAX));
		assert_false(nnsensors_rate_legal(level, INT64_MIN));
	}
	/* exact limits: 220 % of 200 Hz is no whole number of ns, 55 % of 50 Hz neither */
	assert_true(nnsensors_rate_legal(NNSENSORS_RATE_FAST, 2272728));
	assert_false(nnsensors_rate_legal(NNSENSORS_RATE_FAST, 2272727));
	assert_true(nnsensors_rate_legal(NNSENSORS_RATE_NORMAL, 36363636));
	assert_false(nnsensors_rate_legal(NNSENSORS_RATE_NORMAL, 36363637));
	assert_int_equal(nnsensors_rate_period_ns(NNSENSORS_RATE_STOP), 0);
	assert_int_equal(nnsensors_rate_period_ns((enum nnsensors_rate_level)4), 0);
	assert_false(nnsensors_rate_legal(NNSENSORS_RATE_STOP, 20000000));
	assert_false(nnsensors_rate_legal((enum nnsensors_rate_level)4, 20000000));
}

TEST(test_results)
{
	static const struct {
		int error;
		enum nnsensors_result result;
		const char *name;
	} results[] = {
		{ 0, 0, "NNSENSORS_OK" },
		{ ENOENT, 1, "NNSENSORS_NOT_EXIST" },
		{ ENOMEM, 2, "NNSENSORS_NO_MEMORY" },
		{ ENODEV, 3, "NNSENSORS_NO_INIT" },
		{ EPERM, 4, "NNSENSORS_PERMISSION_DENIED" },
		{ EINVAL, 5, "NNSENSORS_BAD_VALUE" },
		{ ENOSYS, 6, "NNSENSORS_INVALID_OPERATION" },
		{ EIO, 7, "NNSENSORS_UNKNOWN_ERROR" },
		{ EMFILE, 7, "NNSENSORS_UNKNOWN_ERROR" },
		{ INT32_MAX, 7, "NNSENSORS_UNKNOWN_ERROR" },
	};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		assert_int_equal(nnsensors_result_of(results[i].error), results[i].result);
		assert_int_equal(nnsensors_result_of(-results[i].error), results[i].result);
		assert_string_equal(nnsensors_result_name(results[i].result), results[i].name);
	}
	assert_int_equal(nnsensors_result_of(INT32_MIN), NNSENSORS_UNKNOWN_ERROR);
	assert_string_equal(nnsensors_result_name((enum nnsensors_result)8), "unknown");
	assert_string_equal(nnsensors_result_name((enum nnsensors_result) - 22), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	    cmocka_unit_test(test_private),
		cmocka_unit_test(test_no_type),	    cmocka_unit_test(test_payloads),
		cmocka_unit_test(test_event_bytes), cmocka_unit_test(test_record_bytes),
		cmocka_unit_test(test_rates),	    cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

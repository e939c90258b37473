// SPDX-License-Identifier: Apache-2.0
/* Recordings: every type there and back with all its bits, and each way to be wrong. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temp.h"
#include "test_case.h"
#include "values/nnsensors_values.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define EVENTS 200

static uint32_t random_word(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 32);
}

static struct nnsensors_info make_info(int32_t handle, const struct sensor_type *row)
{
	struct nnsensors_info info = {
		.size = sizeof(info),
		.handle = handle,
		.type = row->type,
		.version = -3,
		.flags = row->mode | NNSENSORS_FLAG_WAKE_UP,
		.min_delay_us = -1,
		.max_delay_us = 123456,
		.fifo_reserved = 3,
		.fifo_max = UINT32_MAX,
		.max_range = 78.4532f,
		.resolution = 1.0f / 3,
		.power_ma = 1e-40f,
		.name = "A sensor, with a comma",
		.vendor = "Vendor \"of\" it",
	};

	strcpy(info.type_string,
	       row->type < NNSENSORS_TYPE_PRIVATE_BASE ? row->type_string : "com.example.own");
	return info;
}

static struct nnsensors_event make_event(int32_t handle, const struct sensor_type *row, int64_t t,
					 uint64_t *state)
{
	struct nnsensors_event event = {
		.version = 104,
		.sensor = handle,
		.type = row->type,
		.timestamp = t,
	};
	union nnsensors_payload u;
	uint32_t words[16];

	for (int i = 0; i < 16; i++)
		words[i] = random_word(state);
	memcpy(&u, words, sizeof(u));
	if (row->payload == SENSOR_PAYLOAD_VEC3)
		u.vec3.status = (int8_t)(random_word(state) % 5 - 1);
	if (row->payload == SENSOR_PAYLOAD_HEART_RATE)
		u.heart_rate.status = (int8_t)(random_word(state) % 5 - 1);
	nnsensors_payload_copy(row->payload, &event.u, &u);
	return event;
}

TEST(test_round_trip)
{
	static struct nnsensors_event events[40 * EVENTS];
	struct nnsensors_info infos[40];
	struct nnsensors_recording recording;
	const struct sensor_type *row;
	char *text, message[200] = "";
	uint64_t random = 1;
	size_t size, n = 0;
	uint32_t num = 0;
	FILE *file;

	file = open_memstream(&text, &size);
	assert_non_null(file);
	assert_int_equal(nnsensors_recording_begin(file), 0);
	for (size_t i = 0; (row = nnsensors_type_at(i)); i++) {
		if (!nnsensors_recording_has(row->type)) {
			assert_int_equal(nnsensors_recording_put_sensor(
						 file,
						 &(struct nnsensors_info){ .type = row->type }),
					 -EINVAL);
			assert_int_equal(nnsensors_recording_put_event(
						 file,
						 &(struct nnsensors_event){ .type = row->type }),
					 -EINVAL);
			continue;
		}
		infos[num] = make_info((int32_t)i + 7, row);
		assert_int_equal(nnsensors_recording_put_sensor(file, &infos[num++]), 0);
	}
	for (int k = 0; k < EVENTS; k++)
		for (uint32_t i = 0; i < num; i++) {
			events[n] = make_event(infos[i].handle, nnsensors_type_row(infos[i].type),
					       INT64_MAX - EVENTS + k, &random);
			assert_int_equal(nnsensors_recording_put_event(file, &events[n++]), 0);
		}
	assert_int_equal(fclose(file), 0);
	if (nnsensors_recording_parse(text, size, &recording, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(recording.num_sensors, num);
	assert_memory_equal(recording.sensors, infos, num * sizeof(infos[0]));
	assert_int_equal(recording.num_events, n);
	assert_memory_equal(recording.events, events, n * sizeof(events[0]));
	nnsensors_recording_fini(&recording);
	free(text);
}

/* Names of hardware are texts from outside: they cannot add a line. */
TEST(test_names_are_no_lines)
{
	struct nnsensors_info info = make_info(1, nnsensors_type_row(NNSENSORS_TYPE_LIGHT));
	struct nnsensors_recording recording;
	char *text, message[200];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	strcpy(info.name, "a\nevent,1,5,7\r\t\x7f");
	memset(info.vendor, 'v', sizeof(info.vendor));
	nnsensors_recording_begin(file);
	assert_int_equal(nnsensors_recording_put_sensor(file, &info), 0);
	fclose(file);
	assert_int_equal(
		nnsensors_recording_parse(text, size, &recording, message, sizeof(message)), 0);
	assert_int_equal(recording.num_events, 0);
	assert_string_equal(recording.sensors[0].name, "a event,1,5,7   ");
	assert_int_equal(strlen(recording.sensors[0].vendor), NNSENSORS_NAME_MAX - 1);
	nnsensors_recording_fini(&recording);
	free(text);
}

#define HEAD "nnsensors recording 1\n"
#define SENSOR "sensor,1,accelerometer,0x0,1,1000,2000,0,0,78.4,0.01,0.5\n"
#define NAMES "name,1,n\nvendor,1,v\n"

/* What people may write. */
TEST(test_by_hand)
{
	char text[] = HEAD
		"\n# a comment\n" SENSOR NAMES
		"sensor,2,android.sensor.light,2,1,0,0,0,0,1e3,1,0\r\nname,2,n\nvendor,2,v\n"
		"event,2,0,.5\nevent,1,5,1,-2e1,+3.5,3\nevent,1,6,0x7fc00001,0,0,-1";
	struct nnsensors_recording r;
	char message[200] = "";
	uint32_t bits;

	if (nnsensors_recording_parse(text, sizeof(text) - 1, &r, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(r.num_sensors, 2);
	assert_int_equal(r.sensors[1].type, NNSENSORS_TYPE_LIGHT);
	assert_string_equal(r.sensors[1].type_string, "android.sensor.light");
	assert_int_equal(r.num_events, 3);
	assert_true(r.events[0].u.data[0] == 0.5f);
	assert_true(r.events[1].u.vec3.y == -20);
	assert_int_equal(r.events[1].u.vec3.status, 3);
	memcpy(&bits, &r.events[2].u.data[0], 4);
	assert_int_equal(bits, 0x7fc00001);
	nnsensors_recording_fini(&r);
}

TEST(test_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "line 1: a recording begins" },
		{ "nnsensors recording 2\n", "line 1: a recording begins" },
		{ HEAD, "line 1: no sensor" },
		{ HEAD "hello\n", "line 2: \"hello\" is no item" },
		{ HEAD "event,1,1,1\n", "line 2: no sensor has the number 1" },
		{ HEAD "sensor,1,accelerometer\n", "line 2: a sensor has 12 fields, not 3" },
		{ HEAD "sensor,1,accelerometer,0,1,1,1,0,0,1,1,1,1\n", "not 13" },
		{ HEAD "sensor,x,accelerometer,0,1,1,1,0,0,1,1,1\n", "sensor \"x\"" },
		{ HEAD "sensor,1,nothing,0,1,1,1,0,0,1,1,1\n", "type \"nothing\"" },
		{ HEAD "sensor,1,meta_data,0,1,1,1,0,0,1,1,1\n", "cannot be recorded" },
		{ HEAD "sensor,1,private,0,1,1,1,0,0,1,1,1\n", "type \"private\"" },
		{ HEAD "sensor,1,32,0,1,1,1,0,0,1,1,1\n", "cannot be recorded" },
		{ HEAD "sensor,1,99,0,1,1,1,0,0,1,1,1\n", "cannot be recorded" },
		{ HEAD "sensor,1,light,-1,1,1,1,0,0,1,1,1\n", "flags \"-1\"" },
		{ HEAD "sensor,1,light,0,1.5,1,1,0,0,1,1,1\n", "version \"1.5\"" },
		{ HEAD "sensor,1,light,0,1,9999999999,1,0,0,1,1,1\n", "period \"9999999999\"" },
		{ HEAD "sensor,1,light,0,1,1,,0,0,1,1,1\n", "period \"\"" },
		{ HEAD "sensor,1,light,0,1,1,1,x,0,1,1,1\n", "FIFO size" },
		{ HEAD "sensor,1,light,0,1,1,1,0,-5,1,1,1\n", "FIFO size" },
		{ HEAD "sensor,1,light,0,1,1,1,0,0,nan,1,1\n", "range \"nan\"" },
		{ HEAD "sensor,1,light,0,1,1,1,0,0,1,1e39,1\n", "resolution \"1e39\"" },
		{ HEAD "sensor,1,light,0,1,1,1,0,0,1,1,0x1ffffffff\n", "power" },
		{ HEAD SENSOR SENSOR, "line 3: a second sensor has the number 1" },
		{ HEAD SENSOR "name,1\n", "line 3: a text has" },
		{ HEAD SENSOR "name,2,n\n", "no sensor has the number 2" },
		{ HEAD SENSOR "name,1,\n", "1 to 63" },
		{ HEAD SENSOR
		  "vendor,1,0123456789012345678901234567890123456789012345678901234567890123\n",
		  "1 to 63" },
		{ HEAD SENSOR "type_string,1,x\n", "only a private type" },
		{ HEAD SENSOR "vendor,1,v\n", "has no name" },
		{ HEAD SENSOR "name,1,n\n", "vendor" },
		{ HEAD "sensor,1,65536,0,1,1,1,0,0,1,1,1\n" NAMES, "type string" },
		{ HEAD SENSOR NAMES "event,1\n", "line 5: an event has" },
		{ HEAD SENSOR NAMES "event,1,5\n", "has 4 values, not 0" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3\n", "has 4 values, not 3" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3,0,4\n", "has 4 values, not 5" },
		{ HEAD SENSOR NAMES "event,1,-5,1,2,3,0\n", "stamp \"-5\"" },
		{ HEAD SENSOR NAMES "event,1,99999999999999999999,1,2,3,0\n", "stamp" },
		{ HEAD SENSOR NAMES "event,1,5,1,x,3,0\n", "value \"x\"" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3,4\n", "status \"4\"" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3,-2\n", "status \"-2\"" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3,0\nevent,1,5,1,2,3,0\n",
		  "line 6: the sensor's stamps do not increase" },
		{ HEAD SENSOR NAMES "event,1,5,1,2,3,0\nsensor,2,light,0,1,1,1,0,0,1,1,1\n",
		  "behind the first event" },
		{ HEAD SENSOR NAMES "event,1,5,1,2\t,3,0\n", "control character" },
	};
	struct nnsensors_recording recording;
	char message[200];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = strdup(cases[i].text);

		message[0] = '\0';
		assert_int_equal(nnsensors_recording_parse(text, strlen(text), &recording, message,
							   sizeof(message)),
				 -EINVAL);
		if (!strstr(message, cases[i].why))
			fail_msg("case %zu: \"%s\" instead of \"%s\"", i, message, cases[i].why);
		assert_null(recording.sensors);
		free(text);
	}
}

TEST(test_zero_byte)
{
	char text[] = HEAD "# a\0b\n" SENSOR NAMES, message[200];
	struct nnsensors_recording recording;

	assert_int_equal(nnsensors_recording_parse(text, sizeof(text) - 1, &recording, message,
						   sizeof(message)),
			 -EINVAL);
	assert_string_equal(message, "line 2: a byte is 0");
}

TEST(test_too_many_sensors)
{
	struct nnsensors_recording recording;
	char *text, message[200];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	nnsensors_recording_begin(file);
	for (unsigned int i = 0; i <= NNSENSORS_RECORDING_SENSORS_MAX; i++) {
		struct nnsensors_info info =
			make_info((int32_t)i, nnsensors_type_row(NNSENSORS_TYPE_LIGHT));

		nnsensors_recording_put_sensor(file, &info);
	}
	fclose(file);
	assert_int_equal(nnsensors_recording_parse(text, size, &recording, message,
						   sizeof(message)),
			 -EINVAL);
	assert_non_null(strstr(message, "more than 256 sensors"));
	free(text);
}

TEST(test_file)
{
	struct nnsensors_info info = make_info(1, nnsensors_type_row(NNSENSORS_TYPE_LIGHT));
	const char *path = temp_path("recording");
	char message[200];
	struct nnsensors_recording recording;
	FILE *file, *full = fopen("/dev/full", "we");

	file = fopen(path, "we");
	nnsensors_recording_begin(file);
	nnsensors_recording_put_sensor(file, &info);
	fclose(file);
	assert_int_equal(nnsensors_recording_read(path, &recording, message, sizeof(message)), 0);
	assert_int_equal(recording.num_sensors, 1);
	nnsensors_recording_fini(&recording);
	unlink(path);
	assert_int_equal(nnsensors_recording_read(path, &recording, message, sizeof(message)),
			 -ENOENT);
	assert_non_null(strstr(message, path));
	/* a write error is reported */
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_true(nnsensors_recording_begin(full) < 0);
	assert_true(nnsensors_recording_put_sensor(full, &info) < 0);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_names_are_no_lines),
		cmocka_unit_test(test_by_hand),	   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_zero_byte),  cmocka_unit_test(test_too_many_sensors),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

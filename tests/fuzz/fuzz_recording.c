// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile recordings: what is accepted is written again, read again, and the same; and it is given
 * to a device that plays it, which refuses it or plays it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "fuzz_target.h"
#include "text_mutations.h"
#include "values/nnsensors_values.h"
#include "virtual/sensord_virtual.h"

#define MAX_SIZE 4096u

static const char *const texts[] = {
	"nnsensors recording 1\n# walking\nsensor,3,accelerometer,0x0,1,2500,200000,0,0,78.4,0.0024,0.18\n"
	"name,3,BMI160 accelerometer\nvendor,3,Bosch\nevent,3,123456789012,0.02,-0.11,9.79,3\n"
	"event,3,123456799012,0.03,-0.11,9.79,3\nevent,3,123456809012,0x7fc00001,0,9.8,-1\n",
	"nnsensors recording 1\nsensor,1,light,0x2,1,0,0,0,0,1000,1,0\nname,1,L\nvendor,1,V\n"
	"sensor,2,step_counter,2,1,0,100000,0,0,1e9,1,0\nname,2,C\nvendor,2,V\n"
	"event,1,10,5\nevent,2,10,1\nevent,1,20,6\nevent,2,1000000,18446744073709551615\n",
	"nnsensors recording 1\nsensor,-7,65537,0x4,1,-1,0,0,0,1,0,0\nname,-7,Own\nvendor,-7,V\n"
	"type_string,-7,com.example.own\nevent,-7,5,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n"
	"sensor,8,heart_rate,2,1,0,0,0,0,300,1,0\n",
};
/* The last one is refused: a sensor behind the first event. */
#define GOOD_TEXTS 2

static const char *const words[] = {
	"event,1,",
	"event,3,",
	"sensor,1,",
	"name,1,x\n",
	"vendor,3,y\n",
	",",
	"\n",
	"\r\n",
	"0x7f800000",
	"nan",
	"-1",
	"1e38",
	"1e39",
	"0",
	"9223372036854775807",
	"99999999999999999999",
	"#",
	"gyroscope",
	"pressure",
	"65536",
	"type_string,-7,",
	NULL,
};

static uint64_t inputs, accepted, played;

static void write_and_read(const struct nnsensors_recording *recording)
{
	struct nnsensors_recording again;
	char *text, message[200];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file || nnsensors_recording_begin(file))
		abort();
	for (uint32_t i = 0; i < recording->num_sensors; i++)
		fuzz_require(!nnsensors_recording_put_sensor(file, &recording->sensors[i]),
			     "a sensor that cannot be written");
	for (size_t i = 0; i < recording->num_events; i++)
		fuzz_require(!nnsensors_recording_put_event(file, &recording->events[i]),
			     "an event that cannot be written");
	if (fclose(file))
		abort();
	if (nnsensors_recording_parse(text, size, &again, message, sizeof(message)))
		fuzz_require(false, message);
	fuzz_require(again.num_sensors == recording->num_sensors &&
			     again.num_events == recording->num_events,
		     "another number");
	fuzz_require(!memcmp(again.sensors, recording->sensors,
			     again.num_sensors * sizeof(again.sensors[0])),
		     "another sensor");
	fuzz_require(!again.num_events || !memcmp(again.events, recording->events,
						  again.num_events * sizeof(again.events[0])),
		     "another event");
	nnsensors_recording_fini(&again);
	free(text);
}

static void take(struct sink *sink, const struct subscription *s,
		 const struct nnsensors_record *record)
{
	(void)sink;
	(void)s;
	fuzz_require(record->timestamp >= 0 && record->size == 104, "no such record");
}

static void note_gone(struct sink *sink, const struct subscription *s)
{
	(void)sink;
	(void)s;
}

static void play(struct nnsensors_recording *recording)
{
	struct sink sink = { .put = take, .gone = note_gone };
	struct sensor_device *device;
	struct subscription s;
	char message[200] = "";

	if (played_device_add("fuzz", recording, "", false, &device, message, sizeof(message)))
		return;
	for (unsigned int i = 0; i < device_num_sensors(device); i++) {
		device_get(device);
		subscription_init(&s, device_sensor(device, i), &sink, 1);
		fuzz_require(!subscription_start(&s, 1000000, 0), "it does not start");
		subscription_fini(&s);
	}
	device_remove(device);
	device_put(device);
	played++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nnsensors_recording recording;
	char *text, message[200] = "";

	if (size > MAX_SIZE)
		return 0;
	text = fuzz_copy_text(data, size);
	setenv("NNAPI_LOG", "off", 1);
	inputs++;
	if (nnsensors_recording_parse(text, size, &recording, message, sizeof(message))) {
		fuzz_require(!strncmp(message, "line ", 5), "the message has no line number");
	} else {
		accepted++;
		write_and_read(&recording);
		play(&recording);
	}
	free(text);
	return 0;
}

/* ---- for the driver ---- */

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	return fuzz_mutate_text(data, size, MAX_SIZE, words, random);
}

static size_t seeds(struct fuzz_seed **list)
{
	static const char *const names[] = { "accelerometer", "changes", "late-sensor" };
	size_t count = 0;

	*list = NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		fuzz_add_seed(list, &count, names[i], texts[i], strlen(texts[i]));
	return count;
}

static bool seeds_accepted(size_t count)
{
	(void)count;
	return accepted == GOOD_TEXTS && played == GOOD_TEXTS;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 20 && played >= rounds / 40 && inputs - accepted >= rounds / 10;
}

static void report(void)
{
	printf("%llu recordings, %llu accepted, %llu played\n", (unsigned long long)inputs,
	       (unsigned long long)accepted, (unsigned long long)played);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".rec",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};

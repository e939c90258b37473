// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile files of virtual sensors: what is accepted is a sensor that a list can have, and what it
 * generates is within its range at any time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "text_mutations.h"
#include "virtual/sensord_virtual.h"

#define MAX_SIZE 4096u

static const char *const texts[] = {
	"# two of a device\n[sensor]\nname = Accelerometer\ntype = accelerometer\ndevice = imu\n"
	"rates = 50 100 200 400 800\ngenerator = motion\nmotion = walk\nfrequency = 2\nnoise = 0.1\n"
	"seed = 5\nrange = 20\nresolution = 0.01\nfifo = 10 20\n"
	"[sensor]\nname = Gyroscope\ntype = gyroscope\ndevice = imu\nperiods = 1000 200000\n"
	"generator = motion\nmotion = fall\n",
	"[sensor]\nname = Pressure\nvendor = V\nversion = 3\npower = 0.5\ntype = pressure\n"
	"generator = sine\nvalues = 1000\namplitude = 20\nphase = 90\nfrequency = 0.1\n"
	"[sensor]\nname = Light\ntype = light\nwake-up = yes\ngenerator = steps\nvalues = 1 2 3\n"
	"frequency = 10\n",
	"[sensor]\nname = Own\ntype = 65540\ntype-string = com.example.own\nmode = special\n"
	"generator = steps\nfrequency = 3\n[recording]\nfile = walk.txt\nonce = yes\nprefix = Old\n",
	"[sensor]\nname = Faulty\ntype = accelerometer_uncalibrated\ngenerator = noise\ndrop = 3\n"
	"backwards = 5\njitter = 100\nstall-after = 1\nstall-for = 2\nunplug-after = 3\nhang = 0.1\n"
	"refuse-rate = 400\n[sensor]\nname = Steps\ntype = step_counter\ngenerator = steps\n"
	"frequency = 1.8\n",
};

static const char *const words[] = {
	"[sensor]\n",
	"[recording]\n",
	"name = A\n",
	"type = 1\n",
	"generator = constant\n",
	"mode = ",
	"on-change",
	"one-shot",
	"rates = ",
	"periods = 0 0\n",
	" ",
	"\n",
	"=",
	"1e38",
	"1e-45",
	"-1",
	"nan",
	"inf",
	"0x10",
	"99999999999999999999",
	"#",
	"\r",
	"frequency = 1e5\n",
	"values = 3e38 -3e38 3e38\n",
	"amplitude = 3e38\n",
	"noise = 3e38\n",
	"resolution = 1e-45\n",
	"range = 3e38\n",
	NULL,
};

static uint64_t files, accepted, samples;

static void check_values(const struct virtual_sensor *v)
{
	static const int64_t times[] = { 0, 1, 999999999, 1234567890123, INT64_MAX };
	const struct sensor *sensor = &v->sensor;
	const unsigned int floats = nnsensors_payload_floats(sensor->row->payload);
	uint64_t random = v->generator.seed;
	union nnsensors_payload payload;

	for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
		generator_make(&v->generator, &sensor->info, sensor->row, times[k], &random,
			       &payload);
		for (unsigned int i = 0; i < floats; i++)
			fuzz_require(fabsf(payload.data[i]) <= sensor->info.max_range,
				     "a value out of range");
		samples++;
	}
}

static void check_sensor(const struct virtual_sensor *v)
{
	const struct virtual_faults *f = &v->faults;
	char message[160];

	if (!sensor_check(&v->sensor, message, sizeof(message)))
		fuzz_require(false, message);
	fuzz_require(v->device[0] && v->line, "a sensor of no device");
	fuzz_require(f->jitter_ns >= 0 && f->stall_after_ns >= 0 && f->stall_for_ns >= 0 &&
			     f->unplug_after_ns >= 0 && f->hang_ns >= 0 && f->refused_ns >= 0,
		     "a negative time");
	check_values(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct virtual_config config;
	char *text, message[200] = "";

	if (size > MAX_SIZE)
		return 0;
	text = fuzz_copy_text(data, size);
	files++;
	if (virtual_config_parse(text, size, &config, message, sizeof(message))) {
		fuzz_require(!strncmp(message, "line ", 5), "the message has no line number");
	} else {
		accepted++;
		for (unsigned int i = 0; i < config.num_sensors; i++)
			check_sensor(&config.sensors[i]);
		for (unsigned int i = 0; i < config.num_recordings; i++)
			fuzz_require(config.recordings[i].path[0], "a recording without a file");
		virtual_config_fini(&config);
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
	static const char *const names[] = { "imu", "values", "private", "faults" };
	size_t count = 0;

	*list = NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		fuzz_add_seed(list, &count, names[i], texts[i], strlen(texts[i]));
	return count;
}

static bool seeds_accepted(size_t count)
{
	return accepted == count;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 20 && files - accepted >= rounds / 10;
}

static void report(void)
{
	printf("%llu files, %llu accepted, %llu samples\n", (unsigned long long)files,
	       (unsigned long long)accepted, (unsigned long long)samples);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".conf",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};

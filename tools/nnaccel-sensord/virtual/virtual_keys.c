// SPDX-License-Identifier: Apache-2.0
/* The keys of a file of virtual sensors: a row of the table each. */
#include "virtual/sensord_virtual.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "nnutil_log.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BLANKS " \t"
/* Times in a file: up to a year. */
#define SECONDS_MAX (365.0 * 24 * 3600)
#define HZ_MAX 100000.0
#define HZ_MIN 0.001
#define PERIOD_MAX_US 1000000000.0
#define REFUSE(s, ...) nnutil_refuse((s)->message, (s)->message_size, -EINVAL, __VA_ARGS__)

/* ---- kinds of values ---- */

static int get_text(struct virtual_section *s, const char *value, char *to, size_t size)
{
	if (strlen(value) >= size)
		return REFUSE(s, "\"%.32s...\" is longer than %zu characters", value, size - 1);
	strcpy(to, value);
	return 0;
}

static int get_number(struct virtual_section *s, const char *value, double min, double max,
		      double *to)
{
	if (nnutil_parse_double(value, min, max, to))
		return REFUSE(s, "\"%.32s\" is no number from %g to %g", value, min, max);
	return 0;
}

static int get_float(struct virtual_section *s, const char *value, double min, float *to)
{
	double number = 0;
	int ret = get_number(s, value, min, (double)FLT_MAX, &number);

	if (!ret)
		*to = (float)number;
	return ret;
}

static int get_whole(struct virtual_section *s, const char *value, uint64_t max, uint64_t *to)
{
	if (nnutil_parse_u64(value, 0, 0, max, to))
		return REFUSE(s, "\"%.32s\" is no whole number from 0 to %llu", value,
			      (unsigned long long)max);
	return 0;
}

static int get_seconds(struct virtual_section *s, const char *value, double unit, int64_t *to)
{
	double number = 0;
	int ret = get_number(s, value, 0, SECONDS_MAX, &number);

	if (!ret)
		*to = (int64_t)(number * unit * (double)NNUTIL_NS_PER_S);
	return ret;
}

static int get_word(struct virtual_section *s, const char *value, const char *const *words,
		    unsigned int n, unsigned int *to)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(value, words[i])) {
			*to = i;
			return 0;
		}
	return REFUSE(s, "\"%.32s\" is not known here", value);
}

static int get_bool(struct virtual_section *s, const char *value, bool *to)
{
	return nnutil_ini_bool(value, to) ? REFUSE(s, "\"%.32s\" is not known here", value) : 0;
}

/* Numbers with blanks between them. */
static int get_list(struct virtual_section *s, char *value, double min, double max, double *to,
		    unsigned int room, unsigned int *n)
{
	char *save, *word = strtok_r(value, BLANKS, &save);

	for (*n = 0; word; word = strtok_r(NULL, BLANKS, &save)) {
		if (*n == room)
			return REFUSE(s, "more than %u numbers", room);
		if (get_number(s, word, min, max, &to[(*n)++]))
			return -EINVAL;
	}
	return 0;
}

static int get_floats(struct virtual_section *s, char *value, float *to, unsigned int *n)
{
	double numbers[GENERATOR_VALUES];
	int ret =
		get_list(s, value, (double)-FLT_MAX, (double)FLT_MAX, numbers, GENERATOR_VALUES, n);

	for (unsigned int i = 0; !ret && i < *n; i++)
		to[i] = (float)numbers[i];
	return ret;
}

/* ---- what a sensor is ---- */

static int take_name(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->sensor->sensor.info.name, NNSENSORS_NAME_MAX);
}

static int take_vendor(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->sensor->sensor.info.vendor, NNSENSORS_NAME_MAX);
}

static int take_device(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->sensor->device, sizeof(s->sensor->device));
}

static int take_type(struct virtual_section *s, char *value)
{
	const struct sensor_type *row = nnsensors_type_by_name(value);
	struct sensor *sensor = &s->sensor->sensor;
	uint64_t number;

	if (row && row->type < NNSENSORS_TYPE_PRIVATE_BASE)
		sensor->info.type = row->type;
	else if (!nnutil_parse_u64(value, 0, 0, INT32_MAX, &number))
		sensor->info.type = (int32_t)number;
	else
		return REFUSE(s, "\"%.32s\" is no type of sensors", value);
	sensor->row = nnsensors_type_row(sensor->info.type);
	if (!sensor->row || !sensor->row->listed)
		return REFUSE(s, "no sensor can be of type \"%.32s\"", value);
	return 0;
}

static int take_type_string(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->sensor->sensor.info.type_string, NNSENSORS_NAME_MAX);
}

static int take_mode(struct virtual_section *s, char *value)
{
	static const char *const words[] = { "continuous", "on-change", "one-shot", "special" };
	unsigned int i = 0;
	int ret = get_word(s, value, words, ARRAY_SIZE(words), &i);

	s->mode = i * NNSENSORS_FLAG_ON_CHANGE;
	s->has_mode = true;
	return ret;
}

static int take_wake_up(struct virtual_section *s, char *value)
{
	s->has_wake_up = true;
	return get_bool(s, value, &s->wake_up);
}

static int take_version(struct virtual_section *s, char *value)
{
	uint64_t number = 0;
	int ret = get_whole(s, value, INT32_MAX, &number);

	s->sensor->sensor.info.version = (int32_t)number;
	return ret;
}

static int take_range(struct virtual_section *s, char *value)
{
	return get_float(s, value, 0, &s->sensor->sensor.info.max_range);
}

static int take_resolution(struct virtual_section *s, char *value)
{
	return get_float(s, value, 0, &s->sensor->sensor.info.resolution);
}

static int take_power(struct virtual_section *s, char *value)
{
	return get_float(s, value, 0, &s->sensor->sensor.info.power_ma);
}

static int take_fifo(struct virtual_section *s, char *value)
{
	struct nnsensors_info *info = &s->sensor->sensor.info;
	double numbers[2];
	unsigned int n = 0;

	if (get_list(s, value, 0, 1e6, numbers, 2, &n))
		return -EINVAL;
	if (n != 2)
		return REFUSE(s, "a FIFO has two numbers: reserved, and at most");
	info->fifo_reserved = (uint32_t)numbers[0];
	info->fifo_max = (uint32_t)numbers[1];
	return 0;
}

static int falling(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int take_rates(struct virtual_section *s, char *value)
{
	struct sensor *sensor = &s->sensor->sensor;
	double hz[SENSOR_RATES_MAX];
	unsigned int n = 0;

	if (get_list(s, value, HZ_MIN, HZ_MAX, hz, SENSOR_RATES_MAX, &n))
		return -EINVAL;
	if (!n)
		return REFUSE(s, "no rate");
	if (sensor->info.max_delay_us)
		return REFUSE(s, "rates and periods exclude each other");
	qsort(hz, n, sizeof(hz[0]), falling);
	for (unsigned int i = 0; i < n; i++)
		sensor->periods_ns[i] = (int64_t)((double)NNUTIL_NS_PER_S / hz[i] + 0.5);
	sensor->num_periods = n;
	sensor->info.min_delay_us = sensor_delay_us(sensor->periods_ns[0]);
	sensor->info.max_delay_us = sensor_delay_us(sensor->periods_ns[n - 1]);
	return 0;
}

static int take_periods(struct virtual_section *s, char *value)
{
	struct sensor *sensor = &s->sensor->sensor;
	double us[2];
	unsigned int n = 0;

	if (get_list(s, value, 0, PERIOD_MAX_US, us, 2, &n))
		return -EINVAL;
	if (n != 2)
		return REFUSE(s, "two periods: the smallest and the largest, in us");
	if (sensor->num_periods)
		return REFUSE(s, "rates and periods exclude each other");
	sensor->info.min_delay_us = (int32_t)us[0];
	sensor->info.max_delay_us = (int32_t)us[1];
	return 0;
}

/* ---- what it says ---- */

static int take_generator(struct virtual_section *s, char *value)
{
	/* "noise" is a constant, with the noise that every generator can have */
	static const char *const words[] = { "constant", "sine", "steps", "motion", "noise" };
	static const enum generator_kind kinds[] = { GENERATOR_CONSTANT, GENERATOR_SINE,
						     GENERATOR_STEPS, GENERATOR_MOTION,
						     GENERATOR_CONSTANT };
	unsigned int i = 0;
	int ret = get_word(s, value, words, ARRAY_SIZE(words), &i);

	s->sensor->generator.kind = kinds[i];
	s->has_generator = true;
	if (!ret && i == 4 && !(s->sensor->generator.noise > 0))
		s->sensor->generator.noise = 1;
	return ret;
}

static int take_motion(struct virtual_section *s, char *value)
{
	static const char *const words[] = { "still", "walk", "shake", "fall" };
	unsigned int i = 0;
	int ret = get_word(s, value, words, ARRAY_SIZE(words), &i);

	s->sensor->generator.motion.kind = (enum motion_kind)i;
	return ret;
}

static int take_values(struct virtual_section *s, char *value)
{
	return get_floats(s, value, s->sensor->generator.values, &s->sensor->generator.num_values);
}

static int take_amplitude(struct virtual_section *s, char *value)
{
	struct generator *g = &s->sensor->generator;
	unsigned int n = 0;
	int ret = get_floats(s, value, g->amplitudes, &n);

	/* one for all; a motion has one */
	for (unsigned int i = 1; n == 1 && i < GENERATOR_VALUES; i++)
		g->amplitudes[i] = g->amplitudes[0];
	g->motion.amplitude = (double)g->amplitudes[0];
	return ret;
}

static int take_phase(struct virtual_section *s, char *value)
{
	unsigned int n = 0;

	return get_floats(s, value, s->sensor->generator.phases, &n);
}

static int take_frequency(struct virtual_section *s, char *value)
{
	struct generator *g = &s->sensor->generator;
	int ret = get_number(s, value, HZ_MIN, HZ_MAX, &g->frequency);

	g->motion.frequency = g->frequency;
	return ret;
}

static int take_noise(struct virtual_section *s, char *value)
{
	return get_number(s, value, 0, (double)FLT_MAX, &s->sensor->generator.noise);
}

static int take_seed(struct virtual_section *s, char *value)
{
	return get_whole(s, value, UINT64_MAX, &s->sensor->generator.seed);
}

/* ---- what goes wrong ---- */

static int take_drop(struct virtual_section *s, char *value)
{
	return get_whole(s, value, UINT32_MAX, &s->sensor->faults.drop);
}

static int take_backwards(struct virtual_section *s, char *value)
{
	return get_whole(s, value, UINT32_MAX, &s->sensor->faults.backwards);
}

static int take_jitter(struct virtual_section *s, char *value)
{
	return get_seconds(s, value, 1e-6, &s->sensor->faults.jitter_ns);
}

static int take_stall_after(struct virtual_section *s, char *value)
{
	s->sensor->faults.stalls = true;
	return get_seconds(s, value, 1, &s->sensor->faults.stall_after_ns);
}

static int take_stall_for(struct virtual_section *s, char *value)
{
	return get_seconds(s, value, 1, &s->sensor->faults.stall_for_ns);
}

static int take_unplug_after(struct virtual_section *s, char *value)
{
	return get_seconds(s, value, 1, &s->sensor->faults.unplug_after_ns);
}

static int take_hang(struct virtual_section *s, char *value)
{
	return get_seconds(s, value, 1, &s->sensor->faults.hang_ns);
}

static int take_refuse_rate(struct virtual_section *s, char *value)
{
	double hz = 1;
	int ret = get_number(s, value, HZ_MIN, HZ_MAX, &hz);

	s->sensor->faults.refused_ns = (int64_t)((double)NNUTIL_NS_PER_S / hz + 0.5);
	return ret;
}

/* ---- recordings ---- */

static int take_file(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->recording->path, sizeof(s->recording->path));
}

static int take_once(struct virtual_section *s, char *value)
{
	return get_bool(s, value, &s->recording->once);
}

static int take_prefix(struct virtual_section *s, char *value)
{
	return get_text(s, value, s->recording->prefix, sizeof(s->recording->prefix));
}

/* ---- the table ---- */

static const struct key {
	const char *name;
	bool of_recordings;
	int (*take)(struct virtual_section *section, char *value);
} keys[] = {
	{ "name", false, take_name },
	{ "vendor", false, take_vendor },
	{ "device", false, take_device },
	{ "type", false, take_type },
	{ "type-string", false, take_type_string },
	{ "mode", false, take_mode },
	{ "wake-up", false, take_wake_up },
	{ "version", false, take_version },
	{ "range", false, take_range },
	{ "resolution", false, take_resolution },
	{ "power", false, take_power },
	{ "fifo", false, take_fifo },
	{ "rates", false, take_rates },
	{ "periods", false, take_periods },
	{ "generator", false, take_generator },
	{ "motion", false, take_motion },
	{ "values", false, take_values },
	{ "amplitude", false, take_amplitude },
	{ "phase", false, take_phase },
	{ "frequency", false, take_frequency },
	{ "noise", false, take_noise },
	{ "seed", false, take_seed },
	{ "drop", false, take_drop },
	{ "backwards", false, take_backwards },
	{ "jitter", false, take_jitter },
	{ "stall-after", false, take_stall_after },
	{ "stall-for", false, take_stall_for },
	{ "unplug-after", false, take_unplug_after },
	{ "hang", false, take_hang },
	{ "refuse-rate", false, take_refuse_rate },
	{ "file", true, take_file },
	{ "once", true, take_once },
	{ "prefix", true, take_prefix },
};
_Static_assert(ARRAY_SIZE(keys) <= VIRTUAL_KEYS_MAX, "a bit of seen each");

int virtual_key_take(struct virtual_section *s, const char *name, char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(name, keys[i].name) != 0 || keys[i].of_recordings != !!s->recording)
			continue;
		if (s->seen & 1ull << i)
			return REFUSE(s, "a second \"%s\"", name);
		s->seen |= 1ull << i;
		if (!value[0])
			return REFUSE(s, "\"%s\" has no value", name);
		return keys[i].take(s, value);
	}
	return REFUSE(s, "no key \"%.32s\" in a section [%s]", name,
		      s->recording ? "recording" : "sensor");
}

/* ---- the end of a section ---- */

/* What sensors of a unit usually reach. */
static float usual_range(const struct sensor_type *row)
{
	static const struct {
		const char *unit;
		float range;
	} usual[] = {
		{ "m/s^2", 78.4532f }, { "rad/s", 34.906586f },
		{ "uT", 4912 },	       { "degrees", 360 },
		{ "lux", 100000 },     { "hPa", 1100 },
		{ "cm", 100 },	       { "%", 100 },
		{ "degrees C", 100 },  { "bpm", 300 },
		{ "steps", 1e9f },
	};

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!strcmp(row->unit, usual[i].unit))
			return usual[i].range;
	return row->type < NNSENSORS_TYPE_PRIVATE_BASE ? 1 : 1e6f;
}

static void set_delays(struct nnsensors_info *info, uint32_t mode)
{
	const bool has_none = !info->min_delay_us && !info->max_delay_us;

	if (mode == NNSENSORS_FLAG_ONE_SHOT && has_none)
		info->min_delay_us = -1;
	else if ((mode == NNSENSORS_FLAG_CONTINUOUS || mode == NNSENSORS_FLAG_ON_CHANGE) &&
		 has_none) {
		info->min_delay_us = 1000;
		info->max_delay_us = 1000000;
	}
}

static int end_sensor(struct virtual_section *s)
{
	struct sensor *sensor = &s->sensor->sensor;
	struct nnsensors_info *info = &sensor->info;
	const char *why = "";
	bool wake_up;

	if (!info->name[0] || !sensor->row)
		return REFUSE(s, "a sensor needs a name and a type");
	if (!s->has_mode)
		s->mode = sensor->row->mode;
	wake_up = s->has_wake_up ? s->wake_up : sensor->row->wake_up;
	info->flags = s->mode | (wake_up ? NNSENSORS_FLAG_WAKE_UP : 0);
	if (!info->vendor[0])
		strcpy(info->vendor, "nnaccel virtual");
	if (!info->type_string[0])
		strcpy(info->type_string, sensor->row->type_string);
	if (!(info->max_range > 0))
		info->max_range = usual_range(sensor->row);
	if (!info->version)
		info->version = 1;
	if (!s->sensor->device[0])
		snprintf(s->sensor->device, sizeof(s->sensor->device), "%.31s", info->name);
	set_delays(info, s->mode);
	if (!sensor_check(sensor, s->message, s->message_size))
		return -EINVAL;
	if (!s->has_generator)
		return REFUSE(s, "%s: what does it say? \"generator = ...\"", info->name);
	if (!generator_fits(&s->sensor->generator, sensor->row, info->type, s->mode, &why))
		return REFUSE(s, "%s: %s", info->name, why);
	sensor_set_direct(sensor);
	return 0;
}

int virtual_section_end(struct virtual_section *s)
{
	if (s->sensor)
		return end_sensor(s);
	return s->recording->path[0] ? 0 : REFUSE(s, "a recording needs a file");
}

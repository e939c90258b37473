// SPDX-License-Identifier: Apache-2.0
/* Frequencies: which a device has, and which it is set to. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_log.h"

#include "iio/sensord_iio.h"

#define NS_PER_US 1000ll

/* What is tried on a driver that does not say what it can: it may round to what it has. */
static const double candidates[] = { 5, 10, 20, 50, 100, 200, 400, 800, 1600 };

struct rate {
	int64_t period_ns;
	double hz;
};

static int by_period(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;

	return (x->period_ns > y->period_ns) - (x->period_ns < y->period_ns);
}

/* Ascending, each once. */
static void set_list(struct iio_rate_file *file, const double *hz, unsigned int count)
{
	struct rate rates[SENSOR_RATES_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < count && n < SENSOR_RATES_MAX; i++)
		if (iio_text_period(hz[i]))
			rates[n++] = (struct rate){ iio_text_period(hz[i]), hz[i] };
	qsort(rates, n, sizeof(rates[0]), by_period);
	file->num_periods = 0;
	for (unsigned int i = 0; i < n; i++) {
		if (i && rates[i].period_ns == rates[i - 1].period_ns)
			continue;
		file->periods_ns[file->num_periods] = rates[i].period_ns;
		file->hz[file->num_periods++] = rates[i].hz;
	}
	if (!file->num_periods)
		return;
	file->min_ns = file->periods_ns[0];
	file->max_ns = file->periods_ns[file->num_periods - 1];
}

static void set_range(struct iio_rate_file *file, const struct iio_available *a)
{
	double hz[SENSOR_RATES_MAX];
	double steps = a->step > 0 ? floor((a->max - a->min) / a->step) : INFINITY;

	if (steps < SENSOR_RATES_MAX) {
		for (unsigned int i = 0; i <= (unsigned int)steps; i++)
			hz[i] = a->min + i * a->step;
		set_list(file, hz, (unsigned int)steps + 1);
		return;
	}
	file->min_ns = iio_text_period(a->max);
	file->max_ns = iio_text_period(a->min);
	/* from 0 Hz on */
	if (!file->max_ns || file->max_ns > IIO_POLL_MAX_NS)
		file->max_ns = IIO_POLL_MAX_NS;
	if (file->min_ns > file->max_ns)
		file->min_ns = 0;
}

/* Set frequencies and see what the driver makes of them; the one that it had is set at the end. */
static void probe(const struct iio_unit *unit, struct iio_rate_file *file)
{
	double found[sizeof(candidates) / sizeof(candidates[0]) + 1], before;
	char busy[8] = "0", busy_file[IIO_FILE_MAX];
	unsigned int count = 0;

	if (iio_dir_read_number(unit->dir, file->name, &before))
		before = 0;
	else if (iio_text_period(before))
		found[count++] = before;
	/* another program runs it: leave it alone */
	snprintf(busy_file, sizeof(busy_file), "%s/enable", unit->buffer_dir);
	if (unit->has_buffer && !iio_dir_read(unit->dir, busy_file, busy, sizeof(busy)) &&
	    strcmp(busy, "0") != 0)
		goto out;
	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		double hz;

		if (!iio_dir_write_number(unit->dir, file->name, candidates[i]) &&
		    !iio_dir_read_number(unit->dir, file->name, &hz) && iio_text_period(hz))
			found[count++] = hz;
	}
	if (before > 0)
		iio_dir_write_number(unit->dir, file->name, before);
out:
	set_list(file, found, count);
}

int iio_rates_of(struct iio_unit *unit, const char *channel)
{
	struct iio_rate_file *file;
	struct iio_available available;
	char name[IIO_FILE_MAX];

	if (iio_dir_find(unit->dir, channel, "sampling_frequency", name))
		return -1;
	for (unsigned int i = 0; i < unit->num_rate_files; i++)
		if (!strcmp(unit->rate_files[i].name, name))
			return (int)i;
	if (unit->num_rate_files == IIO_RATE_FILES_MAX)
		return -1;
	file = &unit->rate_files[unit->num_rate_files];
	*file = (struct iio_rate_file){ 0 };
	snprintf(file->name, sizeof(file->name), "%s", name);
	if (iio_dir_find(unit->dir, channel, "sampling_frequency_available", name)) {
		probe(unit, file);
	} else if (iio_dir_read_available(unit->dir, name, &available)) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %s is not a list of frequencies", unit->id,
			   name);
	} else if (available.range) {
		set_range(file, &available);
	} else {
		set_list(file, available.values, available.count);
	}
	if (!file->min_ns)
		return -1;
	return (int)unit->num_rate_files++;
}

/* Most that fits into max_delay_us. */
#define MAX_DELAY_NS (INT32_MAX / 2 * NS_PER_US)

static void fill_from(const struct iio_rate_file *file, struct sensor *sensor)
{
	int64_t min = file->min_ns, max = file->max_ns;

	sensor->num_periods = 0;
	while (sensor->num_periods < file->num_periods &&
	       file->periods_ns[sensor->num_periods] <= MAX_DELAY_NS) {
		max = sensor->periods_ns[sensor->num_periods] =
			file->periods_ns[sensor->num_periods];
		sensor->num_periods++;
	}
	sensor->info.min_delay_us = sensor_delay_us(min);
	sensor->info.max_delay_us = sensor_delay_us(max);
}

void iio_rates_fill(const struct iio_unit *unit, const struct iio_bound *bound,
		    struct sensor *sensor)
{
	const struct iio_rate_file *file =
		bound->rate_file >= 0 ? &unit->rate_files[bound->rate_file] : NULL;
	int64_t min;

	switch (sensor_mode(sensor)) {
	case NNSENSORS_FLAG_ONE_SHOT:
		sensor->info.min_delay_us = -1;
		return;
	case NNSENSORS_FLAG_SPECIAL:
		return;
	default:
		break;
	}
	if (bound->buffered && file && file->min_ns <= MAX_DELAY_NS) {
		fill_from(file, sensor);
	} else if (bound->buffered && !file) {
		sensor->info.min_delay_us = sensor_delay_us(IIO_TIMER_MIN_NS);
		sensor->info.max_delay_us = sensor_delay_us(IIO_TIMER_MAX_NS);
	} else {
		/* read by a timer: not faster than the device measures */
		min = file && file->min_ns > IIO_POLL_MIN_NS ? file->min_ns : IIO_POLL_MIN_NS;
		min = min < IIO_POLL_MAX_NS ? min : IIO_POLL_MAX_NS;
		sensor->info.min_delay_us = sensor_delay_us(min);
		sensor->info.max_delay_us = sensor_delay_us(IIO_POLL_MAX_NS);
	}
	sensor_set_direct(sensor);
}

int iio_rates_set(const struct iio_unit *unit, const struct iio_rate_file *file, int64_t period_ns,
		  int64_t *actual_ns)
{
	int64_t actual = period_ns;
	double hz;

	if (file->num_periods) {
		unsigned int at = 0;

		while (at + 1 < file->num_periods && file->periods_ns[at + 1] <= period_ns)
			at++;
		actual = file->periods_ns[at];
		hz = file->hz[at];
	} else {
		if (actual < file->min_ns)
			actual = file->min_ns;
		else if (actual > file->max_ns)
			actual = file->max_ns;
		hz = 1e9 / (double)actual;
	}
	*actual_ns = actual;
	return iio_dir_write_number(unit->dir, file->name, hz);
}

// SPDX-License-Identifier: Apache-2.0
#include "sensors/nnctl_sensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_add(struct series *series, int64_t stamp_ns, int64_t now_ns)
{
	series->delays[series->events % SERIES_MAX] = now_ns - stamp_ns;
	if (series->events)
		series->intervals[(series->events - 1) % SERIES_MAX] = stamp_ns - series->last_ns;
	else
		series->first_ns = stamp_ns;
	series->last_ns = stamp_ns;
	series->events++;
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double part_ms(const int64_t *sorted, size_t count, double part)
{
	return count ? (double)sorted[(size_t)((double)(count - 1) * part)] / 1e6 : (double)NAN;
}

struct series_figures series_figures(const struct series *series)
{
	struct series_figures figures = { .rate_hz = NAN };
	const uint64_t intervals = series->events ? series->events - 1 : 0;
	size_t count = intervals < SERIES_MAX ? (size_t)intervals : SERIES_MAX;
	int64_t sorted[SERIES_MAX], median;

	if (intervals && series->last_ns > series->first_ns)
		figures.rate_hz =
			(double)intervals * 1e9 / (double)(series->last_ns - series->first_ns);
	memcpy(sorted, series->intervals, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	median = count ? sorted[(count - 1) / 2] : 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = llabs(sorted[i] - median);
	qsort(sorted, count, sizeof(*sorted), compare);
	figures.jitter_p50_ms = part_ms(sorted, count, 0.5);
	figures.jitter_p99_ms = part_ms(sorted, count, 0.99);
	count = series->events < SERIES_MAX ? (size_t)series->events : SERIES_MAX;
	memcpy(sorted, series->delays, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	figures.delay_p50_ms = part_ms(sorted, count, 0.5);
	figures.delay_p99_ms = part_ms(sorted, count, 0.99);
	return figures;
}

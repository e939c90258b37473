// SPDX-License-Identifier: Apache-2.0
/* Which of its periods a sensor runs at, for a request alone. */
#include "core/sensord_core.h"
#include "nnutil_clock.h"

#define NS_PER_US 1000ll
/* Of sensors that have no limit of their own: the framework's. */
#define FASTEST_NS NNUTIL_NS_PER_MS

/* The sensor's limits; a sensor without a largest period takes any. */
static void limits(const struct sensor *sensor, int64_t *min, int64_t *max)
{
	const struct nnsensors_info *info = &sensor->info;

	*min = info->min_delay_us > 0 ? info->min_delay_us * NS_PER_US : FASTEST_NS;
	*max = info->max_delay_us > 0 ? info->max_delay_us * NS_PER_US : INT64_MAX;
	if (*max < *min)
		*max = *min;
}

int64_t sensor_period_for(const struct sensor *sensor, int64_t period_ns)
{
	int64_t found, min, max;

	if (!sensor->num_periods) {
		limits(sensor, &min, &max);
		found = period_ns > min ? period_ns : min;
		return found < max ? found : max;
	}
	found = sensor->periods_ns[0];
	for (unsigned int i = 1; i < sensor->num_periods; i++)
		if (sensor->periods_ns[i] <= period_ns)
			found = sensor->periods_ns[i];
	return found;
}

/* How far two rates are from each other: of periods a and b, |1 / a - 1 / b|. */
static double sensor_period_distance(int64_t a, int64_t b)
{
	double difference = 1.0 / (double)a - 1.0 / (double)b;

	return difference < 0 ? -difference : difference;
}

int64_t sensor_period_for_level(const struct sensor *sensor, enum nnsensors_rate_level level)
{
	const int64_t nominal = nnsensors_rate_period_ns(level);
	int64_t found = 0, period;

	if (!nominal)
		return 0;
	if (!sensor->num_periods) {
		period = sensor_period_for(sensor, nominal);
		return nnsensors_rate_legal(level, period) ? period : 0;
	}
	for (unsigned int i = 0; i < sensor->num_periods; i++) {
		period = sensor->periods_ns[i];
		if (nnsensors_rate_legal(level, period) &&
		    (!found || sensor_period_distance(period, nominal) <
				       sensor_period_distance(found, nominal)))
			found = period;
	}
	return found;
}

int32_t sensor_delay_us(int64_t period_ns)
{
	return (int32_t)((period_ns + NS_PER_US - 1) / NS_PER_US);
}

void sensor_set_direct(struct sensor *sensor)
{
	const bool continuous = sensor_mode(sensor) == NNSENSORS_FLAG_CONTINUOUS;
	uint32_t level = NNSENSORS_RATE_STOP;

	while (continuous && level < NNSENSORS_RATE_VERY_FAST &&
	       sensor_period_for_level(sensor, (enum nnsensors_rate_level)(level + 1)))
		level++;
	sensor->info.flags &= ~(NNSENSORS_FLAG_DIRECT_REPORT_MASK | NNSENSORS_FLAG_DIRECT_ASHMEM |
				NNSENSORS_FLAG_DIRECT_GRALLOC);
	if (level)
		sensor->info.flags |= level << NNSENSORS_FLAG_DIRECT_REPORT_SHIFT |
				      NNSENSORS_FLAG_DIRECT_ASHMEM | NNSENSORS_FLAG_DIRECT_GRALLOC;
}

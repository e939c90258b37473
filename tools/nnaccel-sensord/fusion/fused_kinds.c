// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <stdio.h>
#include <string.h>

#define ACCEL BASE_BIT(BASE_ACCELEROMETER)
#define GYRO BASE_BIT(BASE_GYROSCOPE)
#define MAGN BASE_BIT(BASE_MAGNETOMETER)

/** Components of a unit quaternion, as floats. */
#define QUATERNION 1.0f, 1.0f / (1 << 24)
/** As exact as a float counts. */
#define STEPS (float)(1 << 24), 1.0f

static const struct fused_kind_row rows[NUM_FUSED_KINDS] = {
	[FUSED_STEP_COUNTER] = { NNSENSORS_TYPE_STEP_COUNTER, "Fused step counter", GROUP_MOTION,
				 ACCEL, ACCEL, STEPS },
	[FUSED_STEP_DETECTOR] = { NNSENSORS_TYPE_STEP_DETECTOR, "Fused step detector", GROUP_MOTION,
				  ACCEL, ACCEL, 1, 1 },
	[FUSED_SIGNIFICANT_MOTION] = { NNSENSORS_TYPE_SIGNIFICANT_MOTION,
				       "Fused significant motion", GROUP_MOTION, ACCEL, ACCEL, 1,
				       1 },
	[FUSED_TILT] = { NNSENSORS_TYPE_TILT_DETECTOR, "Fused tilt detector", GROUP_MOTION, ACCEL,
			 ACCEL, 1, 1 },
	[FUSED_ORIENTATION] = { NNSENSORS_TYPE_DEVICE_ORIENTATION, "Fused device orientation",
				GROUP_MOTION, ACCEL, ACCEL, 3, 1 },
	[FUSED_GRAVITY] = { NNSENSORS_TYPE_GRAVITY, "Fused gravity", GROUP_ATTITUDE, ACCEL,
			    ACCEL | GYRO, 0, 0 },
	[FUSED_LINEAR] = { NNSENSORS_TYPE_LINEAR_ACCELERATION, "Fused linear acceleration",
			   GROUP_ATTITUDE, ACCEL, ACCEL | GYRO, 0, 0 },
	[FUSED_GAME_ROTATION] = { NNSENSORS_TYPE_GAME_ROTATION_VECTOR, "Fused game rotation vector",
				  GROUP_ATTITUDE, ACCEL | GYRO, ACCEL | GYRO, QUATERNION },
	[FUSED_ROTATION] = { NNSENSORS_TYPE_ROTATION_VECTOR, "Fused rotation vector", GROUP_HEADING,
			     ACCEL | GYRO | MAGN, ACCEL | GYRO | MAGN, QUATERNION },
	[FUSED_GEOMAGNETIC] = { NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR,
				"Fused geomagnetic rotation vector", GROUP_HEADING, ACCEL | MAGN,
				ACCEL | MAGN, QUATERNION },
};

const struct fused_kind_row *fused_kind_row(enum fused_kind kind)
{
	return &rows[kind];
}

const char *fused_group_name(enum fused_group group)
{
	static const char *const names[NUM_FUSED_GROUPS] = {
		[GROUP_MOTION] = "fusion:motion",
		[GROUP_ATTITUDE] = "fusion:attitude",
		[GROUP_HEADING] = "fusion:heading",
	};

	return names[group];
}

/**
 * A fused sensor is as fast as its accelerometer, whose times its events have, but not faster than
 * any other base. With a gyroscope the magnetometer may be slower: it corrects a drift.
 */
static bool set_periods(struct sensor *sensor, struct sensor *const bases[NUM_BASES],
			unsigned int uses)
{
	const struct sensor *accel = bases[BASE_ACCELEROMETER];
	int32_t min = accel->info.min_delay_us;
	unsigned int n = 0;

	if (uses & GYRO)
		uses &= ~MAGN;
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (bases[i] && (uses & BASE_BIT(i)) && bases[i]->info.min_delay_us > min)
			min = bases[i]->info.min_delay_us;
	sensor->info.min_delay_us = min;
	sensor->info.max_delay_us = accel->info.max_delay_us > min ? accel->info.max_delay_us : min;
	for (unsigned int i = 0; i < accel->num_periods; i++)
		if (accel->periods_ns[i] > (min - 1) * 1000ll)
			sensor->periods_ns[n++] = accel->periods_ns[i];
	sensor->num_periods = n;
	if (!accel->num_periods)
		return accel->info.max_delay_us >= min;
	if (!n)
		return false;
	sensor->info.min_delay_us = sensor_delay_us(sensor->periods_ns[0]);
	return true;
}

bool fused_kind_sensor(enum fused_kind kind, struct sensor *const bases[NUM_BASES],
		       struct sensor *sensor)
{
	const struct fused_kind_row *row = &rows[kind];
	const struct nnsensors_info *accel = &bases[BASE_ACCELEROMETER]->info;

	memset(sensor, 0, sizeof(*sensor));
	sensor->row = nnsensors_type_row(row->type);
	sensor->info = (struct nnsensors_info){
		.size = sizeof(sensor->info),
		.type = row->type,
		.version = 1,
		.flags = sensor->row->mode | (sensor->row->wake_up ? NNSENSORS_FLAG_WAKE_UP : 0),
		.max_range = row->range > 0 ? row->range : accel->max_range,
		.resolution = row->range > 0 ? row->resolution : accel->resolution,
		.vendor = FUSION_VENDOR,
	};
	snprintf(sensor->info.name, sizeof(sensor->info.name), "%s", row->name);
	snprintf(sensor->info.type_string, sizeof(sensor->info.type_string), "%s",
		 sensor->row->type_string);
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (bases[i] && (row->uses & BASE_BIT(i)))
			sensor->info.power_ma += bases[i]->info.power_ma;
	switch (sensor->row->mode) {
	case NNSENSORS_FLAG_CONTINUOUS:
		if (!set_periods(sensor, bases, row->uses))
			return false;
		sensor_set_direct(sensor);
		break;
	case NNSENSORS_FLAG_ONE_SHOT:
		sensor->info.min_delay_us = -1;
		break;
	default:
		break;
	}
	return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <stddef.h>

#include "nnsensors.h"

#define A 1u /* accelerometer */
#define G 2u /* gyroscope */
#define M 4u /* magnetometer */
#define H 8u /* heart */

/* What is measured for a type. */
static const struct {
	int32_t type;
	unsigned int from;
	bool base; /* it is that itself */
} rows[] = {
	{ NNSENSORS_TYPE_ACCELEROMETER, A, true },
	{ NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED, A, true },
	{ NNSENSORS_TYPE_GYROSCOPE, G, true },
	{ NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED, G, true },
	{ NNSENSORS_TYPE_MAGNETIC_FIELD, M, true },
	{ NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED, M, true },
	{ NNSENSORS_TYPE_HEART_RATE, H, true },
	{ NNSENSORS_TYPE_HEART_BEAT, H, true },
	{ NNSENSORS_TYPE_GRAVITY, A | G, false },
	{ NNSENSORS_TYPE_LINEAR_ACCELERATION, A | G, false },
	{ NNSENSORS_TYPE_ROTATION_VECTOR, A | G | M, false },
	{ NNSENSORS_TYPE_GAME_ROTATION_VECTOR, A | G, false },
	{ NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR, A | M, false },
	{ NNSENSORS_TYPE_ORIENTATION, A | G | M, false },
	{ NNSENSORS_TYPE_POSE_6DOF, A | G | M, false },
	{ NNSENSORS_TYPE_SIGNIFICANT_MOTION, A, false },
	{ NNSENSORS_TYPE_STEP_DETECTOR, A, false },
	{ NNSENSORS_TYPE_STEP_COUNTER, A, false },
	{ NNSENSORS_TYPE_TILT_DETECTOR, A, false },
	{ NNSENSORS_TYPE_WAKE_GESTURE, A, false },
	{ NNSENSORS_TYPE_GLANCE_GESTURE, A, false },
	{ NNSENSORS_TYPE_PICK_UP_GESTURE, A, false },
	{ NNSENSORS_TYPE_WRIST_TILT_GESTURE, A, false },
	{ NNSENSORS_TYPE_DEVICE_ORIENTATION, A, false },
	{ NNSENSORS_TYPE_STATIONARY_DETECT, A, false },
	{ NNSENSORS_TYPE_MOTION_DETECT, A, false },
};

static unsigned int made_of(int32_t type, bool base)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == type)
			return rows[i].base || !base ? rows[i].from : 0;
	return 0;
}

bool type_is_computed_from(int32_t type, int32_t base)
{
	return type != base && made_of(type, false) & made_of(base, true);
}

bool type_needs_rule(int32_t type)
{
	return type >= NNSENSORS_TYPE_PRIVATE_BASE || made_of(type, false) & H;
}

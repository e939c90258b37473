// SPDX-License-Identifier: Apache-2.0
/* The table of sensor types, and what follows from a row: the bytes of an event, and rates. */
#include "values/nnsensors_values.h"

#include <string.h>

#include "nnutil_clock.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define PREFIX "android.sensor."
#define CONT NNSENSORS_FLAG_CONTINUOUS
#define CHANGE NNSENSORS_FLAG_ON_CHANGE
#define ONCE NNSENSORS_FLAG_ONE_SHOT
#define SPECIAL NNSENSORS_FLAG_SPECIAL
#define ROW(type, name, unit, mode, wake_up, listed, payload)                          \
	{                                                                              \
		NNSENSORS_TYPE_##type, name, PREFIX name, unit, mode, wake_up, listed, \
			SENSOR_PAYLOAD_##payload                                       \
	}
/* A type of sensor without and with a natural wake-up flavour. */
#define SENSOR(type, name, unit, mode, payload) ROW(type, name, unit, mode, false, true, payload)
#define WAKING(type, name, unit, mode, payload) ROW(type, name, unit, mode, true, true, payload)

/* clang-format off */
/* By number: rows[i].type == i, but for the last. */
static const struct sensor_type rows[] = {
	ROW(META_DATA, "meta_data", "", SPECIAL, false, false, META),
	SENSOR(ACCELEROMETER, "accelerometer", "m/s^2", CONT, VEC3),
	SENSOR(MAGNETIC_FIELD, "magnetic_field", "uT", CONT, VEC3),
	SENSOR(ORIENTATION, "orientation", "degrees", CONT, VEC3),
	SENSOR(GYROSCOPE, "gyroscope", "rad/s", CONT, VEC3),
	SENSOR(LIGHT, "light", "lux", CHANGE, SCALAR),
	SENSOR(PRESSURE, "pressure", "hPa", CONT, SCALAR),
	SENSOR(TEMPERATURE, "temperature", "degrees C", CHANGE, SCALAR),
	WAKING(PROXIMITY, "proximity", "cm", CHANGE, SCALAR),
	SENSOR(GRAVITY, "gravity", "m/s^2", CONT, VEC3),
	SENSOR(LINEAR_ACCELERATION, "linear_acceleration", "m/s^2", CONT, VEC3),
	SENSOR(ROTATION_VECTOR, "rotation_vector", "", CONT, ROTATION),
	SENSOR(RELATIVE_HUMIDITY, "relative_humidity", "%", CHANGE, SCALAR),
	SENSOR(AMBIENT_TEMPERATURE, "ambient_temperature", "degrees C", CHANGE, SCALAR),
	SENSOR(MAGNETIC_FIELD_UNCALIBRATED, "magnetic_field_uncalibrated", "uT", CONT, UNCAL),
	SENSOR(GAME_ROTATION_VECTOR, "game_rotation_vector", "", CONT, VEC4),
	SENSOR(GYROSCOPE_UNCALIBRATED, "gyroscope_uncalibrated", "rad/s", CONT, UNCAL),
	WAKING(SIGNIFICANT_MOTION, "significant_motion", "", ONCE, SCALAR),
	SENSOR(STEP_DETECTOR, "step_detector", "", SPECIAL, SCALAR),
	SENSOR(STEP_COUNTER, "step_counter", "steps", CHANGE, STEP_COUNT),
	SENSOR(GEOMAGNETIC_ROTATION_VECTOR, "geomagnetic_rotation_vector", "", CONT, ROTATION),
	SENSOR(HEART_RATE, "heart_rate", "bpm", CHANGE, HEART_RATE),
	WAKING(TILT_DETECTOR, "tilt_detector", "", SPECIAL, SCALAR),
	WAKING(WAKE_GESTURE, "wake_gesture", "", ONCE, SCALAR),
	WAKING(GLANCE_GESTURE, "glance_gesture", "", ONCE, SCALAR),
	WAKING(PICK_UP_GESTURE, "pick_up_gesture", "", ONCE, SCALAR),
	WAKING(WRIST_TILT_GESTURE, "wrist_tilt_gesture", "", SPECIAL, SCALAR),
	SENSOR(DEVICE_ORIENTATION, "device_orientation", "", CHANGE, SCALAR),
	SENSOR(POSE_6DOF, "pose_6dof", "", CONT, POSE),
	SENSOR(STATIONARY_DETECT, "stationary_detect", "", ONCE, SCALAR),
	SENSOR(MOTION_DETECT, "motion_detect", "", ONCE, SCALAR),
	/* the framework has it as SPECIAL, the HAL's text and its tests as continuous */
	SENSOR(HEART_BEAT, "heart_beat", "", CONT, SCALAR),
	/* not in the framework's list of what it looks for with wake-up, but there is no other flavour */
	WAKING(DYNAMIC_SENSOR_META, "dynamic_sensor_meta", "", SPECIAL, DYNAMIC),
	ROW(ADDITIONAL_INFO, "additional_info", "", SPECIAL, false, false, ADDITIONAL),
	WAKING(LOW_LATENCY_OFFBODY_DETECT, "low_latency_offbody_detect", "", CHANGE, SCALAR),
	SENSOR(ACCELEROMETER_UNCALIBRATED, "accelerometer_uncalibrated", "m/s^2", CONT, UNCAL),
	WAKING(HINGE_ANGLE, "hinge_angle", "degrees", CHANGE, SCALAR),
	/* all of the vendor's; its sensors have type strings of their own */
	{ NNSENSORS_TYPE_PRIVATE_BASE, "private", "", "", CONT, false, true, SENSOR_PAYLOAD_PRIVATE },
};
/* clang-format on */
#define PRIVATE_ROW (ARRAY_SIZE(rows) - 1)
_Static_assert(PRIVATE_ROW == NNSENSORS_TYPE_HINGE_ANGLE + 1, "a row per type");

const struct sensor_type *nnsensors_type_row(int32_t type)
{
	if (type >= NNSENSORS_TYPE_PRIVATE_BASE)
		return &rows[PRIVATE_ROW];
	return type >= 0 && (size_t)type < PRIVATE_ROW ? &rows[type] : NULL;
}

const struct sensor_type *nnsensors_type_by_name(const char *name)
{
	const size_t prefix = strlen(PREFIX);

	if (!strncmp(name, PREFIX, prefix))
		name += prefix;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(name, rows[i].name))
			return &rows[i];
	return NULL;
}

const struct sensor_type *nnsensors_type_at(size_t i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

/* ---- payloads ---- */

/* Bytes that travel, and how many of them are floats from the first on. */
static const struct {
	uint8_t size, floats;
} payloads[] = {
	[SENSOR_PAYLOAD_NONE] = { 0, 0 },	[SENSOR_PAYLOAD_SCALAR] = { 4, 1 },
	[SENSOR_PAYLOAD_VEC3] = { 13, 3 }, /* and the status */
	[SENSOR_PAYLOAD_VEC4] = { 16, 4 },	[SENSOR_PAYLOAD_ROTATION] = { 20, 5 },
	[SENSOR_PAYLOAD_UNCAL] = { 24, 6 },	[SENSOR_PAYLOAD_STEP_COUNT] = { 8, 0 },
	[SENSOR_PAYLOAD_HEART_RATE] = { 5, 1 }, /* and the status */
	[SENSOR_PAYLOAD_POSE] = { 60, 15 },	[SENSOR_PAYLOAD_META] = { 8, 0 },
	[SENSOR_PAYLOAD_DYNAMIC] = { 32, 0 },	[SENSOR_PAYLOAD_ADDITIONAL] = { 64, 0 },
	[SENSOR_PAYLOAD_PRIVATE] = { 64, 16 },
};
_Static_assert(offsetof(union nnsensors_payload, vec3.status) == 12 &&
		       offsetof(union nnsensors_payload, heart_rate.status) == 4 &&
		       sizeof(((union nnsensors_payload *)0)->dynamic) == 32 &&
		       sizeof(((union nnsensors_payload *)0)->additional) == 64 &&
		       sizeof(union nnsensors_payload) == 64,
	       "the members of a payload are where sensors_event_t has them");

size_t nnsensors_payload_size(enum sensor_payload payload)
{
	return (size_t)payload < ARRAY_SIZE(payloads) ? payloads[payload].size : 0;
}

void nnsensors_payload_copy(enum sensor_payload payload, union nnsensors_payload *to,
			    const union nnsensors_payload *from)
{
	const size_t size = nnsensors_payload_size(payload);

	memmove(to, from, size);
	memset((uint8_t *)to + size, 0, sizeof(*to) - size);
	/* a pointer of the sender, which other processes cannot use */
	if (payload == SENSOR_PAYLOAD_DYNAMIC)
		to->dynamic.unused = 0;
}

unsigned int nnsensors_payload_floats(enum sensor_payload payload)
{
	return (size_t)payload < ARRAY_SIZE(payloads) ? payloads[payload].floats : 0;
}

int8_t *nnsensors_payload_status(enum sensor_payload payload, union nnsensors_payload *u)
{
	switch (payload) {
	case SENSOR_PAYLOAD_VEC3:
		return &u->vec3.status;
	case SENSOR_PAYLOAD_HEART_RATE:
		return &u->heart_rate.status;
	default:
		return NULL;
	}
}

/* ---- rates ---- */

int64_t nnsensors_rate_period_ns(enum nnsensors_rate_level level)
{
	switch (level) {
	case NNSENSORS_RATE_NORMAL:
		return NNUTIL_NS_PER_S / 50;
	case NNSENSORS_RATE_FAST:
		return NNUTIL_NS_PER_S / 200;
	case NNSENSORS_RATE_VERY_FAST:
		return NNUTIL_NS_PER_S / 800;
	case NNSENSORS_RATE_STOP:
		break;
	}
	return 0;
}

bool nnsensors_rate_legal(enum nnsensors_rate_level level, int64_t period_ns)
{
	const int64_t nominal_ns = nnsensors_rate_period_ns(level);

	if (nominal_ns == 0 || period_ns <= 0 || period_ns > 2 * nominal_ns)
		return false;
	/* nominal / period in (0.55, 2.2], in whole numbers */
	return 100 * nominal_ns > 55 * period_ns && 100 * nominal_ns <= 220 * period_ns;
}

// SPDX-License-Identifier: Apache-2.0
/* The kinds of sensors that IIO has, and the conversion of their channels. */
#include <math.h>
#include <string.h>

#include "iio/sensord_iio.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define XYZ(channel)                                     \
	{                                                \
		channel "_x", channel "_y", channel "_z" \
	}
#define DEGREES (180 / M_PI)

/* clang-format off */
static const struct iio_kind kinds[] = {
	{ .type = NNSENSORS_TYPE_ACCELEROMETER, .channels = XYZ("accel"), .value = IIO_VALUE_VEC3, .factor = 1,
	  .max_range = 19.6133, .resolution = 0.0024 },
	{ .type = NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED, .channels = XYZ("accel"), .value = IIO_VALUE_UNCAL,
	  .factor = 1, .max_range = 19.6133, .resolution = 0.0024 },
	{ .type = NNSENSORS_TYPE_LINEAR_ACCELERATION, .channels = XYZ("accel_linear"), .value = IIO_VALUE_VEC3,
	  .factor = 1, .max_range = 19.6133, .resolution = 0.0024 },
	{ .type = NNSENSORS_TYPE_GRAVITY, .channels = XYZ("gravity"), .value = IIO_VALUE_VEC3, .factor = 1,
	  .max_range = 9.80665, .resolution = 0.0024 },
	{ .type = NNSENSORS_TYPE_GYROSCOPE, .channels = XYZ("anglvel"), .value = IIO_VALUE_VEC3, .factor = 1,
	  .max_range = 34.9066, .resolution = 0.001 },
	{ .type = NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED, .channels = XYZ("anglvel"), .value = IIO_VALUE_UNCAL,
	  .factor = 1, .max_range = 34.9066, .resolution = 0.001 },
	/* Gauss to uT */
	{ .type = NNSENSORS_TYPE_MAGNETIC_FIELD, .channels = XYZ("magn"), .value = IIO_VALUE_VEC3, .factor = 100,
	  .max_range = 1200, .resolution = 0.15 },
	{ .type = NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED, .channels = XYZ("magn"), .value = IIO_VALUE_UNCAL,
	  .factor = 100, .max_range = 1200, .resolution = 0.15 },
	{ .type = NNSENSORS_TYPE_ORIENTATION, .channels = XYZ("incli"), .value = IIO_VALUE_VEC3, .factor = 1,
	  .max_range = 360, .resolution = 0.01 },
	/* hid-sensor-incl-3d gives radians, whatever the ABI says */
	{ .type = NNSENSORS_TYPE_ORIENTATION, .driver = "incli_3d", .channels = XYZ("incli"),
	  .value = IIO_VALUE_VEC3, .factor = DEGREES, .max_range = 360, .resolution = 0.01 },
	{ .type = NNSENSORS_TYPE_ROTATION_VECTOR, .channels = { "rot_quaternion" },
	  .value = IIO_VALUE_QUATERNION, .factor = 1, .max_range = 1, .resolution = 0.0001 },
	/* hid-sensor-rotation */
	{ .type = NNSENSORS_TYPE_GAME_ROTATION_VECTOR, .driver = "relative_orientation",
	  .channels = { "rot_quaternion" }, .value = IIO_VALUE_QUATERNION, .factor = 1, .max_range = 1,
	  .resolution = 0.0001 },
	{ .type = NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR, .driver = "geomagnetic_orientation",
	  .channels = { "rot_quaternion" }, .value = IIO_VALUE_QUATERNION, .factor = 1, .max_range = 1,
	  .resolution = 0.0001 },
	{ .type = NNSENSORS_TYPE_LIGHT, .channels = { "illuminance" }, .value = IIO_VALUE_SCALAR, .factor = 1,
	  .max_range = 65535, .resolution = 1 },
	/* older hid-sensor-als: the same value under another name */
	{ .type = NNSENSORS_TYPE_LIGHT, .channels = { "intensity_both" }, .value = IIO_VALUE_SCALAR, .factor = 1,
	  .max_range = 65535, .resolution = 1, .unless = "illuminance" },
	/* kPa to hPa */
	{ .type = NNSENSORS_TYPE_PRESSURE, .channels = { "pressure" }, .value = IIO_VALUE_SCALAR, .factor = 10,
	  .max_range = 1100, .resolution = 0.01 },
	/* thousandths */
	{ .type = NNSENSORS_TYPE_AMBIENT_TEMPERATURE, .channels = { "temp" }, .value = IIO_VALUE_SCALAR,
	  .factor = 0.001, .max_range = 85, .resolution = 0.01, .still = true },
	{ .type = NNSENSORS_TYPE_RELATIVE_HUMIDITY, .channels = { "humidityrelative" },
	  .value = IIO_VALUE_SCALAR, .factor = 0.001, .max_range = 100, .resolution = 0.01 },
	/* m to cm; without a scale there is no unit (iio_unit.c) */
	{ .type = NNSENSORS_TYPE_PROXIMITY, .channels = { "proximity" }, .value = IIO_VALUE_SCALAR,
	  .factor = 100, .max_range = 5, .resolution = 1, .event = "thresh", .partly = true },
	/* hid-sensor-prox: whether a person is near; its scale means nothing */
	{ .type = NNSENSORS_TYPE_PROXIMITY, .driver = "prox", .channels = { "proximity" },
	  .value = IIO_VALUE_NEAR, .factor = 1, .max_range = 5, .resolution = 5, .event = "thresh", .partly = true },
	{ .type = NNSENSORS_TYPE_PROXIMITY, .channels = { "distance" }, .value = IIO_VALUE_SCALAR,
	  .factor = 100, .max_range = 400, .resolution = 1 },
	{ .type = NNSENSORS_TYPE_STEP_COUNTER, .channels = { "steps" }, .value = IIO_VALUE_COUNT, .factor = 1,
	  .max_range = 4294967295.0, .resolution = 1, .event = "change" },
	{ .type = NNSENSORS_TYPE_STEP_DETECTOR, .channels = { "steps" }, .value = IIO_VALUE_PULSE, .factor = 1,
	  .max_range = 1, .resolution = 1, .event = "change" },
	{ .type = NNSENSORS_TYPE_HINGE_ANGLE, .channels = { "angl" }, .value = IIO_VALUE_SCALAR,
	  .factor = DEGREES, .max_range = 360, .resolution = 1 },
};
/* clang-format on */

const struct iio_kind *iio_kind_at(size_t i)
{
	return i < ARRAY_SIZE(kinds) ? &kinds[i] : NULL;
}

bool iio_kind_applies(const struct iio_kind *kind, const char *name)
{
	if (kind->driver)
		return !strcmp(kind->driver, name);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].driver && !strcmp(kinds[i].driver, name) &&
		    !strcmp(kinds[i].channels[0], kind->channels[0]))
			return false;
	return true;
}

unsigned int iio_kind_channels(const struct iio_kind *kind)
{
	unsigned int n = 0;

	while (n < IIO_KIND_CHANNELS && kind->channels[n])
		n++;
	return n;
}

int iio_channel_number(const char *channel, const char *of)
{
	/* the number is behind the channel's type, before a modifier: accel0_x */
	size_t type = strcspn(of, "_");
	int number = -1;

	if (strncmp(channel, of, type) != 0)
		return -2;
	channel += type;
	for (int digits = 0; *channel >= '0' && *channel <= '9'; digits++, channel++) {
		if (digits == 4)
			return -2;
		number = (number < 0 ? 0 : number * 10) + (*channel - '0');
	}
	return strcmp(channel, of + type) ? -2 : number;
}

static void iio_table_turn(const double m[9], const double *in, double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = m[3 * i] * in[0] + m[3 * i + 1] * in[1] + m[3 * i + 2] * in[2];
}

static void quaternion(int32_t type, const double *q, union nnsensors_payload *payload)
{
	double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

	for (int i = 0; i < 4; i++)
		payload->data[i] = length > 0 ? (float)(q[i] / length) : (float)(i == 3);
	/* heading accuracy: not known; a game rotation vector has none */
	if (type != NNSENSORS_TYPE_GAME_ROTATION_VECTOR)
		payload->data[4] = -1;
}

void iio_kind_payload(const struct iio_kind *kind, const double matrix[9], const double *values,
		      const double *biases, double limit, float max_range,
		      union nnsensors_payload *payload)
{
	double turned[3], bias[3];

	memset(payload, 0, sizeof(*payload));
	switch (kind->value) {
	case IIO_VALUE_SCALAR:
		payload->data[0] = (float)values[0];
		break;
	case IIO_VALUE_VEC3:
		iio_table_turn(matrix, values, turned);
		payload->vec3.x = (float)turned[0];
		payload->vec3.y = (float)turned[1];
		payload->vec3.z = (float)turned[2];
		payload->vec3.status = NNSENSORS_STATUS_HIGH;
		break;
	case IIO_VALUE_UNCAL:
		iio_table_turn(matrix, values, turned);
		iio_table_turn(matrix, biases, bias);
		/* calibrated = uncalibrated - bias */
		for (int i = 0; i < 3; i++) {
			payload->data[i] = (float)(turned[i] + bias[i]);
			payload->data[3 + i] = (float)bias[i];
		}
		break;
	case IIO_VALUE_QUATERNION:
		quaternion(kind->type, values, payload);
		break;
	case IIO_VALUE_COUNT:
		payload->step_count = values[0] > 0 ? (uint64_t)values[0] : 0;
		break;
	case IIO_VALUE_PULSE:
		payload->data[0] = 1;
		break;
	case IIO_VALUE_NEAR:
		payload->data[0] = values[0] > limit ? 0 : max_range;
		break;
	}
}

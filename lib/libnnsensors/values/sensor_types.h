/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sensor types as a table: a row has all that differs by type. No other code branches on types.
 */
#ifndef NNSENSORS_SENSOR_TYPES_H
#define NNSENSORS_SENSOR_TYPES_H

#include <stddef.h>

#include "nnsensors.h"

/** enum sensor_payload - which members of nnsensors_payload an event has; the rest is 0 */
enum sensor_payload {
	SENSOR_PAYLOAD_NONE, /* no event of this type */
	SENSOR_PAYLOAD_SCALAR, /* data[0] */
	SENSOR_PAYLOAD_VEC3, /* x y z status */
	SENSOR_PAYLOAD_VEC4, /* data[0..3] */
	SENSOR_PAYLOAD_ROTATION, /* data[0..4] */
	SENSOR_PAYLOAD_UNCAL,
	SENSOR_PAYLOAD_STEP_COUNT,
	SENSOR_PAYLOAD_HEART_RATE,
	SENSOR_PAYLOAD_POSE, /* data[0..14] */
	SENSOR_PAYLOAD_META,
	SENSOR_PAYLOAD_DYNAMIC,
	SENSOR_PAYLOAD_ADDITIONAL,
	SENSOR_PAYLOAD_PRIVATE, /* data[0..15] */
};

/**
 * struct sensor_type - a sensor type
 * @type: number
 * @name: "accelerometer", in configurations and tools
 * @type_string: "android.sensor.accelerometer"
 * @unit: "m/s^2"; "" if it has none
 * @mode: NNSENSORS_FLAG_CONTINUOUS, ON_CHANGE, ONE_SHOT or SPECIAL
 * @wake_up: the natural flavour: what getDefaultSensor() looks for
 * @listed: may be in a list of sensors
 * @payload: of its events
 */
struct sensor_type {
	int32_t type;
	const char *name, *type_string, *unit;
	uint32_t mode;
	bool wake_up, listed;
	enum sensor_payload payload;
};

/** The row of a type; of private types one row for all; NULL: no such type. */
const struct sensor_type *nnsensors_type_row(int32_t type);
/** By @name or @type_string; NULL: no such type. */
const struct sensor_type *nnsensors_type_by_name(const char *name);
/** The i-th row; NULL: there are no more. The private types' row is the last. */
const struct sensor_type *nnsensors_type_at(size_t i);

/** Bytes of the payload that an event of this kind carries. */
size_t nnsensors_payload_size(enum sensor_payload payload);
/** Copy what the type has, zero the rest: hostile bytes do not travel in unused members. */
void nnsensors_payload_copy(enum sensor_payload payload, union nnsensors_payload *to,
			    const union nnsensors_payload *from);
/** How many floats a tool prints of it; 0: it is not floats. */
unsigned int nnsensors_payload_floats(enum sensor_payload payload);
/** The status behind the floats; NULL: it has none. */
int8_t *nnsensors_payload_status(enum sensor_payload payload, union nnsensors_payload *u);

/** ns between events at a level's nominal rate; 0: STOP or no level. */
int64_t nnsensors_rate_period_ns(enum nnsensors_rate_level level);
/** Whether @period_ns is in the level's legal window: (55 %, 220 %] of the nominal rate. */
bool nnsensors_rate_legal(enum nnsensors_rate_level level, int64_t period_ns);

/** Result from an errno, as Android's sensor framework maps them. */
enum nnsensors_result nnsensors_result_of(int error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the device is turned, from accelerometer and magnetometer only (geomagnetic rotation vector).
 * Both are low-passed; east = field x up, north = up x east are the rows of the matrix from the
 * device's frame to the world's. Wrong while the device is accelerated, but it needs no gyroscope.
 */
#ifndef SENSORD_COMPASS_H
#define SENSORD_COMPASS_H

#include "fusion/rotation.h"

struct compass {
	struct low_pass up, field;
	float heading_error; /* low pass of the angle between the field and its mean, rad */
};

void compass_reset(struct compass *c);
void compass_accelerometer(struct compass *c, int64_t at_ns, struct vec3 f);
void compass_magnetometer(struct compass *c, int64_t at_ns, struct vec3 m);
/** False: not known: a sensor is missing, or its field or gravity has no direction. w >= 0. */
bool compass_rotation(const struct compass *c, struct quat *q);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the device is held: the tilt detector and the device's orientation, both from the
 * accelerometer alone.
 */
#ifndef SENSORD_POSTURE_H
#define SENSORD_POSTURE_H

#include "fusion/rotation.h"

/** Parts that the two seconds of the mean are made of. */
#define TILT_PARTS 8u

/**
 * struct tilt - the mean gravity of the last two seconds has turned by 35 degrees or more since the
 * reference: that of the first two seconds, later of the last tilt
 */
struct tilt {
	struct vec3 sums[TILT_PARTS];
	unsigned int counts[TILT_PARTS], parts; /* parts that are complete */
	int64_t part_ns, last_ns; /* begin of the part that is filled; the last sample */
	bool has_reference;
	struct vec3 reference;
};

void tilt_reset(struct tilt *t);
/** True: a tilt. */
bool tilt_accelerometer(struct tilt *t, int64_t at_ns, struct vec3 f);

/**
 * struct orientation - which edge is up: 0 the top (y), 1 the right (x: the device is turned
 * counter-clockwise), 2 the bottom, 3 the left
 *
 * Reported when an edge was the highest, by at least 15 degrees over the border to its neighbour,
 * for half a second. A device that lies flat (70 degrees) keeps what it had.
 */
struct orientation {
	struct low_pass gravity;
	int edge; /* last reported; -1: none yet */
	int candidate; /* -1: none */
	int64_t since_ns; /* of the candidate */
};

void orientation_reset(struct orientation *o);
/** True: o->edge changed. */
bool orientation_accelerometer(struct orientation *o, int64_t at_ns, struct vec3 f);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A device that lies still, is carried, shaken or dropped: what its motion sensors say. */
#ifndef SENSORD_MOTION_H
#define SENSORD_MOTION_H

#include <stdbool.h>
#include <stdint.h>

enum motion_kind { MOTION_STILL, MOTION_WALK, MOTION_SHAKE, MOTION_FALL };

/**
 * struct motion - how it is moved
 * @kind: see motion.c for what each is
 * @frequency: Hz; 0: the kind's own
 * @amplitude: in the sensor's unit; 0: the kind's own
 */
struct motion {
	enum motion_kind kind;
	double frequency, amplitude;
};

/** Whether sensors of @type can tell of motion. */
bool motion_has(int32_t type);
/** The first three floats of a sensor of @type at @time_ns. */
void motion_values(const struct motion *motion, int32_t type, int64_t time_ns, double values[3]);
/** Position in a period of @frequency Hz at @time_ns: 0 <= n < 1. */
double motion_phase(double frequency, int64_t time_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the device is turned, from gyroscope, accelerometer and, if there is one, magnetometer: a
 * complementary filter on a quaternion q (device to world).
 *
 * - gyroscope: q <- q * exp(w dt / 2), w the mean of the last two rates, less the bias. Right at
 *   once, but its error grows with time.
 * - accelerometer: at rest it measures "up". u = q a q* / |a| is where q says that it points, e the
 *   turn from u to z: q <- exp(k e / 2) * q, k = dt / 1.5 s. Noisy and wrong in motion, but right
 *   over time. k fades to 0 where |a| differs from gravity by 10 to 30 %.
 * - magnetometer: b = q m q* should point north. The heading's error is psi = atan2(b.x, b.y):
 *   q <- exp(k psi z / 2) * q, k = dt / 3 s. Only about z: iron next to the device does not tilt
 *   the horizon.
 * - bias: a rate that stays the same (to 0.03 rad/s) for 2 s and is below 0.06 rad/s is the
 *   gyroscope's own error at rest.
 *
 * Without a magnetometer the heading is where it was at the start (game rotation vector). What is
 * not a finite number, or is not later than the sample before it, is ignored; after a gap in the
 * gyroscope's samples the next ones of the others set "up" and the heading at once.
 */
#ifndef SENSORD_ATTITUDE_H
#define SENSORD_ATTITUDE_H

#include "fusion/rotation.h"

struct attitude {
	struct quat q;
	bool level; /* the accelerometer has set "up" */
	bool north; /* the magnetometer has set the heading */
	int64_t gyro_ns, accel_ns, magnetic_ns; /* of the last sample; 0: none yet */
	struct vec3 rate; /* the last one, less the bias */
	struct vec3 bias;
	struct low_pass mean_rate;
	int64_t quiet_ns; /* since when the rate stays the same; 0: it does not */
	float heading_error; /* low pass of |psi|, rad */
};

void attitude_reset(struct attitude *a);
/** rad/s */
void attitude_gyroscope(struct attitude *a, int64_t at_ns, struct vec3 rate);
/** m/s^2 */
void attitude_accelerometer(struct attitude *a, int64_t at_ns, struct vec3 f);
/** uT */
void attitude_magnetometer(struct attitude *a, int64_t at_ns, struct vec3 m);
/** The quaternion at a time at or shortly after the last sample: the last rate goes on. w >= 0. */
struct quat attitude_at(const struct attitude *a, int64_t at_ns);
/** Gravity in the device's frame, m/s^2: what an accelerometer at rest measures. */
struct vec3 attitude_gravity(const struct attitude *a, int64_t at_ns);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <string.h>

#define TAU_ACCELEROMETER 1.5f
#define TAU_MAGNETOMETER 3.0f
/** A correction is not for longer than that. */
#define LONGEST_STEP 0.1f
/** A rate goes on for so long after its sample. */
#define EXTRAPOLATED_NS 50000000ll
/** Of a heading that was not corrected yet, rad. */
#define UNKNOWN_HEADING 0.5f
#define QUIET_NS 2000000000ll
#define QUIET_RATE 0.03f
#define LARGEST_BIAS 0.06f
/** Fields that can be the Earth's, uT, and what of it must be horizontal. */
#define SMALLEST_FIELD 15.0f
#define LARGEST_FIELD 100.0f
#define SMALLEST_HORIZONTAL 4.0f

static const struct vec3 up = { 0, 0, 1 };

void attitude_reset(struct attitude *a)
{
	memset(a, 0, sizeof(*a));
	a->q.w = 1;
	a->heading_error = UNKNOWN_HEADING;
}

/** At rest a gyroscope measures its own error. */
static void learn_bias(struct attitude *a, int64_t at_ns, struct vec3 rate, float dt)
{
	low_pass_feed(&a->mean_rate, at_ns, rate, 0.5f);
	if (vec3_norm(vec3_sub(rate, a->mean_rate.value)) > QUIET_RATE ||
	    vec3_norm(a->mean_rate.value) > LARGEST_BIAS) {
		a->quiet_ns = 0;
		return;
	}
	if (!a->quiet_ns)
		a->quiet_ns = at_ns;
	if (at_ns - a->quiet_ns >= QUIET_NS)
		a->bias = vec3_add(a->bias,
				   vec3_scale(vec3_sub(a->mean_rate.value, a->bias), dt / 2));
}

void attitude_gyroscope(struct attitude *a, int64_t at_ns, struct vec3 rate)
{
	const bool first = !a->gyro_ns || at_ns - a->gyro_ns > FILTER_GAP_NS;
	struct vec3 net;
	float dt;

	/* 1000 rad/s: no gyroscope measures it, and its square is still a number */
	if (!vec3_finite(rate) || vec3_norm(rate) > 1e3f || at_ns <= a->gyro_ns)
		return;
	if (first) {
		a->level = a->north = false;
		a->heading_error = UNKNOWN_HEADING;
		a->quiet_ns = 0;
		low_pass_feed(&a->mean_rate, at_ns, rate, 0.5f);
		a->rate = vec3_sub(rate, a->bias);
		a->gyro_ns = at_ns;
		return;
	}
	dt = filter_seconds(a->gyro_ns, at_ns);
	learn_bias(a, at_ns, rate, dt);
	net = vec3_sub(rate, a->bias);
	a->q = quat_unit(
		quat_multiply(a->q, quat_turn(vec3_scale(vec3_add(a->rate, net), dt / 2))));
	a->rate = net;
	a->gyro_ns = at_ns;
}

/** The turn that takes the unit vector @from to "up", as axis times angle. */
static struct vec3 turn_to_up(struct vec3 from)
{
	const struct vec3 axis = vec3_cross(from, up);
	const float sine = vec3_norm(axis);

	if (sine < 1e-6f) /* there, or head down: any horizontal axis */
		return (struct vec3){ from.z < 0 ? (float)M_PI : 0, 0, 0 };
	return vec3_scale(axis, atan2f(sine, from.z) / sine);
}

/** Apply a turn of the world's frame. */
static void correct(struct attitude *a, struct vec3 turn)
{
	a->q = quat_unit(quat_multiply(quat_turn(turn), a->q));
}

void attitude_accelerometer(struct attitude *a, int64_t at_ns, struct vec3 f)
{
	struct vec3 direction;
	float error, trust, dt;

	if (!vec3_finite(f) || at_ns <= a->accel_ns)
		return;
	dt = a->accel_ns ? filter_seconds(a->accel_ns, at_ns) : 0;
	a->accel_ns = at_ns;
	error = fabsf(vec3_norm(f) - STANDARD_GRAVITY) / STANDARD_GRAVITY;
	if (!vec3_unit(f, &direction))
		return;
	direction = quat_rotate(attitude_at(a, at_ns), direction);
	if (!a->level) {
		/* in free fall there is no "up" */
		if (error < 0.8f) {
			correct(a, turn_to_up(direction));
			a->level = true;
		}
		return;
	}
	trust = fminf(fmaxf((0.3f - error) / 0.2f, 0), 1);
	correct(a, vec3_scale(turn_to_up(direction),
			      trust * fminf(dt, LONGEST_STEP) / TAU_ACCELEROMETER));
}

void attitude_magnetometer(struct attitude *a, int64_t at_ns, struct vec3 m)
{
	struct vec3 field;
	float psi, dt;

	if (!vec3_finite(m) || at_ns <= a->magnetic_ns || !a->level)
		return;
	field = quat_rotate(attitude_at(a, at_ns), m);
	if (vec3_norm(m) < SMALLEST_FIELD || vec3_norm(m) > LARGEST_FIELD ||
	    hypotf(field.x, field.y) < SMALLEST_HORIZONTAL)
		return;
	dt = a->magnetic_ns ? fminf(filter_seconds(a->magnetic_ns, at_ns), LONGEST_STEP) : 0;
	a->magnetic_ns = at_ns;
	psi = atan2f(field.x, field.y);
	if (!a->north) {
		correct(a, vec3_scale(up, psi));
		a->north = true;
		return;
	}
	correct(a, vec3_scale(up, psi * dt / TAU_MAGNETOMETER));
	a->heading_error += (fabsf(psi) - a->heading_error) * dt / TAU_MAGNETOMETER;
}

struct quat attitude_at(const struct attitude *a, int64_t at_ns)
{
	struct quat q = a->q;

	if (a->gyro_ns && at_ns > a->gyro_ns && at_ns - a->gyro_ns <= EXTRAPOLATED_NS)
		q = quat_unit(quat_multiply(
			q, quat_turn(vec3_scale(a->rate, filter_seconds(a->gyro_ns, at_ns)))));
	return quat_upper(q);
}

struct vec3 attitude_gravity(const struct attitude *a, int64_t at_ns)
{
	return quat_rotate_back(attitude_at(a, at_ns), (struct vec3){ 0, 0, STANDARD_GRAVITY });
}

// SPDX-License-Identifier: Apache-2.0
/* A device that lies still, is carried, shaken or dropped. */
#include "virtual/sensord_virtual.h"

#include <math.h>

#include "nnsensors.h"
#include "nnutil_clock.h"

#define GRAVITY 9.80665
/* Of a fall: how long it takes, and how long the floor does. */
#define FALL_S 0.4
#define IMPACT_S 0.05

/* A motion's own frequency in Hz, and amplitudes in m/s^2 and rad/s. */
static const struct {
	double frequency, acceleration, rotation;
} own[] = {
	[MOTION_STILL] = { 1, 0, 0 },
	[MOTION_WALK] = { 1.8, 2.5, 0.4 },
	[MOTION_SHAKE] = { 5, 12, 3 },
	[MOTION_FALL] = { 0.25, 40, 2 },
};

double motion_phase(double frequency, int64_t time_ns)
{
	/* whole seconds first: their product with a frequency has few digits to lose */
	const double whole = fmod((double)(time_ns / NNUTIL_NS_PER_S) * frequency, 1.0);
	const double rest = (double)(time_ns % NNUTIL_NS_PER_S) * 1e-9 * frequency;
	const double phase = fmod(whole + rest, 1.0);

	return phase < 0 ? phase + 1 : phase;
}

/* Without gravity; the device lies on its back, its z axis points up. */
static void accelerate(const struct motion *m, double frequency, double amplitude, int64_t time_ns,
		       double values[3])
{
	const double turn = 2 * M_PI * motion_phase(frequency, time_ns);
	const double half = 2 * M_PI * motion_phase(frequency / 2, time_ns);
	const double second = motion_phase(frequency, time_ns) / frequency;

	switch (m->kind) {
	case MOTION_WALK:
		/* a bounce per step, a sway per two */
		values[0] = 0.4 * amplitude * sin(half);
		values[1] = 0.3 * amplitude * sin(turn + 1);
		values[2] = amplitude * sin(turn) + 0.3 * amplitude * sin(2 * turn);
		break;
	case MOTION_SHAKE:
		values[0] = amplitude * sin(turn);
		values[1] = 0.6 * amplitude * sin(turn + 1);
		values[2] = 0.2 * amplitude * sin(2 * turn);
		break;
	case MOTION_FALL:
		if (second < FALL_S)
			values[2] = -GRAVITY;
		else if (second < FALL_S + IMPACT_S)
			values[2] = amplitude * sin(M_PI * (second - FALL_S) / IMPACT_S);
		break;
	case MOTION_STILL:
		break;
	}
}

static void motion_rotate(const struct motion *m, double frequency, double amplitude,
			  int64_t time_ns, double values[3])
{
	const double turn = 2 * M_PI * motion_phase(frequency, time_ns);
	const double half = 2 * M_PI * motion_phase(frequency / 2, time_ns);

	switch (m->kind) {
	case MOTION_WALK:
		values[0] = amplitude * sin(turn);
		values[1] = 0.5 * amplitude * sin(half);
		break;
	case MOTION_SHAKE:
		values[1] = amplitude * sin(turn);
		values[2] = 0.5 * amplitude * sin(turn + 1);
		break;
	case MOTION_FALL:
		if (motion_phase(frequency, time_ns) / frequency < FALL_S)
			values[0] = amplitude;
		break;
	case MOTION_STILL:
		break;
	}
}

bool motion_has(int32_t type)
{
	switch (type) {
	case NNSENSORS_TYPE_ACCELEROMETER:
	case NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED:
	case NNSENSORS_TYPE_LINEAR_ACCELERATION:
	case NNSENSORS_TYPE_GRAVITY:
	case NNSENSORS_TYPE_GYROSCOPE:
	case NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED:
		return true;
	default:
		return false;
	}
}

void motion_values(const struct motion *m, int32_t type, int64_t time_ns, double values[3])
{
	const double frequency = m->frequency > 0 ? m->frequency : own[m->kind].frequency;
	const bool rotation = type == NNSENSORS_TYPE_GYROSCOPE ||
			      type == NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED;
	double amplitude = rotation ? own[m->kind].rotation : own[m->kind].acceleration;

	if (m->amplitude > 0)
		amplitude = m->amplitude;
	values[0] = values[1] = values[2] = 0;
	if (rotation) {
		motion_rotate(m, frequency, amplitude, time_ns, values);
		return;
	}
	if (type != NNSENSORS_TYPE_GRAVITY)
		accelerate(m, frequency, amplitude, time_ns, values);
	if (type != NNSENSORS_TYPE_LINEAR_ACCELERATION)
		values[2] += GRAVITY;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps in accelerometer samples. The acceleration along gravity, low-passed at 3 Hz twice, rises
 * above a threshold once per step after it was below a negative one. The threshold follows the
 * height of the last steps. Four in a regular rhythm (0.265 to 1.5 s, each interval within 0.6
 * to 1.67 times the one before) begin a walk; they are counted when the fourth is there, with their
 * own times. Motion that is faster or stronger than a run, or goes to the side more than up and
 * down, is a shake and ends the walk.
 */
#ifndef SENSORD_STEPS_H
#define SENSORD_STEPS_H

#include "fusion/rotation.h"

#define STEPS_TO_WALK 4u

struct steps {
	struct low_pass gravity;
	struct low_pass vertical[2]; /* in x */
	struct low_pass power; /* x: along gravity, y: to the sides; squares of m/s^2 */
	int64_t before_ns; /* the last sample, */
	float before; /* and what it was, low-passed */
	int64_t upward_ns; /* when it was 0 the last time, rising */
	bool armed; /* was below the negative threshold */
	float peak; /* since the last rise */
	float height; /* mean peak of this walk */
	unsigned int rhythm; /* steps of this walk, counted or not */
	unsigned int hasty; /* rises that came too early, one after the other */
	int64_t last_ns, interval_ns; /* of upward_ns, at the steps */
	int64_t pending_ns[STEPS_TO_WALK];
};

void steps_reset(struct steps *s);
/**
 * A sample, m/s^2. Returns how many steps it completes: 0, 1, or STEPS_TO_WALK; @at_ns becomes
 * their times.
 */
unsigned int steps_accelerometer(struct steps *s, int64_t now_ns, struct vec3 f,
				 int64_t at_ns[STEPS_TO_WALK]);
/** Steps since the walk began; 0: no walk. */
unsigned int steps_walked(const struct steps *s, int64_t now_ns);

#endif

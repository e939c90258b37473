// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <string.h>

#define TAU_GRAVITY 1.0f
#define TAU_3_HZ 0.053f
#define SMALLEST_HEIGHT 0.7f
/** Of the low-passed, and of a sample. */
#define LARGEST_HEIGHT 14.0f
#define LARGEST_SAMPLE 45.0f
/** Power to the sides by power along gravity, at most. */
#define LARGEST_SWAY 4.0f
#define TAU_POWER 0.5f
#define SHORTEST_NS 265000000ll
#define LONGEST_NS 1500000000ll
/** From 0 to the threshold, at most: what comes from rest may have been above 0 for long. */
#define LONGEST_RISE_NS 150000000ll

void steps_reset(struct steps *s)
{
	memset(s, 0, sizeof(*s));
}

/** No walk; this may be the first step of one. */
static void begin_anew(struct steps *s, int64_t rise_ns, int64_t now_ns)
{
	s->rhythm = 1;
	s->hasty = 0;
	s->interval_ns = 0;
	s->last_ns = rise_ns;
	s->pending_ns[0] = now_ns;
}

static bool is_regular(const struct steps *s, int64_t interval_ns)
{
	return !s->interval_ns ||
	       (interval_ns * 5 >= s->interval_ns * 3 && interval_ns * 3 <= s->interval_ns * 5);
}

/**
 * The acceleration is above the threshold, and was 0 at @rise_ns, which does not depend on the
 * threshold. Returns the number of steps that are sure now.
 */
static unsigned int rise(struct steps *s, int64_t rise_ns, int64_t now_ns,
			 int64_t at_ns[STEPS_TO_WALK])
{
	const int64_t interval = rise_ns - s->last_ns;

	if (!s->rhythm || interval > LONGEST_NS) {
		s->height = 0;
		begin_anew(s, rise_ns, now_ns);
		return 0;
	}
	if (interval < SHORTEST_NS) {
		/* in a walk the heel may count for one; twice is a shake */
		if (s->rhythm < STEPS_TO_WALK || ++s->hasty > 1)
			begin_anew(s, rise_ns, now_ns);
		return 0;
	}
	s->hasty = 0;
	if (s->rhythm < STEPS_TO_WALK && !is_regular(s, interval)) {
		/* the walk may begin with the rise before this one */
		s->pending_ns[0] = s->pending_ns[s->rhythm - 1];
		s->rhythm = 1;
	}
	s->interval_ns = interval;
	s->last_ns = rise_ns;
	if (s->rhythm >= STEPS_TO_WALK) {
		s->rhythm++;
		at_ns[0] = now_ns;
		return 1;
	}
	s->pending_ns[s->rhythm++] = now_ns;
	if (s->rhythm < STEPS_TO_WALK)
		return 0;
	memcpy(at_ns, s->pending_ns, sizeof(s->pending_ns));
	return STEPS_TO_WALK;
}

/** The acceleration along gravity, low-passed. */
static bool vertical(struct steps *s, int64_t now_ns, struct vec3 f, float *v)
{
	struct vec3 up, sides;

	if (s->gravity.at_ns && now_ns - s->gravity.at_ns > FILTER_GAP_NS)
		steps_reset(s);
	if (!low_pass_feed(&s->gravity, now_ns, f, TAU_GRAVITY) ||
	    !vec3_unit(s->gravity.value, &up))
		return false;
	sides = vec3_sub(f, vec3_scale(up, vec3_dot(f, up)));
	*v = vec3_dot(f, up) - vec3_norm(s->gravity.value);
	low_pass_feed(&s->power, now_ns, (struct vec3){ *v * *v, vec3_dot(sides, sides), 0 },
		      TAU_POWER);
	for (unsigned int i = 0; i < 2; i++) {
		if (!low_pass_feed(&s->vertical[i], now_ns, (struct vec3){ *v, 0, 0 }, TAU_3_HZ))
			return false;
		*v = s->vertical[i].value.x;
	}
	return true;
}

/** A shake, whatever its rhythm. */
static bool is_shake(const struct steps *s, struct vec3 f, float v)
{
	return fabsf(v) > LARGEST_HEIGHT || vec3_norm(f) > LARGEST_SAMPLE ||
	       s->power.value.y > s->power.value.x * LARGEST_SWAY;
}

/** When the line from the last sample, below 0, to @v at @now_ns crossed 0. */
static int64_t crossing(const struct steps *s, int64_t now_ns, float v)
{
	return now_ns - (int64_t)((float)(now_ns - s->before_ns) * v / (v - s->before));
}

unsigned int steps_accelerometer(struct steps *s, int64_t now_ns, struct vec3 f,
				 int64_t at_ns[STEPS_TO_WALK])
{
	float threshold, v;
	unsigned int n = 0;

	if (!vertical(s, now_ns, f, &v))
		return 0;
	s->peak = fmaxf(s->peak, v);
	if (s->before < 0 && v >= 0)
		s->upward_ns = crossing(s, now_ns, v);
	else if (now_ns - s->upward_ns > LONGEST_RISE_NS)
		s->upward_ns = now_ns - LONGEST_RISE_NS;
	threshold = fmaxf(SMALLEST_HEIGHT, 0.3f * s->height);
	if (v < -0.4f * threshold && !s->armed) {
		s->armed = true;
		s->height += (s->peak - s->height) * (s->height > 0 ? 0.2f : 1.0f);
		s->peak = 0;
	} else if (v >= threshold && s->armed) {
		s->armed = false;
		if (is_shake(s, f, v)) {
			s->rhythm = 0;
			s->height = 0;
		} else {
			n = rise(s, s->upward_ns, now_ns, at_ns);
		}
	}
	s->before = v;
	s->before_ns = now_ns;
	return n;
}

unsigned int steps_walked(const struct steps *s, int64_t now_ns)
{
	return s->rhythm >= STEPS_TO_WALK && now_ns - s->last_ns <= LONGEST_NS ? s->rhythm : 0;
}

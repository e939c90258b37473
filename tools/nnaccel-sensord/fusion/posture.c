// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <string.h>

#define PART_NS 250000000ll
/** cosine of 35 degrees */
#define TILT_COSINE 0.81915204f

void tilt_reset(struct tilt *t)
{
	memset(t, 0, sizeof(*t));
}

/** Whether the two seconds' mean has turned away from the reference; sets the reference. */
static bool posture_judge(struct tilt *t)
{
	struct vec3 sum = { 0, 0, 0 }, mean;
	unsigned int count = 0;

	for (unsigned int i = 0; i < TILT_PARTS; i++) {
		sum = vec3_add(sum, t->sums[i]);
		count += t->counts[i];
	}
	if (!count || !vec3_unit(vec3_scale(sum, 1.0f / (float)count), &mean))
		return false;
	if (t->has_reference && vec3_dot(mean, t->reference) > TILT_COSINE)
		return false;
	t->reference = mean;
	if (t->has_reference)
		return true;
	t->has_reference = true;
	return false;
}

/** The two seconds begin anew, the reference stays. */
static void forget_parts(struct tilt *t, int64_t at_ns)
{
	memset(t->counts, 0, sizeof(t->counts));
	memset(t->sums, 0, sizeof(t->sums));
	t->parts = 0;
	t->part_ns = at_ns;
}

bool tilt_accelerometer(struct tilt *t, int64_t at_ns, struct vec3 f)
{
	bool tilted = false;
	unsigned int part;

	if (!vec3_is_sample(f) || at_ns <= t->last_ns)
		return false;
	if (!t->last_ns || at_ns - t->last_ns > FILTER_GAP_NS)
		forget_parts(t, at_ns);
	t->last_ns = at_ns;
	if (at_ns - t->part_ns >= PART_NS) {
		t->parts++;
		tilted = t->parts >= TILT_PARTS && posture_judge(t);
		part = t->parts % TILT_PARTS;
		t->part_ns = at_ns;
		t->sums[part] = (struct vec3){ 0, 0, 0 };
		t->counts[part] = 0;
	}
	part = t->parts % TILT_PARTS;
	t->sums[part] = vec3_add(t->sums[part], f);
	t->counts[part]++;
	return tilted;
}

void orientation_reset(struct orientation *o)
{
	memset(o, 0, sizeof(*o));
	o->edge = o->candidate = -1;
}

/** The edge that is clearly the highest; -1: none is. */
static int highest_edge(struct vec3 up)
{
	static const struct vec3 edges[] = { { 0, 1, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { -1, 0, 0 } };
	const float flat = 0.34202014f, clear = 0.8660254f; /* cosines of 70 and 30 degrees */
	const float horizontal = hypotf(up.x, up.y);

	if (horizontal < flat)
		return -1;
	for (int i = 0; i < 4; i++)
		if (vec3_dot(up, edges[i]) >= clear * horizontal)
			return i;
	return -1;
}

bool orientation_accelerometer(struct orientation *o, int64_t at_ns, struct vec3 f)
{
	const int64_t before = o->gravity.at_ns;
	struct vec3 up;
	int edge;

	if (!low_pass_feed(&o->gravity, at_ns, f, 0.2f) || !vec3_unit(o->gravity.value, &up))
		return false;
	edge = highest_edge(up);
	if (edge != o->candidate || (before && at_ns - before > FILTER_GAP_NS)) {
		o->candidate = edge;
		o->since_ns = at_ns;
	}
	if (edge < 0 || edge == o->edge || at_ns - o->since_ns < 500000000ll)
		return false;
	o->edge = edge;
	return true;
}

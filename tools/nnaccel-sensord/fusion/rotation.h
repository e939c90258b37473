/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors, quaternions and the first-order low pass of the filters.
 *
 * A rotation quaternion q takes a vector of the device's frame to the world's: v' = q v q*. The
 * world is x east, y north, z up; the device x right, y up, z out of the screen.
 */
#ifndef SENSORD_ROTATION_H
#define SENSORD_ROTATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STANDARD_GRAVITY 9.80665f

struct vec3 {
	float x, y, z;
};

struct quat {
	float x, y, z, w;
};

static inline bool vec3_finite(struct vec3 v)
{
	return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
	return (struct vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
	return (struct vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline struct vec3 vec3_scale(struct vec3 v, float k)
{
	return (struct vec3){ v.x * k, v.y * k, v.z * k };
}

static inline float vec3_dot(struct vec3 a, struct vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
	return (struct vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline float vec3_norm(struct vec3 v)
{
	return sqrtf(vec3_dot(v, v));
}

/** False: @v has no direction; *@unit is left as it was. */
static inline bool vec3_unit(struct vec3 v, struct vec3 *unit)
{
	const float norm = vec3_norm(v);

	if (!isfinite(norm) || norm < 1e-6f)
		return false;
	*unit = vec3_scale(v, 1.0f / norm);
	return true;
}

/** a after b. */
static inline struct quat quat_multiply(struct quat a, struct quat b)
{
	return (struct quat){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
			      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
			      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
			      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

static inline struct quat quat_unit(struct quat q)
{
	const float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);

	if (!isfinite(norm) || norm < 1e-6f)
		return (struct quat){ .w = 1 };
	return (struct quat){ q.x / norm, q.y / norm, q.z / norm, q.w / norm };
}

/** The same rotation, with w >= 0. */
static inline struct quat quat_upper(struct quat q)
{
	return q.w < 0 ? (struct quat){ -q.x, -q.y, -q.z, -q.w } : q;
}

/** The turn by |@v| radians about @v: exp(v / 2). */
static inline struct quat quat_turn(struct vec3 v)
{
	const float angle = vec3_norm(v);
	const float k = angle < 1e-6f ? 0.5f : sinf(angle / 2) / angle;

	return (struct quat){ v.x * k, v.y * k, v.z * k, cosf(angle / 2) };
}

/** From the device's frame to the world's. */
static inline struct vec3 quat_rotate(struct quat q, struct vec3 v)
{
	const struct vec3 u = { q.x, q.y, q.z };
	const struct vec3 t = vec3_scale(vec3_cross(u, v), 2);

	return vec3_add(v, vec3_add(vec3_scale(t, q.w), vec3_cross(u, t)));
}

/** From the world's frame to the device's. */
static inline struct vec3 quat_rotate_back(struct quat q, struct vec3 v)
{
	return quat_rotate((struct quat){ -q.x, -q.y, -q.z, q.w }, v);
}

/**
 * struct low_pass - first-order low pass of vectors at irregular times
 * @value: its state
 * @at_ns: time of the last sample; 0: none yet
 */
struct low_pass {
	struct vec3 value;
	int64_t at_ns;
};

/** After a gap of that length what was before says nothing about now. */
#define FILTER_GAP_NS 500000000ll

/** A longer vector is no sample, whatever the unit: differences and sums stay finite. */
static inline bool vec3_is_sample(struct vec3 v)
{
	return vec3_finite(v) && vec3_norm(v) <= 1e6f;
}

/** Seconds between two samples. */
static inline float filter_seconds(int64_t from_ns, int64_t to_ns)
{
	return (float)(to_ns - from_ns) * 1e-9f;
}

/**
 * One sample; time constant @tau in seconds. The first one and one after a gap are taken over as
 * they are. False: not a sample, or not later than the last one: nothing happened.
 */
static inline bool low_pass_feed(struct low_pass *l, int64_t at_ns, struct vec3 v, float tau)
{
	if (!vec3_is_sample(v) || at_ns <= l->at_ns)
		return false;
	if (!l->at_ns || at_ns - l->at_ns > FILTER_GAP_NS) {
		l->value = v;
	} else {
		const float dt = filter_seconds(l->at_ns, at_ns);

		l->value = vec3_add(l->value, vec3_scale(vec3_sub(v, l->value), dt / (tau + dt)));
	}
	l->at_ns = at_ns;
	return true;
}

#endif

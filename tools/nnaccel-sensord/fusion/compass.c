// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <string.h>

#define TAU 0.15f
#define TAU_ERROR 3.0f
/** sine of the angle between field and up, below which there is no heading: a magnetic pole. */
#define SMALLEST_SINE 0.05f

void compass_reset(struct compass *c)
{
	memset(c, 0, sizeof(*c));
	c->heading_error = 0.5f;
}

void compass_accelerometer(struct compass *c, int64_t at_ns, struct vec3 f)
{
	low_pass_feed(&c->up, at_ns, f, TAU);
}

void compass_magnetometer(struct compass *c, int64_t at_ns, struct vec3 m)
{
	const int64_t before = c->field.at_ns;
	const float cross = vec3_norm(vec3_cross(m, c->field.value)),
		    dot = vec3_dot(m, c->field.value);

	if (low_pass_feed(&c->field, at_ns, m, TAU) && before && isfinite(cross) && isfinite(dot)) {
		const float dt = fminf(filter_seconds(before, at_ns), 1);

		c->heading_error += (atan2f(cross, dot) - c->heading_error) * dt / (TAU_ERROR + dt);
	}
}

/** The quaternion of the matrix with the rows @e, @n, @u (Shepperd: from its largest component). */
static struct quat quat_of_rows(struct vec3 e, struct vec3 n, struct vec3 u)
{
	const float trace = e.x + n.y + u.z;
	struct quat q;

	if (trace >= e.x && trace >= n.y && trace >= u.z)
		q = (struct quat){ u.y - n.z, e.z - u.x, n.x - e.y, 1 + trace };
	else if (e.x >= n.y && e.x >= u.z)
		q = (struct quat){ 1 + e.x - n.y - u.z, e.y + n.x, e.z + u.x, u.y - n.z };
	else if (n.y >= u.z)
		q = (struct quat){ e.y + n.x, 1 - e.x + n.y - u.z, n.z + u.y, e.z - u.x };
	else
		q = (struct quat){ e.z + u.x, n.z + u.y, 1 - e.x - n.y + u.z, n.x - e.y };
	return quat_upper(quat_unit(q));
}

bool compass_rotation(const struct compass *c, struct quat *q)
{
	struct vec3 up, field, east;

	if (!c->up.at_ns || !c->field.at_ns || !vec3_unit(c->up.value, &up) ||
	    !vec3_unit(c->field.value, &field))
		return false;
	east = vec3_cross(field, up);
	if (vec3_norm(east) < SMALLEST_SINE || !vec3_unit(east, &east))
		return false;
	*q = quat_of_rows(east, vec3_cross(up, east), up);
	return true;
}

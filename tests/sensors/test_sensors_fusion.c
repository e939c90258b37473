// SPDX-License-Identifier: Apache-2.0
/*
 * The filters of the fused sensors on motions whose truth is known: rotations about each axis, a
 * shake, walks of n steps, turns. And on what sensors must not send, but may.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fusion/sensord_fusion.h"
#include "nnsensors.h"
#include "test_case.h"
#include "virtual/sensord_virtual.h"

#define SECOND 1000000000ll
/* A boot of some days ago: times are large. */
#define START (400000 * SECOND)
#define TURN (2 * (float)M_PI)

/* The Earth's field in Central Europe, uT. */
static const struct vec3 field = { 0, 20, -44 };
static const struct vec3 gravity = { 0, 0, STANDARD_GRAVITY };
static const struct vec3 axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

/* ---- help ---- */

/* The same numbers in every run. */
static uint32_t seed = 1;

static float uniform(void)
{
	seed = seed * 1664525u + 1013904223u;
	return (float)(int32_t)seed / 2147483648.0f;
}

static struct vec3 noise(float amplitude)
{
	const float x = uniform(), y = uniform(), z = uniform();

	return (struct vec3){ x * amplitude, y * amplitude, z * amplitude };
}

/* The angle of the rotation from @a to @b. */
static float angle_between(struct quat a, struct quat b)
{
	const float dot = fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);

	return 2 * acosf(fminf(dot, 1));
}

static float angle_of(struct vec3 a, struct vec3 b)
{
	return atan2f(vec3_norm(vec3_cross(a, b)), vec3_dot(a, b));
}

static struct quat quat_back(struct quat q)
{
	return (struct quat){ -q.x, -q.y, -q.z, q.w };
}

static void assert_unit(struct quat q)
{
	const float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;

	assert_true(fabsf(norm - 1) < 1e-3f);
}

/* ---- attitude ---- */

/* How a device moves, and what its sensors get wrong. */
struct turning {
	struct quat start;
	struct vec3 axis; /* of the device's frame */
	float rate; /* rad/s */
	float rest_s; /* before it turns */
	float turn_s;
	struct vec3 bias; /* of the gyroscope */
	float noise; /* of all, in parts: 0.1 m/s^2, 0.01 rad/s, 1 uT */
	bool magnetometer;
	int64_t period_ns;
};

/*
 * Runs the motion. Returns the largest error in the turn, once it began; of the heading too if
 * @heading.
 */
static float run_turning(const struct turning *m, bool heading, struct attitude *a)
{
	const int64_t rest_ns = (int64_t)(m->rest_s * 1e9f),
		      end_ns = rest_ns + (int64_t)(m->turn_s * 1e9f);
	struct quat at_rest = { .w = 1 };
	float worst = 0, error;

	attitude_reset(a);
	for (int64_t t = 0; t <= end_ns; t += m->period_ns) {
		const bool turns = t > rest_ns;
		const float angle = turns ? m->rate * ((float)(t - rest_ns) * 1e-9f) : 0;
		const struct quat truth =
			quat_multiply(m->start, quat_turn(vec3_scale(m->axis, angle)));
		const struct vec3 rate = vec3_scale(m->axis, t >= rest_ns ? m->rate : 0);
		const int64_t at = START + t;
		struct quat q;

		attitude_gyroscope(a, at,
				   vec3_add(vec3_add(rate, m->bias), noise(0.01f * m->noise)));
		attitude_accelerometer(
			a, at, vec3_add(quat_rotate_back(truth, gravity), noise(0.1f * m->noise)));
		if (m->magnetometer)
			attitude_magnetometer(
				a, at, vec3_add(quat_rotate_back(truth, field), noise(m->noise)));
		q = attitude_at(a, at);
		assert_unit(q);
		if (!turns) {
			/* without a magnetometer any heading is right */
			if (!m->magnetometer)
				at_rest = quat_multiply(truth, quat_back(q));
			continue;
		}
		q = quat_multiply(at_rest, q);
		error = heading ? angle_between(q, truth)
				: angle_of(attitude_gravity(a, at),
					   quat_rotate_back(truth, gravity));
		worst = fmaxf(worst, error);
		assert_true(fabsf(vec3_norm(attitude_gravity(a, at)) - STANDARD_GRAVITY) < 1e-3f);
	}
	return worst;
}

/* A known rate about each axis, without errors: the quaternion is right to half a degree. */
TEST(test_rotation)
{
	static const int64_t periods[] = { SECOND / 50, SECOND / 200, SECOND / 800 };
	struct attitude a;

	for (unsigned int p = 0; p < 3; p++)
		for (unsigned int i = 0; i < 3; i++)
			for (float rate = -4; rate <= 4; rate += 1.6f) {
				const struct turning m = {
					.start = { .w = 1 },
					.axis = axes[i],
					.rate = rate,
					.turn_s = 10,
					.period_ns = periods[p],
				};

				assert_true(run_turning(&m, true, &a) < 0.01f + 0.02f * (p == 0));
			}
}

/* Errors as MEMS sensors have them: the bias is learnt at rest. */
TEST(test_rotation_noise)
{
	struct attitude a;

	for (unsigned int i = 0; i < 3; i++) {
		const struct turning m = {
			.start = { .w = 1 },
			.axis = axes[i],
			.rate = 1,
			.rest_s = 12,
			.turn_s = 10,
			.bias = { 0.02f, -0.015f, 0.03f },
			.noise = 1,
			.period_ns = SECOND / 200,
		};

		assert_true(run_turning(&m, true, &a) < 0.05f);
		assert_true(run_turning(&m, false, &a) < 0.04f);
	}
}

/* A bias that is never learnt: gravity keeps its direction all the same. */
TEST(test_gravity_drift)
{
	const struct turning m = {
		.start = { .w = 1 },
		.axis = { 0.6f, 0.64f, 0.48f },
		.rate = 0.8f,
		.turn_s = 60,
		.bias = { 0.02f, 0.02f, 0.02f },
		.period_ns = SECOND / 100,
	};
	struct attitude a;

	/* bias times the time constant */
	assert_true(run_turning(&m, false, &a) < 0.035f * 1.5f);
}

/* With a magnetometer the heading is true from any attitude, and stays so. */
TEST(test_heading)
{
	struct attitude a;

	for (float yaw = -3; yaw <= 3; yaw += 1.5f)
		for (float pitch = -1; pitch <= 1; pitch += 0.5f)
			for (unsigned int i = 0; i < 3; i++) {
				const struct turning m = {
					.start = quat_multiply(
						quat_turn((struct vec3){ 0, 0, yaw }),
						quat_turn((struct vec3){ pitch, 0, 0 })),
					.axis = axes[i],
					.rate = 0.7f,
					.turn_s = 20,
					.magnetometer = true,
					.period_ns = SECOND / 100,
				};

				assert_true(run_turning(&m, true, &a) < 0.02f);
				assert_true(a.heading_error < 0.05f);
			}
}

/* A bias of the gyroscope that turns the heading without a magnetometer does not with one. */
TEST(test_heading_drift)
{
	struct turning m = {
		.start = { .w = 1 },
		.axis = { 0, 0, 1 },
		.rate = 0.5f,
		.turn_s = 60,
		.bias = { 0, 0, 0.02f },
		.period_ns = SECOND / 100,
	};
	struct attitude a;

	assert_true(run_turning(&m, true, &a) > 1);
	m.magnetometer = true;
	assert_true(run_turning(&m, true, &a) < 0.08f);
}

/* Without a gyroscope: right at rest, in every attitude; and at the start without a heading. */
TEST(test_compass)
{
	struct compass c;
	struct quat q;

	for (unsigned int n = 0; n < 200; n++) {
		const struct quat truth = quat_turn(noise(3));

		compass_reset(&c);
		assert_false(compass_rotation(&c, &q));
		for (int64_t t = START; t < START + SECOND; t += SECOND / 50) {
			compass_accelerometer(&c, t, quat_rotate_back(truth, gravity));
			compass_magnetometer(&c, t, quat_rotate_back(truth, field));
		}
		assert_true(compass_rotation(&c, &q));
		assert_unit(q);
		assert_true(angle_between(q, truth) < 0.005f);
	}
	/* a field that points straight down has no heading */
	compass_reset(&c);
	compass_accelerometer(&c, START, gravity);
	compass_magnetometer(&c, START, (struct vec3){ 0, 0, -50 });
	assert_false(compass_rotation(&c, &q));
}

/* A shake of 4 m/s^2 at 3 Hz: what is left when gravity is taken away is the shake. */
TEST(test_linear_acceleration)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct attitude a;
		double sum = 0;
		unsigned int n = 0;

		attitude_reset(&a);
		for (int64_t t = 0; t < 10 * SECOND; t += SECOND / 200) {
			const float s = 4 * sinf(TURN * 3 * (float)t * 1e-9f);
			const struct vec3 shake = vec3_scale(axes[i], s);
			const struct vec3 f = vec3_add(gravity, shake);
			struct vec3 error;

			attitude_gyroscope(&a, START + t, (struct vec3){ 0, 0, 0 });
			attitude_accelerometer(&a, START + t, f);
			error = vec3_sub(vec3_sub(f, attitude_gravity(&a, START + t)), shake);
			sum += (double)vec3_dot(error, error);
			n++;
		}
		assert_true(sqrt(sum / n) < 0.25);
	}
}

/* ---- steps ---- */

struct walk {
	float hz; /* steps per second */
	float amplitude; /* of the vertical acceleration, m/s^2 */
	float heel; /* second harmonic, of the amplitude */
	float noise;
	int64_t period_ns;
	struct quat held;
};

/* @seconds of it, @rest_s of rest around it. */
static unsigned int count_steps(const struct walk *w, float seconds, struct vec3 direction)
{
	const int64_t rest = 3 * SECOND, end = rest + (int64_t)(seconds * 1e9f);
	int64_t at[STEPS_TO_WALK], last = 0;
	unsigned int count = 0, n;
	struct steps s;

	steps_reset(&s);
	for (int64_t t = 0; t < end + rest; t += w->period_ns) {
		const bool walks = t >= rest && t < end;
		const float phase = TURN * w->hz * (float)(t - rest) * 1e-9f;
		const float up =
			walks ? w->amplitude * (sinf(phase) + w->heel * sinf(2 * phase + 0.7f)) : 0;
		const float sway = walks ? 0.3f * w->amplitude * sinf(phase / 2) : 0;
		const struct vec3 world = vec3_add(vec3_add(gravity, vec3_scale(direction, up)),
						   (struct vec3){ sway, 0, 0 });

		n = steps_accelerometer(&s, START + t,
					vec3_add(quat_rotate_back(w->held, world), noise(w->noise)),
					at);
		assert_true(n == 0 || n == 1 || n == STEPS_TO_WALK);
		for (unsigned int i = 0; i < n; i++) {
			assert_true(at[i] > last && at[i] <= START + t);
			last = at[i];
		}
		count += n;
	}
	return count;
}

/*
 * From a slow walk to a run, held in any way, at 50 to 200 Hz, and walks at 25 Hz, too: n steps are
 * n, or one off.
 */
TEST(test_steps)
{
	static const struct walk walks[] = {
		{ .hz = 1.2f, .amplitude = 1.8f, .heel = 0.3f, .noise = 0.2f },
		{ .hz = 1.6f, .amplitude = 2.5f, .heel = 0.5f, .noise = 0.3f },
		{ .hz = 1.8f, .amplitude = 3.0f, .heel = 0.4f, .noise = 0.5f },
		{ .hz = 2.0f, .amplitude = 3.5f, .heel = 0.0f, .noise = 0.5f },
		{ .hz = 2.2f, .amplitude = 5.0f, .heel = 0.3f, .noise = 1.0f },
		{ .hz = 2.8f, .amplitude = 9.0f, .heel = 0.2f, .noise = 1.0f },
		{ .hz = 3.2f, .amplitude = 12.0f, .heel = 0.1f, .noise = 1.5f },
	};
	static const int64_t periods[] = { SECOND / 25, SECOND / 50, SECOND / 100, SECOND / 200 };

	for (unsigned int i = 0; i < sizeof(walks) / sizeof(walks[0]); i++)
		for (unsigned int p = walks[i].hz > 2.1f; p < 4; p++)
			for (unsigned int k = 0; k < 5; k++)
				for (unsigned int n = 10; n <= 200; n += 95) {
					struct walk w = walks[i];
					unsigned int count;

					w.period_ns = periods[p];
					w.held = quat_turn(noise(3));
					count = count_steps(&w, (float)n / w.hz, axes[2]);
					if (count + 1 < n || count > n + 1)
						fail_msg("%u steps of %g Hz, %g m/s^2 at %g Hz: %u",
							 n, (double)w.hz, (double)w.amplitude,
							 1e9 / (double)w.period_ns, count);
				}
}

/* Neither rest, nor a shake, nor a single bump is a step. */
TEST(test_no_steps)
{
	static const struct walk shakes[] = {
		{ .hz = 1, .amplitude = 0, .noise = 0.6f }, /* rest */
		{ .hz = 4, .amplitude = 8 },
		{ .hz = 5, .amplitude = 15, .noise = 1 },
		{ .hz = 6, .amplitude = 30, .noise = 1 },
		{ .hz = 8, .amplitude = 40 },
		{ .hz = 2, .amplitude = 60 }, /* no run is that strong */
	};

	for (unsigned int i = 0; i < sizeof(shakes) / sizeof(shakes[0]); i++)
		for (unsigned int axis = 0; axis < 3; axis++)
			for (unsigned int k = 0; k < 5; k++) {
				struct walk w = shakes[i];
				unsigned int count;

				w.period_ns = SECOND / (k & 1 ? 50 : 100);
				w.held = quat_turn(noise(3));
				count = count_steps(&w, 30, axes[axis]);
				if (count)
					fail_msg("%u steps in a shake of %g Hz, %g m/s^2, axis %u",
						 count, (double)w.hz, (double)w.amplitude, axis);
			}
	/* to the side it is no step in the rhythm of a walk either */
	for (float hz = 1.5f; hz < 3; hz += 0.5f) {
		const struct walk w = {
			.hz = hz, .amplitude = 5, .period_ns = SECOND / 50, .held = { .w = 1 }
		};

		assert_int_equal(count_steps(&w, 30, axes[0]), 0);
	}
	/* three are no walk */
	{
		const struct walk w = {
			.hz = 2, .amplitude = 3.5f, .period_ns = SECOND / 50, .held = { .w = 1 }
		};

		assert_int_equal(count_steps(&w, 1.5f, axes[2]), 0);
	}
}

/* The motions of virtual sensors: a walk has its steps, the others none. */
TEST(test_virtual_motions)
{
	static const struct motion motions[] = {
		{ MOTION_STILL, 0, 0 },	 { MOTION_SHAKE, 0, 0 }, { MOTION_FALL, 0, 0 },
		{ MOTION_WALK, 1.5, 2 }, { MOTION_WALK, 0, 0 },	 { MOTION_WALK, 2.5, 6 },
	};

	for (unsigned int i = 0; i < sizeof(motions) / sizeof(motions[0]); i++) {
		const double hz = motions[i].frequency > 0 ? motions[i].frequency : 1.8;
		const unsigned int wanted = motions[i].kind == MOTION_WALK ? (unsigned int)(60 * hz)
									   : 0;
		int64_t steps_ns[STEPS_TO_WALK];
		unsigned int count = 0;
		struct steps s;
		double v[3];

		steps_reset(&s);
		for (int64_t t = 0; t < 60 * SECOND; t += SECOND / 50) {
			motion_values(&motions[i], NNSENSORS_TYPE_ACCELEROMETER, START + t, v);
			count += steps_accelerometer(
				&s, START + t,
				(struct vec3){ (float)v[0], (float)v[1], (float)v[2] }, steps_ns);
		}
		if (count + 1 < wanted || count > wanted + 1)
			fail_msg("motion %u: %u steps, not %u", i, count, wanted);
	}
}

/* ---- posture ---- */

/* 35 degrees are a tilt, 30 are none; then the reference is the new attitude. */
TEST(test_tilt)
{
	static const struct {
		float degrees;
		unsigned int tilts;
	} cases[] = { { 0, 0 }, { 30, 0 }, { 40, 1 }, { 90, 1 }, { 180, 1 } };
	struct tilt t;

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct quat q =
			quat_turn((struct vec3){ cases[i].degrees * (float)M_PI / 180, 0, 0 });
		unsigned int tilts = 0;
		int64_t at = START;

		tilt_reset(&t);
		for (; at < START + 4 * SECOND; at += SECOND / 50)
			assert_false(tilt_accelerometer(&t, at, vec3_add(gravity, noise(0.5f))));
		for (; at < START + 10 * SECOND; at += SECOND / 50)
			tilts += tilt_accelerometer(
				&t, at, vec3_add(quat_rotate_back(q, gravity), noise(0.5f)));
		/* the mean of a turn passes 35 degrees more than once if it goes far */
		assert_true(tilts >= cases[i].tilts && tilts <= cases[i].tilts * 5);
	}
	/* a short turn is not in the mean of two seconds */
	tilt_reset(&t);
	for (int64_t at = 0; at < 10 * SECOND; at += SECOND / 50)
		assert_false(tilt_accelerometer(&t, START + at,
						at > 5 * SECOND && at < 5 * SECOND + SECOND / 4
							? (struct vec3){ STANDARD_GRAVITY, 0, 0 }
							: gravity));
}

TEST(test_orientation)
{
	static const struct {
		struct vec3 up;
		int edge;
	} turns[] = {
		{ { 0, 9.8f, 0 }, 0 },	  { { 9.8f, 0, 0 }, 1 }, { { 0, -9.8f, 0 }, 2 },
		{ { -9.8f, 0, 0 }, 3 },	  { { 0, 0, 9.8f }, 3 }, /* flat: as it was */
		{ { 6.9f, 6.9f, 0 }, 3 }, /* on a corner: as it was */
		{ { 1, 6, 7 }, 0 },
	};
	int64_t at = START;
	struct orientation o;
	int reported = -1;

	orientation_reset(&o);
	for (unsigned int i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		unsigned int changes = 0;

		for (unsigned int n = 0; n < 200; n++, at += SECOND / 50)
			if (orientation_accelerometer(&o, at, vec3_add(turns[i].up, noise(0.3f)))) {
				reported = o.edge;
				changes++;
			}
		assert_int_equal(reported, turns[i].edge);
		assert_true(changes <= 1);
	}
}

/* ---- what must not be, but may ---- */

static float broken_number(unsigned int n)
{
	static const float broken[] = { NAN,	  INFINITY, -INFINITY, 0,    3e38f,
					-3.4e38f, 1e-40f,   1e20f,     1000, 9.81f };

	return n & 16 ? uniform() * 20 : broken[n % 10];
}

static struct vec3 broken_vector(void)
{
	const unsigned int n = (unsigned int)(uniform() * 1e6f + 1e6f);

	return (struct vec3){ broken_number(n), broken_number(n / 32), broken_number(n / 1024) };
}

struct filters {
	struct attitude attitude;
	struct compass compass;
	struct steps steps;
	struct tilt tilt;
	struct orientation orientation;
};

static void feed(struct filters *f, int64_t at, struct vec3 accel, struct vec3 rate,
		 struct vec3 magnetic)
{
	int64_t steps_ns[STEPS_TO_WALK];

	attitude_gyroscope(&f->attitude, at, rate);
	attitude_accelerometer(&f->attitude, at, accel);
	attitude_magnetometer(&f->attitude, at, magnetic);
	compass_accelerometer(&f->compass, at, accel);
	compass_magnetometer(&f->compass, at, magnetic);
	assert_true(steps_accelerometer(&f->steps, at, accel, steps_ns) <= STEPS_TO_WALK);
	tilt_accelerometer(&f->tilt, at, accel);
	orientation_accelerometer(&f->orientation, at, accel);
	assert_unit(attitude_at(&f->attitude, at));
	assert_true(isfinite(f->attitude.heading_error) && isfinite(f->compass.heading_error));
}

/*
 * Broken samples, times that go back and gaps: every result is a unit quaternion, and ten seconds
 * of good samples later it is the right one.
 */
TEST(test_broken_samples)
{
	struct filters f = { 0 };
	struct quat q;

	attitude_reset(&f.attitude);
	compass_reset(&f.compass);
	orientation_reset(&f.orientation);
	for (unsigned int round = 0; round < 50; round++) {
		const struct quat truth = quat_turn(noise(3));
		int64_t at = START + round * 1000 * SECOND;

		for (unsigned int n = 0; n < 2000; n++) {
			const float jump = uniform();

			at += (int64_t)(jump * jump * jump * 5e8f);
			feed(&f, at, broken_vector(), broken_vector(), broken_vector());
		}
		at = START + (round * 1000 + 900) * SECOND;
		for (int64_t t = 0; t < 15 * SECOND; t += SECOND / 100)
			feed(&f, at + t, quat_rotate_back(truth, gravity), (struct vec3){ 0, 0, 0 },
			     quat_rotate_back(truth, field));
		assert_true(angle_between(attitude_at(&f.attitude, at + 15 * SECOND), truth) <
			    0.1f);
		assert_true(compass_rotation(&f.compass, &q));
		assert_true(angle_between(q, truth) < 0.05f);
	}
}

/* The turn while there were no samples is not known: it is right with the first ones after it. */
TEST(test_gap)
{
	const struct quat after = quat_turn((struct vec3){ 0.9f, 0.5f, 1.4f });
	const struct vec3 still = { 0, 0, 0 };
	struct attitude a;
	int64_t at = START;

	attitude_reset(&a);
	for (; at < START + SECOND; at += SECOND / 100) {
		attitude_gyroscope(&a, at, still);
		attitude_accelerometer(&a, at, gravity);
		attitude_magnetometer(&a, at, field);
	}
	at += 3600 * SECOND;
	attitude_gyroscope(&a, at, still);
	attitude_accelerometer(&a, at, quat_rotate_back(after, gravity));
	assert_true(angle_of(attitude_gravity(&a, at), quat_rotate_back(after, gravity)) < 0.001f);
	attitude_magnetometer(&a, at, quat_rotate_back(after, field));
	assert_true(angle_between(attitude_at(&a, at), after) < 0.002f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_rotation_noise),
		cmocka_unit_test(test_gravity_drift),
		cmocka_unit_test(test_heading),
		cmocka_unit_test(test_heading_drift),
		cmocka_unit_test(test_compass),
		cmocka_unit_test(test_linear_acceleration),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_no_steps),
		cmocka_unit_test(test_virtual_motions),
		cmocka_unit_test(test_tilt),
		cmocka_unit_test(test_orientation),
		cmocka_unit_test(test_broken_samples),
		cmocka_unit_test(test_gap),
	};

	return cmocka_run_group_tests_name("sensors-fusion", tests, NULL, NULL);
}

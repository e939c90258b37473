/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors computed from others. */
#ifndef NNACCEL_SENSORD_FUSION_H
#define NNACCEL_SENSORD_FUSION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sensord_core.h"
#include "nnsensors_records.h"

/*
 * Vectors, quaternions and the first-order low pass of the filters.
 *
 * A rotation quaternion q takes a vector of the device's frame to the world's: v' = q v q*. The
 * world is x east, y north, z up; the device x right, y up, z out of the screen.
 */

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

/*
 * attitude.c: how the device is turned, from gyroscope, accelerometer and, if there is one,
 * magnetometer: a complementary filter on a quaternion q (device to world).
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

/*
 * base_reader.c: what a fused device is computed from: the samples of its base sensors, through an
 * event queue like any client's. All on the fused device's thread.
 */

enum fused_base { BASE_ACCELEROMETER, BASE_GYROSCOPE, BASE_MAGNETOMETER, NUM_BASES };
#define BASE_BIT(base) (1u << (base))

/** Give back the references to the devices of @bases (NULL: none). */
void bases_put(struct sensor *const bases[NUM_BASES]);

struct base_reader {
	struct queue_sink *queue;
	int event_fd; /* the queue's: readable when there may be a sample */
	struct nnsensors_reader reader;
	struct subscription subscriptions[NUM_BASES]; /* sensor NULL: no such base */
	int64_t periods_ns[NUM_BASES]; /* 0: it is off */
	int64_t latency_ns;
};

/**
 * base_reader_open() - get ready to read @bases (NULL: none); they are off
 *
 * Takes over the caller's references to the bases' devices, unless it fails. 0; -ENOMEM, -EMFILE.
 */
int base_reader_open(struct base_reader *r, struct sensor *const bases[NUM_BASES]);
void base_reader_close(struct base_reader *r);
/**
 * base_reader_run() - run each base at @periods_ns (0: off)
 *
 * Bases that run as wanted go on. 0; -errno: a base refused, all run as before.
 */
int base_reader_run(struct base_reader *r, const int64_t periods_ns[NUM_BASES], int64_t latency_ns);
/** The next sample: which base's, or -1: none, and event_fd will tell of the next one. */
int base_reader_next(struct base_reader *r, struct nnsensors_record *record);
/** event_fd was readable. */
void base_reader_woken(struct base_reader *r);

/*
 * compass.c: how the device is turned, from accelerometer and magnetometer only (geomagnetic
 * rotation vector). Both are low-passed; east = field x up, north = up x east are the rows of the
 * matrix from the device's frame to the world's. Wrong while the device is accelerated, but it
 * needs no gyroscope.
 */

struct compass {
	struct low_pass up, field;
	float heading_error; /* low pass of the angle between the field and its mean, rad */
};

void compass_reset(struct compass *c);
void compass_accelerometer(struct compass *c, int64_t at_ns, struct vec3 f);
void compass_magnetometer(struct compass *c, int64_t at_ns, struct vec3 m);
/** False: not known: a sensor is missing, or its field or gravity has no direction. w >= 0. */
bool compass_rotation(const struct compass *c, struct quat *q);

/* fused_kinds.c: the fused sensors as a table: a row is what a sensor is made of. */

#define FUSION_VENDOR "nnaccel fusion"

enum fused_kind {
	FUSED_STEP_COUNTER,
	FUSED_STEP_DETECTOR,
	FUSED_SIGNIFICANT_MOTION,
	FUSED_TILT,
	FUSED_ORIENTATION,
	FUSED_GRAVITY,
	FUSED_LINEAR,
	FUSED_GAME_ROTATION,
	FUSED_ROTATION,
	FUSED_GEOMAGNETIC,
	NUM_FUSED_KINDS
};
#define KIND_BIT(kind) (1u << (kind))

/** Sensors of one device, with one thread; a change of a device's bases makes it a new device. */
enum fused_group { GROUP_MOTION, GROUP_ATTITUDE, GROUP_HEADING, NUM_FUSED_GROUPS };

/**
 * struct fused_kind_row - a fused sensor
 * @type: its type
 * @name: its name
 * @group: whose device has it
 * @needs: bases (BASE_BIT) without which there is no such sensor
 * @uses: bases that are read for it, if they are there; contains @needs
 * @range: of its values; 0: the accelerometer's
 * @resolution: of its values; 0: the accelerometer's
 */
struct fused_kind_row {
	int32_t type;
	const char *name;
	enum fused_group group;
	unsigned int needs, uses;
	float range, resolution;
};

const struct fused_kind_row *fused_kind_row(enum fused_kind kind);
/** Of a device's thread. */
const char *fused_group_name(enum fused_group group);
/**
 * Make the sensor of @kind: what it can do follows from @bases, which has those that it needs.
 * False: the bases have no period in common.
 */
bool fused_kind_sensor(enum fused_kind kind, struct sensor *const bases[NUM_BASES],
		       struct sensor *sensor);

/* fused_device.c: a device of fused sensors. */

/** What outlives the device of a group: steps are counted since boot, whatever comes and goes. */
struct fused_memory {
	uint64_t steps;
};

/**
 * fused_device_add() - a device with the sensors @kinds (KIND_BIT) of @group
 *
 * Takes over the references to the bases' devices, also on failure. @memory is the device's
 * thread's while the device lives. Return: as device_add().
 */
int fused_device_add(enum fused_group group, unsigned int kinds,
		     struct sensor *const bases[NUM_BASES], struct fused_memory *memory,
		     struct sensor_device **device);

/*
 * fused_sensors.c: sensors computed from others: gravity, linear acceleration, rotation vectors,
 * step counter and step detector from accelerometer and gyroscope. Their vendor is "nnaccel
 * fusion". A fused device is a client of its base sensors like any other: a queue_sink, read on the
 * fused device's thread.
 */

/** Add what the present sensors allow, and follow the list's changes. 0 or -errno. */
int fused_sensors_start(void);
void fused_sensors_stop(void);

/*
 * posture.c: how the device is held: the tilt detector and the device's orientation, both from the
 * accelerometer alone.
 */

/** Parts that the two seconds of the mean are made of. */
#define TILT_PARTS 8u

/**
 * struct tilt - the mean gravity of the last two seconds has turned by 35 degrees or more since the
 * reference: that of the first two seconds, later of the last tilt
 */
struct tilt {
	struct vec3 sums[TILT_PARTS];
	unsigned int counts[TILT_PARTS], parts; /* parts that are complete */
	int64_t part_ns, last_ns; /* begin of the part that is filled; the last sample */
	bool has_reference;
	struct vec3 reference;
};

void tilt_reset(struct tilt *t);
/** True: a tilt. */
bool tilt_accelerometer(struct tilt *t, int64_t at_ns, struct vec3 f);

/**
 * struct orientation - which edge is up: 0 the top (y), 1 the right (x: the device is turned
 * counter-clockwise), 2 the bottom, 3 the left
 *
 * Reported when an edge was the highest, by at least 15 degrees over the border to its neighbour,
 * for half a second. A device that lies flat (70 degrees) keeps what it had.
 */
struct orientation {
	struct low_pass gravity;
	int edge; /* last reported; -1: none yet */
	int candidate; /* -1: none */
	int64_t since_ns; /* of the candidate */
};

void orientation_reset(struct orientation *o);
/** True: o->edge changed. */
bool orientation_accelerometer(struct orientation *o, int64_t at_ns, struct vec3 f);

/*
 * steps.c: steps in accelerometer samples. The acceleration along gravity, low-passed at 3 Hz
 * twice, rises above a threshold once per step after it was below a negative one. The threshold
 * follows the height of the last steps. Four in a regular rhythm (0.265 to 1.5 s, each interval
 * within 0.6 to 1.67 times the one before) begin a walk; they are counted when the fourth is there,
 * with their own times. Motion that is faster or stronger than a run, or goes to the side more than
 * up and down, is a shake and ends the walk.
 */

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

// SPDX-License-Identifier: Apache-2.0
/* Which types of sensors others are computed from, and permissions for types. */
#include "serve/sensord_serve.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nnsensors.h"
#include "nnutil_clock.h"
#include "values/nnsensors_values.h"

#define A 1u /* accelerometer */
#define G 2u /* gyroscope */
#define M 4u /* magnetometer */
#define H 8u /* heart */

/* What is measured for a type. */
static const struct {
	int32_t type;
	unsigned int from;
	bool base; /* it is that itself */
} computed_rows[] = {
	{ NNSENSORS_TYPE_ACCELEROMETER, A, true },
	{ NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED, A, true },
	{ NNSENSORS_TYPE_GYROSCOPE, G, true },
	{ NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED, G, true },
	{ NNSENSORS_TYPE_MAGNETIC_FIELD, M, true },
	{ NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED, M, true },
	{ NNSENSORS_TYPE_HEART_RATE, H, true },
	{ NNSENSORS_TYPE_HEART_BEAT, H, true },
	{ NNSENSORS_TYPE_GRAVITY, A | G, false },
	{ NNSENSORS_TYPE_LINEAR_ACCELERATION, A | G, false },
	{ NNSENSORS_TYPE_ROTATION_VECTOR, A | G | M, false },
	{ NNSENSORS_TYPE_GAME_ROTATION_VECTOR, A | G, false },
	{ NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR, A | M, false },
	{ NNSENSORS_TYPE_ORIENTATION, A | G | M, false },
	{ NNSENSORS_TYPE_POSE_6DOF, A | G | M, false },
	{ NNSENSORS_TYPE_SIGNIFICANT_MOTION, A, false },
	{ NNSENSORS_TYPE_STEP_DETECTOR, A, false },
	{ NNSENSORS_TYPE_STEP_COUNTER, A, false },
	{ NNSENSORS_TYPE_TILT_DETECTOR, A, false },
	{ NNSENSORS_TYPE_WAKE_GESTURE, A, false },
	{ NNSENSORS_TYPE_GLANCE_GESTURE, A, false },
	{ NNSENSORS_TYPE_PICK_UP_GESTURE, A, false },
	{ NNSENSORS_TYPE_WRIST_TILT_GESTURE, A, false },
	{ NNSENSORS_TYPE_DEVICE_ORIENTATION, A, false },
	{ NNSENSORS_TYPE_STATIONARY_DETECT, A, false },
	{ NNSENSORS_TYPE_MOTION_DETECT, A, false },
};

static unsigned int made_of(int32_t type, bool base)
{
	for (size_t i = 0; i < sizeof(computed_rows) / sizeof(computed_rows[0]); i++)
		if (computed_rows[i].type == type)
			return computed_rows[i].base || !base ? computed_rows[i].from : 0;
	return 0;
}

bool type_is_computed_from(int32_t type, int32_t base)
{
	return type != base && made_of(type, false) & made_of(base, true);
}

/* Whether only those may use sensors of @type whom a rule names: health, and what is not known. */
static bool type_needs_rule(int32_t type)
{
	return type >= NNSENSORS_TYPE_PRIVATE_BASE || made_of(type, false) & H;
}

int person_identify(struct person *person, int sock, uid_t user, gid_t group)
{
	socklen_t size = 0;
	gid_t *groups;

	*person = (struct person){ .user = user };
	/* the number of groups cannot change: it is that of connect() */
	if (getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) && errno != ERANGE)
		return -errno;
	groups = malloc(size + sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	if (size && getsockopt(sock, SOL_SOCKET, SO_PEERGROUPS, groups, &size)) {
		free(groups);
		return -errno;
	}
	person->groups = groups;
	person->num_groups = size / sizeof(*groups);
	groups[person->num_groups++] = group;
	return 0;
}

void person_fini(struct person *person)
{
	free(person->groups);
	*person = (struct person){ 0 };
}

static bool is_about(const struct permission_rule *rule, int32_t type)
{
	if (type >= NNSENSORS_TYPE_PRIVATE_BASE)
		return rule->private_types;
	for (size_t i = 0; i < rule->num_types; i++)
		if (rule->types[i] == type)
			return true;
	return false;
}

const struct permission_rule *permission_rule_of(const struct permission_rules *rules, int32_t type)
{
	for (size_t i = 0; i < rules->count; i++)
		if (is_about(&rules->rules[i], type))
			return &rules->rules[i];
	return NULL;
}

static bool is_named(const struct permission_rule *rule, const struct person *person)
{
	for (size_t i = 0; i < rule->num_users; i++)
		if (rule->users[i] == person->user)
			return true;
	for (size_t i = 0; i < rule->num_groups; i++)
		for (size_t g = 0; g < person->num_groups; g++)
			if (rule->groups[i] == person->groups[g])
				return true;
	return false;
}

/* Whether the rule is about what @type, which is in none, is computed from. */
static bool covers(const struct permission_rule *rule, int32_t type)
{
	for (size_t i = 0; i < rule->num_types; i++)
		if (type_is_computed_from(type, rule->types[i]))
			return true;
	return false;
}

const char *permission_name(const struct permission_rules *rules, int32_t type)
{
	const struct permission_rule *rule = permission_rule_of(rules, type);

	for (size_t i = 0; i < rules->count && !rule; i++)
		if (covers(&rules->rules[i], type))
			rule = &rules->rules[i];
	return rule ? rule->name : type_needs_rule(type) ? "(no rule)" : "";
}

/* Whether a rule that is about @type leaves the rate free. */
static bool is_free(const struct permission_rule *rule, int64_t period_ns)
{
	/* periods are whole nanoseconds: one less or more is no other rate */
	return period_ns > 0 && rule->above_hz > 0 &&
	       (double)(period_ns + 1) * rule->above_hz >= (double)NNUTIL_NS_PER_S;
}

/* A gesture has no rate, and says nothing of what was fast. */
static bool has_rate(int32_t type)
{
	const uint32_t mode = nnsensors_type_row(type)->mode;

	return mode == NNSENSORS_FLAG_CONTINUOUS || mode == NNSENSORS_FLAG_ON_CHANGE;
}

bool permission_allows(const struct permission_rules *rules, const struct person *person,
		       int32_t type, int64_t period_ns)
{
	const struct permission_rule *rule = permission_rule_of(rules, type);
	bool covered = false;

	if (rule)
		return is_named(rule, person) || is_free(rule, period_ns);
	for (size_t i = 0; i < rules->count; i++) {
		rule = &rules->rules[i];
		if (!covers(rule, type))
			continue;
		covered = true;
		if (!is_named(rule, person) && !is_free(rule, period_ns) &&
		    (rule->above_hz <= 0 || has_rate(type)))
			return false;
	}
	return covered || !type_needs_rule(type);
}

void permission_rules_fini(struct permission_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->rules[i].types);
		free(rules->rules[i].users);
		free(rules->rules[i].groups);
	}
	free(rules->rules);
	*rules = (struct permission_rules){ 0 };
}

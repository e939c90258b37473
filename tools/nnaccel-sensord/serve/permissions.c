// SPDX-License-Identifier: Apache-2.0
#include "serve/permissions.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nnutil_clock.h"

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

bool permission_allows(const struct permission_rules *rules, const struct person *person,
		       int32_t type, int64_t period_ns)
{
	const struct permission_rule *rule = permission_rule_of(rules, type);

	if (!rule || is_named(rule, person))
		return true;
	/* periods are whole nanoseconds: one less or more is no other rate */
	return period_ns > 0 && rule->above_hz > 0 &&
	       (double)(period_ns + 1) * rule->above_hz >= (double)NNUTIL_NS_PER_S;
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

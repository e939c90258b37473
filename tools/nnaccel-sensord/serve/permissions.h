/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permissions for types of sensors, from some rate on. A type is in one rule at most; users that
 * the rule does not name have what the rule leaves free. A type that is in none is under every rule
 * about a type that it is computed from. The rules hold for root, too.
 */
#ifndef SENSORD_PERMISSIONS_H
#define SENSORD_PERMISSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnsensors.h"

/** struct permission_rule - [permission NAME] */
struct permission_rule {
	char name[NNSENSORS_NAME_MAX];
	double above_hz; /* faster than this needs to be named; 0: any use does */
	int32_t *types;
	size_t num_types;
	bool private_types; /* all of the vendor's */
	uid_t *users;
	size_t num_users;
	gid_t *groups;
	size_t num_groups;
};

struct permission_rules {
	struct permission_rule *rules;
	size_t count;
};

/** struct person - the client's process: user and groups, as the kernel reports them */
struct person {
	uid_t user;
	gid_t *groups; /* the effective one as well */
	size_t num_groups;
};

/** The process at the other end of @sock; groups are allocated. 0 or -errno. */
int person_identify(struct person *person, int sock, uid_t user, gid_t group);
void person_fini(struct person *person);

/** The rule that has @type; NULL: none has. */
const struct permission_rule *permission_rule_of(const struct permission_rules *rules,
						 int32_t type);
/** What clients see as the permission that sensors of @type need; "": none. */
const char *permission_name(const struct permission_rules *rules, int32_t type);
/** Whether @person may have events of @type every @period_ns (0: as often as they come). */
bool permission_allows(const struct permission_rules *rules, const struct person *person,
		       int32_t type, int64_t period_ns);
void permission_rules_fini(struct permission_rules *rules);

#endif

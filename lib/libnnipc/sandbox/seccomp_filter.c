// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <string.h>

#include "nnutil_log.h"

static int set_attributes(scmp_filter_ctx filter)
{
	int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (!error)
		error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (error)
		return error;
	/* A tree instead of a list of comparisons; and no mitigation that slows down computing: a
	 * worker has no secrets from itself. Both are wishes. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	return 0;
}

static int add_rules(struct nnipc_seccomp_rules *rules, const struct nnipc_profile *profile,
		     unsigned int flags, char *message, size_t size)
{
	int error = set_attributes(rules->filter);

	if (!error && profile)
		error = nnipc_take_profile(rules, profile, message, size);
	if (!error && flags & NNIPC_FILTER_LEARN)
		error = nnipc_allow_learning(rules);
	/* learning has every call run, once with a line */
	if (!error && !(flags & NNIPC_FILTER_LEARN))
		error = nnipc_kill_calls(rules);
	if (!error)
		error = nnipc_allow_stat(rules, flags & NNIPC_FILTER_EMPTY_ROOT);
	if (!error)
		error = nnipc_allow_own_threads(rules, flags & NNIPC_FILTER_OWN_PIDS);
	if (!error)
		error = nnipc_allow_calls(rules);
	return error;
}

/* The filter that refuses, of which a profile takes away. */
static int load_opening(const struct nnipc_seccomp_rules *profile, unsigned int flags)
{
	struct nnipc_seccomp_rules rules = { .filter = seccomp_init(SCMP_ACT_ALLOW) };
	int error = -ENOMEM;

	if (!rules.filter)
		return error;
	memcpy(rules.allowed, profile->allowed, sizeof(rules.allowed));
	error = set_attributes(rules.filter);
	if (!error)
		error = nnipc_refuse_calls(&rules);
	if (!error && !(flags & NNIPC_FILTER_OWN_PIDS))
		error = nnipc_refuse_others(&rules);
	if (!error)
		error = seccomp_load(rules.filter);
	seccomp_release(rules.filter);
	return error;
}

int nnipc_opening_filter_load(const struct nnipc_profile *profile, struct nnipc_open_places *places,
			      unsigned int flags, int *filter_error, char *message, size_t size)
{
	/* the profile's rules are the second filter's: here they show what it names */
	struct nnipc_seccomp_rules rules = { .filter = seccomp_init(SCMP_ACT_TRAP),
					     .places = places };
	int error = 0;

	*filter_error = 0;
	if (!rules.filter)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	if (profile)
		error = nnipc_take_profile(&rules, profile, message, size);
	seccomp_release(rules.filter);
	if (!error && !(flags & NNIPC_FILTER_NONE))
		*filter_error = load_opening(&rules, flags);
	return error;
}

int nnipc_seccomp_filter_prepare(const struct nnipc_profile *profile, unsigned int flags,
				 scmp_filter_ctx *filter, char *message, size_t size)
{
	struct nnipc_seccomp_rules rules = {
		.filter =
			seccomp_init(flags & NNIPC_FILTER_LEARN ? SCMP_ACT_NOTIFY : SCMP_ACT_TRAP),
	};
	int error = -ENOMEM;

	*filter = NULL;
	if (size)
		message[0] = '\0';
	if (rules.filter)
		error = add_rules(&rules, profile, flags, message, size);
	if (!error) {
		*filter = rules.filter;
		return 0;
	}
	if (!message[0])
		nnutil_refuse(message, size, error, "no filter of system calls: %s",
			      strerror(-error));
	seccomp_release(rules.filter);
	return error;
}

int nnipc_seccomp_filter_load(scmp_filter_ctx filter, bool learn)
{
	int error = learn ? 0 : nnipc_watch_violations();

	if (!error)
		error = seccomp_load(filter);
	if (!error && learn)
		error = nnipc_learn_calls(seccomp_notify_fd(filter));
	seccomp_release(filter);
	return error;
}

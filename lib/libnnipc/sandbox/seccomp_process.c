// SPDX-License-Identifier: Apache-2.0
/*
 * Calls that name a process or a thread by its number: on which processors it runs, and before
 * whom. In a pid namespace of its own a worker knows no number but its threads'. Without one the
 * kernel lets it change all processes of its user, the client among them; it may name the thread
 * that calls then, as 0, and no other: which numbers are its threads' no filter knows.
 *
 * A refusal is EPERM: a pool of threads that cannot be pinned runs all the same.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sandbox/sandbox_private.h"

#define INT(argument, value) NNIPC_INT_ARGUMENT(argument, value)
/* linux/ioprio.h does not reach user space with 6.1 */
#define IOPRIO_WHO_PROCESS 1

int nnipc_allow_own_threads(struct nnipc_seccomp_rules *rules, bool own_pids)
{
	const struct scmp_arg_cmp self = SCMP_CMP(0, SCMP_CMP_EQ, 0, 0);
	const struct scmp_arg_cmp other = SCMP_CMP(0, SCMP_CMP_NE, 0, 0);
	const struct scmp_arg_cmp self_nice[] = { INT(0, PRIO_PROCESS),
						  SCMP_CMP(1, SCMP_CMP_EQ, 0, 0) };
	const struct scmp_arg_cmp other_nice[] = { INT(0, PRIO_PROCESS),
						   SCMP_CMP(1, SCMP_CMP_NE, 0, 0) };
	int error;

	if (own_pids) {
		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(sched_setaffinity), 0, NULL);
		return error ? error
			     : nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 1,
					      self_nice);
	}
	error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(sched_setaffinity), 1, &self);
	if (!error)
		error = nnipc_add_rule(rules, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(sched_setaffinity), 1,
				       &other);
	if (!error)
		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 2, self_nice);
	if (!error)
		error = nnipc_add_rule(rules, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(setpriority), 2,
				       other_nice);
	return error;
}

int nnipc_refuse_others(struct nnipc_seccomp_rules *rules)
{
	/* whose number is which argument; kinds of numbers that are many processes' */
	const struct {
		int call;
		struct scmp_arg_cmp argument;
	} others[] = {
		{ SCMP_SYS(sched_setaffinity), SCMP_CMP(0, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(sched_setscheduler), SCMP_CMP(0, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(sched_setparam), SCMP_CMP(0, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(sched_setattr), SCMP_CMP(0, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(setpriority), SCMP_CMP(1, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(setpriority), SCMP_CMP(0, SCMP_CMP_NE, PRIO_PROCESS, 0) },
		{ SCMP_SYS(ioprio_set), SCMP_CMP(1, SCMP_CMP_NE, 0, 0) },
		{ SCMP_SYS(ioprio_set), SCMP_CMP(0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS, 0) },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !error; i++)
		error = nnipc_refuse_call(rules, others[i].call, 1, &others[i].argument);
	return error;
}

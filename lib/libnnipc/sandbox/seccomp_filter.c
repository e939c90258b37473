// SPDX-License-Identifier: Apache-2.0
/* The filters of system calls: their rules, and their loading. */
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nnutil_log.h"

int nnipc_add_rule(struct nnipc_seccomp_rules *rules, uint32_t action, int call, unsigned int count,
		   const struct scmp_arg_cmp *arguments)
{
	/* numbers of calls that other processors have are negative */
	if (call >= 0 && (size_t)call < sizeof(rules->named) && rules->named[call])
		return 0;
	return seccomp_rule_add_array(rules->filter, action, call, count, arguments);
}

int nnipc_allow_ioctl(struct nnipc_seccomp_rules *rules, unsigned int request)
{
	const struct scmp_arg_cmp code = NNIPC_INT_ARGUMENT(1, request);

	return nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &code);
}

/*
 * Learning: a thread of the worker gets each call that the filter does not allow, logs it once as a
 * line of a profile, and lets the kernel run it.
 */

#define MOST_IOCTLS 256

/* Calls that were logged. Only the thread's. */
static bool reported[NNIPC_MOST_CALLS];
static unsigned int reported_ioctls[MOST_IOCTLS];
static size_t num_reported_ioctls;

static bool is_news(const struct seccomp_data *data)
{
	if (data->nr == SCMP_SYS(ioctl)) {
		for (size_t i = 0; i < num_reported_ioctls; i++)
			if (reported_ioctls[i] == (unsigned int)data->args[1])
				return false;
		if (num_reported_ioctls < MOST_IOCTLS)
			reported_ioctls[num_reported_ioctls++] = (unsigned int)data->args[1];
		return true;
	}
	if (data->nr < 0 || data->nr >= NNIPC_MOST_CALLS || reported[data->nr])
		return false;
	reported[data->nr] = true;
	return true;
}

static void report_call(const struct seccomp_data *data)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, data->nr);

	if (data->nr == SCMP_SYS(ioctl))
		dprintf(STDERR_FILENO, "nnaccel-worker: sandbox: not allowed: ioctl 0x%x\n",
			(unsigned int)data->args[1]);
	else
		dprintf(STDERR_FILENO,
			"nnaccel-worker: sandbox: not allowed: syscall %s (0x%llx, 0x%llx, 0x%llx)\n",
			name ? name : "?", (unsigned long long)data->args[0],
			(unsigned long long)data->args[1], (unsigned long long)data->args[2]);
	free(name);
}

static void *learn(void *cookie)
{
	const int listener = (int)(intptr_t)cookie;

	for (;;) {
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			return NULL;
		}
		if (is_news(&call.data))
			report_call(&call.data);
		answer.id = call.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

/* Log calls that are not allowed, and let them run. 0 or -errno. */
static int allow_learning(struct nnipc_seccomp_rules *rules)
{
	int error = nnipc_allow_ioctl(rules, (unsigned int)SECCOMP_IOCTL_NOTIF_RECV);

	return error ? error : nnipc_allow_ioctl(rules, (unsigned int)SECCOMP_IOCTL_NOTIF_SEND);
}

static int learn_calls(int listener)
{
	pthread_t thread;
	int error;

	if (listener < 0)
		return listener;
	error = pthread_create(&thread, NULL, learn, (void *)(intptr_t)listener);
	if (!error)
		pthread_detach(thread);
	return -error;
}

/*
 * Calls that name a process or a thread by its number: on which processors it runs, and before
 * whom. In a pid namespace of its own a worker knows no number but its threads'. Without one the
 * kernel lets it change all processes of its user, the client among them; it may name the thread
 * that calls then, as 0, and no other: which numbers are its threads' no filter knows.
 *
 * A refusal is EPERM: a pool of threads that cannot be pinned runs all the same.
 */

#define INT(argument, value) NNIPC_INT_ARGUMENT(argument, value)
/* linux/ioprio.h does not reach user space with 6.1 */
#define IOPRIO_WHO_PROCESS 1

/* Priorities and processors of threads. 0 or -errno. */
static int allow_own_threads(struct nnipc_seccomp_rules *rules, bool own_pids)
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

/* The same of other processes, for the first filter. 0 or -errno. */
static int refuse_others(struct nnipc_seccomp_rules *rules)
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
		error = allow_learning(rules);
	/* learning has every call run, once with a line */
	if (!error && !(flags & NNIPC_FILTER_LEARN))
		error = nnipc_kill_calls(rules);
	if (!error)
		error = nnipc_allow_stat(rules, flags & NNIPC_FILTER_EMPTY_ROOT);
	if (!error)
		error = allow_own_threads(rules, flags & NNIPC_FILTER_OWN_PIDS);
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
		error = refuse_others(&rules);
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
		error = learn_calls(seccomp_notify_fd(filter));
	seccomp_release(filter);
	return error;
}

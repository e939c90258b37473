/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine, or poorer.c, has of the sandbox's layers, for tests whose results depend on
 * it. */
#ifndef MACHINE_LAYERS_H
#define MACHINE_LAYERS_H

#include <linux/landlock.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** User namespaces: in a chroot, for instance, there are none. */
static inline bool machine_has_namespaces(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(unshare(CLONE_NEWUSER) != 0);
	return waitpid(child, &status, 0) == child && !status;
}

static inline bool machine_has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

/**
 * Whether the sandbox "default" keeps files away in one of its two ways; root mounts without a user
 * namespace.
 */
static inline bool machine_is_above_floor(void)
{
	return machine_has_landlock() || machine_has_namespaces() || !geteuid();
}

/** Whether the sandbox "strict" has all of its layers. */
static inline bool machine_has_all_layers(void)
{
	return machine_has_landlock() && machine_has_namespaces();
}

#endif

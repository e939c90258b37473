// SPDX-License-Identifier: Apache-2.0
/*
 * Two clones, one in the other. The first one has no exit signal and never calls execve(): the host
 * program's wait() does not see it. It makes the second one and ends, so that the program is
 * adopted by init. It shares the table of descriptors, so the pidfd is the caller's.
 */
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* They run on stacks that a sanitizer does not know. */
#define BARE __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* The sources may have the numbers of the targets: away from there first. */
static BARE int place_descriptors(const struct nnipc_start *s)
{
	const int log = s->config->log < 0 ? s->null : s->config->log;
	const int from[] = { s->null, log, log, s->config->socket, s->status, s->parent };
	enum { COUNT = sizeof(from) / sizeof(from[0]) };
	long away[COUNT];

	_Static_assert(COUNT == NNIPC_PARENT_FD + 1, "0 to the parent's pidfd");
	for (int i = 0; i < COUNT; i++) {
		away[i] = syscall(SYS_fcntl, from[i], F_DUPFD, COUNT);
		if (away[i] < 0)
			return errno;
	}
	for (int i = 0; i < COUNT; i++)
		if (syscall(SYS_dup3, away[i], i, 0) < 0)
			return errno;
	return syscall(SYS_close_range, COUNT, ~0u, 0) ? errno : 0;
}

static BARE void reset_signals(void)
{
	/* the kernel's struct sigaction, SIG_DFL; libc's function refuses its own signals, 32 and
	 * 33 */
	static const unsigned long action[8];
	sigset_t none;

	/* handlers are reset by execve(), ignored signals are not */
	for (int number = 1; number < _NSIG; number++)
		syscall(SYS_rt_sigaction, number, action, NULL, _NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static BARE int spawn_start_fail(struct nnipc_start *s, enum nnipc_start_step step, int error)
{
	s->step = step;
	s->error = error;
	return 127;
}

static BARE int program(void *cookie)
{
	struct nnipc_start *s = cookie;
	int error;

	/* "0" is the process that writes; all that it allocates after execve() counts there */
	if (s->config->cgroup && syscall(SYS_write, s->config->cgroup, "0", 1) < 0)
		return spawn_start_fail(s, NNIPC_START_CGROUP, errno);
	error = place_descriptors(s);
	if (error)
		return spawn_start_fail(s, NNIPC_START_DESCRIPTORS, error);
	syscall(SYS_setsid); /* the terminal's keys are the host's */
	reset_signals();
	syscall(SYS_execve, s->config->program, s->config->argv, s->envp);
	return spawn_start_fail(s, NNIPC_START_EXEC, errno);
}

static BARE int launcher(void *cookie)
{
	struct nnipc_start *s = cookie;
	const int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD; /* no exit signal */

	s->pid = clone(program, s->stack + NNIPC_START_STACK, flags, s, &s->pidfd);
	if (s->pid < 0)
		return spawn_start_fail(s, NNIPC_START_CLONE, errno);
	if (!s->error)
		return 0;
	syscall(SYS_wait4, s->pid, NULL, __WALL, NULL);
	syscall(SYS_close, s->pidfd);
	s->pidfd = -1;
	return 0;
}

int nnipc_start_run(struct nnipc_start *s)
{
	pid_t pid;

	s->pid = 0;
	s->pidfd = -1;
	s->error = 0;
	pid = clone(launcher, s->stack + 2 * NNIPC_START_STACK,
		    CLONE_VM | CLONE_VFORK | CLONE_FILES, s);
	if (pid < 0) {
		s->step = NNIPC_START_CLONE;
		s->error = errno;
		return s->error;
	}
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return s->error;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Two clones, one in the other. The first one has no exit signal and never calls execve(): the host
 * program's wait() does not see it. It makes the second one and ends, so that the program is
 * adopted by init. It shares the table of descriptors, so the pidfd is the caller's.
 */
#include "sandbox/spawn_start.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* They run on stacks that a sanitizer does not know. */
#define BARE __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

static const struct {
	uint32_t layer;
	unsigned int flag;
} namespaces[] = {
	{ NNIPC_LAYER_USER_NS, CLONE_NEWUSER },	    { NNIPC_LAYER_MOUNT_NS, CLONE_NEWNS },
	{ NNIPC_LAYER_PID_NS, CLONE_NEWPID },	    { NNIPC_LAYER_IPC_NS, CLONE_NEWIPC },
	{ NNIPC_LAYER_UTS_NS, CLONE_NEWUTS },	    { NNIPC_LAYER_NET_NS, CLONE_NEWNET },
	{ NNIPC_LAYER_CGROUP_NS, CLONE_NEWCGROUP },
};

static BARE int write_file(const char *path, const char *text)
{
	size_t length = 0;
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	long done;
	int error;

	if (fd < 0)
		return errno;
	while (text[length])
		length++;
	done = syscall(SYS_write, fd, text, length);
	error = done < 0 ? errno : 0;
	syscall(SYS_close, fd);
	return error;
}

/*
 * The user as it is: one id, itself. And the capability that the warden needs to make the root
 * empty survives execve() (ambient); it counts in this user namespace only.
 */
static BARE int map_user(const struct nnipc_start *s)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	int error = write_file("/proc/self/setgroups", "deny");

	if (!error)
		error = write_file("/proc/self/uid_map", s->uid_map);
	if (!error)
		error = write_file("/proc/self/gid_map", s->gid_map);
	if (error || syscall(SYS_capget, &header, caps))
		return error;
	caps[0].inheritable |= 1u << CAP_SYS_ADMIN;
	if (!syscall(SYS_capset, &header, caps))
		syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0);
	return 0;
}

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

static BARE int fail(struct nnipc_start *s, enum nnipc_start_step step, int error)
{
	s->step = step;
	s->error = error;
	return 127;
}

static BARE int program(void *cookie)
{
	struct nnipc_start *s = cookie;
	int error = 0;

	if (s->namespaces & NNIPC_LAYER_USER_NS)
		error = map_user(s);
	if (error)
		return fail(s, NNIPC_START_MAP, error);
	if (s->probe)
		return 0;
	error = place_descriptors(s);
	if (error)
		return fail(s, NNIPC_START_DESCRIPTORS, error);
	syscall(SYS_setsid); /* the terminal's keys are the host's */
	reset_signals();
	syscall(SYS_execve, s->config->program, s->config->argv, s->envp);
	return fail(s, NNIPC_START_EXEC, errno);
}

static BARE int launcher(void *cookie)
{
	struct nnipc_start *s = cookie;
	int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD; /* no exit signal */

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
		if (s->namespaces & namespaces[i].layer)
			flags |= (int)namespaces[i].flag;
	s->pid = clone(program, s->stack + NNIPC_START_STACK, flags, s, &s->pidfd);
	if (s->pid < 0)
		return fail(s, NNIPC_START_CLONE, errno);
	if (!s->error && !s->probe)
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

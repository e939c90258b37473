// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "sandbox/sandbox.h"

/* After the user's: it gives the right to make them. */
static const struct {
	uint32_t layer;
	int flag;
} others[] = {
	{ NNIPC_LAYER_MOUNT_NS, CLONE_NEWNS }, { NNIPC_LAYER_PID_NS, CLONE_NEWPID },
	{ NNIPC_LAYER_IPC_NS, CLONE_NEWIPC },  { NNIPC_LAYER_UTS_NS, CLONE_NEWUTS },
	{ NNIPC_LAYER_NET_NS, CLONE_NEWNET },  { NNIPC_LAYER_CGROUP_NS, CLONE_NEWCGROUP },
};

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	error = nnutil_write_all(fd, text, strlen(text));
	close(fd);
	return error;
}

/* The user as it is: one id, itself. */
static int enter_user(void)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();
	char uid_map[32], gid_map[32];
	int error;

	snprintf(uid_map, sizeof(uid_map), "%u %u 1\n", user, user);
	snprintf(gid_map, sizeof(gid_map), "%u %u 1\n", group, group);
	if (unshare(CLONE_NEWUSER))
		return -errno;
	error = write_file("/proc/self/setgroups", "deny");
	if (!error)
		error = write_file("/proc/self/uid_map", uid_map);
	return error ? error : write_file("/proc/self/gid_map", gid_map);
}

/*
 * Some machines let every process into a new user namespace and refuse the map then, and there is
 * no way back: another process tries.
 */
static bool may_enter_user(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(enter_user() ? 1 : 0);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool enter_other(uint32_t layer, int flag)
{
	if (unshare(flag))
		return false;
	/* where "/" is no mount, as in a chroot, mounts would come out in the host's namespace */
	return layer != NNIPC_LAYER_MOUNT_NS || !nnipc_keep_mounts();
}

int nnipc_namespaces_enter(uint32_t *made)
{
	int error = 0;

	*made = 0;
	if (may_enter_user()) {
		error = enter_user();
		*made |= NNIPC_LAYER_USER_NS;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !error; i++)
		if (enter_other(others[i].layer, others[i].flag))
			*made |= others[i].layer;
	if (error)
		return error;
	return *made & NNIPC_LAYER_MOUNT_NS ? nnipc_keep_capability(CAP_SYS_ADMIN)
					    : nnipc_drop_capabilities();
}

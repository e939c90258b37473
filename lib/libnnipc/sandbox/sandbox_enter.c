// SPDX-License-Identifier: Apache-2.0
/* The first moment of a worker: one thread, no vendor code yet. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_log.h"

#include "sandbox/sandbox.h"
#include "sandbox/sandbox_private.h"

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

/* Keep mounts of this namespace from the others'. 0 or -errno. */
static int keep_mounts(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -errno : 0;
}

static bool enter_other(uint32_t layer, int flag)
{
	if (unshare(flag))
		return false;
	/* where "/" is no mount, as in a chroot, mounts would come out in the host's namespace */
	return layer != NNIPC_LAYER_MOUNT_NS || !keep_mounts();
}

/*
 * namespaces_enter() - put this process into namespaces of its own
 * @made: set to them: enum nnipc_layer
 *
 * The process has one thread. The pid namespace is that of its children: the first one is its init.
 * Namespaces that the machine refuses are left out. The user stays the same one, and has no
 * capability beyond what the mount namespace needs.
 *
 * Why not by clone(), before the program starts: a process that is not dumpable, as programs with
 * secrets make themselves, may not write its own user map, nor may what shares its memory. A
 * program that has just been started is dumpable.
 *
 * Return: 0; -errno: the process is of no use any more.
 */
static int namespaces_enter(uint32_t *made)
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

int nnipc_sandbox_layer(struct nnipc_sandbox *sandbox, enum nnipc_layer layer, int error,
			char *message, size_t size)
{
	if (!error) {
		sandbox->layers |= (uint32_t)layer;
		return 0;
	}
	if (sandbox->mode != NNIPC_SANDBOX_STRICT)
		return 0;
	return nnutil_refuse(message, size, -EPERM,
			     "strict sandbox: the layer %s is not possible here: %s",
			     nnipc_layer_name(layer), strerror(-error));
}

/* The init of a pid namespace cannot end by a signal that it sends itself, and abort() is one. */
static void on_abort(int signal)
{
	_exit(NNIPC_STATUS_OF_SIGNAL(signal));
}

/* Whether nnipc_spawn() has started this program. */
static bool was_spawned(void)
{
	const bool spawned = getenv(NNIPC_SPAWNED) != NULL;

	unsetenv(NNIPC_SPAWNED);
	return spawned;
}

static int check_namespaces(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	int error = 0;

	for (uint32_t layer = 1; layer < NNIPC_LAYER_EMPTY_ROOT && !error; layer <<= 1)
		error = nnipc_sandbox_layer(sandbox, (enum nnipc_layer)layer,
					    sandbox->namespaces & layer ? 0 : -EPERM, message,
					    size);
	return error;
}

/* The places that the vendor library may open; learning is about all of them. */
static int list_places(const struct nnipc_sandbox *sandbox, struct nnipc_open_places *places)
{
	int error = 0;

	if (sandbox->mode == NNIPC_SANDBOX_LEARN) {
		error = nnipc_open_place(places, "/", NNIPC_USE_WRITE);
		return error ? error : nnipc_open_place(places, "/", NNIPC_USE_DEVICE);
	}
	for (size_t i = 0; i < sandbox->num_places && !error; i++)
		error = nnipc_open_place(places, sandbox->places[i].path, sandbox->places[i].use);
	return error ? error : nnipc_open_system(places);
}

/*
 * What the vendor library meets when it is loaded: calls that fail, and the places that it may
 * open. The profile's file is not one of these.
 */
static int enter_opening(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	const bool filters = sandbox->mode != NNIPC_SANDBOX_LEARN &&
			     (!NNIPC_SANITIZED || sandbox->mode == NNIPC_SANDBOX_STRICT);
	struct nnipc_open_places places = { .library = sandbox->library };
	const unsigned int flags =
		(filters ? 0 : NNIPC_FILTER_NONE) |
		(sandbox->namespaces & NNIPC_LAYER_PID_NS ? NNIPC_FILTER_OWN_PIDS : 0);
	struct nnipc_profile profile = { 0 };
	int error = 0, landlock, filter;

	if (sandbox->profile)
		error = nnipc_profile_read(&profile, sandbox->profile, message, size);
	sandbox->profile_text = profile.text;
	if (!error)
		error = nnipc_opening_filter_load(profile.text ? &profile : NULL, &places, flags,
						  &filter, message, size);
	if (!error && filters)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_SECCOMP, filter, message, size);
	if (!error) {
		landlock = list_places(sandbox, &places);
		if (!landlock)
			landlock = nnipc_landlock_enter(places.entries, places.count);
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_LANDLOCK, landlock, message, size);
	}
	nnipc_open_places_fini(&places);
	return error;
}

/* In the worker: what has been done so far, and what one process does for itself. */
static int enter_layers(struct nnipc_sandbox *sandbox, int no_new_privs, char *message, size_t size)
{
	const uint32_t coming = sandbox->namespaces & NNIPC_LAYER_MOUNT_NS ? NNIPC_LAYER_EMPTY_ROOT
									   : 0;
	int error = check_namespaces(sandbox, message, size);

	if (!error)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_NO_NEW_PRIVS, no_new_privs,
					    message, size);
	if (!error)
		error = nnipc_sandbox_layer(
			sandbox, NNIPC_LAYER_RLIMITS,
			nnipc_set_limits(sandbox->namespaces & NNIPC_LAYER_USER_NS), message, size);
	if (!error)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_NO_CAPABILITIES,
					    nnipc_drop_capabilities(), message, size);
	if (!error)
		error = enter_opening(sandbox, message, size);
	/* the vendor's code does not run with less; the root is still to come */
	if (!error && sandbox->mode == NNIPC_SANDBOX_DEFAULT)
		error = nnipc_layers_suffice(sandbox->mode, sandbox->layers | coming, message,
					     size);
	return error;
}

int nnipc_sandbox_enter(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	const bool spawned = was_spawned();
	int no_new_privs = 0, error = 0;

	sandbox->layers = sandbox->namespaces = 0;
	sandbox->monitor = sandbox->process = -1;
	sandbox->profile_text = NULL;
	umask(077);
	setenv("LIBC_FATAL_STDERR_", "1", 1);
	if (sandbox->mode != NNIPC_SANDBOX_OFF) {
		/* the monitor's, too */
		no_new_privs = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
		if (spawned)
			error = namespaces_enter(&sandbox->namespaces);
		if (error)
			return nnutil_refuse(message, size, error, "no namespaces: %s",
					     strerror(-error));
		/* the monitor makes the root empty for those whose working directory is the root */
		if (chdir("/"))
			return nnutil_refuse(message, size, -errno, "chdir(\"/\"): %m");
	}
	if (spawned) {
		error = nnipc_monitor_fork(&sandbox->monitor);
		if (error)
			return nnutil_refuse(message, size, error, "the worker cannot be made: %s",
					     strerror(-error));
	}
	signal(SIGABRT, on_abort);
	if (sandbox->mode != NNIPC_SANDBOX_OFF) {
		/* Landlock knows the folder as long as the kernel keeps it in memory: while it is
		 * open */
		sandbox->process = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
		error = enter_layers(sandbox, no_new_privs, message, size);
	}
	if (spawned)
		nnipc_monitor_announce(sandbox->layers);
	return error;
}

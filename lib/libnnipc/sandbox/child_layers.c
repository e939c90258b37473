// SPDX-License-Identifier: Apache-2.0
/*
 * What holds a worker, as the kernel shows it to the parent. A worker whose vendor library is
 * hostile may report anything; these files of /proc are the kernel's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_log.h"
#include "sandbox/sandbox_private.h"
#include "sandbox/sandbox.h"

#define MOST_TEXT 65536u
/* Both filters of the worker. */
#define FILTERS 2u

static const struct {
	uint32_t layer;
	const char *link;
} namespaces[] = {
	{ NNIPC_LAYER_USER_NS, "ns/user" },	{ NNIPC_LAYER_MOUNT_NS, "ns/mnt" },
	{ NNIPC_LAYER_PID_NS, "ns/pid" },	{ NNIPC_LAYER_IPC_NS, "ns/ipc" },
	{ NNIPC_LAYER_UTS_NS, "ns/uts" },	{ NNIPC_LAYER_NET_NS, "ns/net" },
	{ NNIPC_LAYER_CGROUP_NS, "ns/cgroup" },
};

/* ---- namespaces and root ---- */

static uint32_t namespaces_of(int process)
{
	uint32_t layers = 0;

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		char own[64] = "", worker[64] = "", path[32];

		snprintf(path, sizeof(path), "/proc/self/%s", namespaces[i].link);
		if (readlink(path, own, sizeof(own) - 1) > 0 &&
		    readlinkat(process, namespaces[i].link, worker, sizeof(worker) - 1) > 0 &&
		    strcmp(own, worker))
			layers |= namespaces[i].layer;
	}
	return layers;
}

/* Takes @folder. */
static bool is_empty(int folder)
{
	DIR *entries = fdopendir(folder);
	struct dirent *entry;
	bool empty = true;

	if (!entries) {
		close(folder);
		return false;
	}
	while (empty && (entry = readdir(entries)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(entries);
	return empty;
}

/* Nothing is in it, nothing can come into it, and the worker is nowhere else. */
static bool has_empty_root(int process)
{
	int root = openat(process, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat root_facts, work_facts;
	struct statfs system;

	if (root < 0)
		return false;
	if (fstatfs(root, &system) || system.f_type != TMPFS_MAGIC ||
	    !(system.f_flags & ST_RDONLY) || fstat(root, &root_facts) ||
	    fstatat(process, "cwd", &work_facts, 0) || root_facts.st_dev != work_facts.st_dev ||
	    root_facts.st_ino != work_facts.st_ino) {
		close(root);
		return false;
	}
	return is_empty(root);
}

/* ---- threads ---- */

/* The layers that one thread has, by its "status". */
static uint32_t layers_of_thread(int threads, const char *name, unsigned int filters)
{
	static const char *const capabilities[] = { "CapInh", "CapPrm", "CapEff", "CapAmb" };
	uint32_t layers = NNIPC_LAYER_NO_CAPABILITIES;
	char path[48], *text = NULL;
	int fd, ret;

	snprintf(path, sizeof(path), "%.20s/status", name);
	fd = openat(threads, path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : nnutil_read_to_end(fd, MOST_TEXT, &text, NULL);
	if (fd >= 0)
		close(fd);
	if (ret)
		return ret == -ENOENT || ret == -ESRCH ? ~0u : 0; /* it has ended */
	if (nnipc_status_number(text, "NoNewPrivs", 10) == 1)
		layers |= NNIPC_LAYER_NO_NEW_PRIVS;
	if (nnipc_status_number(text, "Seccomp", 10) == NNIPC_SECCOMP_FILTER &&
	    nnipc_status_filters(text) >= filters)
		layers |= NNIPC_LAYER_SECCOMP;
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (nnipc_status_number(text, capabilities[i], 16))
			layers &= ~(uint32_t)NNIPC_LAYER_NO_CAPABILITIES;
	free(text);
	return layers;
}

static uint32_t layers_of_threads(int process, unsigned int filters)
{
	int folder = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *threads = folder < 0 ? NULL : fdopendir(folder);
	uint32_t layers = ~0u;
	struct dirent *entry;
	bool any = false;

	if (!threads) {
		if (folder >= 0)
			close(folder);
		return 0;
	}
	while ((entry = readdir(threads))) {
		if (entry->d_name[0] == '.')
			continue;
		layers &= layers_of_thread(folder, entry->d_name, filters);
		any = true;
	}
	closedir(threads);
	return any ? layers & (NNIPC_LAYER_NO_CAPABILITIES | NNIPC_LAYER_NO_NEW_PRIVS |
			       NNIPC_LAYER_SECCOMP)
		   : 0;
}

/* ---- descriptors ---- */

/*
 * A folder is a way to all below it. Sockets are not looked at: the worker can make pairs only.
 */
static int check_descriptors(int process, char *message, size_t size)
{
	int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;
	struct stat facts;
	int error = 0;

	if (!entries) {
		error = nnutil_refuse(message, size, -EPERM,
				      "its descriptors cannot be looked at: %s", strerror(errno));
		if (folder >= 0)
			close(folder);
		return error;
	}
	while (!error && (entry = readdir(entries)))
		if (entry->d_name[0] != '.' && !fstatat(folder, entry->d_name, &facts, 0) &&
		    S_ISDIR(facts.st_mode))
			error = nnutil_refuse(message, size, -EPERM,
					      "its vendor library keeps a folder open (descriptor "
					      "%.16s)",
					      entry->d_name);
	closedir(entries);
	return error;
}

/* Its files of /proc had contents all the time. */
static bool is_alive(int process)
{
	int fd = openat(process, "status", O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	bool alive = false;

	if (fd < 0)
		return false;
	if (!nnutil_read_to_end(fd, MOST_TEXT, &text, NULL))
		alive = !strstr(text, "\nState:\tZ") && !strstr(text, "\nState:\tX");
	free(text);
	close(fd);
	return alive;
}

int nnipc_child_layers(const struct nnipc_child *child, uint32_t *layers, char *message,
		       size_t size)
{
	char path[32];
	int process, error;

	*layers = 0;
	snprintf(path, sizeof(path), "/proc/%d", (int)child->pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return nnutil_refuse(message, size, errno == ENOENT ? -ESRCH : -errno,
				     "%s cannot be looked at: %s", path, strerror(errno));
	*layers = namespaces_of(process) | layers_of_threads(process, child->filters + FILTERS) |
		  (child->entered & NNIPC_LAYER_LANDLOCK);
	if (has_empty_root(process))
		*layers |= NNIPC_LAYER_EMPTY_ROOT;
	if (nnipc_limits_hold(child->pid))
		*layers |= NNIPC_LAYER_RLIMITS;
	error = check_descriptors(process, message, size);
	if (!is_alive(process))
		error = nnutil_refuse(message, size, -ESRCH, "process %d has ended",
				      (int)child->pid);
	close(process);
	return error;
}

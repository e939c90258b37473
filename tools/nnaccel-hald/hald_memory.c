// SPDX-License-Identifier: Apache-2.0
#include "hald.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "nnutil_process.h"
#include "nnutil_file.h"
#include "nnutil_text.h"

#define MAX_TEXT 4096u

struct memory_user {
	struct memory_user *next;
	uid_t user;
	unsigned int workers;
	uint64_t kills; /* oom_kill of memory.events, as it was read last */
};

static struct {
	char folder[PATH_MAX]; /* the service's cgroup; "": users have no limit */
	uint64_t limit;
	pthread_mutex_t lock; /* protects users, and what is below their folders */
	struct memory_user *users;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- files of cgroups ---- */

static int group_open(const char *group, const char *file, int flags)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", group, file) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int group_write(const char *group, const char *file, const char *text)
{
	int fd = group_open(group, file, O_WRONLY), ret;

	if (fd < 0)
		return fd;
	ret = nnutil_write_all(fd, text, strlen(text));
	close(fd);
	return ret;
}

/* The text of a file; NULL: it cannot be read. free() it. */
static char *group_read(const char *group, const char *file)
{
	int fd = group_open(group, file, O_RDONLY);
	char *text;

	if (fd < 0)
		return NULL;
	if (nnutil_read_to_end(fd, MAX_TEXT, &text, NULL))
		text = NULL;
	close(fd);
	return text;
}

/* Whether children of the group can count memory. */
static bool group_has_memory(const char *group)
{
	char *text = group_read(group, "cgroup.controllers"), *rest, *word;
	bool found = false;

	for (word = text ? strtok_r(text, " \n", &rest) : NULL; word && !found;
	     word = strtok_r(NULL, " \n", &rest))
		found = !strcmp(word, "memory");
	free(text);
	return found;
}

static int group_make(const char *group)
{
	return mkdir(group, 0755) && errno != EEXIST ? -errno : 0;
}

/* ---- the service ---- */

uint64_t hald_memory_limit(void)
{
	return memory.limit;
}

/* A cgroup with processes has no children that count memory: this process goes into one, too. */
static int service_move(const char *folder)
{
	char own[PATH_MAX];
	struct statfs fs;
	int ret;

	/* with version 1 another file system is there, or the controller is not */
	if (statfs(folder, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC || !group_has_memory(folder))
		return -ENOENT;
	if ((size_t)snprintf(own, sizeof(own), "%s/service", folder) >= sizeof(own))
		return -ENAMETOOLONG;
	ret = group_make(own);
	if (!ret)
		ret = group_write(own, "cgroup.procs", "0");
	if (!ret)
		ret = group_write(folder, "cgroup.subtree_control", "+memory");
	return ret;
}

void hald_memory_init(uint32_t percent)
{
	/* before this process moves: what all of its workers may use is the same */
	const uint64_t all = nnutil_memory_limit();
	char folder[PATH_MAX];
	int ret;

	if (!percent)
		return;
	ret = nnutil_cgroup_own(folder, sizeof(folder));
	if (!ret)
		ret = service_move(folder);
	if (ret) {
		hald_log("memory of a user has no limit: %s. It needs cgroups of version 2 and "
			 "Delegate=memory in the service's unit",
			 ret == -ENOENT ? "no cgroup counts memory here" : strerror(-ret));
		return;
	}
	strcpy(memory.folder, folder);
	memory.limit = all / 100 * percent + all % 100 * percent / 100;
	hald_log("workers of a user have %" PRIu64 " MiB of memory, %" PRIu32
		 " %% of the service's",
		 memory.limit >> 20, percent);
}

/* ---- its users ---- */

static struct memory_user **user_place(uid_t user)
{
	struct memory_user **at = &memory.users;

	while (*at && (*at)->user != user)
		at = &(*at)->next;
	return at;
}

static int user_group(uid_t user, char *group)
{
	const int n = snprintf(group, PATH_MAX, "%s/user-%u", memory.folder, user);

	return n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* oom_kill of memory.events; 0: it cannot be read. */
static uint64_t group_kills(const char *group)
{
	char *text = group_read(group, "memory.events");
	const char *line = text ? strstr(text, "\noom_kill ") : NULL;
	uint64_t kills;

	if (line)
		line += strlen("\noom_kill ");
	if (!line || nnutil_scan_u64(&line, 10, 0, UINT64_MAX, &kills))
		kills = 0;
	free(text);
	return kills;
}

static int user_make(uid_t user, const char *group, struct memory_user **made)
{
	struct memory_user *new = calloc(1, sizeof(*new));
	char text[32];
	int ret;

	if (!new)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%" PRIu64, memory.limit);
	ret = group_make(group);
	if (!ret)
		ret = group_write(group, "memory.max", text);
	if (ret) {
		free(new);
		return ret;
	}
	new->user = user;
	/* the group may be an earlier one, which could not be removed */
	new->kills = group_kills(group);
	*made = new;
	return 0;
}

static void user_release(struct memory_user **at, const char *group)
{
	struct memory_user *gone = *at;

	if (gone->workers)
		return;
	/* a process that has not quite ended keeps it: the user's next worker takes it again */
	rmdir(group);
	*at = gone->next;
	free(gone);
}

int hald_memory_join(uid_t user)
{
	struct memory_user **at;
	char group[PATH_MAX];
	int ret;

	if (!memory.folder[0])
		return 0;
	ret = user_group(user, group);
	if (ret)
		return ret;
	pthread_mutex_lock(&memory.lock);
	at = user_place(user);
	if (!*at)
		ret = user_make(user, group, at);
	if (!ret) {
		ret = group_open(group, "cgroup.procs", O_WRONLY);
		if (ret >= 0)
			(*at)->workers++;
		else
			user_release(at, group);
	}
	pthread_mutex_unlock(&memory.lock);
	return ret;
}

void hald_memory_leave(uid_t user)
{
	struct memory_user **at;
	char group[PATH_MAX];

	if (!memory.folder[0] || user_group(user, group))
		return;
	pthread_mutex_lock(&memory.lock);
	at = user_place(user);
	(*at)->workers--;
	user_release(at, group);
	pthread_mutex_unlock(&memory.lock);
}

bool hald_memory_exhausted(uid_t user)
{
	struct memory_user *known;
	char group[PATH_MAX];
	bool yes = false;

	if (!memory.folder[0] || user_group(user, group))
		return false;
	pthread_mutex_lock(&memory.lock);
	known = *user_place(user);
	if (known) {
		const uint64_t kills = group_kills(group);

		yes = kills > known->kills;
		known->kills = kills;
	}
	pthread_mutex_unlock(&memory.lock);
	return yes;
}

// SPDX-License-Identifier: Apache-2.0
#include "monitor/nnctl_monitor.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_node.h"
#include "nnutil_text.h"

#define DRIVER "nnaccel"
#define MAX_FDINFO 65536
/* More than a machine has; a list that cannot grow without end. */
#define MAX_CLIENTS 65536u

struct list {
	const char *root;
	const struct card_reading *cards;
	size_t num_cards;
	struct client_reading *clients;
	size_t count, room;
};

/* ---- fdinfo ---- */

static const struct {
	const char *key, *unit;
	uint64_t factor;
	size_t place;
} numbers[] = {
#define NUMBER(key, unit, factor, member)                                  \
	{                                                                  \
		key, unit, factor, offsetof(struct client_reading, member) \
	}
	NUMBER("drm-client-id", "", 1, id),
	NUMBER("drm-engine-nn", " ns", 1, busy_ns),
	NUMBER("drm-engine-capacity-nn", "", 1, engines),
	NUMBER("nnaccel-charged", " KiB", 1024, memory_bytes),
	NUMBER("nnaccel-queues", "", 1, queues),
	NUMBER("nnaccel-jobs", "", 1, jobs),
	NUMBER("nnaccel-jobs-submitted", "", 1, submitted),
	NUMBER("nnaccel-jobs-completed", "", 1, completed),
	NUMBER("nnaccel-jobs-failed", "", 1, failed),
	NUMBER("nnaccel-jobs-innocent", "", 1, innocent),
	NUMBER("nnaccel-refused", "", 1, refused),
#undef NUMBER
};

static void take_number(struct client_reading *client, const char *key, const char *text)
{
	uint64_t value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i].key))
			continue;
		if (!nnutil_scan_u64(&text, 10, 0, (READING_UNKNOWN - 1) / numbers[i].factor,
				     &value) &&
		    !strcmp(text, numbers[i].unit)) {
			value *= numbers[i].factor;
			memcpy((char *)client + numbers[i].place, &value, sizeof(value));
		}
		return;
	}
}

/*
 * The lines are "key:<tab>value". @bus: where the device is. False: it is no client of our driver.
 */
static bool parse_fdinfo(char *text, struct client_reading *client, char *bus, size_t size)
{
	char *line, *value, *rest = NULL;
	bool ours = false;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		memset((char *)client + numbers[i].place, 0xff, sizeof(uint64_t));
	client->engines = 1;
	bus[0] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		value = strchr(line, ':');
		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		if (!strcmp(line, "drm-driver"))
			ours = !strcmp(value, DRIVER);
		else if (!strcmp(line, "drm-pdev"))
			snprintf(bus, size, "%s", value);
		else
			take_number(client, line, value);
	}
	if (!client->engines || client->engines == READING_UNKNOWN)
		client->engines = 1;
	nnutil_text_clean(bus);
	return ours && client->id != READING_UNKNOWN;
}

/* ---- processes ---- */

/* The card that is there on the bus, else the node that was opened, else the place itself. */
static void name_device(const struct list *list, const char *bus, const char *target, char *name,
			size_t size)
{
	const char *slash = strrchr(target, '/');

	for (size_t i = 0; bus[0] && i < list->num_cards; i++)
		if (!strcmp(list->cards[i].bus, bus)) {
			snprintf(name, size, "%s", list->cards[i].name);
			return;
		}
	snprintf(name, size, "%s", slash ? slash + 1 : "");
	/* " (deleted)": of a device that is gone */
	name[strcspn(name, " ")] = '\0';
	if (!nnutil_node_kind(name))
		snprintf(name, size, "%s", bus);
	if (!name[0])
		snprintf(name, size, "?");
	nnutil_text_clean(name);
}

static void describe_process(const struct list *list, struct client_reading *client)
{
	char path[PATH_MAX], *text;
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d", list->root, client->pid);
	client->uid = stat(path, &st) ? UINT32_MAX : st.st_uid;
	snprintf(path, sizeof(path), "%s/proc/%d/comm", list->root, client->pid);
	client->program[0] = '\0';
	if (nnutil_read_file(path, MAX_FDINFO, &text, NULL))
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(client->program, sizeof(client->program), "%s", text);
	nnutil_text_clean(client->program);
	free(text);
}

/* A client that is there already, through another descriptor or process. */
static struct client_reading *find_client(const struct list *list,
					  const struct client_reading *client)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->clients[i].id == client->id &&
		    !strcmp(list->clients[i].device, client->device))
			return &list->clients[i];
	return NULL;
}

static int add_client(struct list *list, struct client_reading *client)
{
	struct client_reading *same = find_client(list, client), *more;
	size_t room;

	if (same && same->pid <= client->pid)
		return 0;
	describe_process(list, client);
	if (same) {
		*same = *client;
		return 0;
	}
	if (list->count == MAX_CLIENTS)
		return 0;
	if (list->count == list->room) {
		room = list->room ? 2 * list->room : 16;
		more = reallocarray(list->clients, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		list->clients = more;
		list->room = room;
	}
	list->clients[list->count++] = *client;
	return 0;
}

/* Most descriptors of most processes: their fdinfo is not worth reading. */
static bool may_be_card(const char *target)
{
	return !strncmp(target, "/dev/", 5) && strcmp(target, "/dev/null") &&
	       strncmp(target, "/dev/pts/", 9);
}

static int read_descriptor(struct list *list, pid_t pid, int folder, const char *number)
{
	char path[PATH_MAX], target[PATH_MAX], bus[64], *text;
	struct client_reading client = { .pid = pid };
	const ssize_t n = readlinkat(folder, number, target, sizeof(target) - 1);
	int ret = 0;

	if (n < 0)
		return 0;
	target[n] = '\0';
	if (!may_be_card(target) ||
	    snprintf(path, sizeof(path), "%s/proc/%d/fdinfo/%s", list->root, pid, number) >=
		    (int)sizeof(path) ||
	    nnutil_read_file(path, MAX_FDINFO, &text, NULL))
		return 0;
	if (parse_fdinfo(text, &client, bus, sizeof(bus))) {
		name_device(list, bus, target, client.device, sizeof(client.device));
		ret = add_client(list, &client);
	}
	free(text);
	return ret;
}

/* Another user's process, or one that has ended, has no clients here. */
static int read_process(struct list *list, pid_t pid)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", list->root, pid);
	folder = opendir(path);
	while (folder && !ret && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			ret = read_descriptor(list, pid, dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	return ret;
}

int client_readings(const char *root, const struct card_reading *cards, size_t num_cards,
		    struct client_reading **clients, size_t *count)
{
	struct list list = { .root = root, .cards = cards, .num_cards = num_cards };
	char path[PATH_MAX];
	struct dirent *entry;
	uint64_t pid;
	DIR *folder;
	int ret = 0;

	*clients = NULL;
	*count = 0;
	if (snprintf(path, sizeof(path), "%s/proc", root) > PATH_MAX - 64)
		return -ENAMETOOLONG;
	folder = opendir(path);
	if (!folder)
		return -errno;
	while (!ret && (entry = readdir(folder)))
		if (!nnutil_parse_u64(entry->d_name, 10, 1, INT32_MAX, &pid))
			ret = read_process(&list, (pid_t)pid);
	closedir(folder);
	if (ret) {
		free(list.clients);
		return ret;
	}
	*clients = list.clients;
	*count = list.count;
	return 0;
}

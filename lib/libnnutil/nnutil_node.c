// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_node.h"

enum { KIND_ACCEL, KIND_RENDER };

static int accel_entry(const struct dirent *entry)
{
	return nnutil_node_kind(entry->d_name) == &nnutil_node_kinds[KIND_ACCEL];
}

static int render_entry(const struct dirent *entry)
{
	return nnutil_node_kind(entry->d_name) == &nnutil_node_kinds[KIND_RENDER];
}

const struct nnutil_node_kind nnutil_node_kinds[NNUTIL_NODE_KINDS] = {
	[KIND_ACCEL] = { "accel", "/dev/accel/", "/sys/class/accel/", "accel", accel_entry },
	[KIND_RENDER] = { "renderD", "/dev/dri/", "/sys/class/drm/", "drm", render_entry },
};

const struct nnutil_node_kind *nnutil_node_kind(const char *name)
{
	for (size_t i = 0; i < NNUTIL_NODE_KINDS; i++) {
		const size_t length = strlen(nnutil_node_kinds[i].prefix);
		const char *digits = name + length;

		if (!strncmp(name, nnutil_node_kinds[i].prefix, length) && *digits &&
		    !digits[strspn(digits, "0123456789")] && strlen(name) < NNUTIL_NODE_NAME)
			return &nnutil_node_kinds[i];
	}
	return NULL;
}

bool nnutil_node_path(const char *name, char path[NNUTIL_NODE_PATH])
{
	const struct nnutil_node_kind *kind = nnutil_node_kind(name);

	if (!kind)
		return false;
	snprintf(path, NNUTIL_NODE_PATH, "%s%.*s", kind->folder, NNUTIL_NODE_NAME - 1, name);
	return true;
}

void nnutil_node_of_minor(uint32_t minor, char name[NNUTIL_NODE_NAME])
{
	const struct nnutil_node_kind *kind =
		&nnutil_node_kinds[minor < NNUTIL_NODE_FIRST_RENDER ? KIND_ACCEL : KIND_RENDER];

	snprintf(name, NNUTIL_NODE_NAME, "%s%" PRIu32, kind->prefix, minor);
}

bool nnutil_has_driver(const char *folder, const char *driver)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t length;

	if (snprintf(path, sizeof(path), "%s/driver", folder) >= (int)sizeof(path))
		return false;
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	slash = strrchr(target, '/');
	return !strcmp(slash ? slash + 1 : target, driver);
}

/* Whether sysfs shows that the node is of our driver. */
static bool node_is_ours(const struct nnutil_node_kind *kind, const char *name)
{
	char folder[NNUTIL_NODE_PATH + 16];

	snprintf(folder, sizeof(folder), "%s%.*s/device", kind->class, NNUTIL_NODE_NAME, name);
	return nnutil_has_driver(folder, "nnaccel");
}

unsigned int nnutil_nodes_each(void (*found)(void *cookie, const char *path), void *cookie)
{
	char path[NNUTIL_NODE_PATH];
	struct dirent **entries;
	unsigned int count = 0;

	for (size_t i = 0; i < NNUTIL_NODE_KINDS; i++) {
		const struct nnutil_node_kind *kind = &nnutil_node_kinds[i];
		const int entry_count = scandir(kind->folder, &entries, kind->entry, versionsort);

		for (int j = 0; j < entry_count; j++) {
			if (i == KIND_ACCEL || node_is_ours(kind, entries[j]->d_name)) {
				nnutil_node_path(entries[j]->d_name, path);
				if (found)
					found(cookie, path);
				count++;
			}
			free(entries[j]);
		}
		if (entry_count >= 0)
			free(entries);
	}
	return count;
}

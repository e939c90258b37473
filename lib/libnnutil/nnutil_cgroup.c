// SPDX-License-Identifier: Apache-2.0
#include "nnutil_process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_file.h"

#define ROOT "/sys/fs/cgroup"
#define MAX_TEXT 4096u

int nnutil_cgroup_own(char *folder, size_t size)
{
	char *text, *path;
	int ret = nnutil_read_file("/proc/self/cgroup", MAX_TEXT, &text, NULL);

	if (ret)
		return ret;
	/* version 2 has one line, 0::/PATH */
	path = strstr(text, "0::/");
	if (!path || (path != text && path[-1] != '\n')) {
		free(text);
		return -ENOENT;
	}
	path += strlen("0::");
	path[strcspn(path, "\n")] = '\0';
	if (!strcmp(path, "/"))
		path++;
	if ((size_t)snprintf(folder, size, ROOT "%s", path) >= size)
		ret = -ENAMETOOLONG;
	free(text);
	return ret;
}

/* Of the cgroup @folder. */
static uint64_t value_of(const char *folder, const char *file, uint64_t (*value)(const char *text))
{
	char name[PATH_MAX], *text;
	uint64_t found;

	if ((size_t)snprintf(name, sizeof(name), "%s/%s", folder, file) >= sizeof(name) ||
	    nnutil_read_file(name, MAX_TEXT, &text, NULL))
		return UINT64_MAX;
	found = value(text);
	free(text);
	return found;
}

uint64_t nnutil_cgroup_least(const char *file, uint64_t (*value)(const char *text))
{
	uint64_t least = UINT64_MAX, found;
	char folder[PATH_MAX];

	if (nnutil_cgroup_own(folder, sizeof(folder)))
		return least;
	while (strlen(folder) >= strlen(ROOT)) {
		found = value_of(folder, file, value);
		if (found < least)
			least = found;
		*strrchr(folder, '/') = '\0';
	}
	return least;
}

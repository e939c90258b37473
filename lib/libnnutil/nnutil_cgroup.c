// SPDX-License-Identifier: Apache-2.0
#include "nnutil_cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_io.h"

#define ROOT "/sys/fs/cgroup"
#define MAX_TEXT 4096u

/* Of the cgroup @path, below ROOT. */
static uint64_t value_of(const char *path, const char *file, uint64_t (*value)(const char *text))
{
	char name[PATH_MAX], *text;
	uint64_t found;
	size_t size;

	if ((size_t)snprintf(name, sizeof(name), ROOT "%s/%s", path, file) >= sizeof(name) ||
	    nnutil_read_file(name, MAX_TEXT, &text, &size))
		return UINT64_MAX;
	found = value(text);
	free(text);
	return found;
}

uint64_t nnutil_cgroup_least(const char *file, uint64_t (*value)(const char *text))
{
	uint64_t least = UINT64_MAX, found;
	char *text, *path, *end;
	size_t size;

	if (nnutil_read_file("/proc/self/cgroup", MAX_TEXT, &text, &size))
		return least;
	/* version 2 has one line, 0::/PATH */
	path = strstr(text, "0::/");
	if (path && (path == text || path[-1] == '\n')) {
		path += 3;
		path[strcspn(path, "\n")] = '\0';
		do {
			found = value_of(path, file, value);
			if (found < least)
				least = found;
			end = strrchr(path, '/');
			if (end)
				*end = '\0';
		} while (end);
	}
	free(text);
	return least;
}

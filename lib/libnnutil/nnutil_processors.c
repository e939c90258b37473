// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_io.h"
#include "nnutil_number.h"
#include "nnutil_processors.h"

#define ROOT "/sys/fs/cgroup"
#define MAX_TEXT 4096u
/* The kernel's limits, in microseconds. */
#define MAX_QUOTA (UINT64_MAX / 1000)
#define MAX_PERIOD 1000000u

uint32_t nnutil_quota(const char *text)
{
	uint64_t quota, period, count;

	if (nnutil_scan_u64(&text, 10, 1, MAX_QUOTA, &quota) || *text++ != ' ' ||
	    nnutil_scan_u64(&text, 10, 1, MAX_PERIOD, &period))
		return UINT32_MAX;
	count = quota / period + (quota % period != 0);
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Of the cgroup @path, below ROOT. */
static uint32_t quota_of(const char *path)
{
	uint32_t count = UINT32_MAX;
	char file[PATH_MAX], *text;
	size_t size;

	if ((size_t)snprintf(file, sizeof(file), ROOT "%s/cpu.max", path) >= sizeof(file))
		return count;
	if (!nnutil_read_file(file, MAX_TEXT, &text, &size)) {
		count = nnutil_quota(text);
		free(text);
	}
	return count;
}

/* The least quota of the process' cgroup and those above it. */
static uint32_t least_quota(void)
{
	uint32_t least = UINT32_MAX, quota;
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
			quota = quota_of(path);
			if (quota < least)
				least = quota;
			end = strrchr(path, '/');
			if (end)
				*end = '\0';
		} while (end);
	}
	free(text);
	return least;
}

static uint32_t affinity(void)
{
	long online;
	cpu_set_t cpus;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		return (uint32_t)CPU_COUNT(&cpus);
	/* more than fit */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}

uint32_t nnutil_processors(void)
{
	uint32_t count = affinity(), quota;

	if (count <= 1)
		return 1;
	quota = least_quota();
	return quota < count ? quota : count;
}

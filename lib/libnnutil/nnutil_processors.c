// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <unistd.h>

#include "nnutil_process.h"
#include "nnutil_text.h"

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

static uint64_t quota_of(const char *text)
{
	return nnutil_quota(text);
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
	uint32_t count = affinity();
	uint64_t quota;

	if (count <= 1)
		return 1;
	quota = nnutil_cgroup_least("cpu.max", quota_of);
	return quota < count ? (uint32_t)quota : count;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * What there is of the machine for this process: the limits of its cgroup, processors, memory,
 * caches, and the registers for matrices.
 */
#include "nnutil_process.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_text.h"

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

/*
 * The least that @value makes of the contents of @file ("cpu.max") in the process' cgroup and those
 * above it; UINT64_MAX: none has such a file.
 */
static uint64_t cgroup_least(const char *file, uint64_t (*value)(const char *text))
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

/* ---- processors ---- */

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
	quota = cgroup_least("cpu.max", quota_of);
	return quota < count ? (uint32_t)quota : count;
}

/* ---- memory ---- */

uint64_t nnutil_memory_max(const char *text)
{
	uint64_t bytes;

	return nnutil_scan_u64(&text, 10, 0, UINT64_MAX, &bytes) ? UINT64_MAX : bytes;
}

uint64_t nnutil_memory_limit(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	const char *given = secure_getenv(NNUTIL_MEMORY_LIMIT);
	uint64_t least = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
	const uint64_t others[] = {
		cgroup_least("memory.max", nnutil_memory_max),
		given ? nnutil_memory_max(given) : UINT64_MAX,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] < least)
			least = others[i];
	return least;
}

/* ---- caches ---- */

#define KIB ((size_t)1024)

/* @reported: of sysconf(), which has 0 or -1 for what it does not know. */
static size_t plausible(long reported, size_t usual, size_t least, size_t most)
{
	size_t size = reported > 0 ? (size_t)reported : usual;

	return size < least ? least : size > most ? most : size;
}

static struct nnutil_caches caches_measure(void)
{
	long first = 0, second = 0;

#ifdef _SC_LEVEL1_DCACHE_SIZE
	first = sysconf(_SC_LEVEL1_DCACHE_SIZE);
	second = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	return (struct nnutil_caches){
		.first = plausible(first, 32 * KIB, 16 * KIB, 256 * KIB),
		.second = plausible(second, 512 * KIB, 128 * KIB, 4096 * KIB),
	};
}

struct nnutil_caches nnutil_caches(void)
{
	/* the C library may ask the processor, which takes long in a virtual machine */
	static _Atomic size_t first, second;
	struct nnutil_caches caches = {
		.first = atomic_load_explicit(&first, memory_order_relaxed),
		.second = atomic_load_explicit(&second, memory_order_relaxed),
	};

	/* threads that come together find the same */
	if (caches.first && caches.second)
		return caches;
	caches = caches_measure();
	atomic_store_explicit(&first, caches.first, memory_order_relaxed);
	atomic_store_explicit(&second, caches.second, memory_order_relaxed);
	return caches;
}

/* ---- registers for matrices ---- */

#if defined(__x86_64__)
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux: arch/x86/include/uapi/asm/prctl.h */
#define ARCH_GET_XCOMP_SUPP 0x1021
#define ARCH_GET_XCOMP_PERM 0x1022
#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18

static bool among(int question)
{
	uint64_t features = 0;

	return !syscall(SYS_arch_prctl, question, &features) && features >> XFEATURE_XTILEDATA & 1;
}

bool nnutil_tiles_exist(void)
{
	return among(ARCH_GET_XCOMP_SUPP);
}

bool nnutil_tiles_allowed(void)
{
	return among(ARCH_GET_XCOMP_PERM);
}

bool nnutil_tiles_ask(void)
{
	return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}

#else

bool nnutil_tiles_exist(void)
{
	return false;
}

bool nnutil_tiles_allowed(void)
{
	return false;
}

bool nnutil_tiles_ask(void)
{
	return false;
}
#endif

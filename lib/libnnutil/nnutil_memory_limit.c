// SPDX-License-Identifier: Apache-2.0
#include "nnutil_process.h"

#include <stdlib.h>
#include <unistd.h>

#include "nnutil_text.h"

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
		nnutil_cgroup_least("memory.max", nnutil_memory_max),
		given ? nnutil_memory_max(given) : UINT64_MAX,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] < least)
			least = others[i];
	return least;
}

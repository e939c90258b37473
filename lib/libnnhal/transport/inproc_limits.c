// SPDX-License-Identifier: Apache-2.0
#include "transport/inproc.h"

#include "nnutil_process.h"

#define MOST_ARENA ((uint64_t)1 << 30)
/* A limit below this is no limit for programs, but the end of the process. */
#define LEAST ((uint64_t)16 << 20)

static uint64_t half(void)
{
	const uint64_t bytes = nnutil_memory_limit() / 2;

	return bytes < LEAST ? LEAST : bytes;
}

uint64_t nnhal_inproc_quota(unsigned int mib)
{
	return mib ? (uint64_t)mib << 20 : half();
}

uint64_t nnhal_inproc_arena(void)
{
	return half() < MOST_ARENA ? half() : MOST_ARENA;
}

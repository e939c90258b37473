// SPDX-License-Identifier: Apache-2.0
#include "nnutil_process.h"

#include <stdatomic.h>
#include <unistd.h>

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

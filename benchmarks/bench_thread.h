/* SPDX-License-Identifier: Apache-2.0 */
/* For benchmarks of one thread that call operations themselves. */
#ifndef BENCH_THREAD_H
#define BENCH_THREAD_H

#include <error.h>
#include <stdlib.h>
#include <time.h>

/* Time of this thread, so that other load does not show. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline _Noreturn void die(const char *what)
{
	error(1, 0, "%s", what);
	abort();
}

static inline void *memory(size_t size)
{
	void *p = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!p)
		die("out of memory");
	return p;
}

#endif

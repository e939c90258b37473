/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks in nanoseconds. */
#ifndef NNUTIL_CLOCK_H
#define NNUTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NNUTIL_NS_PER_S 1000000000ll
#define NNUTIL_NS_PER_MS 1000000ll

/** CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_THREAD_CPUTIME_ID and their like. */
static inline int64_t nnutil_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NNUTIL_NS_PER_S + ts.tv_nsec;
}

static inline int64_t nnutil_monotonic_ns(void)
{
	return nnutil_clock_ns(CLOCK_MONOTONIC);
}

/** The clock of NNAPI's deadlines: it goes on while the system is suspended. */
static inline int64_t nnutil_boottime_ns(void)
{
	return nnutil_clock_ns(CLOCK_BOOTTIME);
}

static inline struct timespec nnutil_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NNUTIL_NS_PER_S, .tv_nsec = ns % NNUTIL_NS_PER_S };
}

#endif

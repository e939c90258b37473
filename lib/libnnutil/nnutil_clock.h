/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, and waiting. */
#ifndef NNUTIL_CLOCK_H
#define NNUTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Clocks in nanoseconds. */

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

/*
 * nnutil_io.c: waiting for a descriptor with a limit of time. Signals do not end a wait, nor make
 * it longer.
 */

/** CLOCK_MONOTONIC in @limit_ns from now; -1 if that is negative: there is no limit. */
int64_t nnutil_deadline(int64_t limit_ns);

/**
 * Wait until poll() reports something of @fd: one of @events (POLLIN...), an error or a hang-up.
 * @deadline_ns: of nnutil_deadline(). 0; -ETIME; another errno.
 */
int nnutil_wait_fd(int fd, short events, int64_t deadline_ns);

/* For loops that look for what another thread writes. */

/** Let the other thread of this core run for a moment, and save power; not a memory barrier. */
static inline void nnutil_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif

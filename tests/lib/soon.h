/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long "soon" is: on a machine that does nothing else 100 ms, and longer by as much as others
 * want its processors, for a thread of ours waits for them. What is tested against it would take
 * seconds if it were wrong.
 */
#ifndef TESTS_UNIT_SOON_H
#define TESTS_UNIT_SOON_H

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SOON_SANITIZED 4
#else
#define SOON_SANITIZED 1
#endif

static inline uint64_t soon_ns(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	double load = 0;

	if (getloadavg(&load, 1) != 1 || cores < 1)
		load = cores = 1;
	return (uint64_t)(100000000.0 * SOON_SANITIZED * (1 + 4 * load / (double)cores));
}

#endif

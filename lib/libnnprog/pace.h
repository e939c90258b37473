/* SPDX-License-Identifier: Apache-2.0 */
/* The pace of a verification: how much it does between two ticks. Private to libnnprog. */
#ifndef NNPROG_PACE_H
#define NNPROG_PACE_H

#include "nnprog_verify.h"

/** Work of a verification since the last tick. */
struct nnprog_pace {
	int (*tick)(void *cookie);
	void *cookie;
	uint64_t work;
};

/** Entries, of some 30 ns each, between two ticks. */
#define NNPROG_PACE 8192u

/** @work entries more. 0, or what the verification is to end with. */
static inline int nnprog_pace(const struct nnprog *prog, uint64_t work)
{
	struct nnprog_pace *pace = prog->pace;

	if (!pace)
		return 0;
	pace->work += work;
	if (pace->work < NNPROG_PACE)
		return 0;
	pace->work = 0;
	return pace->tick(pace->cookie);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution times that are not sums of scopes: of the runtime from the start of a computation to
 * the end of the wait for it, of the driver from the request to the callback.
 */
#ifndef NNTP_OVERRIDE_H
#define NNTP_OVERRIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marks.h"

/* First in, first out. */
struct time_queue {
	int64_t *times;
	size_t first, count, max;
};

/* Of a thread, by loop. */
struct loop_overrides {
	int64_t sum; /* pairs, and the functions that are listed */
	uint64_t starts, waits;
	/*
	 * compat: ends of waits without a start yet; strict: starts without a wait, each with its
	 * call's length
	 */
	struct time_queue unpaired;
	bool any;
};

struct thread_overrides {
	struct loop_overrides loop[NNTP_LOOPS];
};

/* Of a run, by loop. */
struct driver_overrides {
	struct loop_driver {
		int64_t sum;
		uint64_t executes, notifies;
		struct time_queue open; /* strict: requests without a callback yet */
		bool any;
	} loop[NNTP_LOOPS];
};

void overrides_free(struct thread_overrides *o);
void driver_overrides_free(struct driver_overrides *d);

/**
 * A scope with a name has ended. *@in_api: it is in a function that counts already. 0 or -ENOMEM.
 */
int override_api(struct thread_overrides *o, enum mark_name name, unsigned int loop, int64_t begin,
		 int64_t end, bool in_api, bool strict);
/**
 * One of the driver's names, at its begin @ns: told when it has ended, strict when it begins. 0 or
 * -ENOMEM.
 */
int override_driver(struct driver_overrides *d, enum mark_name name, unsigned int loop, int64_t ns,
		    bool strict);
/** strict: a driver's scope that was the whole execution. */
void override_driver_sync(struct driver_overrides *d, unsigned int loop, int64_t ns);

/**
 * The run has ended: how many starts nobody waited for; strict: with the length of their calls in
 * @sum.
 */
uint64_t override_unpaired(const struct loop_overrides *o, bool strict, int64_t *sum);

#endif

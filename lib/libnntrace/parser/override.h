/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution times that are not sums of scopes: of the runtime, from the start of a computation to
 * the end of the wait for it; of the driver, from the request to the callback.
 */
#ifndef NNTP_OVERRIDE_H
#define NNTP_OVERRIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "marks.h"

/* A queue, first in, first out. */
struct time_queue {
	int64_t *times;
	size_t first, count, max;
};

/* Of a thread, by loop. */
struct loop_overrides {
	int64_t sum; /* of pairs and of the listed functions (NAME_LISTED) */
	uint64_t starts, waits;
	/*
	 * compat: ends of waits that have no start yet; strict: starts without a wait, each with
	 * the duration of its call
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
 * A scope with a name has ended. @in_api: it is within a function that counts. 0 or -ENOMEM.
 */
int override_api(struct thread_overrides *o, enum mark_name name, unsigned int loop, int64_t begin,
		 int64_t end, bool in_api, bool strict);
/**
 * A scope with a name of the driver, which began at @ns. Called when it ends, strict when it
 * begins. 0 or -ENOMEM.
 */
int override_driver(struct driver_overrides *d, enum mark_name name, unsigned int loop, int64_t ns,
		    bool strict);
/** strict: a scope of the driver that is a whole execution. */
void override_driver_sync(struct driver_overrides *d, unsigned int loop, int64_t ns);

/**
 * At the end of a run: the number of starts without a wait; strict: with the durations of their
 * calls in @sum.
 */
uint64_t override_unpaired(const struct loop_overrides *o, bool strict, int64_t *sum);

#endif

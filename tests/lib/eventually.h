/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EVENTUALLY(condition): wait until it holds. A test that waits for an event has no idea of how
 * long the event takes on a loaded machine: it polls every millisecond, and two minutes are the
 * limit of a test that is wrong. False: it never held.
 */
#ifndef TESTS_UNIT_EVENTUALLY_H
#define TESTS_UNIT_EVENTUALLY_H

#include <stdbool.h>
#include <time.h>

#define EVENTUALLY(condition)                                                       \
	({                                                                          \
		bool holds_ = false;                                                \
		for (int left_ = 120000; !(holds_ = (condition)) && left_; left_--) \
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);  \
		holds_;                                                             \
	})

#endif

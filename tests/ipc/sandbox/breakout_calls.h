/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that no locked worker gets. The programs that make them and those that check the
 * outcome share the list.
 */
#ifndef TESTS_BREAKOUT_CALLS_H
#define TESTS_BREAKOUT_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct breakout_call {
	const char *name; /* of the attempt */
	long number;
	long arguments[6];
};
extern const struct breakout_call breakout_calls[];
extern const size_t num_breakout_calls;

/** Whether the kernel ends the process, with no handler and no line in the log. */
bool breakout_kills(const struct breakout_call *call);
/** NULL: there is none of this name. */
const struct breakout_call *breakout_find(const char *name);
/** Make the call of this name; -1: there is none. Else what the kernel returned, or -errno. */
long breakout_call(const char *name);

#endif

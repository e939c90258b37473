/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that a libc makes by itself, in newer versions than this machine's as well: behind
 * the shut door they are made or answered, and end nothing. Shared by what makes them and by what
 * checks the outcome.
 */
#ifndef TESTS_LIBC_CALLS_H
#define TESTS_LIBC_CALLS_H

#include <stddef.h>

/** The kernel decides: it may not have the call. */
#define LIBC_CALL_MADE 1000000L

struct libc_call {
	const char *name;
	long number;
	long arguments[6];
	long value; /* what it returns, or -errno; LIBC_CALL_MADE */
};
extern const struct libc_call libc_calls[];
extern const size_t num_libc_calls;

/** Make the call of this name. What the kernel returned, or -errno. */
long libc_call(const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends a case of cmocka that cannot tell, with the reason. scripts/tally.py counts it neither as
 * passed nor as failed and prints the reason below the table of "make check"; a skip() without a
 * reason is a failure.
 *
 * skip_host(): this machine lacks something. skip_late(): the machine was so busy that the case
 * missed the moment that it judges.
 */
#ifndef TESTS_LIB_SKIP_H
#define TESTS_LIB_SKIP_H

#include <stdio.h>

#define skip_host(reason) skip_because("host", reason)
#define skip_late(reason) skip_because("late", reason)

#define skip_because(kind, reason)                     \
	do {                                           \
		printf("skip " kind ": " reason "\n"); \
		fflush(stdout);                        \
		skip();                                \
	} while (0)

#endif

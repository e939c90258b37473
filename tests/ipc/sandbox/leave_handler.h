/* SPDX-License-Identifier: Apache-2.0 */
/* A system call that is not allowed, and whose handler does not get to run. */
#ifndef TESTS_LEAVE_HANDLER_H
#define TESTS_LEAVE_HANDLER_H

/**
 * Make the call of breakout_calls.h of this name on a stack without room for a handler, and go on.
 * 0: the process is there still; -1: it could not be tried.
 */
int leave_handler(const char *name);

#endif

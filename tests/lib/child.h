/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children of fork() in tests: what they find wrong is their exit status, because cmocka's jumps
 * are the parent's.
 */
#ifndef NN_TEST_CHILD_H
#define NN_TEST_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

#include "test_case.h"

/**
 * In a child: the number of the line, halved to fit: lines of checks that follow each other share
 * one.
 */
#define CHECK(what)                                 \
	do {                                        \
		if (!(what))                        \
			return (__LINE__ + 1) >> 1; \
	} while (0)

/**
 * A case that forks while other threads allocate. ASan of gcc 12 does not hold its allocator's
 * locks over fork(), and the child would wait for one for ever: not there (cmocka passes over an
 * entry without a function).
 */
#ifdef __SANITIZE_ADDRESS__
#define forks_among_threads(test)              \
	{                                      \
		.test_func = 0 ? (test) : NULL \
	}
#else
#define forks_among_threads(test) cmocka_unit_test(test)
#endif

/** A child that hangs ends so. */
#define CHILD_SECONDS 60

/** Run @first, if not NULL, and @body, which returns 0 or what CHECK() says, in a child. */
static inline pid_t start_child(void (*first)(void), int (*body)(void))
{
	pid_t pid = fork();

	if (!pid) {
		if (first)
			first();
		alarm(CHILD_SECONDS);
		_exit(body());
	}
	assert_true(pid > 0);
	return pid;
}

static inline void end_child(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("the child was killed by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status))
		fail_msg("line %d of the test is not so in the child", WEXITSTATUS(status) << 1);
}

#endif

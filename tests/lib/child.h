/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that a test starts. A child of fork() reports by its exit status what it finds wrong,
 * because cmocka's jumps are the parent's. The functions end the test by cmocka where something
 * fails. A process that was started is the caller's: it waits for it once.
 */
#ifndef TESTS_LIB_CHILD_H
#define TESTS_LIB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
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
pid_t child_start(void (*first)(void), int (*body)(void));
/** Its body must have returned 0, by child_wait()'s status. */
void child_expect(int status);
/** Wait for it, and child_expect(). */
void child_end(pid_t pid);
/** child_start() and child_end(). */
void child_run(void (*first)(void), int (*body)(void));

/** Output that no process reads. */
#define CHILD_QUIET (-1)

/** A program to start. */
struct child_program {
	const char *path;
	const char *const *argv; /* ends with NULL */
	void (*first)(void); /* in the child, before the program; may be NULL */
	int output; /* its standard output and error; 0: those of the test, CHILD_QUIET: none */
	int socket; /* its only socket, passed as systemd does; 0: none */
};

/** Start it. It is killed when the thread that calls ends. Exit status 99: it cannot be started. */
pid_t child_execute(const struct child_program *program);

/** Wait for a process: its exit status, or minus the signal that ended it. */
int child_wait(pid_t pid);
/** Send it a signal, and wait for it. */
int child_kill(pid_t pid, int signal);
/** Whether it has ended; it has still to be waited for. */
bool child_has_ended(pid_t pid);

#endif

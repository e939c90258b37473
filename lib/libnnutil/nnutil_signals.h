/* SPDX-License-Identifier: Apache-2.0 */
/* Signals in threads of ours, where they are the application's, and those that end our programs. */
#ifndef NNUTIL_SIGNALS_H
#define NNUTIL_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

/**
 * Block the signals that can be meant for another thread; a new thread inherits that. Those that
 * an instruction of the thread itself raises stay: blocked, they would end the process without a
 * word, past the application's crash handler or a sandbox's. *@before: for
 * nnutil_signals_restore().
 */
static inline void nnutil_signals_block(sigset_t *before)
{
	static const int own[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t others;

	sigfillset(&others);
	for (unsigned int i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, before);
}

static inline void nnutil_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/**
 * Of a program: a descriptor that is readable when SIGINT or SIGTERM has come, which are blocked.
 * Call it before the first thread is made: threads inherit the mask. -1 with errno.
 */
static inline int nnutil_signals_ends(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

#endif

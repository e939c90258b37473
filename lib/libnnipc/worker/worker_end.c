// SPDX-License-Identifier: Apache-2.0
/*
 * Ends of a worker that are not in order: it cannot go on, a mapped file became shorter, the host
 * is gone.
 */
#include "worker/nnipc_worker.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"

_Noreturn void nnipc_worker_die(const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	nnutil_log(NNUTIL_LOG_ERROR, "worker ends: %s", why);
	_exit(1);
}

/*
 * Files that become shorter than their mappings. A client may shrink a memory that the vendor
 * library has mapped: the worker is what is lost then, and the log says why.
 */

static void on_bus_error(int signal)
{
	static const char line[] =
		"nnapi: worker ends: bus error: a mapped file is shorter than its mapping; has the "
		"client shrunk a memory that is in use?\n";

	(void)signal;
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		_exit(2); /* the log has no reader */
	_exit(1);
}

void nnipc_bus_error_watch(void)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

/*
 * The end of the host. The main thread sees it, too, and ends the worker in order; but it may be in
 * the vendor library, or wait for threads that are, and no host is left to wait for the worker.
 */

#define GRACE_NS (500 * NNUTIL_NS_PER_MS)

static void *hang_up_watch(void *cookie)
{
	struct pollfd host = { .fd = (int)(intptr_t)cookie, .events = POLLRDHUP };
	struct timespec grace = nnutil_timespec(GRACE_NS);

	while (poll(&host, 1, -1) != 1)
		;
	while (nanosleep(&grace, &grace))
		;
	_exit(0);
}

int nnipc_hang_up_watch(int sock)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, hang_up_watch, (void *)(intptr_t)sock);

	if (!ret)
		pthread_detach(thread);
	return -ret;
}

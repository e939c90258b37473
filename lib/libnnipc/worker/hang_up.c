// SPDX-License-Identifier: Apache-2.0
/*
 * The end of the host. The main thread sees it, too, and ends the worker in order; but it may be in
 * the vendor library, or wait for threads that are, and no host is left to wait for the worker.
 */
#include "worker/nnipc_worker.h"

#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"

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

// SPDX-License-Identifier: Apache-2.0
/*
 * Executions whose objects are gone, and their device too. As with any device they end by
 * themselves; so their worker is shut down after their fences have signalled, by a thread that
 * waits for that. If the worker dies, or this process does, the fences fail and nothing is waited
 * for.
 */
#include <poll.h>
#include <stdlib.h>

#include "host/connection_private.h"
#include "host/executor.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"

/* Between looks at whether the worker died: a fence need not be of its making. */
#define LOOK_MS 1000

static bool is_pending(int fence)
{
	int64_t unused;

	return nnutil_fence_status(fence, &unused) == 0;
}

/* Under the lock, or with the last reference. */
static void forget_signalled(struct nnipc_abandoned_fences *a)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < a->num; i++) {
		if (is_pending(a->fds[i]))
			a->fds[kept++] = a->fds[i];
		else
			nnutil_fd_close(a->fds[i]);
	}
	a->num = kept;
}

void nnipc_connection_forget_fences(struct nnipc_connection *c)
{
	for (uint32_t i = 0; i < c->abandoned.num; i++)
		nnutil_fd_close(c->abandoned.fds[i]);
	free(c->abandoned.fds);
}

void nnipc_connection_outlive(struct nnipc_connection *c, int fence)
{
	struct nnipc_abandoned_fences *a = &c->abandoned;
	int *fds;

	pthread_mutex_lock(&c->lock);
	forget_signalled(a);
	if (a->num == a->max) {
		fds = reallocarray(a->fds, 2 * (size_t)a->max + 8, sizeof(*fds));
		if (fds) {
			a->fds = fds;
			a->max = 2 * a->max + 8;
		}
	}
	if (a->num < a->max)
		a->fds[a->num++] = fence;
	else
		/* out of memory: it fails if the device is closed before it signals */
		nnutil_fd_close(fence);
	pthread_mutex_unlock(&c->lock);
}

static void linger(void *cookie)
{
	struct nnipc_connection *c = cookie;
	struct nnipc_abandoned_fences *a = &c->abandoned;

	/* one after the other: all have to signal */
	while (a->num && !nnipc_connection_is_dead(c)) {
		struct pollfd fence = { .fd = a->fds[a->num - 1], .events = POLLIN };

		if (poll(&fence, 1, LOOK_MS) == 1)
			nnutil_fd_close(a->fds[--a->num]);
	}
	a->finish(c);
}

bool nnipc_connection_linger(struct nnipc_connection *c, void (*finish)(struct nnipc_connection *c))
{
	c->abandoned.finish = finish;
	forget_signalled(&c->abandoned);
	return c->abandoned.num && !nnipc_connection_is_dead(c) && !nnipc_executor_run(linger, c);
}

// SPDX-License-Identifier: Apache-2.0
#include "host/nnipc_host.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "nnutil_process.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the next; taken alone */
static struct nnipc_pending_fence *fresh; /* the thread does not know them yet */
static bool running; /* the thread is there, or about to be */
static int wake = -1; /* an eventfd for it; -1: it is not running */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

/* The objects are the parent's, and so is the thread. */
static void after_fork(bool child)
{
	if (child) {
		fresh = NULL;
		running = false;
		wake = -1; /* closed as any descriptor that is kept from children */
	}
	pthread_mutex_unlock(&lock);
}

/* ---- the thread ---- */

/* What it watches: fds[0] is the eventfd, fds[i + 1] the fence of list[i]. */
struct watched {
	struct pollfd *fds;
	struct nnipc_pending_fence **list;
	size_t count, room;
};

static bool pending_fence_reserve(struct watched *w)
{
	size_t room = w->room ? w->room * 2 : 16;
	struct nnipc_pending_fence **list;
	struct pollfd *fds;

	if (w->count < w->room)
		return true;
	fds = realloc(w->fds, (room + 1) * sizeof(*fds));
	if (!fds)
		return false;
	w->fds = fds;
	list = realloc(w->list, room * sizeof(struct nnipc_pending_fence *));
	if (!list)
		return false;
	w->list = list;
	w->room = room;
	return true;
}

/* Takes over those that came. False: there is nothing to watch, and the thread is not there. */
static bool pending_fence_take(struct watched *w)
{
	struct nnipc_pending_fence *list, *p;
	bool more;

	pthread_mutex_lock(&lock);
	list = fresh;
	fresh = NULL;
	more = list || w->count;
	if (!more) {
		running = false;
		nnutil_fd_close(wake);
		wake = -1;
	}
	pthread_mutex_unlock(&lock);
	while ((p = list)) {
		list = p->next;
		if (!pending_fence_reserve(w)) {
			/* without memory for the wait, the fence counts as ended */
			p->ended(p);
			continue;
		}
		w->list[w->count++] = p;
		w->fds[w->count] = (struct pollfd){ .fd = p->fence, .events = POLLIN };
	}
	return more;
}

static void end_all(void *list)
{
	struct nnipc_pending_fence *next;

	for (struct nnipc_pending_fence *p = list; p; p = next) {
		next = p->next;
		p->ended(p);
	}
}

/*
 * The last that is done with an object may end its worker, and waits for that. So another thread
 * does it, and this one goes on watching.
 */
static void end_elsewhere(struct nnipc_pending_fence *list)
{
	if (list && nnipc_executor_run(end_all, list))
		end_all(list);
}

static void pending_fence_watch(struct watched *w)
{
	struct nnipc_pending_fence *list = NULL;
	uint64_t unused;

	/* of this thread while it runs */
	w->fds[0] = (struct pollfd){ .fd = wake, .events = POLLIN };
	if (poll(w->fds, (nfds_t)w->count + 1, -1) < 0)
		return;
	if (w->fds[0].revents && read(wake, &unused, sizeof(unused)) < 0 && errno != EAGAIN)
		return;
	for (size_t i = w->count; i-- > 0;) {
		struct nnipc_pending_fence *p = w->list[i];

		if (!w->fds[i + 1].revents)
			continue;
		w->count--;
		w->list[i] = w->list[w->count];
		w->fds[i + 1] = w->fds[w->count + 1];
		p->next = list;
		list = p;
	}
	end_elsewhere(list);
}

static void pending_fence_run(void *unused)
{
	struct watched w = { 0 };

	while (pending_fence_take(&w))
		if (w.count)
			pending_fence_watch(&w);
	free(w.fds);
	free(w.list);
	(void)unused;
}

/* ---- others ---- */

/* There is no thread: all that came meanwhile end at once, but for @p. */
static void give_up(const struct nnipc_pending_fence *p)
{
	struct nnipc_pending_fence *list, *next;

	pthread_mutex_lock(&lock);
	list = fresh;
	fresh = NULL;
	running = false;
	nnutil_fd_close(wake);
	wake = -1;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->next;
		if (list != p)
			list->ended(list);
	}
}

bool nnipc_watch_fence(struct nnipc_pending_fence *p)
{
	static struct nnutil_fork_handler handler = { .before = before_fork, .after = after_fork };
	bool start, good;

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&lock);
	start = !running;
	if (start)
		wake = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	good = wake >= 0;
	if (good) {
		running = true;
		p->next = fresh;
		fresh = p;
		/* the thread that starts looks at the list first */
		good = start || !eventfd_write(wake, 1) || errno == EAGAIN;
	}
	pthread_mutex_unlock(&lock);
	if (!good || !start || !nnipc_executor_run(pending_fence_run, NULL))
		return good;
	give_up(p);
	return false;
}

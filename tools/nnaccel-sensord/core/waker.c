// SPDX-License-Identifier: Apache-2.0
#include "core/sensord_core.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nnutil_process.h"

struct waker {
	struct waker *next;
	uid_t user;
	unsigned int references;
	pthread_t thread;
	sem_t added; /* there was nothing before */
	atomic_bool end;
	struct wake_up *_Atomic waiting; /* last in, first out */
	pthread_mutex_t sending; /* held while wake-ups are taken and sent */
};

static pthread_mutex_t wakers_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list and its counts
								 */
static struct waker *wakers;

void wake_up_send(struct wake_up *wake_up)
{
	const uint64_t one = 1;

	send(wake_up->fd, &one, sizeof(one), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void waker_add(struct waker *waker, struct wake_up *wake_up)
{
	struct wake_up *first;

	if (atomic_exchange(&wake_up->waits, true))
		return;
	first = atomic_load(&waker->waiting);
	do
		wake_up->next = first;
	while (!atomic_compare_exchange_weak(&waker->waiting, &first, wake_up));
	if (!first)
		sem_post(&waker->added);
}

void waker_flush(struct waker *waker)
{
	struct wake_up *wake_up, *next;

	pthread_mutex_lock(&waker->sending);
	for (wake_up = atomic_exchange(&waker->waiting, NULL); wake_up; wake_up = next) {
		next = wake_up->next;
		/* before it is sent: an event that comes now is behind the reader's look */
		atomic_store(&wake_up->waits, false);
		wake_up_send(wake_up);
	}
	pthread_mutex_unlock(&waker->sending);
}

static void *waker_run(void *argument)
{
	struct waker *waker = argument;

	pthread_setname_np(pthread_self(), "waker");
	while (!atomic_load(&waker->end)) {
		while (sem_wait(&waker->added))
			;
		waker_flush(waker);
	}
	return NULL;
}

/* ---- one for each user ---- */

static int waker_new(uid_t user, struct waker **out)
{
	struct waker *waker = calloc(1, sizeof(*waker));
	sigset_t before;
	int ret;

	if (!waker)
		return -ENOMEM;
	waker->user = user;
	sem_init(&waker->added, 0, 0);
	pthread_mutex_init(&waker->sending, NULL);
	nnutil_signals_block(&before);
	ret = pthread_create(&waker->thread, NULL, waker_run, waker);
	nnutil_signals_restore(&before);
	if (ret) {
		free(waker);
		return -ret;
	}
	*out = waker;
	return 0;
}

int waker_get(uid_t user, struct waker **out)
{
	struct waker *waker;
	int ret = 0;

	pthread_mutex_lock(&wakers_lock);
	for (waker = wakers; waker && waker->user != user; waker = waker->next)
		;
	if (!waker) {
		ret = waker_new(user, &waker);
		if (!ret) {
			waker->next = wakers;
			wakers = waker;
		}
	}
	if (!ret) {
		waker->references++;
		*out = waker;
	}
	pthread_mutex_unlock(&wakers_lock);
	return ret;
}

void waker_put(struct waker *waker)
{
	struct waker **at = &wakers;
	bool last;

	pthread_mutex_lock(&wakers_lock);
	last = !--waker->references;
	while (last && *at != waker)
		at = &(*at)->next;
	if (last)
		*at = waker->next;
	pthread_mutex_unlock(&wakers_lock);
	if (!last)
		return;
	atomic_store(&waker->end, true);
	sem_post(&waker->added);
	pthread_join(waker->thread, NULL);
	sem_destroy(&waker->added);
	pthread_mutex_destroy(&waker->sending);
	free(waker);
}

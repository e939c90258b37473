// SPDX-License-Identifier: Apache-2.0
/*
 * Threads for asynchronous work. A work may last as long as a device computes and may wait for
 * other works' events, so none ever queues behind another: when no thread is idle a new one is
 * made. Idle threads leave after a while.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "runtime.h"

#define IDLE_SECONDS 10

struct work {
	struct work *next;
	void (*run)(void *cookie);
	void *cookie;
	const char *call; /* what messages name */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_wake;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;
/* Invariant: works waiting in the list <= idle threads that were woken or are about to look. */
static struct work *pool_first, **pool_last = &pool_first;
static unsigned int pool_idle, pool_waiting;

static void pool_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool_wake, &attr);
	pthread_condattr_destroy(&attr);
}

/* A child has none of the threads: it begins with an empty pool. */
void nnr_threads_forked(void)
{
	pthread_mutex_init(&pool_lock, NULL);
	pool_init();
	pool_first = NULL;
	pool_last = &pool_first;
	pool_idle = 0;
	pool_waiting = 0;
}

/* With pool_lock. The next work, after waiting for one; NULL: none came. */
static struct work *pool_take(void)
{
	struct timespec until;
	struct work *work;
	int error = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_SECONDS;
	pool_idle++;
	while (!pool_first && !error)
		error = pthread_cond_timedwait(&pool_wake, &pool_lock, &until);
	pool_idle--;
	work = pool_first;
	if (work) {
		pool_first = work->next;
		if (!pool_first)
			pool_last = &pool_first;
		pool_waiting--;
	}
	return work;
}

static void run_one(const struct work *work)
{
	NNUTIL_CALL(work->call);

	work->run(work->cookie);
}

static void *pool_thread(void *first)
{
	struct work *work = first;

	while (work) {
		run_one(work);
		free(work);
		pthread_mutex_lock(&pool_lock);
		work = pool_take();
		pthread_mutex_unlock(&pool_lock);
	}
	return NULL;
}

static int pool_grow(struct work *work)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	error = pthread_attr_init(&attr);
	if (error)
		return -error;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* with the stack that every thread has: libraries of vendors are called in it */
	/* signals are the application's: none is delivered to a thread of ours */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, pool_thread, work);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -error;
}

int nnr_thread_run(void (*run)(void *cookie), void *cookie)
{
	struct work *work;
	int error;

	nnr_fork_watch();
	pthread_once(&pool_once, pool_init);
	work = malloc(sizeof(*work));
	if (!work)
		return -ENOMEM;
	work->next = NULL;
	work->run = run;
	work->cookie = cookie;
	work->call = nnutil_call_name();
	pthread_mutex_lock(&pool_lock);
	if (pool_waiting < pool_idle) {
		*pool_last = work;
		pool_last = &work->next;
		pool_waiting++;
		pthread_cond_signal(&pool_wake);
		pthread_mutex_unlock(&pool_lock);
		return 0;
	}
	pthread_mutex_unlock(&pool_lock);
	error = pool_grow(work);
	if (error)
		free(work);
	return error;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Worker threads of the process, for prepare and asynchronous executions. They are made as work
 * comes, leave when idle, and belong to no device: so the last reference to a device may be dropped
 * by one of them. A worker that waits for a job keeps its thread, which bounds jobs in flight, not
 * queued work.
 *
 * The library is linked with -z nodelete: a worker may outlive its last user's dlclose().
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "hal.h"
#include "nntrace.h"

#define MAX_WORKERS 64u
#define IDLE_SECONDS 5

struct task {
	struct task *next;
	void (*work)(void *cookie);
	void *cookie;
	bool muted; /* whoever gave it writes no marks: nor does it */
};

static struct {
	pthread_mutex_t lock; /* of the fields below */
	pthread_cond_t more;
	struct task *head, **tail;
	unsigned int workers, idle, queued;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
	.tail = &pool.head,
};

/* Under pool.lock. NULL: nothing came for a while. */
static struct task *next_task(void)
{
	struct timespec until;
	struct task *task;
	int ret = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += IDLE_SECONDS;
	pool.idle++;
	while (!pool.head && !ret)
		ret = pthread_cond_timedwait(&pool.more, &pool.lock, &until);
	pool.idle--;
	task = pool.head;
	if (task) {
		pool.head = task->next;
		if (!pool.head)
			pool.tail = &pool.head;
		pool.queued--;
	}
	return task;
}

void nnhal_threads_forked(void)
{
	/* tasks stay with the process that they were given in */
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.more, NULL);
	pool.head = NULL;
	pool.tail = &pool.head;
	pool.workers = pool.idle = pool.queued = 0;
}

static void *worker(void *unused)
{
	const unsigned int process = nnhal_process_number();
	struct task *task;

	(void)unused;
	pthread_mutex_lock(&pool.lock);
	while ((task = next_task())) {
		pthread_mutex_unlock(&pool.lock);
		if (task->muted)
			nntrace_mute();
		task->work(task->cookie);
		if (task->muted)
			nntrace_unmute();
		free(task);
		/* a callback forked: the child is not one of its own workers */
		if (process != nnhal_process_number())
			return NULL;
		pthread_mutex_lock(&pool.lock);
	}
	pool.workers--;
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

/* Signals are the application's: none is ever delivered to a worker. */
static int start_worker(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	sigfillset(&all);
	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&thread, &attr, worker, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -ret;
}

int nnhal_run_async(void (*work)(void *cookie), void *cookie)
{
	struct task *task = malloc(sizeof(*task));
	int ret = 0;

	nnhal_process_watch();
	if (!task)
		return -ENOMEM;
	*task = (struct task){ .work = work, .cookie = cookie, .muted = nntrace_muted() };

	pthread_mutex_lock(&pool.lock);
	if (pool.queued >= pool.idle && pool.workers < MAX_WORKERS) {
		ret = start_worker();
		if (!ret)
			pool.workers++;
		else if (pool.workers)
			ret = 0; /* the others will come to it */
	}
	if (!ret) {
		*pool.tail = task;
		pool.tail = &task->next;
		pool.queued++;
		pthread_cond_signal(&pool.more);
	}
	pthread_mutex_unlock(&pool.lock);

	if (ret)
		free(task);
	return ret;
}

// SPDX-License-Identifier: Apache-2.0
/* Threads that run tasks. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "nnutil_thread_pool.h"

struct nnutil_task {
	struct nnutil_task *next;
	void (*work)(void *cookie);
	void *cookie;
	void *captured;
};

struct start {
	struct nnutil_pool *pool;
	unsigned int generation;
};

/* Under pool->lock. Timed waits must not depend on the wall clock, which a static initializer
 * would. */
static void set_clock(struct nnutil_pool *pool)
{
	pthread_condattr_t attr;

	if (pool->clock_set)
		return;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->more, &attr);
	pthread_condattr_destroy(&attr);
	pool->clock_set = 1;
}

void nnutil_pool_forked(struct nnutil_pool *pool)
{
	/* another thread may have held the lock; tasks stay with the process that they were given
	 * in */
	pthread_mutex_init(&pool->lock, NULL);
	pool->clock_set = 0;
	set_clock(pool);
	pool->head = NULL;
	pool->tail = &pool->head;
	pool->threads = pool->idle = pool->queued = 0;
	pool->generation++;
}

/* Under pool->lock. NULL: no task came for a while. */
static struct nnutil_task *next_task(struct nnutil_pool *pool)
{
	const struct timespec until =
		nnutil_timespec(nnutil_monotonic_ns() + pool->idle_seconds * NNUTIL_NS_PER_S);
	struct nnutil_task *task;
	int ret = 0;

	pool->idle++;
	while (!pool->head && !ret)
		ret = pthread_cond_timedwait(&pool->more, &pool->lock, &until);
	pool->idle--;
	task = pool->head;
	if (task) {
		pool->head = task->next;
		if (!pool->head)
			pool->tail = &pool->head;
		pool->queued--;
	}
	return task;
}

static void run_task(const struct nnutil_pool *pool, struct nnutil_task *task)
{
	if (pool->enter)
		pool->enter(task->captured);
	task->work(task->cookie);
	if (pool->leave)
		pool->leave(task->captured);
	free(task);
}

static void *pool_thread(void *cookie)
{
	struct nnutil_pool *pool = ((struct start *)cookie)->pool;
	const unsigned int generation = ((struct start *)cookie)->generation;
	struct nnutil_task *task;

	free(cookie);
	pthread_mutex_lock(&pool->lock);
	while ((task = next_task(pool))) {
		pthread_mutex_unlock(&pool->lock);
		run_task(pool, task);
		/* the task forked: in the child this thread is the application's, not the pool's */
		if (__atomic_load_n(&pool->generation, __ATOMIC_RELAXED) != generation)
			return NULL;
		pthread_mutex_lock(&pool->lock);
	}
	pool->threads--;
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static int start_thread(struct nnutil_pool *pool)
{
	struct start *start = malloc(sizeof(*start));
	sigset_t before;
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (!start)
		return -ENOMEM;
	*start = (struct start){ pool, pool->generation };
	ret = pthread_attr_init(&attr);
	if (ret)
		goto out_free;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	nnutil_signals_block(&before);
	ret = pthread_create(&thread, &attr, pool_thread, start);
	nnutil_signals_restore(&before);
	pthread_attr_destroy(&attr);
	if (!ret)
		return 0;
out_free:
	free(start);
	return -ret;
}

/* Under pool->lock. 0: the task can be queued. */
static int need_thread(struct nnutil_pool *pool)
{
	const bool limited = pool->max_threads != 0;
	int ret;

	if (pool->queued < pool->idle || (limited && pool->threads >= pool->max_threads))
		return 0;
	ret = start_thread(pool);
	if (!ret)
		pool->threads++;
	else if (limited && pool->threads)
		ret = 0; /* the threads that are there come to it */
	return ret;
}

int nnutil_pool_run(struct nnutil_pool *pool, void (*work)(void *cookie), void *cookie)
{
	struct nnutil_task *task = malloc(sizeof(*task));
	int ret;

	if (!task)
		return -ENOMEM;
	*task = (struct nnutil_task){ .work = work, .cookie = cookie };
	if (pool->capture)
		task->captured = pool->capture();

	pthread_mutex_lock(&pool->lock);
	set_clock(pool);
	ret = need_thread(pool);
	if (!ret) {
		*pool->tail = task;
		pool->tail = &task->next;
		pool->queued++;
		pthread_cond_signal(&pool->more);
	}
	pthread_mutex_unlock(&pool->lock);

	if (ret)
		free(task);
	return ret;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run tasks. Threads are made as tasks come and leave when they were idle for a while;
 * a pool without tasks has no threads. A pool is a static object and belongs to no other object, so
 * that a task may drop the last reference to anything. Libraries with a pool are linked with -z
 * nodelete: a thread can outlive dlclose().
 *
 * Signals are the application's: they are blocked in the threads (nnutil_process.h). Threads have
 * the default stack size, because vendor libraries are called in them.
 *
 * fork(): the child has none of the threads and none of the tasks. The library's fork handler calls
 * nnutil_pool_forked() in the child. A task that forks ends its thread in the child when the task
 * returns.
 */
#ifndef NNUTIL_THREAD_POOL_H
#define NNUTIL_THREAD_POOL_H

#include <pthread.h>

struct nnutil_task;

struct nnutil_pool {
	/* constant */
	unsigned int max_threads; /* 0: no limit, so that no task ever waits for another to end */
	unsigned int idle_seconds;
	/*
	 * What a task inherits from the thread that gave it, such as "writes no traces": capture()
	 * is called in nnutil_pool_run(), enter() and leave() around the task in its thread. NULL:
	 * nothing.
	 */
	void *(*capture)(void);
	void (*enter)(void *captured);
	void (*leave)(void *captured);

	pthread_mutex_t lock; /* protects the members below; no other lock is taken under it */
	pthread_cond_t more; /* CLOCK_MONOTONIC once clock_set */
	struct nnutil_task *head, **tail;
	/* queued <= idle, but for pools with a limit that is reached */
	unsigned int threads, idle, queued;
	unsigned int generation; /* counts forks: a thread of an older generation is not the pool's
				  */
	int clock_set;
};

/** Initializer of a static pool called @name. */
#define NNUTIL_POOL(name, max, idle_s, ...)                            \
	struct nnutil_pool name = { .max_threads = (max),              \
				    .idle_seconds = (idle_s),          \
				    .lock = PTHREAD_MUTEX_INITIALIZER, \
				    .tail = &name.head __VA_OPT__(, ) __VA_ARGS__ }

/**
 * Run @work(@cookie) on a thread of the pool. 0, -ENOMEM, or -EAGAIN (no thread can be made, and
 * none is there). With a limit, tasks are queued when all threads are busy. Any thread, also a
 * task.
 */
int nnutil_pool_run(struct nnutil_pool *pool, void (*work)(void *cookie), void *cookie);
/** In the child of a fork, before anything else uses the pool there. */
void nnutil_pool_forked(struct nnutil_pool *pool);

#endif

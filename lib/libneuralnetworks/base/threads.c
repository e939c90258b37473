// SPDX-License-Identifier: Apache-2.0
/*
 * Processes and threads: the one fork handler of the library, which calls those that files
 * registered; and threads for asynchronous work.
 */
#include <pthread.h>

#include "base/nnr_base.h"
#include "nnutil_log.h"
#include "nnutil_thread_pool.h"

typedef const struct nnr_fork_handlers *const entry;

/* the linker's names for the ends of the section; weak: there may be no entry */
extern entry __start_nnr_fork_handlers[] __attribute__((visibility("hidden"), weak));
extern entry __stop_nnr_fork_handlers[] __attribute__((visibility("hidden"), weak));

atomic_uint nnr_process = 1;

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void fork_before(void)
{
	for (entry *h = __start_nnr_fork_handlers; h < __stop_nnr_fork_handlers; h++)
		if ((*h)->before)
			(*h)->before();
}

static void after_in_parent(void)
{
	for (entry *h = __start_nnr_fork_handlers; h < __stop_nnr_fork_handlers; h++)
		if ((*h)->parent)
			(*h)->parent();
}

static void after_in_child(void)
{
	atomic_fetch_add_explicit(&nnr_process, 1, memory_order_relaxed);
	for (entry *h = __start_nnr_fork_handlers; h < __stop_nnr_fork_handlers; h++)
		if ((*h)->child)
			(*h)->child();
}

static void fork_watch(void)
{
	pthread_atfork(fork_before, after_in_parent, after_in_child);
}

void nnr_fork_watch(void)
{
	pthread_once(&watch_once, fork_watch);
}

/* ---- threads for asynchronous work ---- */

#define IDLE_SECONDS 10

static __thread struct nnutil_call call;

static void *capture(void)
{
	return (void *)nnutil_call_name();
}

static void worker_threads_enter(void *name)
{
	call = nnutil_call_begin(name);
}

static void worker_threads_leave(void *name)
{
	(void)name;
	nnutil_call_end(&call);
}

static NNUTIL_POOL(pool, 0, IDLE_SECONDS, .capture = capture, .enter = worker_threads_enter,
		   .leave = worker_threads_leave);

static void forked(void)
{
	nnutil_pool_forked(&pool);
}

NNR_FORK_HANDLERS(.child = forked);

int nnr_thread_run(void (*work)(void *cookie), void *cookie)
{
	nnr_fork_watch();
	return nnutil_pool_run(&pool, work, cookie);
}

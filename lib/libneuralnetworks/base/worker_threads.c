// SPDX-License-Identifier: Apache-2.0
/* Threads for asynchronous work. */
#include "nnutil_log.h"
#include "nnutil_thread_pool.h"

#include "base/nnr_base.h"

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

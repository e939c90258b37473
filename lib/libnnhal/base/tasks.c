// SPDX-License-Identifier: Apache-2.0
/*
 * Worker threads of the process, for preparations, asynchronous executions and the housekeeping of
 * devices. They belong to no device, so that a task may drop the last reference to one. A task that
 * waits for a job keeps its thread: that bounds the jobs in flight.
 *
 * The library is linked with -z nodelete: a worker may outlive the last dlclose().
 */
#include "base/nnhal_base.h"

#include "nnutil_process.h"
#include "nntrace.h"
#include "nnutil_thread_pool.h"

#define MAX_WORKERS 64u
#define IDLE_SECONDS 5

/* A task writes no trace if the thread that gave it writes none. */
static void *capture_muted(void)
{
	static char muted;

	return nntrace_muted() ? &muted : NULL;
}

static void tasks_enter(void *muted)
{
	if (muted)
		nntrace_mute();
}

static void tasks_leave(void *muted)
{
	if (muted)
		nntrace_unmute();
}

static NNUTIL_POOL(pool, MAX_WORKERS, IDLE_SECONDS, .capture = capture_muted, .enter = tasks_enter,
		   .leave = tasks_leave);

static void after_fork(bool child)
{
	if (child)
		nnutil_pool_forked(&pool);
}

int nnhal_run_async(void (*work)(void *cookie), void *cookie)
{
	static struct nnutil_fork_handler handler = { .after = after_fork };

	nnutil_process_watch(&handler);
	return nnutil_pool_run(&pool, work, cookie);
}

// SPDX-License-Identifier: Apache-2.0
/* The threads of callbacks. */
#include "host/nnipc_host.h"

#include "nnutil_process.h"
#include "nnutil_thread_pool.h"

#define IDLE_SECONDS 5

static NNUTIL_POOL(pool, 0, IDLE_SECONDS);

static void after_fork(bool child)
{
	if (child)
		nnutil_pool_forked(&pool);
}

int nnipc_executor_run(void (*work)(void *cookie), void *cookie)
{
	static struct nnutil_fork_handler handler = { .after = after_fork };

	nnutil_process_watch(&handler);
	return nnutil_pool_run(&pool, work, cookie);
}

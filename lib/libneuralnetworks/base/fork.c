// SPDX-License-Identifier: Apache-2.0
/* The one fork handler of the library. It calls those that files registered. */
#include <pthread.h>

#include "base/nnr_base.h"

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

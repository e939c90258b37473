// SPDX-License-Identifier: Apache-2.0
/* The one fork handler of the library. It calls those that files registered. */
#include <pthread.h>

#include "base/fork.h"

atomic_uint nnr_process = 1;

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static struct nnr_fork_handlers *all;

void nnr_fork_register(struct nnr_fork_handlers *handlers)
{
	handlers->next = all;
	all = handlers;
}

static void before(void)
{
	for (const struct nnr_fork_handlers *h = all; h; h = h->next)
		if (h->before)
			h->before();
}

static void after_in_parent(void)
{
	for (const struct nnr_fork_handlers *h = all; h; h = h->next)
		if (h->parent)
			h->parent();
}

static void after_in_child(void)
{
	atomic_fetch_add_explicit(&nnr_process, 1, memory_order_relaxed);
	for (const struct nnr_fork_handlers *h = all; h; h = h->next)
		if (h->child)
			h->child();
}

static void watch(void)
{
	pthread_atfork(before, after_in_parent, after_in_child);
}

void nnr_fork_watch(void)
{
	pthread_once(&watch_once, watch);
}

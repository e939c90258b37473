// SPDX-License-Identifier: Apache-2.0
/* Lifetime of a connection, and what is constant in it. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "host/connection_private.h"
#include "nnutil_process.h"

static void init_locks(struct nnipc_connection *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->send, NULL);
}

static void fini(struct nnipc_connection *c)
{
	nnutil_fd_close(c->control);
	nnutil_fd_close(c->wake);
	pthread_mutex_destroy(&c->send);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
	nnipc_description_free(&c->description);
	nnipc_target_free(&c->target);
	free(c);
}

int nnipc_connection_new(const struct nnipc_target *target, nnipc_died died, void *cookie,
			 struct nnipc_connection **connection)
{
	struct nnipc_connection *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		return ret;
	nnutil_process_watch(NULL);
	c->process = nnutil_process_number();
	c->died = died;
	c->cookie = cookie;
	c->control = -1;
	c->facts.how = target->how;
	atomic_init(&c->refs, 1);
	init_locks(c);
	c->wake = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (c->wake < 0)
		ret = -errno;
	else
		ret = nnipc_target_copy(&c->target, target);
	if (ret)
		fini(c);
	else
		*connection = c;
	return ret;
}

void nnipc_connection_discard(struct nnipc_connection *c)
{
	fini(c);
}

void nnipc_connection_get(struct nnipc_connection *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void nnipc_connection_put(struct nnipc_connection *c)
{
	/* the thread, the locks and the worker are the parent's */
	if (!c || nnipc_connection_inherited(c) ||
	    atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) > 1)
		return;
	nnipc_connection_stop(c);
	pthread_join(c->io, NULL);
	fini(c);
}

const struct nnipc_description *nnipc_connection_description(const struct nnipc_connection *c)
{
	return &c->description;
}

void nnipc_connection_facts(const struct nnipc_connection *c, struct nnipc_worker_facts *facts)
{
	*facts = c->facts;
}

const char *nnipc_connection_name(const struct nnipc_connection *c)
{
	if (c->target.spec)
		return c->target.spec;
	return c->target.how == NNIPC_SERVICE ? "the service" : "the default device";
}

/* ---- rings ---- */

int nnipc_connection_watch(struct nnipc_connection *c, struct nnipc_watched_rings *node)
{
	int ret = -EPIPE;

	if (nnipc_connection_is_dead(c))
		return ret;
	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->dead)) {
		node->prev = NULL;
		node->next = c->rings;
		if (c->rings)
			c->rings->prev = node;
		c->rings = node;
		ret = 0;
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}

void nnipc_connection_unwatch(struct nnipc_connection *c, struct nnipc_watched_rings *node)
{
	if (nnipc_connection_inherited(c))
		return;
	pthread_mutex_lock(&c->lock);
	if (node->prev)
		node->prev->next = node->next;
	else
		c->rings = node->next;
	if (node->next)
		node->next->prev = node->prev;
	pthread_mutex_unlock(&c->lock);
}

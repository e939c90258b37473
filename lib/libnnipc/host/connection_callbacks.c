// SPDX-License-Identifier: Apache-2.0
/* Callbacks of a connection. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/connection_private.h"
#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"

/* The callbacks that a worker owes. */

static struct nnipc_pending **bucket(struct nnipc_pending_callbacks *t, uint64_t number)
{
	return &t->buckets[number % NNIPC_CALLBACK_BUCKETS];
}

static uint32_t *count_of(struct nnipc_pending_callbacks *t, uint32_t method)
{
	return method == NNIPC_NOTIFY_PREPARED ? &t->prepared : &t->executed;
}

/* Gives @callback its number. */
static void pending_callbacks_add(struct nnipc_pending_callbacks *t, struct nnipc_pending *callback)
{
	struct nnipc_pending **at;

	callback->number = ++t->last;
	at = bucket(t, callback->number);
	callback->next = *at;
	*at = callback;
	(*count_of(t, callback->method))++;
}

/* Takes it out. NULL: there is none, or it waits for another method (@method 0: any). */
static struct nnipc_pending *pending_callbacks_take(struct nnipc_pending_callbacks *t,
						    uint64_t number, uint32_t method)
{
	for (struct nnipc_pending **at = bucket(t, number); *at; at = &(*at)->next) {
		struct nnipc_pending *callback = *at;

		if (callback->number != number || (method && callback->method != method))
			continue;
		*at = callback->next;
		callback->next = NULL;
		(*count_of(t, callback->method))--;
		return callback;
	}
	return NULL;
}

/* Takes all out, as a list. */
static struct nnipc_pending *pending_callbacks_take_all(struct nnipc_pending_callbacks *t)
{
	struct nnipc_pending *all = NULL;

	for (uint32_t i = 0; i < NNIPC_CALLBACK_BUCKETS; i++) {
		while (t->buckets[i]) {
			struct nnipc_pending *callback = t->buckets[i];

			t->buckets[i] = callback->next;
			callback->next = all;
			all = callback;
		}
	}
	t->prepared = t->executed = 0;
	return all;
}

uint64_t nnipc_callback_add(struct nnipc_connection *c, uint32_t method, nnipc_notified fn,
			    void *cookie)
{
	struct nnipc_pending *callback;
	uint64_t number = 0;

	if (nnipc_connection_is_dead(c))
		return 0;
	callback = calloc(1, sizeof(*callback));
	if (!callback)
		return 0;
	*callback = (struct nnipc_pending){ .c = c, .method = method, .fn = fn, .cookie = cookie };
	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->dead)) {
		pending_callbacks_add(&c->callbacks, callback);
		number = callback->number;
	}
	pthread_mutex_unlock(&c->lock);
	if (number)
		nnipc_connection_get(c);
	else
		free(callback);
	return number;
}

bool nnipc_callback_remove(struct nnipc_connection *c, uint64_t number)
{
	struct nnipc_pending *callback;

	if (nnipc_connection_inherited(c))
		return false;
	pthread_mutex_lock(&c->lock);
	callback = pending_callbacks_take(&c->callbacks, number, 0);
	pthread_mutex_unlock(&c->lock);
	if (!callback)
		return false;
	free(callback);
	nnipc_connection_put(c);
	return true;
}

/* On the executor. */
static void connection_callbacks_run(void *cookie)
{
	struct nnipc_pending *callback = cookie;
	struct nnipc_connection *c = callback->c;
	char why[128];

	if (callback->error)
		callback->fn(callback->cookie, callback->error, callback->method, NULL);
	else if (callback->fn(callback->cookie, 0, callback->method, &callback->frame.reader)) {
		snprintf(why, sizeof(why), "the answer of %s is malformed",
			 nnipc_method_name(callback->method));
		nnipc_connection_protocol_error(c, why);
	}
	nnipc_frame_fini(&callback->frame);
	free(callback);
	nnipc_connection_put(c);
}

static void dispatch(struct nnipc_connection *c, struct nnipc_pending *callback)
{
	if (!c->backlog && !nnipc_executor_run(connection_callbacks_run, callback))
		return;
	callback->next = c->backlog;
	c->backlog = callback;
}

bool nnipc_connection_catch_up(struct nnipc_connection *c)
{
	while (c->backlog) {
		struct nnipc_pending *callback = c->backlog, *next = callback->next;

		/* before it runs: it may drop the last reference but for those of the backlog */
		if (nnipc_executor_run(connection_callbacks_run, callback))
			return true;
		c->backlog = next;
	}
	return false;
}

void nnipc_connection_notified(struct nnipc_connection *c)
{
	const struct nnipc_header *h = &c->frame.header;
	struct nnipc_pending *callback = NULL;
	char why[128];

	if (h->kind == NNIPC_ONEWAY) {
		pthread_mutex_lock(&c->lock);
		callback = pending_callbacks_take(&c->callbacks, h->oid, h->method);
		pthread_mutex_unlock(&c->lock);
	}
	if (!callback) {
		snprintf(why, sizeof(why), "unexpected message %s, number %llu",
			 nnipc_method_name(h->method), (unsigned long long)h->oid);
		nnipc_connection_protocol_error(c, why);
		return;
	}
	callback->frame = c->frame;
	c->frame = (struct nnipc_frame){ 0 };
	dispatch(c, callback);
}

void nnipc_connection_abandon(struct nnipc_connection *c)
{
	struct nnipc_pending *all, *next;

	pthread_mutex_lock(&c->lock);
	all = pending_callbacks_take_all(&c->callbacks);
	pthread_mutex_unlock(&c->lock);
	for (; all; all = next) {
		next = all->next;
		all->error = -EPIPE;
		dispatch(c, all);
	}
}

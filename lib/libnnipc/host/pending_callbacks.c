// SPDX-License-Identifier: Apache-2.0
/* The callbacks that a worker owes. */
#include "host/nnipc_host.h"

#include "messages/nnipc_messages.h"

static struct nnipc_pending **bucket(struct nnipc_pending_callbacks *t, uint64_t number)
{
	return &t->buckets[number % NNIPC_CALLBACK_BUCKETS];
}

static uint32_t *count_of(struct nnipc_pending_callbacks *t, uint32_t method)
{
	return method == NNIPC_NOTIFY_PREPARED ? &t->prepared : &t->executed;
}

void nnipc_pending_callbacks_add(struct nnipc_pending_callbacks *t, struct nnipc_pending *callback)
{
	struct nnipc_pending **at;

	callback->number = ++t->last;
	at = bucket(t, callback->number);
	callback->next = *at;
	*at = callback;
	(*count_of(t, callback->method))++;
}

struct nnipc_pending *nnipc_pending_callbacks_take(struct nnipc_pending_callbacks *t,
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

struct nnipc_pending *nnipc_pending_callbacks_take_all(struct nnipc_pending_callbacks *t)
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

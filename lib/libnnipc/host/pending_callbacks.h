/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callbacks that a worker owes, by number. Numbers are never given twice. No lock: the
 * connection's protects a table. Private to lib/libnnipc/host.
 */
#ifndef NNIPC_PENDING_CALLBACKS_H
#define NNIPC_PENDING_CALLBACKS_H

#include "host/connection.h"

/** A callback; its memory is there before it is needed, so that it always comes. */
struct nnipc_pending {
	struct nnipc_pending *next; /* in a bucket, or a list of those to be called */
	struct nnipc_connection *c; /* a reference */
	uint64_t number;
	uint32_t method;
	nnipc_notified fn;
	void *cookie;
	int error; /* -EPIPE: the generation died, and there is no frame */
	struct nnipc_frame frame; /* the notification */
};

#define NNIPC_CALLBACK_BUCKETS 64u

struct nnipc_pending_callbacks {
	uint64_t last; /* number that was given */
	uint32_t prepared, executed; /* how many wait for each method */
	struct nnipc_pending *buckets[NNIPC_CALLBACK_BUCKETS];
};

/** Gives @callback its number. */
void nnipc_pending_callbacks_add(struct nnipc_pending_callbacks *t, struct nnipc_pending *callback);
/** Takes it out. NULL: there is none, or it waits for another method (@method 0: any). */
struct nnipc_pending *nnipc_pending_callbacks_take(struct nnipc_pending_callbacks *t,
						   uint64_t number, uint32_t method);
/** Takes all out, as a list. */
struct nnipc_pending *nnipc_pending_callbacks_take_all(struct nnipc_pending_callbacks *t);

#endif

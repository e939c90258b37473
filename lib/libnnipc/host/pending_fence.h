/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that goes on after its last object was destroyed. The worker ends with the last object, so
 * an object whose fence has not signalled yet stays until it has, or until its worker died. One
 * thread of the executor watches all of them, as long as there are any.
 */
#ifndef NNIPC_PENDING_FENCE_H
#define NNIPC_PENDING_FENCE_H

#include <stdbool.h>

struct nnipc_pending_fence {
	struct nnipc_pending_fence *next;
	int fence; /* stays the owner's */
	void (*ended)(struct nnipc_pending_fence *p); /* the last that is done with it */
};

/** False: no thread or descriptor to watch it; @p->ended() is not called. */
bool nnipc_watch_fence(struct nnipc_pending_fence *p);

#endif

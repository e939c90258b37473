/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that goes on after its last object was destroyed. The worker ends with the last object, so
 * an object whose fence has not signalled yet stays until it has, or until its worker died. One
 * thread of the executor watches all of them, as long as there are any.
 */
#ifndef NNIPC_LINGERING_H
#define NNIPC_LINGERING_H

#include <stdbool.h>

struct nnipc_lingering {
	struct nnipc_lingering *next;
	int fence; /* stays the owner's */
	void (*ended)(struct nnipc_lingering *l); /* the last that is done with it */
};

/** False: no thread or descriptor to watch it; @l->ended() is not called. */
bool nnipc_linger(struct nnipc_lingering *l);

#endif

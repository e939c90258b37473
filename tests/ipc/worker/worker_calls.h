/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of every method that a worker takes on a lane, as an honest client sends them. */
#ifndef WORKER_CALLS_H
#define WORKER_CALLS_H

#include "worker_client.h"

/** Objects of each kind, in the order of the methods' high byte; [0] and [1] are 0. */
struct objects {
	uint64_t oids[7];
};
/** Make one of each kind. */
/** From now on requests have a number of pools, and no list of them. */
void calls_lose_pools(void);
void objects_make(struct client *c, struct objects *o);

struct method {
	uint32_t number;
	/** Arguments into @w. */
	void (*put)(struct nnipc_writer *w, const struct objects *o);
};
extern const struct method methods[];
extern const size_t num_methods;
/** The object of a method. */
uint64_t object_of(const struct objects *o, uint32_t method);

/** Memories of the calls; before and after all. */
void calls_init(void);
void calls_fini(void);

#endif

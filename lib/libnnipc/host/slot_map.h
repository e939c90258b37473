/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots of a burst: the places where the worker keeps the memories that were sent to it. A memory
 * that the client numbered keeps its slot until the number is released; one without a number has a
 * slot for one execution. Knows no connection. Any thread, one at a time.
 */
#ifndef NNIPC_SLOT_MAP_H
#define NNIPC_SLOT_MAP_H

#include "nnhal.h"

#define NNIPC_NO_SLOT UINT32_MAX

struct nnipc_slot_entry;

struct nnipc_slot_map {
	struct nnipc_slot_entry *list; /* NNIPC_BURST_SLOTS once the first is taken */
	uint32_t used; /* places of @list that were taken once */
	uint32_t free; /* first free one of these */
	uint32_t buckets[64]; /* by number of the client */
	/* of the request in progress */
	uint32_t *numbers; /* by pool */
	bool *fresh; /* by pool: the worker does not have the memory yet */
	uint32_t num_pools, room;
};

void nnipc_slot_map_init(struct nnipc_slot_map *s);
void nnipc_slot_map_fini(struct nnipc_slot_map *s);

/**
 * nnipc_slot_map_assign() - slots for the pools of a request
 * @s: @numbers and @fresh are set; pools that are device buffers have NNIPC_NO_SLOT
 * @request: request
 * @tokens: the client's number of each pool, -1 or more
 * @num_fresh: set to the number of pools that are @fresh
 *
 * Memory whose number means another memory gets a slot of its own, for the vendor library to judge.
 *
 * Return: 0, to be followed by nnipc_slot_map_settle(); -ENOSPC: too few slots, -ENOMEM; nothing is
 * taken then.
 */
int nnipc_slot_map_assign(struct nnipc_slot_map *s, const struct nnhal_request *request,
			  const int64_t *tokens, uint32_t *num_fresh);
/** The request ended. Unless it was @good, the memories that it brought are forgotten. */
void nnipc_slot_map_settle(struct nnipc_slot_map *s, bool good);

/** The client released @token (0 or more). Returns the slot that is free now, or NNIPC_NO_SLOT. */
uint32_t nnipc_slot_map_release(struct nnipc_slot_map *s, int64_t token);

#endif

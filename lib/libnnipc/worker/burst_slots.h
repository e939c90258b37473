/* SPDX-License-Identifier: Apache-2.0 */
/* The memories of a burst that the host names by slot. One thread. */
#ifndef NNIPC_BURST_SLOTS_H
#define NNIPC_BURST_SLOTS_H

#include "messages/hal_codec.h"
#include "messages/methods.h"
#include "wire/frame.h"

struct nnipc_burst_slots {
	struct nnhal_memory memories[NNIPC_BURST_SLOTS]; /* fd -1: none */
	bool used[NNIPC_BURST_SLOTS]; /* a client's memory may lack its descriptor */
	struct nnipc_frame frame;
};
void nnipc_burst_slots_init(struct nnipc_burst_slots *s);
/** Closes all memories. */
void nnipc_burst_slots_fini(struct nnipc_burst_slots *s);
/**
 * Receive @count memories from @sock, all of them even if there is no room for one. 0; -EPIPE: the
 * host has closed the burst; -EMFILE: no room for one; another error: the host breaks the protocol.
 */
int nnipc_burst_slots_receive(struct nnipc_burst_slots *s, int sock, uint32_t count);
/** Empty a slot; false: there is no such slot. */
bool nnipc_burst_slots_drop(struct nnipc_burst_slots *s, uint32_t slot);
/** Put the memories of slots into the pools of @request; false: a slot is empty, or none. */
bool nnipc_burst_slots_fill(const struct nnipc_burst_slots *s, struct nnipc_request *request);

#endif

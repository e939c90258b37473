// SPDX-License-Identifier: Apache-2.0
/* The memories of a burst that the host names by slot. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "wire/nnipc_wire.h"

/* The host sends a memory just before, or just after, the packet that needs it. */
#define PATIENCE_NS (10 * NNUTIL_NS_PER_S)

static void empty(struct nnhal_memory *memory)
{
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = (struct nnhal_memory){ .fd = -1 };
}

void nnipc_burst_slots_init(struct nnipc_burst_slots *s)
{
	for (uint32_t i = 0; i < NNIPC_BURST_SLOTS; i++) {
		s->memories[i] = (struct nnhal_memory){ .fd = -1 };
		s->used[i] = false;
	}
	s->frame = (struct nnipc_frame){ 0 };
}

void nnipc_burst_slots_fini(struct nnipc_burst_slots *s)
{
	for (uint32_t i = 0; i < NNIPC_BURST_SLOTS; i++)
		empty(&s->memories[i]);
	nnipc_frame_fini(&s->frame);
}

static int burst_slots_take(struct nnipc_burst_slots *s, struct nnipc_reader *in)
{
	struct nnipc_burst_memory m;
	int ret;

	nnipc_get_burst_memory(in, &m);
	ret = nnipc_reader_end(in);
	if (!ret && (!m.memory || m.slot >= NNIPC_BURST_SLOTS))
		ret = -EBADMSG;
	if (ret) {
		nnipc_burst_memory_free(&m);
		return ret;
	}
	empty(&s->memories[m.slot]);
	s->memories[m.slot] = *m.memory;
	s->used[m.slot] = true;
	return 0;
}

int nnipc_burst_slots_receive(struct nnipc_burst_slots *s, int sock, uint32_t count)
{
	int lost = 0, ret;

	if (count > NNIPC_BURST_SLOTS)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		ret = nnipc_frame_receive(sock, &s->frame, PATIENCE_NS);
		if (ret && ret != -EMFILE)
			return ret;
		if (s->frame.header.kind != NNIPC_ONEWAY ||
		    s->frame.header.method != NNIPC_BURST_MEMORY)
			return -EPROTO;
		/* those behind it are not for the next request */
		if (ret) {
			lost = ret;
			continue;
		}
		ret = burst_slots_take(s, &s->frame.reader);
		if (ret)
			return ret;
	}
	return lost;
}

bool nnipc_burst_slots_drop(struct nnipc_burst_slots *s, uint32_t slot)
{
	if (slot >= NNIPC_BURST_SLOTS)
		return false;
	empty(&s->memories[slot]);
	s->used[slot] = false;
	return true;
}

bool nnipc_burst_slots_fill(const struct nnipc_burst_slots *s, struct nnipc_request *request)
{
	/* a list without elements is the vendor library's to refuse */
	for (uint32_t i = 0; request->slots && i < request->request.num_pools; i++) {
		uint32_t slot = request->slots[i];

		if (slot == UINT32_MAX)
			continue;
		if (slot >= NNIPC_BURST_SLOTS || !s->used[slot])
			return false;
		request->pools[i].memory = s->memories[slot];
	}
	return true;
}

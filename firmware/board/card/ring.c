// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "board.h"

int ring_open(struct ring *ring, const struct host_memory *memory, uint64_t bus, uint64_t slots,
	      bool producer)
{
	struct ring r = { .memory = memory, .bus = bus };
	uint32_t head, tail;

	if (slots < NNACCEL_RING_SLOTS_MIN || slots > NNACCEL_RING_SLOTS_MAX ||
	    (slots & (slots - 1)) || (bus & (NNACCEL_SLOT_SIZE - 1)))
		return -EINVAL;
	r.size = sizeof(*r.ctl) + slots * NNACCEL_SLOT_SIZE;
	r.ctl = host_memory_get(memory, bus, r.size);
	if (!r.ctl)
		return -EINVAL;
	r.slot0 = (uint8_t *)(r.ctl + 1);
	r.slots = (uint32_t)slots;
	head = reg_get32(&r.ctl->head);
	tail = reg_get32(&r.ctl->tail);
	if (tail - head > slots) {
		ring_close(&r);
		return -EINVAL;
	}
	r.index = producer ? tail : head;
	*ring = r;
	return 0;
}

void ring_close(struct ring *ring)
{
	host_memory_put(ring->memory, ring->ctl, ring->bus, ring->size);
	ring->ctl = NULL;
}

int ring_filled(const struct ring *ring, uint32_t *filled)
{
	*filled = reg_get32(&ring->ctl->tail) - ring->index;
	return *filled > ring->slots ? -EPROTO : 0;
}

void ring_peek(const struct ring *ring, uint32_t ahead, void *slot)
{
	uint32_t at = (ring->index + ahead) & (ring->slots - 1);

	memcpy(slot, ring->slot0 + (size_t)at * NNACCEL_SLOT_SIZE, NNACCEL_SLOT_SIZE);
	/* Only the copy is used: the compiler must not read the slot again. */
	__asm__ volatile("" : : "r"(slot) : "memory");
}

void ring_consume(struct ring *ring, uint32_t slots)
{
	ring->index += slots;
	reg_set32(&ring->ctl->head, ring->index);
}

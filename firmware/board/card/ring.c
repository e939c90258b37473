// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "board.h"

int ring_open(struct ring *ring, const struct guest_ram *ram, uint64_t bus, uint64_t slots,
	      bool producer)
{
	struct ring r = { 0 };
	uint32_t head, tail;

	if (slots < NNACCEL_RING_SLOTS_MIN || slots > NNACCEL_RING_SLOTS_MAX ||
	    (slots & (slots - 1)) || (bus & (NNACCEL_SLOT_SIZE - 1)))
		return -EINVAL;
	r.ctl = guest_ram_ptr(ram, bus, sizeof(*r.ctl) + slots * NNACCEL_SLOT_SIZE);
	if (!r.ctl)
		return -EINVAL;
	r.slot0 = (uint8_t *)(r.ctl + 1);
	r.slots = (uint32_t)slots;
	head = reg_get32(&r.ctl->head);
	tail = reg_get32(&r.ctl->tail);
	if (tail - head > slots)
		return -EINVAL;
	r.index = producer ? tail : head;
	*ring = r;
	return 0;
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

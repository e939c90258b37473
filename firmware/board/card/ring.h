/* SPDX-License-Identifier: Apache-2.0 */
/* One ring of the host. */
#ifndef NNBOARD_RING_H
#define NNBOARD_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "card/guest_ram.h"
#include "nnaccel/nnaccel_ring.h"

/**
 * One ring as the card sees it: where it is, and the card's own index, which the host cannot
 * change.
 */
struct ring {
	struct nnaccel_ring_ctl *ctl;
	uint8_t *slot0;
	uint32_t slots;
	uint32_t index; /* consumer: head; producer: tail */
};

/**
 * Take over a ring at bus address @bus whose indices are as the host left them: at most @slots
 * filled. -EINVAL: size or address is not possible.
 */
int ring_open(struct ring *ring, const struct guest_ram *ram, uint64_t bus, uint64_t slots,
	      bool producer);
/** Consumer: slots that are filled. -EPROTO: more than the ring has. */
int ring_filled(const struct ring *ring, uint32_t *filled);
/** Consumer: a private copy of the slot @ahead of the head. */
void ring_peek(const struct ring *ring, uint32_t ahead, void *slot);
/** Consumer: give @slots slots back to the host. */
void ring_consume(struct ring *ring, uint32_t slots);

#endif

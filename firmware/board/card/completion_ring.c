// SPDX-License-Identifier: Apache-2.0
/* The completion ring: opening, closing, room. */
#include <errno.h>

#include "card/card.h"
#include "board.h"

void completion_ring_init(struct completion_ring *cq)
{
	pthread_mutex_init(&cq->lock, NULL);
	pthread_cond_init(&cq->room, NULL);
}

int completion_ring_open(struct completion_ring *cq, const struct guest_ram *ram, uint64_t bus,
			 uint32_t slots)
{
	int err;

	pthread_mutex_lock(&cq->lock);
	err = ring_open(&cq->ring, ram, bus, slots, true);
	cq->open = !err;
	pthread_mutex_unlock(&cq->lock);
	return err;
}

void completion_ring_close(struct completion_ring *cq)
{
	pthread_mutex_lock(&cq->lock);
	cq->open = false;
	pthread_cond_broadcast(&cq->room);
	pthread_mutex_unlock(&cq->lock);
}

void completion_ring_room(struct completion_ring *cq)
{
	pthread_mutex_lock(&cq->lock);
	pthread_cond_broadcast(&cq->room);
	pthread_mutex_unlock(&cq->lock);
}

int completion_ring_free(const struct completion_ring *cq, uint32_t *free_slots)
{
	uint32_t used = cq->ring.index - reg_get32(&cq->ring.ctl->head);

	if (used > cq->ring.slots)
		return -EPROTO;
	*free_slots = cq->ring.slots - used;
	return 0;
}

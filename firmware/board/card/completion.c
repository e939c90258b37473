// SPDX-License-Identifier: Apache-2.0
/*
 * The completion ring: opening, closing, room; and posting completions, by any thread, which waits
 * while the ring is full.
 */
#include <errno.h>

#include "card/card.h"
#include "board.h"
#include "nnutil_clock.h"

void completion_ring_init(struct completion_ring *cq)
{
	pthread_mutex_init(&cq->lock, NULL);
	pthread_cond_init(&cq->room, NULL);
}

int completion_ring_open(struct completion_ring *cq, const struct host_memory *memory, uint64_t bus,
			 uint32_t slots)
{
	int err;

	pthread_mutex_lock(&cq->lock);
	err = ring_open(&cq->ring, memory, bus, slots, true);
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

/* Free slots, under the lock; -EPROTO: the head that the host wrote is impossible. */
static int completion_ring_free(const struct completion_ring *cq, uint32_t *free_slots)
{
	uint32_t used = cq->ring.index - reg_get32(&cq->ring.ctl->head);

	if (used > cq->ring.slots)
		return -EPROTO;
	*free_slots = cq->ring.slots - used;
	return 0;
}

/* Wait for a free slot, under the lock. -EPIPE: the ring was closed. */
static int cq_wait_room(struct card *card)
{
	struct completion_ring *cq = &card->cq;
	uint32_t free_slots = 0;
	int err;

	for (;;) {
		if (!cq->open)
			return -EPIPE;
		err = completion_ring_free(cq, &free_slots);
		if (err || free_slots)
			return err;
		/*
		 * The host stores its head, then loads cq_stalled; the card stores cq_stalled, then
		 * loads the head again. With the full barrier at least one of them sees the other's
		 * store.
		 */
		reg_set32(&card->regs->cq_stalled, 1);
		atomic_thread_fence(memory_order_seq_cst);
		err = completion_ring_free(cq, &free_slots);
		if (!err && !free_slots)
			pthread_cond_wait(&cq->room, &cq->lock);
		else if (err)
			return err;
		reg_set32(&card->regs->cq_stalled, 0);
	}
}

static void slot_fill(struct nnaccel_completion *slot, const struct nnaccel_completion *c)
{
	*slot = (struct nnaccel_completion){
		.kind = htole32(c->kind),
		.queue = htole32(c->queue),
		.seqno = htole64(c->seqno),
		.status = htole32(c->status),
		.generation = htole32(c->generation),
		.start_ns = htole64(c->start_ns),
		.end_ns = htole64(c->end_ns),
		.fault_addr = htole64(c->fault_addr),
		.value = htole64(c->value),
	};
}

void cq_post(struct card *card, const struct nnaccel_completion *c)
{
	struct completion_ring *cq = &card->cq;
	struct ring *ring = &cq->ring;
	int err;

	pthread_mutex_lock(&cq->lock);
	err = cq_wait_room(card);
	if (!err) {
		uint32_t at = ring->index & (ring->slots - 1);

		slot_fill((struct nnaccel_completion *)ring->slot0 + at, c);
		ring->index++;
		reg_set32(&ring->ctl->tail, ring->index);
	}
	pthread_mutex_unlock(&cq->lock);
	if (!err)
		card_raise(card, NNACCEL_IRQ_COMPLETION);
	else if (err != -EPIPE)
		card_fail(card, NNACCEL_FW_ERROR_RING);
}

void cq_post_admin(struct card *card, uint32_t id, uint32_t status, uint64_t value)
{
	uint64_t now = (uint64_t)nnutil_monotonic_ns();
	struct nnaccel_completion c = {
		.kind = NNACCEL_COMPLETION_ADMIN,
		.seqno = id,
		.status = status,
		.generation = card->generation,
		.start_ns = now,
		.end_ns = now,
		.value = value,
	};

	cq_post(card, &c);
}

void cq_break_tail(struct card *card)
{
	struct completion_ring *cq = &card->cq;

	pthread_mutex_lock(&cq->lock);
	if (cq->open)
		reg_set32(&cq->ring.ctl->tail, cq->ring.index + cq->ring.slots * 2 + 7);
	pthread_mutex_unlock(&cq->lock);
	card_raise(card, NNACCEL_IRQ_COMPLETION);
}

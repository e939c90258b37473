// SPDX-License-Identifier: Apache-2.0
/*
 * Registers of a queue: the job that has begun, whether it holds an engine, and its engine time.
 * Times are of the card's clock, also if a fault mode slows the core's. Called by the thread that
 * holds the queue.
 */
#include "card/card.h"
#include "board.h"
#include "nnutil_clock.h"

void queue_regs_clear(struct card *card, uint32_t queue)
{
	struct nnaccel_queue_time *time = &card->regs->queue_time[queue];
	struct nnaccel_queue_reg *reg = &card->regs->queue[queue];

	if (card->queues[queue].turn.on)
		atomic_fetch_sub(&card->running, 1);
	card->queues[queue].turn = (struct queue_turn){ 0 };
	reg_set32(&time->on_engine, 0);
	reg_set64(&time->run_ns, 0);
	reg_set64(&reg->progress, 0);
	reg_set64(&reg->seqno, 0);
}

void queue_regs_begin(struct card *card, uint32_t queue, uint64_t seqno)
{
	struct queue_turn *turn = &card->queues[queue].turn;

	if (turn->seqno == seqno)
		return;
	turn->seqno = seqno;
	turn->run_ns = 0;
	/* in this order: a reader of the new seqno does not see the time of the old job */
	reg_set64(&card->regs->queue_time[queue].run_ns, 0);
	reg_set64(&card->regs->queue[queue].seqno, seqno);
}

void queue_regs_touch(struct card *card, uint32_t queue)
{
	struct queue_turn *turn = &card->queues[queue].turn;

	if (turn->on && card->queue_time)
		reg_set64(&card->regs->queue_time[queue].run_ns,
			  turn->run_ns + ((uint64_t)nnutil_monotonic_ns() - turn->since_ns));
}

void queue_regs_turn(struct card *card, uint32_t queue, uint64_t seqno, bool on)
{
	struct nnaccel_queue_time *time = &card->regs->queue_time[queue];
	struct queue_turn *turn = &card->queues[queue].turn;
	uint64_t now = (uint64_t)nnutil_monotonic_ns();

	queue_regs_begin(card, queue, seqno);
	if (on) {
		turn->since_ns = now;
	} else if (turn->on) {
		turn->run_ns += now - turn->since_ns;
		atomic_fetch_add(&card->busy_ns, now - turn->since_ns);
	}
	if (on != turn->on)
		atomic_fetch_add(&card->running, on ? 1u : -1u);
	turn->on = on;
	if (!card->queue_time)
		return;
	reg_set64(&time->run_ns, turn->run_ns);
	reg_set32(&time->on_engine, on);
}

uint64_t queue_regs_run_ns(const struct card *card, uint32_t queue, uint64_t seqno)
{
	const struct queue_turn *turn = &card->queues[queue].turn;

	return card->queue_time && turn->seqno == seqno ? turn->run_ns : 0;
}

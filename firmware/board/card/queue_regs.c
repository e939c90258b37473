// SPDX-License-Identifier: Apache-2.0
/*
 * What the host may see of a queue: which job has begun, whether it has an engine, for how long it
 * had one. The time is the card's own, whatever clock a fault mode shows to the core. Called by the
 * thread that holds the queue.
 */
#include "card/queue_regs.h"
#include "regs.h"
#include "nnutil_clock.h"

void queue_regs_clear(struct card *card, uint32_t queue)
{
	struct nnaccel_queue_time *time = &card->regs->queue_time[queue];
	struct nnaccel_queue_reg *reg = &card->regs->queue[queue];

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
	/* in this order: who sees the number sees no time of the job before */
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
	}
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

// SPDX-License-Identifier: Apache-2.0
/* Common functions of the card: interrupts, waiting, state and counters. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "card/card.h"
#include "nnaccel/nnaccel_emu.h"
#include "nnutil_clock.h"
#include "board.h"

void card_raise(struct card *card, enum nnaccel_irq vector)
{
	if (card->emulated)
		ioctl(card->irq[vector], NNACCEL_EMU_IOC_RAISE, vector);
	else
		eventfd_write(card->irq[vector], 1);
}

bool card_wait(int eventfd, int other, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = eventfd, .events = POLLIN },
		{ .fd = other, .events = POLLIN },
	};
	bool rung = false;
	eventfd_t value;

	if (poll(fds, 2, timeout_ms) <= 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (fds[i].revents & POLLIN)
			rung |= eventfd_read(fds[i].fd, &value) == 0;
	return rung;
}

void card_set_state(struct card *card, enum nnaccel_fw_state state)
{
	reg_set32(&card->regs->fw_state, state);
	card_raise(card, NNACCEL_IRQ_EVENT);
}

void card_fail(struct card *card, enum nnaccel_fw_error error)
{
	if (atomic_exchange(&card->failed, true))
		return;
	atomic_store(&card->serving, false);
	fprintf(stderr, "nnaccel-card: generation %u failed, error %d\n", card->generation, error);
	reg_set32(&card->regs->fw_error, error);
	completion_ring_close(&card->cq);
	card_set_state(card, NNACCEL_FW_FAILED);
}

void card_update_telemetry(struct card *card)
{
	const struct telemetry *t = &card->telemetry;
	struct nnaccel_regs *regs = card->regs;

	telemetry_update(&card->telemetry, (uint64_t)nnutil_monotonic_ns(),
			 atomic_load(&card->busy_ns), atomic_load(&card->running),
			 card->config.threads);
	reg_set32(&regs->temperature_mc, (uint32_t)(int32_t)lrint(t->temperature * 1000));
	reg_set32(&regs->power_mw, (uint32_t)lrint(t->power * 1000));
	reg_set32(&regs->clock_mhz, t->clock_mhz);
}

void card_update_stats(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;
	struct nnfw_stats stats;

	pthread_mutex_lock(&card->fw_lock);
	if (card->fw) {
		nnfw_stats(card->fw, &stats);
		reg_set64(&regs->bytes_direct, stats.bytes_direct);
		reg_set64(&regs->bytes_bounced, stats.bytes_bounced);
		reg_set64(&regs->bytes_loaded, stats.bytes_loaded);
		reg_set64(&regs->jobs_done, stats.jobs_done);
	}
	pthread_mutex_unlock(&card->fw_lock);
}

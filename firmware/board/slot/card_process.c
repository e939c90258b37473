// SPDX-License-Identifier: Apache-2.0
/* The card's process: start, supervision, kill, restart with the next generation. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnaccel/nnaccel_emu.h"
#include "nnutil_clock.h"
#include "board.h"
#include "slot/slot.h"

/** Period of checks for the RAM file until QEMU has created it. */
#define RAM_POLL_MS 20
/** A death within this time of the start is early. */
#define EARLY_MS 1000u
#define BACKOFF_MAX_MS 1000u

static void slot_raise_event(struct slot *slot)
{
	if (slot->node < 0)
		eventfd_write(slot->irq[NNACCEL_IRQ_EVENT], 1);
	else
		ioctl(slot->node, NNACCEL_EMU_IOC_RAISE, NNACCEL_IRQ_EVENT);
}

static void set_link(struct slot *slot, enum nnaccel_link link)
{
	reg_set32(&slot->regs->link, link);
	slot_raise_event(slot);
}

/* The card is dead: invalidate the state that it wrote. */
static void set_absent(struct slot *slot)
{
	reg_set32(&slot->regs->link, NNACCEL_LINK_ABSENT);
	reg_set32(&slot->regs->fw_state, NNACCEL_FW_BOOT);
}

/* Remove a fault that has fired, unless it is kept by "always". */
static void fault_settle(struct slot *slot)
{
	eventfd_t fired = 0;

	if (eventfd_read(slot->fired_fd, &fired) || !fired || slot->fault.always)
		return;
	if (slot->fault.mode == FAULT_EARLY_DEATH && slot->fault.times > 1)
		slot->fault.times--;
	else
		slot->fault = (struct fault_spec){ .mode = FAULT_NONE };
}

/* Wait for the end of the process, which was killed or has died. */
static void card_process_reap(struct slot *slot)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)slot->pid, &info, WEXITED) < 0 && errno == EINTR)
		;
	close(slot->pidfd);
	slot->pidfd = -1;
	slot->pid = 0;
	slot->stopped = false;
	slot->held |= slot->hold_next;
	slot->hold_next = false;
	fault_settle(slot);
	set_absent(slot);
}

void card_process_kill(struct slot *slot)
{
	if (slot->pid > 0) {
		kill(slot->pid, SIGKILL);
		card_process_reap(slot);
		slot_raise_event(slot);
	}
}

void card_process_died(struct slot *slot)
{
	uint64_t now = (uint64_t)nnutil_monotonic_ns() / NNUTIL_NS_PER_MS;
	uint64_t delay = slot->opt.restart_delay_ms;

	card_process_reap(slot);
	slot_raise_event(slot);
	/* Back off: a card that cannot run must not load the machine. */
	slot->early_deaths = now - slot->started_ms < EARLY_MS ? slot->early_deaths + 1 : 0;
	if (slot->early_deaths > 3) {
		uint64_t more = 1ull << (slot->early_deaths < 16 ? slot->early_deaths : 16);

		delay += more < BACKOFF_MAX_MS ? more : BACKOFF_MAX_MS;
	}
	slot->start_at_ms = now + delay;
}

void card_process_reset_line(struct slot *slot)
{
	uint32_t req = reg_get32(&slot->regs->reset_req);

	if (slot->reset_off || req == reg_get32(&slot->regs->reset_ack))
		return;
	if (slot->pid > 0) {
		kill(slot->pid, SIGKILL);
		card_process_reap(slot);
	}
	slot->resets++;
	reg_set32(&slot->regs->reset_ack, req);
	slot_raise_event(slot);
	slot->immediate = true;
}

/* ---- starting ---- */

/* Open the RAM file if it exists in its full size, or the node once more, else -1. */
static int open_ram(const struct slot *slot)
{
	struct stat st;
	int fd;

	if (slot->node >= 0)
		return fcntl(slot->node, F_DUPFD_CLOEXEC, 0);
	fd = open(slot->opt.ram, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < slot->opt.ram_size) {
		close(fd);
		return -1;
	}
	return fd;
}

struct arguments {
	char fds[160], ram_size[24], ram_base[24], low_size[24], generation[16];
	char fault[FAULT_TEXT_SIZE];
	char *argv[24];
};

static void card_process_add(struct arguments *a, int *n, const char *option, const char *value)
{
	a->argv[(*n)++] = (char *)option;
	a->argv[(*n)++] = (char *)value;
}

static void fill_arguments(const struct slot *slot, int ram_fd, struct arguments *a)
{
	const struct slot_options *o = &slot->opt;
	int n = 0;

	snprintf(a->fds, sizeof(a->fds), "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", slot->bar2_fd, ram_fd,
		 slot->doorbell[0], slot->doorbell[1], slot->doorbell[2], slot->irq[0],
		 slot->irq[1], slot->irq[2], slot->irq[3], slot->fired_fd);
	snprintf(a->ram_size, sizeof(a->ram_size), "%" PRIu64, o->ram_size);
	snprintf(a->ram_base, sizeof(a->ram_base), "%" PRIu64, o->ram_base);
	snprintf(a->low_size, sizeof(a->low_size), "%" PRIu64, o->low_size);
	snprintf(a->generation, sizeof(a->generation), "%" PRIu32, slot->generation);
	fault_format(&slot->fault, a->fault, sizeof(a->fault));
	a->argv[n++] = (char *)o->card;
	card_process_add(a, &n, "--fds", a->fds);
	if (slot->node < 0) {
		card_process_add(a, &n, "--ram-size", a->ram_size);
		card_process_add(a, &n, "--ram-base", a->ram_base);
		card_process_add(a, &n, "--low-size", a->low_size);
	} else {
		a->argv[n++] = (char *)"--emulated";
	}
	card_process_add(a, &n, "--generation", a->generation);
	card_process_add(a, &n, "--fault", a->fault);
	if (o->threads)
		card_process_add(a, &n, "--threads", o->threads);
	if (o->program_quota)
		card_process_add(a, &n, "--program-quota", o->program_quota);
	if (o->arena_limit)
		card_process_add(a, &n, "--arena-limit", o->arena_limit);
	if (o->window_pieces)
		card_process_add(a, &n, "--window-pieces", o->window_pieces);
	a->argv[n] = NULL;
}

/* In the child. The card dies with the slot, also if the slot has died before prctl(). */
static void become_card(const struct slot *slot, const struct arguments *a, int ram_fd,
			pid_t parent)
{
	const int fds[] = {
		slot->bar2_fd,	   ram_fd,	   slot->doorbell[0], slot->doorbell[1],
		slot->doorbell[2], slot->irq[0],   slot->irq[1],      slot->irq[2],
		slot->irq[3],	   slot->fired_fd,
	};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		fcntl(fds[i], F_SETFD, 0);
	execv(slot->opt.card, a->argv);
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, slot->opt.card,
		strerror(errno));
	_exit(127);
}

static int card_process_start(struct slot *slot, int ram_fd)
{
	struct arguments a;
	pid_t parent = getpid();
	pid_t pid;

	slot->generation++;
	if (!slot->generation)
		slot->generation = 1;
	fill_arguments(slot, ram_fd, &a);
	/* No earlier card has memory of the host any more. */
	if (slot->node >= 0 && ioctl(slot->node, NNACCEL_EMU_IOC_START))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		become_card(slot, &a, ram_fd, parent);
	slot->pid = pid;
	slot->pidfd = pidfd_open(pid, 0);
	if (slot->pidfd < 0) {
		int err = -errno;

		kill(pid, SIGKILL);
		card_process_reap(slot);
		return err;
	}
	fcntl(slot->pidfd, F_SETFD, FD_CLOEXEC);
	slot->starts++;
	slot->started_ms = (uint64_t)nnutil_monotonic_ns() / NNUTIL_NS_PER_MS;
	set_link(slot, NNACCEL_LINK_PRESENT);
	return 0;
}

int card_process_start_if_due(struct slot *slot)
{
	uint64_t now = (uint64_t)nnutil_monotonic_ns() / NNUTIL_NS_PER_MS;
	int ram_fd, err;

	if (slot->pid > 0 || slot->held || slot->peer_left || slot->soc_off)
		return -1;
	if (!slot->immediate && now < slot->start_at_ms)
		return (int)(slot->start_at_ms - now);
	ram_fd = open_ram(slot);
	if (ram_fd < 0)
		return RAM_POLL_MS;
	slot->immediate = false;
	err = card_process_start(slot, ram_fd);
	close(ram_fd);
	if (!err)
		return -1;
	fprintf(stderr, "%s: cannot start the card: %s\n", program_invocation_short_name,
		strerror(-err));
	slot->start_at_ms = now + BACKOFF_MAX_MS;
	return BACKOFF_MAX_MS;
}

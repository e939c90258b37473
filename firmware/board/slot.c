// SPDX-License-Identifier: Apache-2.0
/* nnaccel-slot: options, setup, poll loop. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "slot.h"

static const char usage[] =
	"usage: nnaccel-slot --dir DIR --ram FILE --ram-size BYTES --card PATH [options]\n"
	"The socket that the emulated card sits in: ivshmem server, reset line, card keeper.\n"
	"  --dir DIR             where ivshmem.sock, control.sock and slot.pid are made\n"
	"  --ram FILE            guest RAM, a file that QEMU shares; waited for\n"
	"  --ram-size BYTES      its size\n"
	"  --low-size BYTES      of which below 4 GiB (default: as q35)\n"
	"  --card PATH           the nnaccel-card program\n"
	"  --fault SPEC          fault mode of the first card (Documentation/card.rst)\n"
	"  --restart-delay MS    between a death and the next start (default 20)\n"
	"  --foreground          stay; else return as soon as the sockets are there\n"
	"  --die-with-parent     end when the process that started this one ends\n"
	"  --threads N, --program-quota BYTES, --arena-limit BYTES, --window-pieces N\n"
	"                        passed on to the card\n";

uint64_t slot_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / 1000000u;
}

void slot_raise_event(struct slot *slot)
{
	eventfd_write(slot->irq[NNACCEL_IRQ_EVENT], 1);
}

static int parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end || *value > max ? -EINVAL : 0;
}

static int parse_options(int argc, char **argv, struct slot *slot)
{
	enum {
		DIR = 1,
		RAM,
		RAM_SIZE,
		LOW_SIZE,
		CARD,
		FAULT,
		DELAY,
		FOREGROUND,
		PARENT,
		THREADS,
		QUOTA,
		ARENA,
		PIECES
	};
	static const struct option longs[] = { { "dir", required_argument, NULL, DIR },
					       { "ram", required_argument, NULL, RAM },
					       { "ram-size", required_argument, NULL, RAM_SIZE },
					       { "low-size", required_argument, NULL, LOW_SIZE },
					       { "card", required_argument, NULL, CARD },
					       { "fault", required_argument, NULL, FAULT },
					       { "restart-delay", required_argument, NULL, DELAY },
					       { "foreground", no_argument, NULL, FOREGROUND },
					       { "die-with-parent", no_argument, NULL, PARENT },
					       { "threads", required_argument, NULL, THREADS },
					       { "program-quota", required_argument, NULL, QUOTA },
					       { "arena-limit", required_argument, NULL, ARENA },
					       { "window-pieces", required_argument, NULL, PIECES },
					       { 0 } };
	struct slot_options *o = &slot->opt;
	uint64_t n = 0;
	int c, err = 0;

	while (!err && (c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case DIR:
			o->dir = optarg;
			break;
		case RAM:
			o->ram = optarg;
			break;
		case RAM_SIZE:
			err = parse_number(optarg, UINT64_MAX, &o->ram_size);
			break;
		case LOW_SIZE:
			err = parse_number(optarg, UINT64_MAX, &o->low_size);
			break;
		case CARD:
			o->card = optarg;
			break;
		case FAULT:
			err = fault_parse(optarg, &slot->fault);
			break;
		case DELAY:
			err = parse_number(optarg, 3600000, &n);
			o->restart_delay_ms = (unsigned int)n;
			break;
		case FOREGROUND:
			o->foreground = true;
			break;
		case PARENT:
			o->die_with_parent = true;
			break;
		case THREADS:
			o->threads = optarg;
			break;
		case QUOTA:
			o->program_quota = optarg;
			break;
		case ARENA:
			o->arena_limit = optarg;
			break;
		case PIECES:
			o->window_pieces = optarg;
			break;
		default:
			return -EINVAL;
		}
		if (err)
			fprintf(stderr, "nnaccel-slot: bad value \"%s\"\n", optarg);
	}
	if (!err && (optind != argc || !o->dir || !o->ram || !o->card || !o->ram_size))
		err = -EINVAL;
	return err;
}

static int make_eventfds(int *fds, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fds[i] < 0)
			return -errno;
	}
	return 0;
}

static int make_bar2(struct slot *slot)
{
	slot->bar2_fd = memfd_create("nnaccel-bar2", MFD_CLOEXEC);
	if (slot->bar2_fd < 0 || ftruncate(slot->bar2_fd, NNBOARD_BAR2_SIZE))
		return -errno;
	slot->regs =
		mmap(NULL, NNBOARD_BAR2_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, slot->bar2_fd, 0);
	if (slot->regs == MAP_FAILED)
		return -errno;
	reg_set32(&slot->regs->link, NNACCEL_LINK_ABSENT);
	reg_set32(&slot->regs->layout_version, NNACCEL_CONTRACT_VERSION);
	reg_set32(&slot->regs->magic, NNACCEL_MAGIC);
	return 0;
}

static int setup(struct slot *slot)
{
	sigset_t signals;
	int err = make_bar2(slot);

	if (!err)
		err = make_eventfds(slot->doorbell, SLOT_VECTORS);
	if (!err)
		err = make_eventfds(slot->irq, SLOT_VECTORS);
	if (!err)
		err = make_eventfds(&slot->fired_fd, 1);
	if (err)
		return err;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	slot->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (slot->signal_fd < 0)
		return -errno;
	slot->ivshmem_listen = slot_listen(slot->opt.dir, "ivshmem.sock");
	if (slot->ivshmem_listen < 0)
		return slot->ivshmem_listen;
	slot->control_listen = slot_listen(slot->opt.dir, "control.sock");
	return slot->control_listen < 0 ? slot->control_listen : 0;
}

static void remove_file(const struct slot *slot, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", slot->opt.dir, name);
	unlink(path);
}

static int write_pid(const struct slot *slot, pid_t pid)
{
	char path[4096];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "%s/slot.pid", slot->opt.dir);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	n = fprintf(f, "%d\n", (int)pid);
	return fclose(f) || n < 0 ? -EIO : 0;
}

/* The caller goes on when everything is there; the slot stays behind in a session of its own. */
static int go_background(const struct slot *slot)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		return -errno;
	if (pid > 0)
		_exit(write_pid(slot, pid) ? 1 : 0);
	setsid();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	return 0;
}

enum { POLL_SIGNAL, POLL_RESET, POLL_IVSHMEM, POLL_CONTROL, POLL_PEER, POLL_CARD, POLL_FIXED };

static void poll_fill(const struct slot *slot, struct pollfd *fds)
{
	fds[POLL_SIGNAL] = (struct pollfd){ slot->signal_fd, POLLIN, 0 };
	fds[POLL_RESET] = (struct pollfd){ slot->doorbell[NNACCEL_DOORBELL_RESET], POLLIN, 0 };
	fds[POLL_IVSHMEM] = (struct pollfd){ slot->ivshmem_listen, POLLIN, 0 };
	fds[POLL_CONTROL] = (struct pollfd){ slot->control_listen, POLLIN, 0 };
	fds[POLL_PEER] = (struct pollfd){ slot->peer, POLLIN, 0 };
	fds[POLL_CARD] = (struct pollfd){ slot->pidfd, POLLIN, 0 };
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		fds[POLL_FIXED + i] = (struct pollfd){ slot->controls[i].fd,
						       control_events(&slot->controls[i]), 0 };
}

static void run(struct slot *slot)
{
	struct pollfd fds[POLL_FIXED + SLOT_CONTROLS];
	eventfd_t value;

	while (!slot->quit) {
		int timeout = card_start_if_due(slot);

		poll_fill(slot, fds);
		if (poll(fds, POLL_FIXED + SLOT_CONTROLS, timeout) < 0)
			continue;
		if (fds[POLL_SIGNAL].revents)
			break;
		/* Before the card's own death: a reset covers it. */
		if (fds[POLL_RESET].revents && !eventfd_read(fds[POLL_RESET].fd, &value))
			card_reset_line(slot);
		if (fds[POLL_CARD].revents && slot->pid > 0 && slot->pidfd == fds[POLL_CARD].fd)
			card_died(slot);
		if (fds[POLL_PEER].revents)
			ivshmem_peer_event(slot);
		if (fds[POLL_IVSHMEM].revents)
			ivshmem_accept(slot);
		for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
			if (fds[POLL_FIXED + i].revents)
				control_event(slot, &slot->controls[i],
					      fds[POLL_FIXED + i].revents);
		if (fds[POLL_CONTROL].revents)
			control_accept(slot);
	}
}

int main(int argc, char **argv)
{
	static struct slot slot = { .peer = -1, .pidfd = -1, .opt.restart_delay_ms = 20 };
	int err;

	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		slot.controls[i].fd = -1;
	if (parse_options(argc, argv, &slot)) {
		fputs(usage, stderr);
		return 2;
	}
	if (slot.opt.die_with_parent && slot.opt.foreground)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	err = setup(&slot);
	if (!err && !slot.opt.foreground)
		err = go_background(&slot);
	if (!err && slot.opt.foreground)
		err = write_pid(&slot, getpid());
	if (err) {
		fprintf(stderr, "nnaccel-slot: %s: %s\n", slot.opt.dir, strerror(-err));
		return 1;
	}
	run(&slot);
	card_kill(&slot);
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		control_close(&slot.controls[i]);
	remove_file(&slot, "ivshmem.sock");
	remove_file(&slot, "control.sock");
	remove_file(&slot, "slot.pid");
	return 0;
}

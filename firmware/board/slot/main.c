// SPDX-License-Identifier: Apache-2.0
/* nnaccel-slot: options, setup, poll loop. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "board.h"
#include "slot/slot.h"

static const char usage[] =
	"usage: nnaccel-slot --dir DIR --ram FILE --ram-size BYTES --card PATH [options]\n"
	"The slot of the emulated card: ivshmem server, reset line, supervisor of the card.\n"
	"  --dir DIR             folder for ivshmem.sock, control.sock, card.rom and slot.pid\n"
	"  --ram FILE            guest RAM, a file that QEMU shares; waited for\n"
	"  --ram-size BYTES      its size\n"
	"  --low-size BYTES      of which below 4 GiB (default: as q35)\n"
	"  --card PATH           the nnaccel-card program\n"
	"  --fault SPEC          fault mode of the first card (Documentation/card.rst)\n"
	"  --restart-delay MS    time from the death of a card to the next start (default 20)\n"
	"  --foreground          do not fork; otherwise return when the sockets exist\n"
	"  --die-with-parent     end when the process that started this one ends\n"
	"  --threads N, --program-quota BYTES, --arena-limit BYTES, --window-pieces N\n"
	"                        passed on to the card\n";

static int parse_options(int argc, char **argv, struct slot *slot)
{
	struct slot_options *o = &slot->opt;
	const struct board_option options[] = {
		{ "dir", .text = &o->dir },
		{ "ram", .text = &o->ram },
		{ "ram-size", .number = &o->ram_size, .max = UINT64_MAX },
		{ "low-size", .number = &o->low_size, .max = UINT64_MAX },
		{ "card", .text = &o->card },
		{ "fault", .fault = &slot->fault },
		{ "restart-delay", .number = &o->restart_delay_ms, .max = 3600000 },
		{ "foreground", .flag = &o->foreground },
		{ "die-with-parent", .flag = &o->die_with_parent },
		{ "threads", .text = &o->threads },
		{ "program-quota", .text = &o->program_quota },
		{ "arena-limit", .text = &o->arena_limit },
		{ "window-pieces", .text = &o->window_pieces },
	};
	int err = board_parse_options("nnaccel-slot", argc, argv, options,
				      sizeof(options) / sizeof(options[0]));

	return err || !o->dir || !o->ram || !o->card || !o->ram_size ? -EINVAL : 0;
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

/* Create and bind a listening socket DIR/@name. fd or -errno. */
static int slot_listen(const char *dir, const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", dir, name);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(addr.sun_path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 4)) {
		n = -errno;
		close(fd);
		return n;
	}
	return fd;
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
	/* Before the sockets: a program that sees them may start QEMU. */
	err = option_rom_write(slot->opt.dir);
	if (err)
		return err;
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

/* Return to the caller when everything is set up; the slot runs on in its own session. */
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
						       control_socket_events(&slot->controls[i]),
						       0 };
}

static void main_run(struct slot *slot)
{
	struct pollfd fds[POLL_FIXED + SLOT_CONTROLS];
	eventfd_t value;

	while (!slot->quit) {
		int timeout = card_process_start_if_due(slot);

		poll_fill(slot, fds);
		if (poll(fds, POLL_FIXED + SLOT_CONTROLS, timeout) < 0)
			continue;
		if (fds[POLL_SIGNAL].revents)
			break;
		/* Before the card's death: a reset includes it. */
		if (fds[POLL_RESET].revents && !eventfd_read(fds[POLL_RESET].fd, &value))
			card_process_reset_line(slot);
		if (fds[POLL_CARD].revents && slot->pid > 0 && slot->pidfd == fds[POLL_CARD].fd)
			card_process_died(slot);
		if (fds[POLL_PEER].revents)
			ivshmem_peer_event(slot);
		if (fds[POLL_IVSHMEM].revents)
			ivshmem_accept(slot);
		for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
			if (fds[POLL_FIXED + i].revents)
				control_socket_event(slot, &slot->controls[i],
						     fds[POLL_FIXED + i].revents);
		if (fds[POLL_CONTROL].revents)
			control_socket_accept(slot);
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
	main_run(&slot);
	card_process_kill(&slot);
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		control_socket_close(&slot.controls[i]);
	remove_file(&slot, "ivshmem.sock");
	remove_file(&slot, "control.sock");
	remove_file(&slot, OPTION_ROM_FILE);
	remove_file(&slot, "slot.pid");
	return 0;
}

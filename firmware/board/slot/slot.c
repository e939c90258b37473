// SPDX-License-Identifier: Apache-2.0
/* The slot: setup, poll loop, end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "board.h"
#include "slot/slot.h"

void slot_init(struct slot *slot)
{
	*slot = (struct slot){
		.node = -1,
		.ivshmem_listen = -1,
		.control_listen = -1,
		.peer = -1,
		.pidfd = -1,
		.opt.restart_delay_ms = 20,
	};
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		slot->controls[i].fd = -1;
}

int slot_make_eventfds(int *fds, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fds[i] < 0)
			return -errno;
	}
	return 0;
}

int slot_listen(const char *dir, const char *name)
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

void slot_remove_file(const struct slot *slot, const char *name)
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

/*
 * Fork: the parent waits here for slot_ready(), and ends with its result; the child returns, in a
 * session of its own.
 */
static int slot_fork(struct slot *slot)
{
	int ready[2];
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid > 0) {
		char ok;

		close(ready[1]);
		if (read(ready[0], &ok, 1) != 1)
			_exit(1);
		_exit(write_pid(slot, pid) ? 1 : 0);
	}
	close(ready[0]);
	slot->ready_fd = ready[1];
	setsid();
	return 0;
}

int slot_begin(struct slot *slot)
{
	sigset_t signals;
	int err;

	slot->ready_fd = -1;
	if (slot->opt.die_with_parent && slot->opt.foreground)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!slot->opt.foreground) {
		err = slot_fork(slot);
		if (err)
			return err;
	}
	err = slot_make_eventfds(slot->doorbell, SLOT_VECTORS);
	if (!err)
		err = slot_make_eventfds(&slot->fired_fd, 1);
	if (err)
		return err;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	slot->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return slot->signal_fd < 0 ? -errno : 0;
}

void slot_set_registers(struct slot *slot)
{
	reg_set32(&slot->regs->link, NNACCEL_LINK_ABSENT);
	reg_set32(&slot->regs->layout_version, NNACCEL_CONTRACT_VERSION);
	reg_set32(&slot->regs->magic, NNACCEL_MAGIC);
}

int slot_ready(struct slot *slot)
{
	int null;

	slot->control_listen = slot_listen(slot->opt.dir, "control.sock");
	if (slot->control_listen < 0)
		return slot->control_listen;
	if (slot->opt.foreground)
		return write_pid(slot, getpid());
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	if (write(slot->ready_fd, "", 1) != 1)
		return -EPIPE;
	close(slot->ready_fd);
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

void slot_run(struct slot *slot)
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
		if (fds[POLL_RESET].revents && !eventfd_read(fds[POLL_RESET].fd, &value)) {
			if (slot->opt.soc)
				soc_update(slot);
			else
				card_process_reset_line(slot);
		}
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

void slot_end(struct slot *slot)
{
	card_process_kill(slot);
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		control_socket_close(&slot->controls[i]);
	slot_remove_file(slot, "control.sock");
	slot_remove_file(slot, "slot.pid");
}

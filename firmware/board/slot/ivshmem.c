// SPDX-License-Identifier: Apache-2.0
/* The ivshmem protocol, server's side, for one client. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "slot/slot.h"

#define IVSHMEM_VERSION 0
/** The card is peer 0, the guest peer 1. */
#define IVSHMEM_CARD 0
#define IVSHMEM_GUEST 1

/* Send one word and at most one descriptor. The receiver reads one word at a time. */
static int send_word(int sock, int64_t word, int fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	int64_t le = (int64_t)htole64((uint64_t)word);
	struct iovec iov = { .iov_base = &le, .iov_len = sizeof(le) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == sizeof(le) ? 0 : -EIO;
}

static int ivshmem_greet(struct slot *slot, int sock)
{
	int err = send_word(sock, IVSHMEM_VERSION, -1);

	if (!err)
		err = send_word(sock, IVSHMEM_GUEST, -1);
	for (unsigned int i = 0; i < SLOT_VECTORS && !err; i++)
		err = send_word(sock, IVSHMEM_CARD, slot->doorbell[i]);
	if (!err)
		err = send_word(sock, -1, slot->bar2_fd);
	/* QEMU accepts its own vectors only after the memory. */
	for (unsigned int i = 0; i < SLOT_VECTORS && !err; i++)
		err = send_word(sock, IVSHMEM_GUEST, slot->irq[i]);
	return err;
}

void ivshmem_accept(struct slot *slot)
{
	int fd = accept4(slot->ivshmem_listen, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (slot->peer >= 0) {
		fprintf(stderr, "nnaccel-slot: refused a second ivshmem client\n");
		close(fd);
		return;
	}
	if (ivshmem_greet(slot, fd)) {
		fprintf(stderr, "nnaccel-slot: ivshmem client disconnected during setup\n");
		close(fd);
		return;
	}
	slot->peer = fd;
	slot->peer_left = false;
	slot->immediate = true;
}

void ivshmem_peer_event(struct slot *slot)
{
	char byte;
	ssize_t n = recv(slot->peer, &byte, sizeof(byte), MSG_DONTWAIT);

	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return; /* clients have nothing to say: ignored */
	close(slot->peer);
	slot->peer = -1;
	slot->peer_left = true;
	card_process_kill(slot);
}

// SPDX-License-Identifier: Apache-2.0
/* Sending: header and payload go from where they are into one packet, or the payload into a memfd.
 */
#include "wire/nnipc_wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_clock.h"

int nnipc_socket_pair(int sockets[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) ? -errno : 0;
}

/* One packet. @memfd, if any, is the first of the descriptors. */
struct packet {
	struct nnipc_header header; /* as on the wire */
	const void *payload;
	size_t size;
	int memfd; /* -1: none */
	const int *fds;
	uint32_t num_fds;
};

static void set_rights(struct msghdr *msg, const struct packet *p)
{
	uint32_t first = p->memfd >= 0;
	size_t bytes = (first + p->num_fds) * sizeof(int);
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	msg->msg_controllen = CMSG_SPACE(bytes);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(bytes);
	if (first)
		memcpy(CMSG_DATA(c), &p->memfd, sizeof(int));
	if (p->num_fds)
		memcpy(CMSG_DATA(c) + first * sizeof(int), p->fds, p->num_fds * sizeof(int));
}

static int send_packet(int sock, const struct packet *p)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(NNIPC_FDS_PER_PACKET * sizeof(int))];
	} control;
	struct iovec iov[2] = { { (void *)&p->header, sizeof(p->header) },
				{ (void *)p->payload, p->size } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = p->size ? 2 : 1 };

	if (p->num_fds || p->memfd >= 0) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		set_rights(&msg, p);
	}
	for (;;) {
		if (sendmsg(sock, &msg, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno == EAGAIN)
			nnutil_wait_fd(sock, POLLOUT, -1);
		else if (errno == ECONNRESET || errno == ENOTCONN)
			return -EPIPE;
		else if (errno != EINTR)
			return -errno;
	}
}

/* The payload as a sealed memfd. */
static int make_memfd(const void *payload, size_t size, int *memfd)
{
	int fd = nnipc_memory_file("nnipc-payload", size);
	int ret = fd < 0 ? fd : nnutil_write_all(fd, payload, size);

	if (!ret &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		ret = -errno;
	if (ret && fd >= 0)
		close(fd);
	*memfd = ret ? -1 : fd;
	return ret;
}

static struct nnipc_header on_wire(const struct nnipc_header *given, uint8_t kind, uint8_t flags,
				   uint32_t num_fds, size_t payload)
{
	return (struct nnipc_header){
		.magic = htole32(NNIPC_MAGIC),
		.version = htole16(NNIPC_VERSION),
		.kind = kind,
		.flags = flags,
		.method = htole32(given->method),
		.num_fds = htole32(num_fds),
		.oid = htole64(given->oid),
		.serial = htole64(given->serial),
		.payload = htole64(payload),
	};
}

/* Descriptors that do not fit into the packet of the message, ahead of it. */
static int send_carriers(int sock, const struct nnipc_header *header, struct packet *p)
{
	struct packet carrier = {
		.header = on_wire(header, NNIPC_FDS, 0, p->num_fds, 0),
		.memfd = -1,
		.num_fds = NNIPC_FDS_PER_PACKET,
	};
	uint32_t room = NNIPC_FDS_PER_PACKET - (p->memfd >= 0);
	int ret = 0;

	while (!ret && p->num_fds > room) {
		carrier.fds = p->fds;
		ret = send_packet(sock, &carrier);
		if (!ret) {
			p->fds += NNIPC_FDS_PER_PACKET;
			p->num_fds -= NNIPC_FDS_PER_PACKET;
		}
	}
	return ret;
}

static int send_message(int sock, const struct nnipc_header *header, const struct nnipc_writer *w,
			bool in_memfd)
{
	struct packet p = { .memfd = -1, .fds = w->fds, .num_fds = w->num_fds };
	uint8_t flags = header->flags & (uint8_t)~NNIPC_FLAG_MEMFD;
	int ret;

	if (in_memfd) {
		ret = make_memfd(w->data, w->size, &p.memfd);
		if (ret)
			return ret;
		flags |= NNIPC_FLAG_MEMFD;
	} else {
		p.payload = w->data;
		p.size = w->size;
	}
	p.header = on_wire(header, header->kind, flags, w->num_fds, w->size);
	ret = send_carriers(sock, header, &p);
	if (!ret)
		ret = send_packet(sock, &p);
	/* carriers without their message would be taken for those of the next one */
	if (ret && p.num_fds < w->num_fds)
		shutdown(sock, SHUT_WR);
	if (p.memfd >= 0)
		close(p.memfd);
	return ret;
}

int nnipc_frame_send(int sock, const struct nnipc_header *header, const struct nnipc_writer *w)
{
	static const struct nnipc_writer nothing;
	int ret;

	if (!w)
		w = &nothing;
	if (w->error)
		return w->error;
	if (header->kind != NNIPC_CALL && w->num_fds > NNIPC_REPLY_FDS)
		return -E2BIG;
	ret = send_message(sock, header, w, w->size > NNIPC_INLINE_MAX);
	/* the system's largest packet may be smaller than ours */
	if (ret == -EMSGSIZE && w->size && w->size <= NNIPC_INLINE_MAX)
		ret = send_message(sock, header, w, true);
	return ret;
}

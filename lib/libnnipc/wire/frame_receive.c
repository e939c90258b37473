// SPDX-License-Identifier: Apache-2.0
/*
 * Receiving from a peer that is not trusted. A packet is copied into the frame's memory before it
 * is looked at; a payload in a memfd is mapped only if the peer can neither change nor cut it.
 */
#include "wire/nnipc_wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_clock.h"

#define PACKET_MAX (sizeof(struct nnipc_header) + NNIPC_INLINE_MAX)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
#define REFUSALS \
	(NNIPC_FLAG_UNSUPPORTED | NNIPC_FLAG_MALFORMED | NNIPC_FLAG_NO_OBJECT | NNIPC_FLAG_NO_ROOM)

static void close_fds(const int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Append to the frame's descriptors, or close them. */
static int keep_fds(struct nnipc_frame *f, const int *fds, uint32_t count)
{
	uint32_t room = f->fd_room ? f->fd_room : 16;
	int *kept;

	while (room < f->num_fds + count)
		room *= 2;
	kept = room > f->fd_room ? realloc(f->fds, room * sizeof(*kept)) : f->fds;
	if (!kept) {
		close_fds(fds, count);
		return -ENOMEM;
	}
	f->fds = kept;
	f->fd_room = room;
	memcpy(f->fds + f->num_fds, fds, count * sizeof(*fds));
	f->num_fds += count;
	return 0;
}

/* What came beside the bytes. */
static int take_control(struct nnipc_frame *f, struct msghdr *msg)
{
	int ret = msg->msg_flags & MSG_CTRUNC ? -EMFILE : 0;
	int fds[NNIPC_FDS_PER_PACKET];
	struct ucred cred;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t size = c->cmsg_len - CMSG_LEN(0);
		int kept;

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS && size >= sizeof(cred)) {
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
			f->pid = cred.pid;
		}
		if (c->cmsg_type != SCM_RIGHTS || size > sizeof(fds))
			continue;
		memcpy(fds, CMSG_DATA(c), size);
		kept = keep_fds(f, fds, (uint32_t)(size / sizeof(int)));
		ret = ret ? ret : kept;
	}
	return ret;
}

/*
 * One packet into f->packet, its descriptors behind those that are there. *@lost becomes -EMFILE or
 * -ENOMEM if there was no room for them. Returns its bytes, or -errno.
 */
static ssize_t receive_packet(int sock, struct nnipc_frame *f, int64_t deadline_ns, int *lost)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(NNIPC_FDS_PER_PACKET * sizeof(int)) +
			   CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { f->packet, PACKET_MAX };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control };
	bool reset = false, wait = deadline_ns >= 0;
	ssize_t n;
	int ret;

	for (;;) {
		ret = wait ? nnutil_wait_fd(sock, POLLIN, deadline_ns) : 0;
		if (ret)
			return ret;
		/* the kernel closes those that there is no room for; one more is that of a payload
		 */
		msg.msg_controllen = f->no_calls || f->few_fds
					     ? CMSG_SPACE((NNIPC_REPLY_FDS + 1) * sizeof(int)) +
						       CMSG_SPACE(sizeof(struct ucred))
					     : sizeof(control);
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | (wait ? MSG_DONTWAIT : 0));
		if (n >= 0)
			break;
		if (errno == EAGAIN)
			wait = true;
		else if (errno == ECONNRESET && !reset)
			reset = true; /* reported once: earlier data can still be read */
		else if (errno == ECONNRESET)
			return -EPIPE;
		else if (errno != EINTR)
			return -errno;
	}
	ret = take_control(f, &msg);
	if (ret)
		*lost = ret;
	if (!n)
		return -EPIPE;
	if (msg.msg_flags & MSG_TRUNC || (size_t)n < sizeof(f->header))
		return -EPROTO;
	return n;
}

static void read_header(struct nnipc_header *h, const uint8_t *packet)
{
	memcpy(h, packet, sizeof(*h));
	h->magic = le32toh(h->magic);
	h->version = le16toh(h->version);
	h->method = le32toh(h->method);
	h->num_fds = le32toh(h->num_fds);
	h->oid = le64toh(h->oid);
	h->serial = le64toh(h->serial);
	h->payload = le64toh(h->payload);
}

/* Whether kind, flags and sizes of a header fit together, and to a packet of @size bytes. */
static bool header_valid(const struct nnipc_header *h, size_t size)
{
	uint8_t refusal = h->flags & REFUSALS;
	bool memfd = h->flags & NNIPC_FLAG_MEMFD;
	bool empty = !h->payload && !h->num_fds;

	if (h->magic != NNIPC_MAGIC || h->kind < NNIPC_HELLO || h->kind > NNIPC_FDS)
		return false;
	/* the versions of HELLO are in its payload */
	if (h->version != NNIPC_VERSION && h->kind != NNIPC_HELLO)
		return false;
	if (h->flags & ~(REFUSALS | NNIPC_FLAG_MEMFD) || h->num_fds > NNIPC_FDS_MAX)
		return false;
	if (refusal && (h->kind != NNIPC_REPLY || refusal & (refusal - 1) || !empty))
		return false;
	if (memfd ? !h->payload || h->payload > NNIPC_PAYLOAD_MAX : h->payload > NNIPC_INLINE_MAX)
		return false;
	if (size - sizeof(*h) != (memfd ? 0 : h->payload))
		return false;
	switch (h->kind) {
	case NNIPC_CALL:
		return h->serial && h->method;
	case NNIPC_FDS:
		return !h->payload && h->num_fds > NNIPC_FDS_PER_PACKET - 1;
	case NNIPC_RELEASE:
		return empty;
	case NNIPC_REPLY:
		return h->serial && h->method && h->num_fds <= NNIPC_REPLY_FDS;
	default:
		return h->num_fds <= NNIPC_REPLY_FDS;
	}
}

/*
 * The packets of descriptors ahead of a message, and the message's own packet, whose bytes are
 * returned. All say how many descriptors there are.
 */
static ssize_t receive_packets(int sock, struct nnipc_frame *f, int64_t deadline_ns, int *lost)
{
	struct nnipc_header *h = &f->header, first = { 0 };
	uint32_t carried = 0;
	ssize_t n;

	for (;;) {
		n = receive_packet(sock, f, deadline_ns, lost);
		if (n < 0)
			return n;
		read_header(h, f->packet);
		if (!header_valid(h, (size_t)n) || (f->no_calls && h->kind == NNIPC_CALL) ||
		    ((f->no_calls || f->few_fds) && h->kind == NNIPC_FDS))
			return -EPROTO;
		if (carried && (h->serial != first.serial || h->num_fds != first.num_fds))
			return -EPROTO;
		if (h->kind != NNIPC_FDS)
			break;
		first = *h;
		carried += NNIPC_FDS_PER_PACKET;
		if (carried > h->num_fds || (!*lost && f->num_fds != carried))
			return -EPROTO;
	}
	if (!*lost && f->num_fds != h->num_fds + !!(h->flags & NNIPC_FLAG_MEMFD))
		return -EPROTO;
	return n;
}

/*
 * Map the payload. Sealed against writing and shrinking it is what it was, but reading it must
 * neither fail nor cost memory: there may be no page for a hole in hugetlbfs, and one of tmpfs is
 * charged to who reads it. A payload that was written has no holes.
 */
static int map_payload(struct nnipc_frame *f, int memfd)
{
	int seals = nnutil_memfd_seals(memfd);
	struct stat st;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(memfd, &st))
		return -EPROTO;
	if ((uint64_t)st.st_size != f->header.payload || st.st_blocks < st.st_size / 512)
		return -EPROTO;
	f->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, memfd, 0);
	if (f->map == MAP_FAILED) {
		f->map = NULL;
		return -ENOMEM;
	}
	f->map_size = (size_t)st.st_size;
	return 0;
}

/* The memfd of the payload is the first descriptor of the last packet. */
static int take_memfd(struct nnipc_frame *f)
{
	uint32_t carried = 0, behind;
	int memfd, ret;

	while (f->header.num_fds - carried > NNIPC_FDS_PER_PACKET - 1)
		carried += NNIPC_FDS_PER_PACKET;
	memfd = f->fds[carried];
	behind = f->num_fds - carried - 1;
	memmove(f->fds + carried, f->fds + carried + 1, behind * sizeof(int));
	f->num_fds--;
	ret = map_payload(f, memfd);
	close(memfd);
	return ret;
}

int nnipc_frame_receive_until(int sock, struct nnipc_frame *f, int64_t deadline_ns)
{
	int lost = 0, ret = 0;
	ssize_t n;

	nnipc_frame_clear(f);
	memset(&f->header, 0, sizeof(f->header));
	if (!f->packet)
		f->packet = malloc(PACKET_MAX);
	if (!f->packet)
		return -ENOMEM;
	n = receive_packets(sock, f, deadline_ns, &lost);
	if (n < 0)
		ret = (int)n;
	else if (lost)
		ret = lost;
	else if (f->header.flags & NNIPC_FLAG_MEMFD)
		ret = take_memfd(f);
	if (ret) {
		nnipc_frame_clear(f);
		return ret;
	}
	nnipc_reader_init(&f->reader, f->map ? f->map : f->packet + sizeof(f->header),
			  (size_t)f->header.payload, f->fds, f->num_fds);
	return 0;
}

int nnipc_frame_receive(int sock, struct nnipc_frame *f, int64_t timeout_ns)
{
	return nnipc_frame_receive_until(sock, f, nnutil_deadline(timeout_ns));
}

void nnipc_frame_clear(struct nnipc_frame *f)
{
	close_fds(f->fds, f->num_fds);
	f->num_fds = 0;
	if (f->map)
		munmap(f->map, f->map_size);
	f->map = NULL;
	f->map_size = 0;
	f->pid = 0;
	f->reader = (struct nnipc_reader){ .error = -EBADMSG };
}

void nnipc_frame_fini(struct nnipc_frame *f)
{
	nnipc_frame_clear(f);
	free(f->packet);
	free(f->fds);
	*f = (struct nnipc_frame){ 0 };
}

// SPDX-License-Identifier: Apache-2.0
#include "hostile_lie.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hang_mark.h"

struct hostile_plan hostile_plan = { "", "" };

bool hostile_is(const char *where, const char *lie)
{
	return !strcmp(hostile_plan.where, where) && !strcmp(hostile_plan.lie, lie);
}

void hostile_hang(void)
{
	hang_mark_set();
	for (;;)
		pause();
}

/* ---- packets ---- */

/* A packet as one writes it, with any header: what nnipc_frame_send() would never do. */
static void packet(int sock, const void *bytes, size_t size, const void *more, size_t more_size,
		   const int *fds, uint32_t num_fds)
{
	struct iovec parts[2] = { { (void *)bytes, size }, { (void *)more, more_size } };
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 2 };
	union {
		char space[CMSG_SPACE(sizeof(int) * NNIPC_FDS_PER_PACKET)];
		struct cmsghdr align;
	} control;
	struct cmsghdr *c;

	if (num_fds) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * num_fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * num_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * num_fds);
	}
	if (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0)
		_exit(8);
}

/* The header that belongs to the message. */
static struct nnipc_header honest(const struct nnipc_header *header, const struct nnipc_writer *w)
{
	struct nnipc_header h = *header;

	h.magic = NNIPC_MAGIC;
	h.version = NNIPC_VERSION;
	h.num_fds = w->num_fds;
	h.payload = w->size;
	return h;
}

static void send_as(int sock, struct nnipc_header h, const struct nnipc_writer *w)
{
	packet(sock, &h, sizeof(h), w->data, w->size, w->fds, w->num_fds);
}

/* ---- lies ---- */

#define LIE(name) static void lie_##name(int sock, struct nnipc_header h, struct nnipc_writer *w)

/* clang-format off */
LIE(never) { (void)sock; (void)h; (void)w; hostile_hang(); }
LIE(exit) { (void)sock; (void)h; (void)w; _exit(7); }
LIE(close) { (void)h; (void)w; shutdown(sock, SHUT_RDWR); }
LIE(twice) { send_as(sock, h, w); send_as(sock, h, w); }
LIE(serial) { h.serial += 1; send_as(sock, h, w); }
LIE(serial_zero) { h.serial = 0; send_as(sock, h, w); }
LIE(method) { h.method ^= 0x10000; send_as(sock, h, w); }
LIE(kind_call) { h.kind = NNIPC_CALL; send_as(sock, h, w); }
LIE(kind_hello) { h.kind = NNIPC_HELLO; send_as(sock, h, w); }
LIE(kind_unknown) { h.kind = 99; send_as(sock, h, w); }
LIE(magic) { h.magic ^= 1; send_as(sock, h, w); }
LIE(version) { h.version = 2; send_as(sock, h, w); }
LIE(flag_unknown) { h.flags = 0x80; send_as(sock, h, w); }
LIE(flag_unsupported) { h.flags = NNIPC_FLAG_UNSUPPORTED; w->size = 0; w->num_fds = 0; h.payload = 0; h.num_fds = 0; send_as(sock, h, w); }
LIE(flag_malformed) { h.flags = NNIPC_FLAG_MALFORMED; w->size = 0; w->num_fds = 0; h.payload = 0; h.num_fds = 0; send_as(sock, h, w); }
LIE(flag_no_object) { h.flags = NNIPC_FLAG_NO_OBJECT; w->size = 0; w->num_fds = 0; h.payload = 0; h.num_fds = 0; send_as(sock, h, w); }
LIE(length_more) { h.payload += 8; send_as(sock, h, w); }
LIE(length_less) { h.payload -= 1; send_as(sock, h, w); }
LIE(length_huge) { h.payload = UINT64_MAX; send_as(sock, h, w); }
LIE(empty) { w->size = 0; h.payload = 0; send_as(sock, h, w); }
LIE(cut) { w->size -= 1; h.payload = w->size; send_as(sock, h, w); }
LIE(garbage) { memset(w->data, 0xff, w->size); send_as(sock, h, w); }
LIE(fds_missing) { h.num_fds += 1; send_as(sock, h, w); }
LIE(fds_many) { h.num_fds = UINT32_MAX; send_as(sock, h, w); }
LIE(memfd_none) { h.flags = NNIPC_FLAG_MEMFD; w->num_fds = 0; h.num_fds = 0; w->size = 0; send_as(sock, h, w); }
/* clang-format on */

LIE(long)
{
	nnipc_put_u64(w, 0);
	h.payload = w->size;
	send_as(sock, h, w);
}

LIE(header_short)
{
	(void)w;
	packet(sock, &h, 12, NULL, 0, NULL, 0);
}

/* Looks like the end of the connection, and is none. */
LIE(nothing)
{
	(void)h;
	(void)w;
	packet(sock, "", 0, NULL, 0, NULL, 0);
	hostile_hang();
}

LIE(fds_extra)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	nnipc_put_fd_owned(w, fd);
	nnipc_put_fd_owned(w, dup(fd));
	w->size -= 2; /* nothing in the bytes announces them */
	h.num_fds = w->num_fds;
	send_as(sock, h, w);
}

/* Carriers of descriptors without end: they would fill the client's table. */
LIE(fds_flood)
{
	int fds[NNIPC_FDS_PER_PACKET], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)w;
	for (uint32_t i = 0; i < NNIPC_FDS_PER_PACKET; i++)
		fds[i] = fd;
	h.kind = NNIPC_FDS;
	h.num_fds = NNIPC_FDS_PER_PACKET;
	h.payload = 0;
	for (;;)
		packet(sock, &h, sizeof(h), NULL, 0, fds, NNIPC_FDS_PER_PACKET);
}

/* An honest payload has at most 64 KiB in the packet. */
LIE(inline_large)
{
	size_t size = NNIPC_INLINE_MAX + 4096;
	uint8_t *bytes = calloc(1, size);

	(void)w;
	h.payload = size;
	h.num_fds = 0;
	packet(sock, &h, sizeof(h), bytes, size, NULL, 0);
	free(bytes);
}

/* ---- payloads in descriptors ---- */

static void send_in(int sock, struct nnipc_header h, const struct nnipc_writer *w, int fd,
		    uint64_t payload)
{
	int fds[NNIPC_FDS_PER_PACKET] = { fd };

	for (uint32_t i = 0; i < w->num_fds; i++)
		fds[i + 1] = w->fds[i];
	h.flags = NNIPC_FLAG_MEMFD;
	h.payload = payload;
	packet(sock, &h, sizeof(h), NULL, 0, fds, w->num_fds + 1);
}

static int memory(size_t size, unsigned int seals)
{
	int fd = memfd_create("payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, seals))
		_exit(8);
	return fd;
}

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* The sender could change the bytes while they are read, or take them away. */
LIE(memfd_unsealed)
{
	send_in(sock, h, w, memory(1 << 20, 0), 1 << 20);
}

LIE(memfd_writable)
{
	send_in(sock, h, w, memory(1 << 20, SEALS & ~F_SEAL_WRITE), 1 << 20);
}

LIE(memfd_small)
{
	send_in(sock, h, w, memory(4096, SEALS), 1 << 20);
}

LIE(memfd_huge)
{
	send_in(sock, h, w, memory(4096, SEALS), NNIPC_PAYLOAD_MAX + 1);
}

LIE(memfd_zeros)
{
	send_in(sock, h, w, memory(1 << 20, SEALS), 1 << 20);
}

LIE(memfd_pipe)
{
	int fds[2];

	if (pipe(fds))
		_exit(8);
	send_in(sock, h, w, fds[0], 1 << 20);
}

static const struct {
	const char *name;
	void (*tell)(int sock, struct nnipc_header h, struct nnipc_writer *w);
} lies[] = {
	{ "never", lie_never },
	{ "exit", lie_exit },
	{ "close", lie_close },
	{ "twice", lie_twice },
	{ "serial", lie_serial },
	{ "serial-zero", lie_serial_zero },
	{ "method", lie_method },
	{ "kind-call", lie_kind_call },
	{ "kind-hello", lie_kind_hello },
	{ "kind-unknown", lie_kind_unknown },
	{ "magic", lie_magic },
	{ "version", lie_version },
	{ "flag-unknown", lie_flag_unknown },
	{ "flag-unsupported", lie_flag_unsupported },
	{ "flag-malformed", lie_flag_malformed },
	{ "flag-no-object", lie_flag_no_object },
	{ "length-more", lie_length_more },
	{ "length-less", lie_length_less },
	{ "length-huge", lie_length_huge },
	{ "empty", lie_empty },
	{ "cut", lie_cut },
	{ "long", lie_long },
	{ "garbage", lie_garbage },
	{ "header-short", lie_header_short },
	{ "nothing", lie_nothing },
	{ "fds-extra", lie_fds_extra },
	{ "fds-missing", lie_fds_missing },
	{ "fds-many", lie_fds_many },
	{ "fds-flood", lie_fds_flood },
	{ "inline-large", lie_inline_large },
	{ "memfd-none", lie_memfd_none },
	{ "memfd-unsealed", lie_memfd_unsealed },
	{ "memfd-writable", lie_memfd_writable },
	{ "memfd-small", lie_memfd_small },
	{ "memfd-huge", lie_memfd_huge },
	{ "memfd-zeros", lie_memfd_zeros },
	{ "memfd-pipe", lie_memfd_pipe },
};

void hostile_send(int sock, const char *where, const struct nnipc_header *header,
		  struct nnipc_writer *w)
{
	if (!strcmp(hostile_plan.where, where))
		for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
			if (!strcmp(hostile_plan.lie, lies[i].name)) {
				lies[i].tell(sock, honest(header, w), w);
				return;
			}
	if (nnipc_frame_send(sock, header, w))
		_exit(8);
}

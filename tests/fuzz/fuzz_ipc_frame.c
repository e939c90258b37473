// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile packets on a socket, received as messages. An input is a sequence of packets: u16 size,
 * u8 number of descriptors, u8 which file the first of them is, the bytes. Every descriptor is
 * closed afterwards, and what is received keeps to what it says about itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "lowest_fd.h"
#include "wire/nnipc_wire.h"

#define PACKET_HEAD 4u
#define PACKETS 8u
#define PAYLOAD 70000u /* of the files */

enum file { NO_MEMORY, SEALED, UNSEALED, HOLE, FILES };

static int files[FILES];
static volatile uint8_t last; /* read for the sanitizer */
static uint64_t inputs, received, mapped, carried, refused;

static int make_file(int seals, off_t written)
{
	int fd = memfd_create("payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char byte[PAYLOAD] = { 1 };

	if (fd < 0 || write(fd, byte, (size_t)written) != written || ftruncate(fd, PAYLOAD) ||
	    (seals && fcntl(fd, F_ADD_SEALS, seals)))
		abort();
	return fd;
}

static void set_up(void)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

	files[NO_MEMORY] = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (files[NO_MEMORY] < 0)
		abort();
	files[SEALED] = make_file(seals, PAYLOAD);
	files[UNSEALED] = make_file(0, PAYLOAD);
	files[HOLE] = make_file(seals, 1);
	sample_fd();
}

/* False: it does not fit into the socket any more. */
static bool send_packet(int sock, const uint8_t *bytes, size_t size, uint32_t num_fds, int first)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(NNIPC_FDS_PER_PACKET * sizeof(int))];
	} control;
	struct iovec iov = { (void *)bytes, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fds[NNIPC_FDS_PER_PACKET];

	if (num_fds > NNIPC_FDS_PER_PACKET)
		num_fds = NNIPC_FDS_PER_PACKET;
	for (uint32_t i = 0; i < num_fds; i++)
		fds[i] = i ? files[NO_MEMORY] : first;
	if (num_fds) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(num_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.align), fds, num_fds * sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void send_packets(int sock, const uint8_t *data, size_t size)
{
	for (uint32_t i = 0; i < PACKETS && size >= PACKET_HEAD; i++) {
		uint16_t bytes;

		memcpy(&bytes, data, sizeof(bytes));
		if (bytes > size - PACKET_HEAD)
			bytes = (uint16_t)(size - PACKET_HEAD);
		if (!send_packet(sock, data + PACKET_HEAD, bytes, data[2], files[data[3] % FILES]))
			return;
		data += PACKET_HEAD + bytes;
		size -= PACKET_HEAD + bytes;
	}
}

static void check(struct nnipc_frame *f)
{
	const uint8_t *bytes = nnipc_get_raw(&f->reader, (size_t)f->header.payload);
	int fd;

	/* the payload is there to its last byte, and so are the descriptors */
	if (!bytes || f->reader.num_fds != f->header.num_fds)
		abort();
	last = f->header.payload ? bytes[f->header.payload - 1] : 0;
	received++;
	mapped += !!(f->header.flags & NNIPC_FLAG_MEMFD);
	carried += f->header.num_fds > NNIPC_FDS_PER_PACKET;
	if (f->no_calls && f->header.kind == NNIPC_CALL)
		abort();
	if (f->header.num_fds && fcntl(f->reader.fds[f->header.num_fds - 1], F_GETFD) < 0)
		abort();
	/* one is taken, the others are the frame's */
	if (f->header.num_fds) {
		fd = f->reader.fds[0];
		f->reader.fds[0] = -1;
		close(fd);
	}
}

/* A side that takes no calls gets less: packets whose descriptors have no room are passed over. */
static void run(const uint8_t *data, size_t size, bool no_calls)
{
	struct nnipc_frame f = { .no_calls = no_calls };
	int sockets[2], lowest = lowest_fd(), ret;

	if (nnipc_socket_pair(sockets))
		abort();
	send_packets(sockets[0], data, size);
	close(sockets[0]);
	do {
		ret = nnipc_frame_receive(sockets[1], &f, -1);
		if (!ret)
			check(&f);
	} while (!ret || (no_calls && ret == -EMFILE));
	if (ret != -EPIPE && ret != -EPROTO)
		abort();
	refused += ret == -EPROTO;
	nnipc_frame_fini(&f);
	close(sockets[1]);
	if (lowest_fd() != lowest) {
		fprintf(stderr, "a descriptor is left\n");
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!inputs++)
		set_up();
	run(data, size, false);
	run(data, size, true);
	return 0;
}

/* ---- for the driver ---- */

static size_t add_packet(uint8_t *to, const struct nnipc_header *header, uint16_t inline_size,
			 uint8_t num_fds, enum file file)
{
	struct nnipc_header h = *header;
	uint16_t size = (uint16_t)(sizeof(h) + inline_size);

	h.magic = NNIPC_MAGIC;
	h.version = NNIPC_VERSION;
	memcpy(to, &size, sizeof(size));
	to[2] = num_fds;
	to[3] = (uint8_t)file;
	memcpy(to + PACKET_HEAD, &h, sizeof(h));
	memset(to + PACKET_HEAD + sizeof(h), 1, inline_size);
	return PACKET_HEAD + size;
}

static size_t seeds(struct fuzz_seed **list)
{
	static const struct {
		const char *name;
		struct nnipc_header header;
		uint8_t fds;
		uint8_t file;
	} messages[] = {
		{ "hello", { .kind = NNIPC_HELLO, .payload = 24 }, 0, 0 },
		{ "call", { .kind = NNIPC_CALL, .method = 1, .serial = 1, .payload = 40 }, 0, 0 },
		{ "call-fds",
		  { .kind = NNIPC_CALL, .method = 1, .serial = 2, .payload = 9, .num_fds = 16 },
		  16,
		  0 },
		{ "call-memfd",
		  { .kind = NNIPC_CALL,
		    .flags = NNIPC_FLAG_MEMFD,
		    .method = 1,
		    .serial = 3,
		    .payload = PAYLOAD,
		    .num_fds = 2 },
		  3,
		  SEALED },
		{ "reply", { .kind = NNIPC_REPLY, .method = 1, .serial = 1, .payload = 4 }, 0, 0 },
		{ "refused",
		  { .kind = NNIPC_REPLY, .flags = NNIPC_FLAG_NO_OBJECT, .method = 1, .serial = 1 },
		  0,
		  0 },
		{ "oneway",
		  { .kind = NNIPC_ONEWAY, .method = 3, .num_fds = 1, .payload = 1 },
		  1,
		  0 },
		{ "release", { .kind = NNIPC_RELEASE, .oid = 5 }, 0, 0 },
	};
	uint8_t bytes[2048];
	size_t count = 0, size, all = 0, n;
	uint8_t together[2048];
	struct nnipc_header many = { .method = 1, .serial = 9, .num_fds = 300 };

	*list = NULL;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		const struct nnipc_header *h = &messages[i].header;

		n = h->flags & NNIPC_FLAG_MEMFD ? 0 : h->payload;
		size = add_packet(bytes, h, (uint16_t)n, messages[i].fds, messages[i].file);
		fuzz_add_seed(list, &count, messages[i].name, bytes, size);
		if (i < PACKETS) {
			memcpy(together + all, bytes, size);
			all += size;
		}
	}
	fuzz_add_seed(list, &count, "together", together, all);
	many.kind = NNIPC_FDS;
	size = add_packet(bytes, &many, 0, 253, NO_MEMORY);
	many.kind = NNIPC_CALL;
	size += add_packet(bytes + size, &many, 0, 47, NO_MEMORY);
	fuzz_add_seed(list, &count, "carrier", bytes, size);
	many.kind = NNIPC_FDS;
	size = add_packet(bytes, &many, 0, 253, NO_MEMORY);
	many.kind = NNIPC_CALL;
	many.flags = NNIPC_FLAG_MEMFD;
	many.payload = PAYLOAD;
	size += add_packet(bytes + size, &many, 0, 48, SEALED);
	fuzz_add_seed(list, &count, "carrier-memfd", bytes, size);
	return count;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t k = 1 + fuzz_random(random) % 3; k; k--) {
		size_t at = fuzz_random(random) % size;

		switch (fuzz_random(random) % 6) {
		case 0:
			if (at)
				size = at;
			break;
		case 1: /* descriptors and files of the first packets */
			data[2 + fuzz_random(random) % 2] = (uint8_t)fuzz_random(random);
			break;
		case 2:
			data[at] ^= (uint8_t)(1u << fuzz_random(random) % 8);
			break;
		default:
			fuzz_mutate_word(data, size, random);
		}
	}
	return size;
}

/* One message each, but for the seed that has all; calls only once. */
static bool seeds_accepted(size_t count)
{
	return received > count && mapped == 3 && carried == 2;
}

static bool reached(uint64_t rounds)
{
	return received >= rounds / 10 && mapped >= rounds / 100 && carried >= rounds / 100 &&
	       refused >= rounds / 4;
}

static void report(void)
{
	printf("%llu inputs: %llu messages, %llu in a memfd, %llu with many descriptors, %llu refused\n",
	       (unsigned long long)inputs, (unsigned long long)received, (unsigned long long)mapped,
	       (unsigned long long)carried, (unsigned long long)refused);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".packets",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};

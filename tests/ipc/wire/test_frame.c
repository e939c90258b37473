// SPDX-License-Identifier: Apache-2.0
/*
 * Messages on a socket: payloads of every way to travel, descriptors in one packet and in several,
 * a peer that lies, and no descriptor left whatever happens.
 */
#include "wire_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "wire/nnipc_wire.h"
#include "nnutil_clock.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

static int sockets[2];
static uint32_t fds_before;

FIXTURE(set_up)
{
	fds_before = descriptors_open();
	return nnipc_socket_pair(sockets);
}

FIXTURE(tear_down)
{
	for (int i = 0; i < 2; i++)
		if (sockets[i] >= 0)
			close(sockets[i]);
	assert_int_equal(descriptors_open(), fds_before);
	return 0;
}

static void hang_up(int end)
{
	close(sockets[end]);
	sockets[end] = -1;
}

static const struct nnipc_header call = {
	.kind = NNIPC_CALL,
	.method = 7,
	.oid = 0x123456789ull,
	.serial = UINT64_MAX,
};

/* Send a message of @size bytes and @count descriptors, receive it and compare. */
static void exchange(struct nnipc_frame *f, size_t size, uint32_t count)
{
	struct nnipc_writer w = { 0 };
	const uint8_t *bytes;
	int fds[3] = { numbered_fd(1), numbered_fd(2), numbered_fd(3) };
	size_t place = nnipc_put_reserve(&w, size);
	int fd;

	for (uint32_t i = 0; i < count; i++) {
		/* without the byte that nnipc_put_fd() writes */
		nnipc_put_fd(&w, fds[i % 3]);
		w.size--;
	}
	for (size_t i = 0; i < size; i++)
		w.data[place + i] = (uint8_t)(i % 251);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
	nnipc_writer_fini(&w);
	assert_int_equal(nnipc_frame_receive(sockets[1], f, -1), 0);
	assert_int_equal(f->header.kind, NNIPC_CALL);
	assert_int_equal(f->header.method, 7);
	assert_true(f->header.oid == call.oid && f->header.serial == call.serial);
	assert_int_equal(f->header.payload, size);
	assert_int_equal(f->header.num_fds, count);
	assert_int_equal(f->pid, 0);
	bytes = nnipc_get_raw(&f->reader, size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != (uint8_t)(i % 251))
			fail_msg("byte %zu of %zu differs", i, size);
	assert_int_equal(f->reader.num_fds, count);
	for (uint32_t i = 0; i < count; i++) {
		fd = f->reader.fds[i];
		assert_int_equal(fd_number(fd), i % 3 + 1);
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		f->reader.next_fd++;
	}
	assert_int_equal(nnipc_reader_end(&f->reader), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

TEST(test_sizes)
{
	static const size_t sizes[] = {
		0, 1, NNIPC_INLINE_MAX - 1, NNIPC_INLINE_MAX, NNIPC_INLINE_MAX + 1, 40u << 20
	};
	static const uint32_t counts[] = { 0, 1, 252, 253, 254, 505, 506, 507, 600 };
	struct nnipc_frame f = { 0 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
			if (sizes[s] < 1u << 20 || counts[c] < 2)
				exchange(&f, sizes[s], counts[c]);
	nnipc_frame_fini(&f);
}

static void *send_most(void *cookie)
{
	struct nnipc_writer w = { 0 };

	(void)cookie;
	for (uint32_t i = 0; i < NNIPC_FDS_MAX; i++)
		nnipc_put_fd(&w, 0);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
	nnipc_writer_fini(&w);
	return NULL;
}

/* As many as a message has: more than a process may have on its way, or the queue takes. */
TEST(test_most_descriptors)
{
	struct rlimit limit, old;
	struct nnipc_frame f = { 0 };
	pthread_t thread;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = 2 * NNIPC_FDS_MAX;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(pthread_create(&thread, NULL, send_most, NULL), 0);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1),
			 limit.rlim_cur > NNIPC_FDS_MAX + 64 ? 0 : -EMFILE);
	assert_int_equal(f.header.num_fds, NNIPC_FDS_MAX);
	pthread_join(thread, NULL);
	nnipc_frame_fini(&f);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/* The system's packets are smaller than ours. */
TEST(test_small_packets)
{
	struct nnipc_frame f = { 0 };
	int size = 4096;

	assert_int_equal(setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	exchange(&f, NNIPC_INLINE_MAX, 3);
	assert_true(f.header.flags & NNIPC_FLAG_MEMFD);
	exchange(&f, 100, 3);
	assert_false(f.header.flags & NNIPC_FLAG_MEMFD);
	nnipc_frame_fini(&f);
}

/* A client that may not write large files: refused, instead of ended by SIGXFSZ. */
TEST(test_file_limit)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_ring *ring;
	struct rlimit limit, old;
	int fd;

	signal(SIGXFSZ, SIG_DFL);
	nnipc_put_reserve(&w, NNIPC_INLINE_MAX + 1);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 5000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), -EFBIG);
	assert_int_equal(nnipc_ring_create(4096, &fd, &ring), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
	nnipc_writer_fini(&w);
}

TEST(test_refused_writer)
{
	struct nnipc_writer w = { .error = -E2BIG };
	struct nnipc_frame f = { 0 };

	assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), -E2BIG);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, 0), -ETIME);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, NULL), 0);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, 0), 0);
	nnipc_frame_fini(&f);
}

TEST(test_time)
{
	struct nnipc_frame f = { 0 };
	int64_t start = nnutil_monotonic_ns();

	assert_int_equal(nnipc_frame_receive(sockets[1], &f, 20 * NNUTIL_NS_PER_MS), -ETIME);
	assert_true(nnutil_monotonic_ns() - start >= 20 * NNUTIL_NS_PER_MS);
	assert_int_equal(nnipc_frame_send(sockets[0], &call, NULL), 0);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, INT64_MAX), 0);
	nnipc_frame_fini(&f);
}

/* A socket that its owner polls, and so does not block. */
static void *receive_late(void *cookie)
{
	struct nnipc_frame f = { 0 };

	(void)cookie;
	for (int i = 0; i < 500; i++)
		assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), 0);
	nnipc_frame_fini(&f);
	return NULL;
}

TEST(test_nonblocking)
{
	struct nnipc_writer w = { 0 };
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		assert_int_equal(fcntl(sockets[i], F_SETFL, O_NONBLOCK), 0);
	nnipc_put_reserve(&w, 50000);
	assert_int_equal(pthread_create(&thread, NULL, receive_late, NULL), 0);
	for (int i = 0; i < 500; i++)
		assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
	pthread_join(thread, NULL);
	nnipc_writer_fini(&w);
}

TEST(test_hang_up)
{
	struct nnipc_frame f = { 0 };

	/* what was sent before is still read, also when the peer left something unread */
	assert_int_equal(nnipc_frame_send(sockets[0], &call, NULL), 0);
	assert_int_equal(nnipc_frame_send(sockets[1], &call, NULL), 0);
	hang_up(0);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), 0);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), -EPIPE);
	assert_int_equal(nnipc_frame_receive(sockets[1], &f, 1000), -EPIPE);
	/* with the default action, SIGPIPE would end this test */
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(nnipc_frame_send(sockets[1], &call, NULL), -EPIPE);
	nnipc_frame_fini(&f);
}

TEST(test_sender)
{
	struct nnipc_frame f = { 0 };
	int on = 1;

	assert_int_equal(setsockopt(sockets[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nnipc_frame_send(sockets[0], &call, NULL), 0);
		assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), 0);
		assert_int_equal(f.pid, getpid());
	}
	nnipc_frame_fini(&f);
}

/* ---- no room ---- */

TEST(test_no_room)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { 0 };
	struct rlimit limit, old;
	int fd = numbered_fd(1);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	/* in one packet, in several, and with a payload that is a descriptor too */
	for (int round = 0; round < 3; round++) {
		uint32_t before = descriptors_open();

		for (int i = 0; i < (round ? 300 : 30); i++)
			nnipc_put_fd(&w, fd);
		if (round == 2)
			nnipc_put_reserve(&w, NNIPC_INLINE_MAX + 1);
		assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
		nnipc_writer_reset(&w);
		assert_int_equal(nnipc_frame_send(sockets[0], &call, NULL), 0);
		limit = old;
		limit.rlim_cur = before + 10;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), -EMFILE);
		assert_true(f.header.serial == call.serial);
		/* the next message is whole */
		assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), 0);
		assert_int_equal(f.header.num_fds, 0);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_int_equal(descriptors_open(), before);
	}
	nnipc_writer_fini(&w);
	nnipc_frame_fini(&f);
	close(fd);
}

/* ---- a hostile peer ---- */

static const struct nnipc_header good = {
	.magic = NNIPC_MAGIC,
	.version = NNIPC_VERSION,
	.kind = NNIPC_CALL,
	.method = 1,
	.serial = 1,
};

/* One packet with whatever header and so many descriptors. */
static void send_raw(const struct nnipc_header *h, size_t header, size_t payload, const int *fds,
		     uint32_t count)
{
	uint8_t packet[sizeof(*h) + 2 * NNIPC_INLINE_MAX] = { 0 };

	memcpy(packet, h, header);
	assert_int_equal(unix_send(sockets[0], packet, header + payload, fds, count),
			 header + payload);
}

static void expect(int ret)
{
	struct nnipc_frame f = { 0 };
	uint32_t before = descriptors_open();

	assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), ret);
	if (ret)
		assert_int_equal(nnipc_reader_end(&f.reader), -EBADMSG);
	nnipc_frame_fini(&f);
	assert_int_equal(descriptors_open(), before);
}

TEST(test_headers)
{
	static const struct {
		struct nnipc_header h; /* what differs from good */
		size_t bytes; /* of payload */
		uint32_t fds;
		int ret;
	} cases[] = {
		{ { .payload = 8 }, 8, 0, 0 },
		{ { .magic = 1 }, 0, 0, -EPROTO },
		{ { .version = 2 }, 0, 0, -EPROTO },
		{ { .version = 2, .kind = NNIPC_HELLO }, 0, 0, 0 },
		{ { .kind = 7 }, 0, 0, -EPROTO },
		{ { .kind = 255 }, 0, 0, -EPROTO },
		{ { .flags = 32 }, 0, 0, -EPROTO },
		{ { .flags = NNIPC_FLAG_MALFORMED }, 0, 0, -EPROTO },
		{ { .kind = NNIPC_REPLY, .flags = NNIPC_FLAG_MALFORMED }, 0, 0, 0 },
		{ { .kind = NNIPC_REPLY, .flags = NNIPC_FLAG_NO_ROOM }, 0, 0, 0 },
		{ { .kind = NNIPC_REPLY, .flags = 2 | 4 }, 0, 0, -EPROTO },
		{ { .kind = NNIPC_REPLY, .flags = 2, .payload = 4 }, 4, 0, -EPROTO },
		{ { .kind = NNIPC_REPLY, .flags = 2, .num_fds = 1 }, 0, 1, -EPROTO },
		{ { .kind = NNIPC_RELEASE, .payload = 4 }, 4, 0, -EPROTO },
		{ { .kind = NNIPC_RELEASE, .num_fds = 1 }, 0, 1, -EPROTO },
		{ { .kind = NNIPC_RELEASE }, 0, 0, 0 },
		{ { .payload = 8 }, 7, 0, -EPROTO },
		{ { .payload = 8 }, 9, 0, -EPROTO },
		{ { .payload = 0 }, 1, 0, -EPROTO },
		{ { .payload = UINT64_MAX }, 8, 0, -EPROTO },
		{ { .payload = NNIPC_INLINE_MAX }, NNIPC_INLINE_MAX, 0, 0 },
		{ { .payload = NNIPC_INLINE_MAX + 1 }, NNIPC_INLINE_MAX + 1, 0, -EPROTO },
		{ { .kind = NNIPC_REPLY, .num_fds = NNIPC_REPLY_FDS }, 0, NNIPC_REPLY_FDS, 0 },
		{ { .kind = NNIPC_REPLY, .num_fds = NNIPC_REPLY_FDS + 1 },
		  0,
		  NNIPC_REPLY_FDS + 1,
		  -EPROTO },
		{ { .kind = NNIPC_ONEWAY, .num_fds = 20 }, 0, 20, -EPROTO },
		{ { .num_fds = 1 }, 0, 0, -EPROTO },
		{ { .num_fds = 1 }, 0, 2, -EPROTO },
		{ { .num_fds = 0 }, 0, 1, -EPROTO },
		{ { .num_fds = 2 }, 0, 2, 0 },
		{ { .num_fds = UINT32_MAX }, 0, 253, -EPROTO },
		{ { .num_fds = NNIPC_FDS_MAX + 1 }, 0, 253, -EPROTO },
		{ { .flags = NNIPC_FLAG_MEMFD, .payload = 8 }, 0, 0, -EPROTO },
		{ { .flags = NNIPC_FLAG_MEMFD, .payload = 8 }, 0, 1, -EPROTO },
		{ { .flags = NNIPC_FLAG_MEMFD, .payload = 0 }, 0, 1, -EPROTO },
		{ { .flags = NNIPC_FLAG_MEMFD, .payload = 8 }, 8, 1, -EPROTO },
		{ { .flags = NNIPC_FLAG_MEMFD, .payload = UINT64_MAX }, 0, 1, -EPROTO },
		{ { .kind = NNIPC_FDS, .num_fds = 252 }, 0, 252, -EPROTO },
		{ { .kind = NNIPC_FDS, .num_fds = 300, .payload = 8 }, 8, 253, -EPROTO },
		{ { .kind = NNIPC_FDS, .num_fds = 300 }, 0, 252, -EPROTO },
		{ { .kind = NNIPC_FDS, .num_fds = 300 }, 0, 0, -EPROTO },
	};
	int fds[NNIPC_FDS_PER_PACKET];

	for (uint32_t i = 0; i < NNIPC_FDS_PER_PACKET; i++)
		fds[i] = sockets[0];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nnipc_header h = cases[i].h;

		h.magic = h.magic ? h.magic : good.magic;
		h.version = h.version ? h.version : good.version;
		h.kind = h.kind ? h.kind : good.kind;
		h.method = good.method;
		h.serial = good.serial;
		send_raw(&h, sizeof(h), cases[i].bytes, fds, cases[i].fds);
		expect(cases[i].ret);
	}
	send_raw(&(struct nnipc_header){ .magic = NNIPC_MAGIC, .version = 1, .kind = NNIPC_CALL },
		 sizeof(good), 0, NULL, 0);
	expect(-EPROTO); /* a call without a serial */
	for (size_t size = 1; size < sizeof(good); size++) {
		send_raw(&good, size, 0, fds, 3);
		expect(-EPROTO);
	}
	/* an empty packet is how a hang-up looks */
	send_raw(&good, 0, 0, fds, 3);
	expect(-EPIPE);
	send_raw(&good, sizeof(good), 0, NULL, 0);
	expect(0);
}

TEST(test_carriers)
{
	struct nnipc_header carrier = good, message = good, other;
	int fds[NNIPC_FDS_PER_PACKET];

	for (uint32_t i = 0; i < NNIPC_FDS_PER_PACKET; i++)
		fds[i] = STDIN_FILENO;
	carrier.kind = NNIPC_FDS;
	carrier.num_fds = message.num_fds = 300;
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	send_raw(&message, sizeof(message), 0, fds, 47);
	expect(0);
	/* too few, too many, of another call, of another number */
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	send_raw(&message, sizeof(message), 0, fds, 46);
	expect(-EPROTO);
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	expect(-EPROTO);
	other = message;
	other.serial = 2;
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	send_raw(&other, sizeof(other), 0, fds, 47);
	expect(-EPROTO);
	other = message;
	other.num_fds = 299;
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	send_raw(&other, sizeof(other), 0, fds, 46);
	expect(-EPROTO);
	/* the peer ends between the packets */
	send_raw(&carrier, sizeof(carrier), 0, fds, 253);
	hang_up(0);
	expect(-EPIPE);
}

/* A payload in a file that is not what it must be. */
static void send_memfd(int fd, uint64_t size)
{
	struct nnipc_header h = good;

	h.flags = NNIPC_FLAG_MEMFD;
	h.payload = size;
	send_raw(&h, sizeof(h), 0, &fd, 1);
	close(fd);
}

static int make_file(unsigned int flags, int seals, off_t written, off_t size)
{
	int fd = flags ? memfd_sealed(0, 0) : memfd_new(0);
	static const char page[4096];

	for (off_t at = 0; at < written; at += (off_t)sizeof(page))
		assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(ftruncate(fd, size), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

TEST(test_payload_files)
{
	int pipes[2];

	send_memfd(make_file(MFD_ALLOW_SEALING, SEALS, 8192, 8192), 8192);
	expect(0);
	/* unsealed, or one seal is missing */
	send_memfd(make_file(0, 0, 8192, 8192), 8192);
	expect(-EPROTO);
	send_memfd(make_file(MFD_ALLOW_SEALING, 0, 8192, 8192), 8192);
	expect(-EPROTO);
	send_memfd(make_file(MFD_ALLOW_SEALING, F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL, 8192,
			     8192),
		   8192);
	expect(-EPROTO);
	send_memfd(make_file(MFD_ALLOW_SEALING, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL, 8192,
			     8192),
		   8192);
	expect(-EPROTO);
	/* of another size; with a hole */
	send_memfd(make_file(MFD_ALLOW_SEALING, SEALS, 8192, 8192), 8193);
	expect(-EPROTO);
	send_memfd(make_file(MFD_ALLOW_SEALING, SEALS, 8192, 8192), 8191);
	expect(-EPROTO);
	send_memfd(make_file(MFD_ALLOW_SEALING, SEALS, 4096, 1 << 30), 1 << 30);
	expect(-EPROTO);
	/* no file of memory at all */
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[1]);
	send_memfd(pipes[0], 8);
	expect(-EPROTO);
	send_memfd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 8);
	expect(-EPROTO);
}

/* A frame that is received anew, or ends, closes descriptors that were not taken. */
TEST(test_untaken)
{
	struct nnipc_frame f = { 0 };
	struct nnipc_writer w = { 0 };
	uint32_t before = descriptors_open();
	int fd;

	for (int i = 0; i < 5; i++)
		nnipc_put_fd(&w, sockets[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnipc_frame_send(sockets[0], &call, &w), 0);
		assert_int_equal(nnipc_frame_receive(sockets[1], &f, -1), 0);
		fd = nnipc_get_fd(&f.reader);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(descriptors_open(), before + 4);
	}
	nnipc_frame_clear(&f);
	assert_int_equal(descriptors_open(), before);
	nnipc_frame_fini(&f);
	nnipc_writer_fini(&w);
}

#define case_of(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(test_sizes),	     case_of(test_most_descriptors),
		case_of(test_small_packets), case_of(test_refused_writer),
		case_of(test_time),	     case_of(test_nonblocking),
		case_of(test_hang_up),	     case_of(test_sender),
		case_of(test_no_room),	     case_of(test_headers),
		case_of(test_carriers),	     case_of(test_payload_files),
		case_of(test_untaken),	     case_of(test_file_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

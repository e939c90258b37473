// SPDX-License-Identifier: Apache-2.0
/*
 * A worker and a client that wants to harm it. The worker answers with an error or ends with a line
 * that says why; it never crashes, hangs, keeps descriptors, or outlives its client.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "wire/ring.h"
#include "worker_calls.h"

static struct client c;
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* ---- helpers ---- */

static unsigned int random_state;

static uint32_t random_number(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

/* Bytes as a packet. A worker that has hung up already is fine. */
static void send_raw(int sock, const void *data, size_t size)
{
	ssize_t n = send(sock, data, size, MSG_NOSIGNAL);

	assert_true(n == (ssize_t)size || errno == EPIPE || errno == ECONNRESET);
}

static struct nnipc_header raw_header(uint8_t kind, uint32_t method)
{
	return (struct nnipc_header){
		.magic = NNIPC_MAGIC, .version = NNIPC_VERSION, .kind = kind, .method = method
	};
}

/* What the worker sends unasked, away. */
static void drain(void)
{
	static uint8_t packet[NNIPC_INLINE_MAX + 64];

	while (recv(c.control.sock, packet, sizeof(packet), MSG_DONTWAIT) > 0)
		;
}

/* Descriptors of the worker; 0: it is gone. */
static int count_fds(void)
{
	char path[64];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)c.child.pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* ---- before OPEN ---- */

static void test_no_hello(void **state)
{
	static const uint8_t kinds[] = {
		NNIPC_CALL, NNIPC_REPLY, NNIPC_ONEWAY, NNIPC_RELEASE, NNIPC_FDS, 0, 99
	};
	struct nnipc_header h = raw_header(NNIPC_HELLO, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		h.kind = kinds[i];
		client_start(&c);
		send_raw(c.control.sock, &h, sizeof(h));
		client_dies(&c, "no HELLO of a client");
	}
	/* a HELLO that says nothing, and one that says too much */
	h.kind = NNIPC_HELLO;
	client_start(&c);
	send_raw(c.control.sock, &h, sizeof(h));
	client_dies(&c, "no HELLO of a client");
	for (uint32_t what = 0; what < 4; what++) {
		struct {
			struct nnipc_header h;
			uint32_t words[4];
		} packet = { raw_header(NNIPC_HELLO, 0), { 1, 1, 4096, 0 } };
		size_t size = sizeof(packet.h) + 12;

		packet.h.payload = 12;
		if (what == 0)
			packet.h.magic++;
		else if (what == 1)
			packet.h.payload = 16, size += 4;
		else if (what == 2)
			packet.h.payload = 1ull << 40;
		else
			packet.h.num_fds = 3;
		client_start(&c);
		send_raw(c.control.sock, &packet, size);
		client_dies(&c, "no HELLO of a client");
	}
	client_start(&c);
	send_raw(c.control.sock, "hello", 5);
	client_dies(&c, "no HELLO of a client");
}

static void test_versions(void **state)
{
	static const uint32_t versions[][2] = { { 0, 0 }, { 2, 9 }, { 9, 1 }, { UINT32_MAX, 0 } };
	char text[256];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct nnipc_writer w = { 0 };
		struct nnipc_frame *f = &c.control.in;

		client_start(&c);
		nnipc_put_u32(&w, versions[i][0]);
		nnipc_put_u32(&w, versions[i][1]);
		nnipc_put_u32(&w, 4096);
		client_send(&c, NNIPC_HELLO, 0, 0, &w);
		assert_int_equal(nnipc_frame_receive(c.control.sock, f, -1), 0);
		assert_int_equal(nnipc_get_u32(&f->reader), 0);
		nnipc_get_text_into(&f->reader, text, sizeof(text));
		assert_non_null(strstr(text, "version"));
		client_dies(&c, "version 1 of the protocol");
	}
}

static void test_calls_before_open(void **state)
{
	struct objects none = { { 0 } };

	(void)state;
	client_start(&c);
	client_hello(&c);
	for (size_t i = 0; i < num_methods; i++) {
		methods[i].put(&c.control.out, &none);
		assert_int_equal(nnipc_lane_call(&c.control, methods[i].number, 0, -1),
				 -EOPNOTSUPP);
	}
	/* OPEN without arguments, with too many, and ENUMERATE with one */
	assert_int_equal(nnipc_lane_call(&c.control, NNIPC_SESSION_OPEN, 0, -1), -EBADMSG);
	nnipc_put_text(&c.control.out, "cpu");
	nnipc_put_u8(&c.control.out, 0);
	assert_int_equal(nnipc_lane_call(&c.control, NNIPC_SESSION_OPEN, 0, -1), -EBADMSG);
	nnipc_put_u8(&c.control.out, 0);
	assert_int_equal(nnipc_lane_call(&c.control, NNIPC_SESSION_ENUMERATE, 0, -1), -EBADMSG);
	client_send(&c, NNIPC_RELEASE, 0, 1, NULL);
	client_dies(&c, "the client broke the protocol before OPEN");

	client_start(&c);
	client_hello(&c);
	close(client_lane(&c));
	client_dies(&c, "the client broke the protocol before OPEN");
}

/* ---- the control socket ---- */

static void test_control(void **state)
{
	static const struct {
		uint8_t kind;
		uint32_t method;
		const char *line;
	} messages[] = {
		{ NNIPC_CALL, NNIPC_SESSION_OPEN, "on the control socket" }, /* twice */
		{ NNIPC_CALL, NNIPC_SESSION_ENUMERATE, "on the control socket" },
		{ NNIPC_CALL, NNIPC_DEVICE_GET_STATUS, "on the control socket" },
		{ NNIPC_HELLO, 0, "on the control socket" },
		{ NNIPC_REPLY, NNIPC_NOTIFY_EXECUTED, "on the control socket" },
		{ NNIPC_ONEWAY, NNIPC_NOTIFY_EXECUTED, "on the control socket" },
		{ NNIPC_ONEWAY, NNIPC_BURST_MEMORY, "on the control socket" },
		{ NNIPC_ONEWAY, NNIPC_SESSION_LANE, "malformed lane" },
		{ NNIPC_RELEASE, 0, "released an object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct nnipc_header h = raw_header(messages[i].kind, messages[i].method);

		client_ready(&c);
		if (h.kind == NNIPC_CALL || h.kind == NNIPC_REPLY)
			h.serial = 7;
		if (h.kind == NNIPC_RELEASE)
			h.oid = 12345;
		send_raw(c.control.sock, &h, sizeof(h));
		client_dies(&c, messages[i].line);
	}
	for (int i = 0; i < 20; i++) {
		uint8_t packet[200];

		random_state = (unsigned int)i;
		for (size_t k = 0; k < sizeof(packet); k++)
			packet[k] = (uint8_t)random_number();
		client_ready(&c);
		send_raw(c.control.sock, packet, random_number() % sizeof(packet) + 1);
		client_dies(&c, "broke the protocol on the control socket");
	}
}

static void test_release_twice(void **state)
{
	uint64_t oid;

	(void)state;
	client_ready(&c);
	oid = client_prepare_add(&c);
	client_send(&c, NNIPC_RELEASE, 0, oid, NULL);
	client_send(&c, NNIPC_RELEASE, 0, oid, NULL);
	client_dies(&c, "released an object that it does not have");
}

/* Descriptors that are no lanes. */
static void test_false_lanes(void **state)
{
	(void)state;
	for (int what = 0; what < 6; what++) {
		struct nnipc_writer w = { 0 };
		int fds[2] = { -1, -1 };

		client_ready(&c);
		switch (what) {
		case 0:
			fds[0] = open("/dev/zero", O_RDWR | O_CLOEXEC);
			break;
		case 1:
			assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
			break;
		case 2:
			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds),
					 0);
			break;
		case 3:
			assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), 0);
			break;
		case 4:
			fds[0] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
			assert_int_equal(bind(fds[0], &(struct sockaddr){ .sa_family = AF_UNIX },
					      sizeof(sa_family_t)),
					 0);
			assert_int_equal(listen(fds[0], 5), 0);
			break;
		default:
			break; /* none */
		}
		nnipc_put_fd(&w, fds[0]);
		client_send(&c, NNIPC_ONEWAY, NNIPC_SESSION_LANE, 0, &w);
		for (int i = 0; i < 2; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		client_dies(&c, "no packet socket");
	}
}

/* One end is the worker's, and the other one, too: nobody is there. */
static void test_many_lanes(void **state)
{
	struct nnipc_writer w = { 0 };
	int ends[2], sent = 0;

	(void)state;
	client_ready(&c);
	for (sent = 0; sent < 10000 && count_fds(); sent++) {
		const struct nnipc_header header = { .kind = NNIPC_ONEWAY,
						     .method = NNIPC_SESSION_LANE };

		assert_int_equal(nnipc_socket_pair(ends), 0);
		nnipc_put_fd(&w, ends[1]);
		int ret = nnipc_frame_send(c.control.sock, &header, &w);

		nnipc_writer_reset(&w);
		close(ends[1]);
		/* the other end stays open, in the message of a lane that will not be read */
		nnipc_put_fd_owned(&w, ends[0]);
		if (ret || nnipc_frame_send(c.control.sock, &header, &w))
			break;
		nnipc_writer_reset(&w);
	}
	nnipc_writer_fini(&w);
	assert_true(sent < 10000);
	client_dies(&c, "more than 256 lanes");
}

/* ---- lanes ---- */

static void test_lane_frames(void **state)
{
	static const uint8_t kinds[] = { NNIPC_HELLO, NNIPC_REPLY, NNIPC_ONEWAY, NNIPC_RELEASE,
					 77 };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		struct nnipc_header h = raw_header(kinds[i], NNIPC_DEVICE_GET_STATUS);

		client_ready(&c);
		send_raw(c.lane.sock, &h, sizeof(h));
		client_dies(&c, "broke the protocol of a lane");
	}
	for (uint32_t what = 0; what < 6; what++) {
		struct nnipc_header h = raw_header(NNIPC_CALL, NNIPC_DEVICE_GET_STATUS);

		h.serial = 3;
		if (what == 0)
			h.flags = NNIPC_FLAG_MALFORMED;
		else if (what == 1)
			h.flags = NNIPC_FLAG_MEMFD; /* there is none */
		else if (what == 2)
			h.payload = 100;
		else if (what == 3)
			h.num_fds = UINT32_MAX;
		else if (what == 4)
			h.magic = 0;
		else
			h.version = 999;
		client_ready(&c);
		send_raw(c.lane.sock, &h, sizeof(h));
		client_dies(&c, "broke the protocol of a lane");
	}
	/* shorter than a header */
	client_ready(&c);
	send_raw(c.lane.sock, "short", 5);
	client_dies(&c, "broke the protocol of a lane");
}

static void test_unknown_methods(void **state)
{
	(void)state;
	client_ready(&c);
	for (uint32_t method = 1; method < 0x900; method++) {
		bool known = false;

		for (size_t i = 0; i < num_methods; i++)
			known |= methods[i].number == method;
		if (!known)
			assert_int_equal(client_call(&c, method, 0), -EOPNOTSUPP);
	}
	assert_int_equal(client_call(&c, UINT32_MAX, 0), -EOPNOTSUPP);
	assert_int_equal(client_call(&c, 0x80000101, 0), -EOPNOTSUPP);
	client_lives(&c);
}

static void test_wrong_objects(void **state)
{
	struct objects o;

	(void)state;
	calls_init();
	client_ready(&c);
	objects_make(&c, &o);
	for (size_t i = 0; i < num_methods; i++) {
		const uint64_t right = object_of(&o, methods[i].number);
		uint64_t wrong[9] = { 0, 99999, UINT64_MAX };

		memcpy(wrong + 3, o.oids + 1, sizeof(uint64_t) * 6);
		for (size_t k = 0; k < 9; k++) {
			if (wrong[k] == right)
				continue;
			methods[i].put(&c.lane.out, &o);
			assert_int_equal(client_call(&c, methods[i].number, wrong[k]), -ESTALE);
		}
		drain();
	}
	client_lives(&c);
	calls_fini();
}

/* Arguments that end too early or too late: every method, every length. */
static void test_truncated(void **state)
{
	struct objects o;
	int fds;

	(void)state;
	calls_init();
	client_ready(&c);
	objects_make(&c, &o);
	fds = count_fds();
	for (size_t i = 0; i < num_methods; i++) {
		const uint64_t oid = object_of(&o, methods[i].number);
		size_t size = 1;

		for (size_t length = 0; length < size; length++) {
			methods[i].put(&c.lane.out, &o);
			size = c.lane.out.size;
			if (length >= size)
				break;
			c.lane.out.size = length;
			assert_int_equal(client_call(&c, methods[i].number, oid), -EBADMSG);
		}
		nnipc_writer_reset(&c.lane.out);
		methods[i].put(&c.lane.out, &o);
		nnipc_put_u8(&c.lane.out, 0);
		assert_int_equal(client_call(&c, methods[i].number, oid), -EBADMSG);
		/* one descriptor too many */
		methods[i].put(&c.lane.out, &o);
		nnipc_put_fd(&c.lane.out, c.log);
		c.lane.out.size--;
		assert_int_equal(client_call(&c, methods[i].number, oid), -EBADMSG);
	}
	/* no callback of a refused call, no descriptor of one */
	assert_int_equal(recv(c.control.sock, &fds, 1, MSG_DONTWAIT), -1);
	assert_true(EVENTUALLY(count_fds() == fds));
	client_lives(&c);
	calls_fini();
}

/* Alive, or ended with a line; a crash is neither. */
static void begin_again(struct objects *o)
{
	client_ready(&c);
	objects_make(&c, o);
}

static bool ended(void)
{
	if (!nnipc_child_ended(&c.child))
		return false;
	client_dies(&c, "worker ends: ");
	return true;
}

/* Random bytes, and honest arguments with some bytes changed. */
static void test_mutated(void **state)
{
	const int rounds = 300;
	uint32_t answers = 0, ends = 0;
	struct objects o;

	(void)state;
	calls_init();
	begin_again(&o);
	for (size_t i = 0; i < num_methods; i++) {
		for (int round = 0; round < rounds; round++) {
			const uint64_t oid = object_of(&o, methods[i].number);
			struct nnipc_writer *w = &c.lane.out;
			int ret;

			random_state = (unsigned int)(i * 7919 + (unsigned int)round);
			methods[i].put(w, &o);
			for (uint32_t k = random_number() % 4 + 1; k && w->size; k--)
				w->data[random_number() % w->size] =
					(uint8_t)(random_number() % 3 ? random_number() : 0xff);
			if (round % 10 == 0)
				for (size_t k = 0; k < w->size; k++)
					w->data[k] = (uint8_t)random_number();
			ret = client_call(&c, methods[i].number, oid);
			drain();
			if (ret == -EPIPE) {
				assert_true(EVENTUALLY(ended()));
				begin_again(&o);
				ends++;
				continue;
			}
			assert_true(ret == 0 || ret == -EBADMSG || ret == -ESTALE);
			answers++;
		}
	}
	print_message("%u answers, %u ends\n", answers, ends);
	client_lives(&c);
	calls_fini();
}

/* ---- memory ---- */

static uint64_t prepare_long(uint32_t ops, uint32_t elements)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_long(ops, elements);
	uint64_t oid;

	nnipc_put_u64(&c.lane.out, 1);
	nnipc_put_prepare_config(&c.lane.out, &prepare);
	nnipc_put_model(&c.lane.out, m);
	nnmodel_free(m);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	client_notified(&c, NNIPC_NOTIFY_PREPARED, 1);
	assert_int_equal(nnipc_get_status(&c.note.reader), NNHAL_NONE);
	free(nnipc_get_text(&c.note.reader, 1000));
	oid = nnipc_get_u64(&c.note.reader);
	return oid;
}

/* A memory that shrinks while it is read and written. */
static void test_shrunk_memory(void **state)
{
	const uint32_t size = 8 << 20;
	struct hal_call call;
	uint64_t model;

	(void)state;
	client_ready(&c);
	model = prepare_long(20, size / 4);
	hal_call_init(&call, false, &size, 1, &size, 1);
	for (uint64_t i = 0; i < 4; i++) {
		nnipc_put_u64(&c.lane.out, 10 + i);
		nnipc_put_request(&c.lane.out, &call.request, NULL);
		nnipc_put_execution_config(&c.lane.out, &config);
		nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
		assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE, model), 0);
	}
	assert_int_equal(ftruncate(call.pools[1].memory.fd, 0), 0);
	client_dies(&c, "has the client shrunk a memory");
	/* the maps of this process have no pages any more, but nobody touches them */
	hal_call_fini(&call);
}

/* Access that the descriptor does not give. */
static void test_access(void **state)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	struct hal_call call;
	uint64_t model;
	char path[64];
	int fd;

	(void)state;
	client_ready(&c);
	model = client_prepare_add(&c);
	hal_call_add(&call, false);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", call.pools[1].memory.fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (int what = 0; what < 4; what++) {
		struct nnhal_request_pool pools[2] = { call.pools[0], call.pools[1] };
		struct nnhal_request request = call.request;

		request.pools = pools;
		if (what == 0)
			pools[1].memory.fd = fd;
		else if (what == 1)
			pools[1].memory.size = 1ull << 40;
		else if (what == 2)
			pools[1].memory.offset = UINT64_MAX - 4095;
		else
			pools[1].memory.fd = c.log; /* a pipe */
		nnipc_put_request(&c.lane.out, &request, NULL);
		nnipc_put_execution_config(&c.lane.out, &config);
		nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
		assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, model), 0);
		assert_int_not_equal(nnipc_get_status(r), NNHAL_NONE);
	}
	close(fd);
	hal_call_fini(&call);
	client_lives(&c);
}

/* ---- bursts ---- */

struct burst {
	int sock, fds[2];
	struct nnipc_ring *requests, *results;
	uint64_t oid;
};

static void burst_make(struct burst *b)
{
	uint64_t model = client_prepare_add(&c);
	int ends[2];

	assert_int_equal(nnipc_socket_pair(ends), 0);
	assert_int_equal(nnipc_ring_create(NNIPC_BURST_RING, &b->fds[0], &b->requests), 0);
	assert_int_equal(nnipc_ring_create(NNIPC_BURST_RING, &b->fds[1], &b->results), 0);
	nnipc_put_fd_owned(&c.lane.out, ends[1]);
	nnipc_put_fd(&c.lane.out, b->fds[0]);
	nnipc_put_fd(&c.lane.out, b->fds[1]);
	assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, model), 0);
	assert_int_equal(nnipc_get_status(&c.lane.in.reader), NNHAL_NONE);
	b->oid = nnipc_get_u64(&c.lane.in.reader);
	b->sock = ends[0];
}

static void burst_free(struct burst *b)
{
	close(b->sock);
	close(b->fds[0]);
	close(b->fds[1]);
	nnipc_ring_free(b->requests);
	nnipc_ring_free(b->results);
}

static void put_execute(struct nnipc_writer *w, const struct hal_call *call, uint32_t memories,
			const uint32_t *slots)
{
	nnipc_put_u32(w, NNIPC_BURST_EXECUTE);
	nnipc_put_u64(w, 1);
	nnipc_put_u32(w, memories);
	nnipc_put_request(w, &call->request, slots);
	nnipc_put_u32(w, 2);
	nnipc_put_i64(w, 1);
	nnipc_put_i64(w, 2);
	nnipc_put_execution_config(w, &config);
	nnipc_put_i64(w, NNHAL_NO_TIME);
}

/* Packets that lie. */
static void test_burst_packets(void **state)
{
	static const uint32_t slots[][2] = { { 0, 1 }, { 1024, 0 }, { UINT32_MAX - 1, 0 } };
	struct hal_call call;

	(void)state;
	hal_call_add(&call, false);
	for (int what = 0; what < 9; what++) {
		struct nnipc_writer w = { 0 };
		struct burst b;

		client_ready(&c);
		burst_make(&b);
		if (what < 3) { /* empty slots, and none */
			put_execute(&w, &call, 0, slots[what]);
		} else if (what == 3) { /* memories that are something else */
			nnipc_put_u32(&w, 7);
			assert_int_equal(nnipc_frame_send(b.sock,
							  &(struct nnipc_header){
								  .kind = NNIPC_ONEWAY,
								  .method = NNIPC_BURST_MEMORY },
							  &w),
					 0);
			nnipc_writer_reset(&w);
			put_execute(&w, &call, 1, slots[0]);
		} else if (what == 4) { /* as many as no burst has */
			put_execute(&w, &call, UINT32_MAX, slots[0]);
		} else if (what == 5) {
			nnipc_put_u32(&w, NNIPC_DEVICE_GET_STATUS);
			nnipc_put_u64(&w, 1);
		} else if (what == 6) {
			nnipc_put_u32(&w, NNIPC_BURST_EXECUTE);
		} else if (what == 7) {
			nnipc_put_u32(&w, NNIPC_BURST_RELEASE_MEMORY);
			nnipc_put_u64(&w, 1);
			nnipc_put_i64(&w, 1);
			nnipc_put_u32(&w, 1024);
		} else {
			put_execute(&w, &call, 0, slots[0]);
			w.size -= 3;
		}
		assert_int_equal(nnipc_ring_put(b.requests, w.data, (uint32_t)w.size), 0);
		nnipc_writer_fini(&w);
		client_dies(&c, "broke the protocol of a burst");
		burst_free(&b);
	}
	hal_call_fini(&call);
}

/* Words of a ring's first page that no honest peer writes, at each of its cache lines. */
static void test_ring_indices(void **state)
{
	static const uint32_t lies[] = { 0xfffffff1, 0x80000000, 65537 };

	(void)state;
	for (uint32_t line = 0; line < 6; line++) {
		for (size_t i = 0; i < 3; i++) {
			struct burst b;
			uint32_t *page;

			client_ready(&c);
			burst_make(&b);
			page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, b.fds[0], 0);
			assert_true(page != MAP_FAILED);
			/* as a packet, it would be malformed */
			nnipc_ring_put(b.requests, "\1\4\0\0", 4);
			for (uint32_t word = 0; word < 16; word++)
				page[16 * line + word] = lies[i];
			munmap(page, 4096);
			client_dies(&c, "broke the protocol of a burst");
			burst_free(&b);
		}
	}
}

/* Memories and sockets of a burst that are none. */
static void test_false_rings(void **state)
{
	uint64_t model;
	int fds;

	(void)state;
	client_ready(&c);
	model = client_prepare_add(&c);
	fds = count_fds();
	for (int what = 0; what < 5; what++) {
		int ends[2], file = memfd_create("ring", MFD_CLOEXEC);

		assert_int_equal(ftruncate(file, 1 << 17), 0);
		assert_int_equal(nnipc_socket_pair(ends), 0);
		nnipc_put_fd(&c.lane.out, what == 1 ? c.log : ends[1]);
		nnipc_put_fd(&c.lane.out, what == 2 ? c.log : what == 4 ? -1 : file);
		nnipc_put_fd(&c.lane.out, what == 3 ? ends[0] : file);
		assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, model), -EBADMSG);
		close(ends[0]);
		close(ends[1]);
		close(file);
	}
	assert_true(EVENTUALLY(count_fds() == fds));
	client_lives(&c);
}

static void test_many_bursts(void **state)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	struct objects o;
	uint32_t made = 0, refused = 0;

	(void)state;
	calls_init();
	client_ready(&c);
	objects_make(&c, &o); /* has one */
	for (int i = 0; i < 300; i++) {
		for (size_t k = 0; k < num_methods; k++)
			if (methods[k].number == NNIPC_PREPARED_CONFIGURE_BURST)
				methods[k].put(&c.lane.out, &o);
		assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, o.oids[2]), 0);
		if (nnipc_get_status(r) == NNHAL_NONE)
			made++;
		else
			refused++;
	}
	assert_int_equal(made, 255);
	assert_int_equal(refused, 45);
	client_lives(&c);
	calls_fini();
}

/* ---- who does not read ---- */

/* Notifications that nobody reads: the worker waits, and goes with its client. */
static void test_notifications_unread(void **state)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	uint64_t callback = 0;
	int ret;

	(void)state;
	client_ready(&c);
	do {
		nnipc_put_u64(&c.lane.out, ++callback);
		nnipc_put_prepare_config(&c.lane.out, &prepare);
		nnipc_put_model(&c.lane.out, NULL);
		ret = nnipc_lane_call(&c.lane, NNIPC_DEVICE_PREPARE_MODEL, 0,
				      200 * NNUTIL_NS_PER_MS);
	} while (!ret && callback < 100000);
	assert_int_equal(ret, -ETIME);
	/* another lane goes on */
	close(c.lane.sock);
	c.lane.serial = 0;
	c.lane.sock = client_lane(&c);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_STATUS, 0), 0);
	assert_int_equal(client_end(&c, CLIENT_LIMIT_NS), 0);
}

/* Replies that nobody reads. */
static void test_replies_unread(void **state)
{
	struct nnipc_header h = raw_header(NNIPC_CALL, NNIPC_DEVICE_GET_CAPABILITIES);

	(void)state;
	client_ready(&c);
	for (uint64_t i = 1; i < 1000000; i++) {
		h.serial = i;
		if (send(c.lane.sock, &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
	}
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(client_end(&c, CLIENT_LIMIT_NS), 0);
}

/* A callback's number that no host gives. */
static void test_callback_zero(void **state)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;

	(void)state;
	client_ready(&c);
	nnipc_put_u64(&c.lane.out, 0);
	nnipc_put_prepare_config(&c.lane.out, &prepare);
	nnipc_put_model(&c.lane.out, NULL);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), -EBADMSG);
	client_lives(&c);
}

/* Objects without end. */
static void test_many_objects(void **state)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	uint32_t made = 0;
	enum nnhal_status status;
	struct objects o;

	(void)state;
	calls_init();
	client_ready(&c);
	objects_make(&c, &o);
	do {
		for (size_t k = 0; k < num_methods; k++)
			if (methods[k].number == NNIPC_DEVICE_ALLOCATE)
				methods[k].put(&c.lane.out, &o);
		assert_int_equal(client_call(&c, NNIPC_DEVICE_ALLOCATE, 0), 0);
		status = nnipc_get_status(r);
	} while (status == NNHAL_NONE && ++made < 100000);
	print_message("%u buffers\n", made);
	assert_true(made < 65536 && status == NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	client_lives(&c);
	calls_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_hello),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_calls_before_open),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_release_twice),
		cmocka_unit_test(test_false_lanes),
		cmocka_unit_test(test_many_lanes),
		cmocka_unit_test(test_lane_frames),
		cmocka_unit_test(test_unknown_methods),
		cmocka_unit_test(test_wrong_objects),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_shrunk_memory),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_burst_packets),
		cmocka_unit_test(test_ring_indices),
		cmocka_unit_test(test_false_rings),
		cmocka_unit_test(test_many_bursts),
		cmocka_unit_test(test_notifications_unread),
		cmocka_unit_test(test_replies_unread),
		cmocka_unit_test(test_callback_zero),
		cmocka_unit_test(test_many_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

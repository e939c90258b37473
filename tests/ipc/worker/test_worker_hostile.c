// SPDX-License-Identifier: Apache-2.0
/*
 * A worker and a client that wants to harm it. The worker answers with an error or ends with a line
 * that says why; it never crashes, hangs, keeps descriptors, or outlives its client.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "eventually.h"
#include "worker_calls.h"
#include "worker_client.h"

static struct client c;

/* ---- before OPEN ---- */

TEST(test_no_hello)
{
	static const uint8_t kinds[] = {
		NNIPC_CALL, NNIPC_REPLY, NNIPC_ONEWAY, NNIPC_RELEASE, NNIPC_FDS, 0, 99
	};
	struct nnipc_header h = harm_header(NNIPC_HELLO, 0);

	for (size_t i = 0; i < sizeof(kinds); i++) {
		h.kind = kinds[i];
		client_start(&c);
		harm_send(c.control.sock, &h, sizeof(h));
		client_dies(&c, "no HELLO of a client");
	}
	/* a HELLO that says nothing, and one that says too much */
	h.kind = NNIPC_HELLO;
	client_start(&c);
	harm_send(c.control.sock, &h, sizeof(h));
	client_dies(&c, "no HELLO of a client");
	for (uint32_t what = 0; what < 4; what++) {
		struct {
			struct nnipc_header h;
			uint32_t words[4];
		} packet = { harm_header(NNIPC_HELLO, 0), { 1, 1, 4096, 0 } };
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
		harm_send(c.control.sock, &packet, size);
		client_dies(&c, "no HELLO of a client");
	}
	client_start(&c);
	harm_send(c.control.sock, "hello", 5);
	client_dies(&c, "no HELLO of a client");
}

TEST(test_versions)
{
	static const uint32_t versions[][2] = { { 0, 0 }, { 2, 9 }, { 9, 1 }, { UINT32_MAX, 0 } };
	char text[256];

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

TEST(test_calls_before_open)
{
	struct objects none = { { 0 } };

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

TEST(test_control)
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

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct nnipc_header h = harm_header(messages[i].kind, messages[i].method);

		client_ready(&c);
		if (h.kind == NNIPC_CALL || h.kind == NNIPC_REPLY)
			h.serial = 7;
		if (h.kind == NNIPC_RELEASE)
			h.oid = 12345;
		harm_send(c.control.sock, &h, sizeof(h));
		client_dies(&c, messages[i].line);
	}
	for (int i = 0; i < 20; i++) {
		uint8_t packet[200];

		harm_seed((unsigned int)i);
		for (size_t k = 0; k < sizeof(packet); k++)
			packet[k] = (uint8_t)harm_random();
		client_ready(&c);
		harm_send(c.control.sock, packet, harm_random() % sizeof(packet) + 1);
		client_dies(&c, "broke the protocol on the control socket");
	}
}

TEST(test_release_twice)
{
	uint64_t oid;

	client_ready(&c);
	oid = client_prepare_add(&c);
	client_send(&c, NNIPC_RELEASE, 0, oid, NULL);
	client_send(&c, NNIPC_RELEASE, 0, oid, NULL);
	client_dies(&c, "released an object that it does not have");
}

/* Descriptors that are no lanes. */
TEST(test_false_lanes)
{
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

/* The worker has both ends: there is no peer. */
TEST(test_many_lanes)
{
	struct nnipc_writer w = { 0 };
	int ends[2], sent = 0;

	client_ready(&c);
	for (sent = 0; sent < 10000 && harm_count_fds(&c); sent++) {
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

TEST(test_lane_frames)
{
	static const uint8_t kinds[] = { NNIPC_HELLO, NNIPC_REPLY, NNIPC_ONEWAY, NNIPC_RELEASE,
					 77 };

	for (size_t i = 0; i < sizeof(kinds); i++) {
		struct nnipc_header h = harm_header(kinds[i], NNIPC_DEVICE_GET_STATUS);

		client_ready(&c);
		harm_send(c.lane.sock, &h, sizeof(h));
		client_dies(&c, "broke the protocol of a lane");
	}
	for (uint32_t what = 0; what < 6; what++) {
		struct nnipc_header h = harm_header(NNIPC_CALL, NNIPC_DEVICE_GET_STATUS);

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
		harm_send(c.lane.sock, &h, sizeof(h));
		client_dies(&c, "broke the protocol of a lane");
	}
	/* shorter than a header */
	client_ready(&c);
	harm_send(c.lane.sock, "short", 5);
	client_dies(&c, "broke the protocol of a lane");
}

TEST(test_unknown_methods)
{
	client_ready(&c);
	for (uint32_t method = 1; method < 0x900; method++) {
		/* it would take the buffer from the tests that follow */
		bool known = method == NNIPC_BUFFER_DESTROY;

		for (size_t i = 0; i < num_methods; i++)
			known |= methods[i].number == method;
		if (!known)
			assert_int_equal(client_call(&c, method, 0), -EOPNOTSUPP);
	}
	assert_int_equal(client_call(&c, UINT32_MAX, 0), -EOPNOTSUPP);
	assert_int_equal(client_call(&c, 0x80000101, 0), -EOPNOTSUPP);
	client_lives(&c);
}

TEST(test_wrong_objects)
{
	struct objects o;

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
		harm_drain(&c);
	}
	client_lives(&c);
	calls_fini();
}

/* Requests with a number of pools and no list are the vendor library's to refuse. */
TEST(test_no_pools)
{
	static const uint32_t with_request[] = {
		NNIPC_PREPARED_EXECUTE,	       NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY,
		NNIPC_PREPARED_EXECUTE_FENCED, NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION,
		NNIPC_BURST_EXECUTE,
	};
	struct objects o;

	calls_init();
	client_ready(&c);
	objects_make(&c, &o);
	calls_lose_pools();
	for (size_t i = 0; i < num_methods; i++) {
		for (size_t k = 0; k < sizeof(with_request) / sizeof(with_request[0]); k++) {
			if (methods[i].number != with_request[k])
				continue;
			methods[i].put(&c.lane.out, &o);
			assert_int_equal(client_call(&c, with_request[k],
						     object_of(&o, with_request[k])),
					 0);
			assert_int_equal(nnipc_get_status(&c.lane.in.reader),
					 NNHAL_INVALID_ARGUMENT);
		}
		harm_drain(&c);
	}
	client_lives(&c);
	calls_fini();
}

/* Arguments that end too early or too late: every method, every length. */
TEST(test_truncated)
{
	struct objects o;
	int fds;

	calls_init();
	client_ready(&c);
	objects_make(&c, &o);
	fds = harm_count_fds(&c);
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
		nnipc_put_fd(&c.lane.out, c.log.fd);
		c.lane.out.size--;
		assert_int_equal(client_call(&c, methods[i].number, oid), -EBADMSG);
	}
	/* no callback of a refused call, no descriptor of one; the objects may have let go of some
	 */
	assert_int_equal(recv(c.control.sock, &fds, 1, MSG_DONTWAIT), -1);
	assert_true(EVENTUALLY(harm_count_fds(&c) <= fds));
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
TEST(test_mutated)
{
	const int rounds = 300;
	uint32_t answers = 0, ends = 0;
	struct objects o;

	calls_init();
	begin_again(&o);
	for (size_t i = 0; i < num_methods; i++) {
		for (int round = 0; round < rounds; round++) {
			const uint64_t oid = object_of(&o, methods[i].number);
			struct nnipc_writer *w = &c.lane.out;
			int ret;

			harm_seed((unsigned int)(i * 7919 + (unsigned int)round));
			methods[i].put(w, &o);
			for (uint32_t k = harm_random() % 4 + 1; k && w->size; k--)
				w->data[harm_random() % w->size] =
					(uint8_t)(harm_random() % 3 ? harm_random() : 0xff);
			if (round % 10 == 0)
				for (size_t k = 0; k < w->size; k++)
					w->data[k] = (uint8_t)harm_random();
			ret = client_call(&c, methods[i].number, oid);
			harm_drain(&c);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_pools),      cmocka_unit_test(test_no_hello),
		cmocka_unit_test(test_versions),      cmocka_unit_test(test_calls_before_open),
		cmocka_unit_test(test_control),	      cmocka_unit_test(test_release_twice),
		cmocka_unit_test(test_false_lanes),   cmocka_unit_test(test_many_lanes),
		cmocka_unit_test(test_lane_frames),   cmocka_unit_test(test_unknown_methods),
		cmocka_unit_test(test_wrong_objects), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_mutated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

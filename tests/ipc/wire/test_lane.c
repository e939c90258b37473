// SPDX-License-Identifier: Apache-2.0
/* Calls: results, refusals, large and many, a peer that lies, dies or does not answer. */
#include "wire_test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "child.h"
#include "wire/nnipc_wire.h"

enum {
	ECHO = 1,
	FDS_BACK = 2,
	EMPTY = 3,
	MANY = 4,
	TOO_MANY = 5,
	SHORTAGE = 6,
	REFUSE = 0x100,
	QUIT = 0x200
};

static int handler(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
		   struct nnipc_writer *out)
{
	uint32_t count;
	size_t size;
	const void *bytes;

	++*(atomic_int *)cookie;
	if (header->method == ECHO) {
		bytes = nnipc_get_bytes(in, &size);
		nnipc_put_u64(out, header->oid);
		nnipc_put_bytes(out, bytes, size);
	} else if (header->method == FDS_BACK) {
		count = nnipc_get_count(in, 1, UINT32_MAX);
		nnipc_put_u32(out, count);
		/* as many as a reply has; the others are closed by nnipc_lane_serve() */
		for (uint32_t i = 0; i < count && i < NNIPC_REPLY_FDS; i++)
			nnipc_put_fd_owned(out, nnipc_get_fd(in));
		while (!in->error && in->next_fd < in->num_fds) {
			nnipc_get_bool(in);
			in->next_fd++;
		}
	} else if (header->method == MANY) {
		for (uint32_t i = 0; i < NNIPC_REPLY_FDS; i++)
			nnipc_put_fd(out, 0);
	} else if (header->method == TOO_MANY) {
		for (uint32_t i = 0; i <= NNIPC_REPLY_FDS; i++)
			nnipc_put_fd(out, 0);
	} else if (header->method == SHORTAGE) {
		out->error = -ENOMEM;
	} else if (header->method >= QUIT) {
		return -EIO;
	} else if (header->method >= REFUSE) {
		/* not sent: the call is refused */
		nnipc_put_u32(out, 1);
		return -(int)(header->method - REFUSE);
	}
	return nnipc_reader_end(in);
}

struct server {
	pthread_t thread;
	int sock, ret;
	atomic_int calls;
};

static void *serve(void *cookie)
{
	struct server *s = cookie;

	s->ret = nnipc_lane_serve(s->sock, handler, &s->calls);
	close(s->sock);
	return NULL;
}

static void start(struct server *s, struct nnipc_lane *lane)
{
	int sockets[2];

	*s = (struct server){ 0 };
	*lane = (struct nnipc_lane){ 0 };
	assert_int_equal(nnipc_socket_pair(sockets), 0);
	lane->sock = sockets[0];
	s->sock = sockets[1];
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s, struct nnipc_lane *lane, int ret)
{
	nnipc_lane_fini(lane);
	pthread_join(s->thread, NULL);
	assert_int_equal(s->ret, ret);
}

static void echo(struct nnipc_lane *lane, const void *data, size_t size)
{
	size_t got;
	const void *bytes;

	nnipc_put_bytes(&lane->out, data, size);
	assert_int_equal(nnipc_lane_call(lane, ECHO, 5, -1), 0);
	assert_int_equal(lane->out.size, 0);
	assert_int_equal(nnipc_get_u64(&lane->in.reader), 5);
	bytes = nnipc_get_bytes(&lane->in.reader, &got);
	assert_int_equal(got, size);
	if (size)
		assert_memory_equal(bytes, data, size);
	assert_int_equal(nnipc_reader_end(&lane->in.reader), 0);
}

/* A reply that cannot be sent for want of something costs the call, not the lane. */
TEST(test_shortage)
{
	struct nnipc_lane lane;
	struct server s;

	start(&s, &lane);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nnipc_lane_call(&lane, SHORTAGE, 0, -1), -EMFILE);
		echo(&lane, "hello", 5);
	}
	stop(&s, &lane, 0);
}

TEST(test_calls)
{
	uint32_t before = descriptors_open();
	struct nnipc_lane lane;
	struct server s;
	char *large = calloc(1, 3u << 20);
	int fd = numbered_fd(9), back;

	assert_non_null(large);
	start(&s, &lane);
	for (int i = 0; i < 100; i++)
		echo(&lane, "hello", 5);
	echo(&lane, NULL, 0);
	echo(&lane, large, 3u << 20);
	for (uint32_t count = 0; count <= 600; count += count < 10 ? 1 : 200) {
		nnipc_put_u32(&lane.out, count);
		for (uint32_t i = 0; i < count; i++)
			nnipc_put_fd(&lane.out, fd);
		assert_int_equal(nnipc_lane_call(&lane, FDS_BACK, 0, -1), 0);
		assert_int_equal(nnipc_get_u32(&lane.in.reader), count);
		for (uint32_t i = 0; i < count && i < NNIPC_REPLY_FDS; i++) {
			back = nnipc_get_fd(&lane.in.reader);
			assert_true(same_file(back, fd));
			close(back);
		}
		assert_int_equal(nnipc_reader_end(&lane.in.reader), 0);
	}
	assert_int_equal(s.calls, 100 + 2 + 13);
	stop(&s, &lane, 0);
	close(fd);
	free(large);
	assert_int_equal(descriptors_open(), before);
}

TEST(test_refusals)
{
	static const int errors[] = { EOPNOTSUPP, EBADMSG, ESTALE, EMFILE };
	struct nnipc_lane lane;
	struct server s;

	start(&s, &lane);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		assert_int_equal(nnipc_lane_call(&lane, REFUSE + (uint32_t)errors[i], 0, -1),
				 -errors[i]);
		assert_int_equal(nnipc_reader_end(&lane.in.reader), -EBADMSG);
		echo(&lane, "x", 1); /* the lane goes on */
	}
	/* what the handler does not read is malformed */
	nnipc_put_u32(&lane.out, 1);
	assert_int_equal(nnipc_lane_call(&lane, EMPTY, 0, -1), -EBADMSG);
	nnipc_put_fd(&lane.out, 0);
	lane.out.size = 0;
	assert_int_equal(nnipc_lane_call(&lane, EMPTY, 0, -1), -EBADMSG);
	/* nothing was sent */
	lane.out.error = -E2BIG;
	assert_int_equal(nnipc_lane_call(&lane, EMPTY, 0, -1), -E2BIG);
	echo(&lane, "x", 1);
	/* another error ends the lane */
	assert_int_equal(nnipc_lane_call(&lane, QUIT, 0, -1), -EPIPE);
	assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPIPE);
	stop(&s, &lane, -EIO);
}

/* A descriptor limit that the call or its reply does not fit into. */
TEST(test_no_room)
{
	struct rlimit limit, old;
	struct nnipc_lane lane;
	struct server s;
	uint32_t before;

	start(&s, &lane);
	before = descriptors_open();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	limit.rlim_cur = before;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	/* refused: it does not run */
	for (int i = 0; i < 50; i++)
		nnipc_put_fd(&lane.out, 0);
	assert_int_equal(nnipc_lane_call(&lane, EMPTY, 0, -1), -EMFILE);
	assert_int_equal(s.calls, 0);
	/* its reply is lost */
	assert_int_equal(nnipc_lane_call(&lane, MANY, 0, -1), -EMFILE);
	assert_int_equal(s.calls, 1);
	echo(&lane, "x", 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(descriptors_open(), before);
	stop(&s, &lane, 0);
}

/* A packet as no sender of ours makes it. */
static void send_many(int sock, const struct nnipc_header *header, uint32_t count)
{
	/* all are descriptor 0 */
	static const int fds[NNIPC_FDS_PER_PACKET];
	struct nnipc_header h = *header;

	h.magic = NNIPC_MAGIC;
	h.version = NNIPC_VERSION;
	assert_int_equal(unix_send(sock, &h, sizeof(h), fds, count), sizeof(h));
}

/* A worker that would fill its client's table: nothing of it arrives. */
TEST(test_many_in_reply)
{
	const struct nnipc_header lies[] = {
		{ .kind = NNIPC_REPLY, .method = ECHO, .serial = 1, .num_fds = 250 },
		{ .kind = NNIPC_CALL, .method = ECHO, .serial = 1, .num_fds = 250 },
		{ .kind = NNIPC_FDS, .method = ECHO, .serial = 1, .num_fds = 300 },
	};
	struct rlimit limit, old;
	struct nnipc_lane lane;
	struct server s;
	uint32_t before;

	start(&s, &lane);
	assert_int_equal(nnipc_lane_call(&lane, TOO_MANY, 0, -1), -EPIPE);
	stop(&s, &lane, -E2BIG);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		int sockets[2];

		lane = (struct nnipc_lane){ 0 };
		assert_int_equal(nnipc_socket_pair(sockets), 0);
		lane.sock = sockets[0];
		send_many(sockets[1], &lies[i], 250);
		before = descriptors_open();
		/* room for a few, with which the call would fail if there were no limit */
		limit = old;
		limit.rlim_cur = before + 20;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPROTO);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_int_equal(descriptors_open(), before);
		nnipc_lane_fini(&lane);
		close(sockets[1]);
	}
}

/* ---- a peer that is no lane's ---- */

TEST(test_hostile_server)
{
	static const struct nnipc_header lies[] = {
		{ .kind = NNIPC_REPLY, .method = ECHO, .serial = 2 },
		{ .kind = NNIPC_REPLY, .method = EMPTY, .serial = 1 },
		{ .kind = NNIPC_CALL, .method = ECHO, .serial = 1 },
		{ .kind = NNIPC_ONEWAY, .method = ECHO, .serial = 1 },
		{ .kind = NNIPC_HELLO, .method = ECHO, .serial = 1 },
	};
	struct nnipc_writer w = { 0 };
	uint32_t before = descriptors_open();
	int sockets[2];

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct nnipc_lane lane = { 0 };

		assert_int_equal(nnipc_socket_pair(sockets), 0);
		lane.sock = sockets[0];
		nnipc_put_fd(&w, 0);
		assert_int_equal(nnipc_frame_send(sockets[1], &lies[i], &w), 0);
		nnipc_writer_reset(&w);
		assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPROTO);
		nnipc_lane_fini(&lane);
		close(sockets[1]);
		assert_int_equal(descriptors_open(), before);
	}
	nnipc_writer_fini(&w);
}

TEST(test_hostile_client)
{
	static const struct nnipc_header lies[] = {
		{ .kind = NNIPC_REPLY, .method = ECHO, .serial = 1 },
		{ .kind = NNIPC_ONEWAY, .method = ECHO },
		{ .kind = NNIPC_RELEASE, .oid = 1 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct nnipc_lane lane;
		struct server s;

		start(&s, &lane);
		assert_int_equal(nnipc_frame_send(lane.sock, &lies[i], NULL), 0);
		stop(&s, &lane, -EPROTO);
		assert_int_equal(s.calls, 0);
	}
}

TEST(test_no_answer)
{
	struct nnipc_lane lane = { 0 };
	int sockets[2];

	assert_int_equal(nnipc_socket_pair(sockets), 0);
	lane.sock = sockets[0];
	assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, 1000000), -ETIME);
	nnipc_lane_fini(&lane);
	close(sockets[1]);
}

/* A server that is killed while a call waits ends the wait. */
TEST(test_death)
{
	struct nnipc_lane lane = { 0 };
	int sockets[2];
	char byte;
	pid_t pid;

	assert_int_equal(nnipc_socket_pair(sockets), 0);
	pid = fork();
	if (!pid) {
		close(sockets[0]);
		/* look at the call, and end without having read it */
		recv(sockets[1], &byte, 1, MSG_PEEK);
		raise(SIGKILL);
	}
	close(sockets[1]);
	lane.sock = sockets[0];
	assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPIPE);
	nnipc_lane_fini(&lane);
	assert_int_equal(child_wait(pid), -SIGKILL);
}

static void *shut_down(void *cookie)
{
	const int *sock = cookie;
	char byte;

	/* once the call has come */
	assert_int_equal(recv(sock[1], &byte, 1, MSG_PEEK), 1);
	assert_int_equal(shutdown(sock[0], SHUT_RDWR), 0);
	return NULL;
}

/*
 * A peer whose end does not hang up although it is gone: shutdown() of another thread ends the
 * wait.
 */
TEST(test_shutdown)
{
	struct nnipc_lane lane = { 0 };
	pthread_t thread;
	int sockets[2];

	assert_int_equal(nnipc_socket_pair(sockets), 0);
	lane.sock = sockets[0];
	assert_int_equal(pthread_create(&thread, NULL, shut_down, sockets), 0);
	assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPIPE);
	assert_int_equal(nnipc_lane_call(&lane, ECHO, 0, -1), -EPIPE);
	pthread_join(thread, NULL);
	nnipc_lane_fini(&lane);
	close(sockets[1]);
}

static void *call_often(void *cookie)
{
	struct nnipc_lane *lane = cookie;
	uint8_t bytes[64];

	for (int i = 0; i < 500; i++) {
		memset(bytes, i, sizeof(bytes));
		echo(lane, bytes, sizeof(bytes));
	}
	return NULL;
}

static int receive_fds(struct nnipc_lane *lane, uint8_t flags)
{
	int count;

	assert_int_equal(nnipc_frame_receive(lane->sock, &lane->in, -1), 0);
	assert_int_equal(lane->in.header.flags, flags);
	count = (int)lane->in.header.num_fds;
	nnipc_frame_clear(&lane->in);
	return count;
}

/* A caller that leaves replies unread has one with descriptors on the way, not all of them. */
TEST(test_unread_descriptors)
{
	struct nnipc_header call = { .kind = NNIPC_CALL, .method = MANY };
	struct nnipc_lane lane;
	struct server s;

	start(&s, &lane);
	for (call.serial = 1; call.serial <= 10; call.serial++)
		assert_int_equal(nnipc_frame_send(lane.sock, &call, NULL), 0);
	call.method = EMPTY;
	assert_int_equal(nnipc_frame_send(lane.sock, &call, NULL), 0);
	while (atomic_load(&s.calls) < 11)
		sched_yield();
	assert_int_equal(receive_fds(&lane, 0), NNIPC_REPLY_FDS);
	for (int i = 2; i <= 10; i++)
		assert_int_equal(receive_fds(&lane, NNIPC_FLAG_NO_ROOM), 0);
	assert_int_equal(receive_fds(&lane, 0), 0);
	/* one that reads has them again */
	lane.serial = call.serial;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(nnipc_lane_call(&lane, MANY, 0, -1), 0);
		assert_int_equal(lane.in.header.num_fds, NNIPC_REPLY_FDS);
		nnipc_frame_clear(&lane.in);
	}
	stop(&s, &lane, 0);
}

/* Lanes are independent: each has its thread on either side. */
TEST(test_parallel)
{
	struct nnipc_lane lanes[4];
	struct server servers[4];
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		start(&servers[i], &lanes[i]);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, &lanes[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		stop(&servers[i], &lanes[i], 0);
		assert_int_equal(servers[i].calls, 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	       cmocka_unit_test(test_shortage),
		cmocka_unit_test(test_refusals),       cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_many_in_reply),  cmocka_unit_test(test_hostile_server),
		cmocka_unit_test(test_hostile_client), cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_death),	       cmocka_unit_test(test_shutdown),
		cmocka_unit_test(test_parallel),       cmocka_unit_test(test_unread_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

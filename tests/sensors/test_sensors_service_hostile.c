// SPDX-License-Identifier: Apache-2.0
/*
 * Clients of nnaccel-sensord that break its protocol. After each of them the service lives, another
 * client is served, and has its events; in the end nothing of theirs is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "service_sensors.h"
#include "test_case.h"

#define SOME_RATE 5000 /* us */

/* The witness: a client that keeps to the rules. */
static struct {
	struct sensord service;
	struct nnipc_lane lane;
	struct wire_queue queue;
	int32_t accel;
	unsigned int descriptors;
} w;

FIXTURE(begin)
{
	sensord_start(&w.service, NULL, SERVICE_SENSORS);
	wire_open(&w.service, &w.lane);
	w.accel = wire_handle(&w.lane, "accel");
	wire_create_queue(&w.lane, &w.queue);
	assert_int_equal(wire_enable(&w.queue, w.accel, SOME_RATE, 0), NNSENSORS_OK);
	w.descriptors = sensord_descriptors(&w.service);
	return 0;
}

/* It has events that are newer than this call, and its calls are answered. */
static void check_witness(void)
{
	const int64_t now = nnutil_boottime_ns();
	struct nnsensors_record record;
	struct nnsensors_info *infos;

	do
		wire_await(&w.queue, w.accel, &record);
	while (record.timestamp < now);
	assert_int_equal(wire_list(&w.lane, &infos), SERVICE_SENSORS_COUNT);
	free(infos);
}

static bool witness_is_alone(void)
{
	uint32_t objects, sensors, clients;

	wire_totals(&w.lane, &objects, &sensors, &clients);
	return objects == 1 && sensors == 1 && clients == 1 &&
	       sensord_descriptors(&w.service) == w.descriptors;
}

FIXTURE(end)
{
	check_witness();
	assert_true(EVENTUALLY(witness_is_alone()));
	wire_forget_queue(&w.queue);
	nnipc_lane_fini(&w.lane);
	sensord_stop(&w.service);
	return 0;
}

/* ---- packets by hand ---- */

static void send_packet(int sock, const void *bytes, size_t size, const int *fds, size_t num_fds)
{
	/* the service may have hung up already */
	if (unix_send(sock, bytes, size, fds, num_fds) < 0)
		assert_true(errno == EPIPE || errno == ECONNRESET);
}

static int greeted(void)
{
	int sock = wire_dial(&w.service);

	assert_int_equal(wire_greet(sock, NULL), SENSOR_PROTOCOL_VERSION);
	return sock;
}

/* The header of a call without arguments. */
static struct nnipc_header call_of(uint32_t method)
{
	return (struct nnipc_header){
		.magic = NNIPC_MAGIC,
		.version = NNIPC_VERSION,
		.kind = NNIPC_CALL,
		.method = method,
		.serial = 1,
	};
}

/* Calls whose answers stay unread, until both directions are full: nothing moves for a while. */
static void fill(int sock)
{
	struct nnipc_header header = call_of(SENSOR_MANAGER_GET_SENSOR_LIST);
	struct pollfd p = { .fd = sock, .events = POLLOUT };

	for (; poll(&p, 1, 100) == 1; header.serial++)
		if (send(sock, &header, sizeof(header), MSG_DONTWAIT) < 0)
			assert_int_equal(errno, EAGAIN);
}

static const uint32_t methods[] = {
	SENSOR_MANAGER_GET_SENSOR_LIST,
	SENSOR_MANAGER_GET_DEFAULT_SENSOR,
	SENSOR_MANAGER_CREATE_ASHMEM,
	SENSOR_MANAGER_CREATE_GRALLOC,
	SENSOR_MANAGER_CREATE_QUEUE,
	SENSOR_MANAGER_GET_CLIENTS,
	SENSOR_CHANNEL_CONFIGURE,
	SENSOR_CHANNEL_DESTROY,
	SENSOR_QUEUE_ENABLE,
	SENSOR_QUEUE_DISABLE,
	SENSOR_QUEUE_DESTROY,
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

/* ---- tests ---- */

/* Objects that there are not, and methods that there are not. */
TEST(test_wrong_objects)
{
	static const uint64_t oids[] = { 1, 2, 3, 99, UINT64_MAX, 1ull << 32 };
	struct nnipc_lane lane;

	wire_open(&w.service, &lane);
	for (size_t m = 0; m < METHODS; m++)
		for (size_t i = 0; i < sizeof(oids) / sizeof(oids[0]); i++)
			assert_int_equal(wire_call(&lane, methods[m], oids[i]), -ESTALE);
	for (uint32_t method = 0x7f0; method < 0x830; method++) {
		bool known = false;

		for (size_t m = 0; m < METHODS; m++)
			known = known || methods[m] == method;
		if (!known)
			assert_int_equal(wire_call(&lane, method, 0), -EOPNOTSUPP);
	}
	assert_int_equal(wire_call(&lane, UINT32_MAX, 0), -EOPNOTSUPP);
	nnipc_lane_fini(&lane);
}

/* Arguments that are too short or too long by some bytes, or descriptors. */
TEST(test_wrong_lengths)
{
	struct nnipc_lane lane;
	struct wire_queue q;
	uint64_t channel, oid;
	int fd = test_memfd(4096);

	wire_open(&w.service, &lane);
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_create_ashmem(&lane, fd, 4096, 4096, &channel), NNSENSORS_OK);
	for (size_t m = 0; m < METHODS; m++) {
		oid = methods[m] < SENSOR_CHANNEL_CONFIGURE ? 0
		      : methods[m] < SENSOR_QUEUE_ENABLE    ? channel
							    : q.oid;
		/* 64 bytes are more than any method's */
		for (size_t size = 1; size <= 64; size += size < 24 ? 1 : 8) {
			for (size_t i = 0; i < size; i++)
				nnipc_put_u8(&lane.out, 0xff);
			if (wire_call(&lane, methods[m], oid) != -EBADMSG)
				assert_true(size == 4 || size == 8 || size == 16);
			nnipc_frame_clear(&lane.in);
		}
		/* a descriptor that the method does not take */
		nnipc_put_fd(&lane.out, fd);
		assert_int_equal(wire_call(&lane, methods[m], oid), -EBADMSG);
	}
	/* one that is announced and does not come; one that comes and is not announced */
	for (uint32_t announced = 0; announced < 2; announced++) {
		struct nnipc_header header = call_of(SENSOR_MANAGER_CREATE_ASHMEM);
		uint8_t packet[sizeof(header) + 17] = { 0 };

		header.num_fds = !announced;
		header.serial = ++lane.serial;
		header.payload = 17;
		memcpy(packet, &header, sizeof(header));
		packet[sizeof(header)] = (uint8_t)announced;
		send_packet(lane.sock, packet, sizeof(packet), &fd, !announced);
		assert_int_equal(nnipc_frame_receive(lane.sock, &lane.in, -1), 0);
		assert_int_equal(lane.in.header.flags, NNIPC_FLAG_MALFORMED);
	}
	/* the connection is as good as before */
	assert_int_equal(wire_destroy_channel(&lane, channel), NNSENSORS_OK);
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	close(fd);
	nnipc_lane_fini(&lane);
}

/* Headers that lie: the service hangs up. */
TEST(test_lying_headers)
{
	struct nnipc_header good = call_of(SENSOR_MANAGER_GET_DEFAULT_SENSOR);
	uint8_t packet[sizeof(good) + 4];
	struct nnipc_header bad[16];
	size_t count = 0;

	good.payload = 4;
	for (size_t i = 0; i < 16; i++)
		bad[i] = good;
	bad[count++].magic = 0;
	bad[count++].version = 9;
	bad[count++].kind = 0;
	bad[count++].kind = NNIPC_HELLO;
	bad[count++].kind = NNIPC_REPLY;
	bad[count++].kind = NNIPC_ONEWAY;
	bad[count++].kind = NNIPC_RELEASE;
	bad[count++].kind = 99;
	bad[count++].flags = NNIPC_FLAG_MEMFD;
	bad[count++].flags = 0x80;
	bad[count++].method = 0;
	bad[count++].num_fds = 1;
	bad[count++].num_fds = UINT32_MAX;
	bad[count++].serial = 0;
	bad[count++].payload = 5;
	bad[count++].payload = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		int sock = greeted();

		memset(packet, 0, sizeof(packet));
		memcpy(packet, &bad[i], sizeof(bad[i]));
		send_packet(sock, packet, sizeof(packet), NULL, 0);
		wire_await_hang_up(sock);
		close(sock);
	}
	/* packets that are too short for a header, or longer than any */
	for (size_t size = 1; size < sizeof(good); size += 13) {
		int sock = greeted();

		send_packet(sock, packet, size, NULL, 0);
		wire_await_hang_up(sock);
		close(sock);
	}
	check_witness();
}

/* More descriptors than any method has do not come in, and are not waited for. */
TEST(test_many_descriptors)
{
	struct nnipc_header header = call_of(SENSOR_MANAGER_GET_SENSOR_LIST);
	int fds[253];
	int sock = greeted();
	struct nnipc_frame f = { 0 };

	for (size_t i = 0; i < 253; i++)
		fds[i] = STDIN_FILENO;
	header.num_fds = 250;
	send_packet(sock, &header, sizeof(header), fds, header.num_fds);
	assert_int_equal(nnipc_frame_receive(sock, &f, -1), 0);
	assert_int_equal(f.header.flags, NNIPC_FLAG_NO_ROOM);
	nnipc_frame_fini(&f);
	assert_int_equal(sensord_descriptors(&w.service), w.descriptors + 1);
	/* the first of several packets: the rest would never come */
	header.kind = NNIPC_FDS;
	header.num_fds = 4096;
	send_packet(sock, &header, sizeof(header), fds, 253);
	wire_await_hang_up(sock);
	close(sock);
	/* HELLO with descriptors */
	sock = wire_dial(&w.service);
	header.kind = NNIPC_HELLO;
	header.num_fds = 250;
	header.method = 0;
	header.serial = 0;
	send_packet(sock, &header, sizeof(header), fds, 250);
	wire_await_hang_up(sock);
	close(sock);
}

/* A payload in memory that the client can change or cut under the service's eyes. */
TEST(test_payload_memory)
{
	static const int seals[] = { 0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };
	struct nnipc_header header = call_of(SENSOR_MANAGER_GET_DEFAULT_SENSOR);

	header.flags = NNIPC_FLAG_MEMFD;
	header.payload = 4096;
	for (size_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
		int sock = greeted(), fd = test_memfd(4096);

		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals[i]), 0);
		send_packet(sock, &header, sizeof(header), &fd, 1);
		wire_await_hang_up(sock);
		close(sock);
		close(fd);
	}
}

/* What comes before HELLO, or a HELLO that is none. */
TEST(test_first_words)
{
	struct nnipc_header header = call_of(SENSOR_MANAGER_GET_SENSOR_LIST);
	const struct nnipc_header hello = { .kind = NNIPC_HELLO };
	struct nnipc_writer payload = { 0 };
	int sock = wire_dial(&w.service);

	send_packet(sock, &header, sizeof(header), NULL, 0);
	wire_await_hang_up(sock);
	close(sock);
	sock = wire_dial(&w.service);
	send_packet(sock, "hello", 5, NULL, 0);
	wire_await_hang_up(sock);
	close(sock);
	/* too short, too long */
	for (uint32_t values = 0; values < 4; values++) {
		if (values == 2)
			continue;
		sock = wire_dial(&w.service);
		for (uint32_t i = 0; i < values; i++)
			nnipc_put_u32(&payload, 1);
		assert_int_equal(nnipc_frame_send(sock, &hello, &payload), 0);
		nnipc_writer_reset(&payload);
		wire_await_hang_up(sock);
		close(sock);
	}
	nnipc_writer_fini(&payload);
}

/* Calls without end whose answers stay unread: only the thread of that client waits. */
TEST(test_never_reads)
{
	int socks[8];

	for (size_t i = 0; i < 8; i++) {
		socks[i] = greeted();
		fill(socks[i]);
	}
	check_witness();
	for (size_t i = 0; i < 8; i++)
		close(socks[i]);
}

/* It ends though clients do not read. */
TEST(test_ends_with_deaf_clients)
{
	struct sensord s;
	int sock;

	sensord_start(&s, NULL, SERVICE_SENSORS);
	sock = wire_dial(&s);
	assert_int_equal(wire_greet(sock, NULL), SENSOR_PROTOCOL_VERSION);
	fill(sock);
	sensord_stop(&s);
	close(sock);
}

/* The memory of a queue overwritten with 0 and 0xff, while events are written to it. */
TEST(test_queue_memory)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;

	wire_open(&w.service, &lane);
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_enable(&q, w.accel, 1000, 0), NNSENSORS_OK);
	wire_await(&q, w.accel, &record);
	for (int round = 0; round < 100; round++) {
		memset(q.memory, round % 2 ? 0xff : 0, q.size);
		wire_await(&w.queue, w.accel, &record);
	}
	/* the service has sealed it: it cannot be cut */
	assert_int_not_equal(ftruncate(q.memory_fd, 0), 0);
	check_witness();
	assert_int_equal(wire_disable(&q, w.accel), NNSENSORS_OK);
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	nnipc_lane_fini(&lane);
}

/* The same of a channel. */
TEST(test_channel_memory)
{
	const uint64_t size = 16 * sizeof(struct nnsensors_record);
	struct nnsensors_record record;
	struct nnipc_lane lane;
	uint64_t oid;
	int32_t token;
	int fd = test_memfd(size);
	uint8_t *memory;

	wire_open(&w.service, &lane);
	assert_int_equal(wire_create_ashmem(&lane, fd, size, size, &oid), NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, w.accel, NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_OK);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int round = 0; round < 100; round++) {
		memset(memory, round % 2 ? 0xff : 0, size);
		wire_await(&w.queue, w.accel, &record);
	}
	assert_int_not_equal(ftruncate(fd, 0), 0);
	munmap(memory, size);
	close(fd);
	check_witness();
	nnipc_lane_fini(&lane);
}

/* Sleeps and is woken without end, and never reads a wake-up: what wakes it must not wait. */
TEST(test_full_event)
{
	const uint64_t one = 1;
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;

	wire_open(&w.service, &lane);
	wire_create_queue(&lane, &q);
	/* the flags of what it shares with the service are not to be relied on */
	assert_int_equal(fcntl(q.event_fd, F_SETFL, 0), 0);
	assert_int_equal(wire_enable(&q, w.accel, 1000, 0), NNSENSORS_OK);
	for (int round = 0; round < 1500; round++) {
		atomic_exchange(&q.memory->asleep, 1);
		/* the service does not read that, either */
		assert_true(send(q.event_fd, &one, sizeof(one), MSG_DONTWAIT | MSG_NOSIGNAL) < 0);
		assert_true(wire_wait(&w.queue, &record, 60 * NNUTIL_NS_PER_S));
	}
	check_witness();
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
}

/* Random bytes as arguments of every method, random packets. */
TEST(test_noise)
{
	struct nnipc_lane lane;
	uint64_t random = 88172645463325252ull;
	int fd = test_memfd(4096);

	wire_open(&w.service, &lane);
	for (int round = 0; round < 3000; round++) {
		int ret;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		for (uint64_t i = 0; i < random % 25; i++) {
			const uint8_t byte = (uint8_t)(random >> i % 56);

			/* most numbers are small ones */
			nnipc_put_u8(&lane.out, byte & 1 ? byte : 0);
		}
		if (random % 5 == 0)
			nnipc_put_fd(&lane.out, fd);
		ret = wire_call(&lane, methods[random % METHODS], random % 7);
		assert_true(!ret || ret == -EBADMSG || ret == -ESTALE);
		nnipc_frame_clear(&lane.in);
	}
	check_witness();
	close(fd);
	nnipc_lane_fini(&lane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wrong_objects, begin, end),
		cmocka_unit_test_setup_teardown(test_wrong_lengths, begin, end),
		cmocka_unit_test_setup_teardown(test_lying_headers, begin, end),
		cmocka_unit_test_setup_teardown(test_many_descriptors, begin, end),
		cmocka_unit_test_setup_teardown(test_payload_memory, begin, end),
		cmocka_unit_test_setup_teardown(test_first_words, begin, end),
		cmocka_unit_test_setup_teardown(test_never_reads, begin, end),
		cmocka_unit_test(test_ends_with_deaf_clients),
		cmocka_unit_test_setup_teardown(test_queue_memory, begin, end),
		cmocka_unit_test_setup_teardown(test_channel_memory, begin, end),
		cmocka_unit_test_setup_teardown(test_full_event, begin, end),
		cmocka_unit_test_setup_teardown(test_noise, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * A worker and a client that wants to harm it, with what lasts: memory that shrinks, rings that
 * lie, objects without end, sockets that are not read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "descriptors.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "wire/nnipc_wire.h"
#include "worker_calls.h"
#include "worker_client.h"

static struct client c;
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* ---- memory ---- */

static uint64_t prepare_long(uint32_t ops, uint32_t elements)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_long(ops, elements);
	uint64_t oid;

	nnipc_put_device_prepare_model(&c.lane.out,
				       &(struct nnipc_device_prepare_model){
					       .callback = 1, .config = &prepare, .model = m });
	nnmodel_free(m);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	client_notified(&c, NNIPC_NOTIFY_PREPARED, 1);
	assert_int_equal(nnipc_get_status(&c.note.reader), NNHAL_NONE);
	free(nnipc_get_text(&c.note.reader, 1000));
	oid = nnipc_get_u64(&c.note.reader);
	return oid;
}

/* A memory that shrinks while it is read and written. */
TEST(test_shrunk_memory)
{
	const uint32_t size = 8 << 20;
	struct hal_call call;
	uint64_t model;

	client_ready(&c);
	model = prepare_long(20, size / 4);
	hal_call_init(&call, false, &size, 1, &size, 1);
	for (uint64_t i = 0; i < 4; i++) {
		nnipc_put_prepared_execute(&c.lane.out, &(struct nnipc_prepared_execute){
								.callback = 10 + i,
								.request = &call.request,
								.config = &config,
								.deadline_ns = NNHAL_NO_TIME });
		assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE, model), 0);
	}
	assert_int_equal(ftruncate(call.pools[1].memory.fd, 0), 0);
	client_dies(&c, "has the client shrunk a memory");
	/* the maps of this process have no pages any more, and stay untouched */
	hal_call_fini(&call);
}

/* Access that the descriptor does not give. */
TEST(test_access)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	struct hal_call call;
	uint64_t model;
	int fd;

	client_ready(&c);
	model = client_prepare_add(&c);
	hal_call_add(&call, false);
	fd = descriptors_reopen(call.pools[1].memory.fd, O_RDONLY);
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
			pools[1].memory.fd = c.log.fd; /* a pipe */
		nnipc_put_prepared_execute_synchronously(
			&c.lane.out, &(struct nnipc_prepared_execute_synchronously){
					     .request = &request,
					     .config = &config,
					     .deadline_ns = NNHAL_NO_TIME });
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
	nnipc_put_burst_execute(w,
				&(struct nnipc_burst_execute){ .num_memories = memories,
							       .request = &call->request,
							       .slots = slots,
							       .tokens = (const int64_t[]){ 1, 2 },
							       .num_tokens = 2,
							       .config = &config,
							       .deadline_ns = NNHAL_NO_TIME });
}

/* Packets that lie. */
TEST(test_burst_packets)
{
	static const uint32_t slots[][2] = { { 0, 1 }, { 1024, 0 }, { UINT32_MAX - 1, 0 } };
	struct hal_call call;

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

static void limit_descriptors(rlim_t soft)
{
	struct rlimit limit;

	assert_int_equal(prlimit(c.child.pid, RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = soft ? soft : limit.rlim_max;
	assert_int_equal(prlimit(c.child.pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

/* A worker without room for descriptors refuses one execution, and takes what was sent for it. */
TEST(test_burst_no_room)
{
	static const uint32_t slots[] = { 0, 1 };
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY, .method = NNIPC_BURST_MEMORY };
	struct nnipc_writer w = { 0 };
	struct nnipc_reader in;
	struct hal_call call;
	const uint8_t *packet;
	struct burst b;
	uint32_t size;
	int left;

	client_ready(&c);
	burst_make(&b);
	hal_call_add(&call, false);
	for (int room = 0; room < 2; room++) {
		limit_descriptors(room ? 0 : 3);
		for (uint32_t i = 0; i < 2; i++) {
			nnipc_put_burst_memory(&w,
					       &(struct nnipc_burst_memory){
						       .slot = slots[i],
						       .memory = &call.request.pools[i].memory });
			assert_int_equal(nnipc_frame_send(b.sock, &header, &w), 0);
			nnipc_writer_reset(&w);
		}
		put_execute(&w, &call, 2, slots);
		assert_int_equal(nnipc_ring_put(b.requests, w.data, (uint32_t)w.size), 0);
		nnipc_writer_reset(&w);
		assert_int_equal(nnipc_ring_get(b.results, &packet, &size, -1), 0);
		nnipc_reader_init(&in, packet, size, NULL, 0);
		nnipc_get_u32(&in);
		nnipc_get_u64(&in);
		assert_int_equal(nnipc_get_status(&in),
				 room ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
		assert_int_equal(ioctl(b.sock, SIOCOUTQ, &left), 0);
		assert_int_equal(left, 0);
	}
	nnipc_writer_fini(&w);
	hal_call_fini(&call);
	burst_free(&b);
	client_lives(&c);
}

/* Words of a ring's first page that no honest peer writes, at each of its cache lines. */
TEST(test_ring_indices)
{
	static const uint32_t lies[] = { 0xfffffff1, 0x80000000, 65537 };

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
TEST(test_false_rings)
{
	uint64_t model;
	int fds;

	client_ready(&c);
	model = client_prepare_add(&c);
	fds = harm_count_fds(&c);
	for (int what = 0; what < 5; what++) {
		int ends[2], file = memfd_new(1 << 17);

		assert_int_equal(nnipc_socket_pair(ends), 0);
		nnipc_put_fd(&c.lane.out, what == 1 ? c.log.fd : ends[1]);
		nnipc_put_fd(&c.lane.out, what == 2 ? c.log.fd : what == 4 ? -1 : file);
		nnipc_put_fd(&c.lane.out, what == 3 ? ends[0] : file);
		assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, model), -EBADMSG);
		close(ends[0]);
		close(ends[1]);
		close(file);
	}
	assert_true(EVENTUALLY(harm_count_fds(&c) <= fds));
	client_lives(&c);
}

TEST(test_many_bursts)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	struct objects o;
	uint32_t made = 0, refused = 0;

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

/* Notifications that the client does not read: the worker waits, and goes with its client. */
TEST(test_notifications_unread)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	uint64_t callback = 0;
	int ret;

	client_ready(&c);
	do {
		nnipc_put_device_prepare_model(
			&c.lane.out, &(struct nnipc_device_prepare_model){ .callback = ++callback,
									   .config = &prepare,
									   .model = NULL });
		ret = nnipc_lane_call(&c.lane, NNIPC_DEVICE_PREPARE_MODEL, 0,
				      200 * NNUTIL_NS_PER_MS);
	} while (!ret && callback < 100000);
	assert_int_equal(ret, -ETIME);
	/* another lane goes on */
	close(c.lane.sock);
	c.lane.serial = 0;
	c.lane.sock = client_lane(&c);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_STATUS, 0), 0);
	assert_int_equal(client_end(&c), 0);
}

/* Replies that the client does not read. */
TEST(test_replies_unread)
{
	struct nnipc_header h = harm_header(NNIPC_CALL, NNIPC_DEVICE_GET_CAPABILITIES);

	client_ready(&c);
	for (uint64_t i = 1; i < 1000000; i++) {
		h.serial = i;
		if (send(c.lane.sock, &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
	}
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(client_end(&c), 0);
}

/* A callback's number that no host gives. */
TEST(test_callback_zero)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;

	client_ready(&c);
	nnipc_put_device_prepare_model(&c.lane.out,
				       &(struct nnipc_device_prepare_model){
					       .callback = 0, .config = &prepare, .model = NULL });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), -EBADMSG);
	client_lives(&c);
}

/* Objects without end. */
TEST(test_many_objects)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	uint32_t made = 0;
	enum nnhal_status status;
	struct objects o;

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
		cmocka_unit_test(test_shrunk_memory),  cmocka_unit_test(test_access),
		cmocka_unit_test(test_burst_packets),  cmocka_unit_test(test_burst_no_room),
		cmocka_unit_test(test_ring_indices),   cmocka_unit_test(test_false_rings),
		cmocka_unit_test(test_many_bursts),    cmocka_unit_test(test_notifications_unread),
		cmocka_unit_test(test_replies_unread), cmocka_unit_test(test_callback_zero),
		cmocka_unit_test(test_many_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

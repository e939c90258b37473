// SPDX-License-Identifier: Apache-2.0
/*
 * A burst of another process, by what the worker sees: which way a request comes, what memory is
 * sent when, and releases; and by what a worker can do wrong.
 */
#include "descriptors.h"
#include "fake_connection.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"

#define OID 5
#define BURST 6
#define MANY 70 /* more memories than are sent ahead of a packet */

static struct nnipc_connection c;
static struct nnhal_prepared_model *pm;
static struct nnhal_burst *burst;
static int descriptors;

/* Atomic: the rings order the threads, but TSan does not see that of memory that is mapped twice.
 */
static struct {
	int sock;
	struct nnipc_ring *requests, *results;
	pthread_t thread;
	/* what it does */
	_Atomic(enum nnhal_status) status;
	atomic_uint num_shapes;
	bool refuse; /* the burst */
	_Atomic uint64_t serial_error;
	atomic_bool silent, unread;
	atomic_bool block, blocked;
	/* what it saw */
	atomic_int executions, on_lane, releases, memories;
	atomic_uint slots[MANY]; /* of the last execution */
	_Atomic int64_t tokens[MANY];
	_Atomic int64_t released_token;
	atomic_uint released_slot;
} worker;

/* ---- the worker ---- */

static int take_memory(void)
{
	struct nnipc_frame frame = { 0 };
	struct nnipc_burst_memory message;
	int ret = nnipc_frame_receive(worker.sock, &frame, 10000000000);

	if (!ret) {
		nnipc_get_burst_memory(&frame.reader, &message);
		if (message.slot < NNIPC_BURST_SLOTS && message.memory &&
		    !nnipc_reader_end(&frame.reader))
			worker.memories++;
		else
			ret = -EPROTO;
		nnipc_burst_memory_free(&message);
	}
	nnipc_frame_fini(&frame);
	return ret;
}

static int get_execution(struct nnipc_reader *in)
{
	struct nnipc_burst_execute args;
	int ret = 0;

	nnipc_get_burst_execute(in, &args);
	if (nnipc_reader_end(in) || !args.request || args.num_tokens != args.request->num_pools)
		ret = -EBADMSG;
	for (uint32_t i = 0; i < args.num_tokens && !ret && i < MANY; i++) {
		worker.slots[i] = args.slots[i];
		worker.tokens[i] = args.tokens[i];
	}
	for (uint32_t i = 0; i < args.num_memories && !ret && !worker.unread; i++)
		ret = take_memory();
	nnipc_burst_execute_free(&args);
	return ret;
}

static void put_answer(struct nnipc_writer *out)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_output_shape shapes[2] = { { 0, NULL, true }, { 0, NULL, true } };

	result.num_shapes = worker.num_shapes;
	result.shapes = worker.num_shapes ? shapes : NULL;
	nnipc_put_status(out, worker.status);
	nnipc_put_result(out, &result);
}

static int serve_packet(const uint8_t *packet, uint32_t size, struct nnipc_writer *out)
{
	struct nnipc_reader in;
	uint32_t method;
	uint64_t serial;
	int ret;

	nnipc_reader_init(&in, packet, size, NULL, 0);
	method = nnipc_get_u32(&in);
	serial = nnipc_get_u64(&in);
	nnipc_writer_reset(out);
	nnipc_put_u32(out, method);
	nnipc_put_u64(out, serial + worker.serial_error);
	if (method == NNIPC_BURST_RELEASE_MEMORY) {
		worker.released_token = nnipc_get_i64(&in);
		worker.released_slot = nnipc_get_u32(&in);
		worker.releases++;
		nnipc_put_status(out, NNHAL_NONE);
		return nnipc_reader_end(&in);
	}
	ret = get_execution(&in);
	worker.executions++;
	worker.blocked = true;
	while (worker.block)
		usleep(100);
	put_answer(out);
	return ret;
}

static void *serve(void *unused)
{
	struct nnipc_writer out = { 0 };
	const uint8_t *packet;
	uint32_t size;

	while (!nnipc_ring_get(worker.requests, &packet, &size, -1)) {
		assert_int_equal(serve_packet(packet, size, &out), 0);
		if (!worker.silent)
			nnipc_ring_put(worker.results, out.data, (uint32_t)out.size);
	}
	nnipc_writer_fini(&out);
	(void)unused;
	return NULL;
}

static void stop_worker(void)
{
	if (worker.sock < 0)
		return;
	pthread_join(worker.thread, NULL);
	nnipc_ring_free(worker.requests);
	nnipc_ring_free(worker.results);
	close(worker.sock);
	worker.sock = -1;
}

static void configure(struct nnipc_reader *in, struct nnipc_writer *out)
{
	int requests, results;

	worker.sock = nnipc_get_fd(in);
	requests = nnipc_get_fd(in);
	results = nnipc_get_fd(in);
	assert_int_equal(nnipc_ring_attach(requests, &worker.requests), 0);
	assert_int_equal(nnipc_ring_attach(results, &worker.results), 0);
	close(requests);
	close(results);
	nnipc_put_status(out, worker.refuse ? NNHAL_GENERAL_FAILURE : NNHAL_NONE);
	nnipc_put_u64(out, worker.refuse ? 0 : BURST);
	if (!worker.refuse) {
		assert_int_equal(pthread_create(&worker.thread, NULL, serve, NULL), 0);
		return;
	}
	nnipc_ring_free(worker.requests);
	nnipc_ring_free(worker.results);
	close(worker.sock);
	worker.sock = -1;
}

static int call(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
		struct nnipc_writer *out)
{
	(void)cookie;
	if (header->method == NNIPC_PREPARED_CONFIGURE_BURST) {
		configure(in, out);
		return nnipc_reader_end(in);
	}
	assert_int_equal(header->method, NNIPC_BURST_EXECUTE);
	assert_int_equal(header->oid, BURST);
	worker.on_lane++;
	put_answer(out);
	return get_execution(in);
}

/* ---- the client ---- */

static struct nnhal_request_argument argument = { .length = 4 };
static struct nnhal_request_pool pools[MANY];
static int64_t tokens[MANY];
static struct nnhal_request request;
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

FIXTURE(fresh)
{
	memset(&worker, 0, sizeof(worker));
	worker.sock = -1;
	descriptors = fake_descriptors();
	for (uint32_t i = 0; i < MANY; i++) {
		pools[i] = (struct nnhal_request_pool){
			.memory = { .fd = memfd_new(0), .prot = PROT_READ, .size = 64 }
		};
		tokens[i] = i + 10;
	}
	request = (struct nnhal_request){ .size = sizeof(request),
					  .inputs = &argument,
					  .outputs = &argument,
					  .num_inputs = 1,
					  .num_outputs = 1,
					  .pools = pools,
					  .num_pools = 2 };
	fake_init(&c, call);
	pm = nnipc_prepared_model_proxy(&c, OID);
	return pm->ops->configure_burst(pm, &burst) ? -1 : 0;
}

FIXTURE(done)
{
	if (burst) {
		burst->ops->destroy(burst);
		assert_int_equal(c.released[c.num_released - 1], BURST);
	}
	stop_worker();
	pm->ops->destroy(pm);
	for (uint32_t i = 0; i < MANY; i++)
		close(pools[i].memory.fd);
	fake_fini(&c);
	assert_int_equal(fake_descriptors(), descriptors);
	return 0;
}

static enum nnhal_status run_until(int64_t deadline_ns)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	status = burst->ops->execute_synchronously(burst, &request, tokens, request.num_pools,
						   &config, deadline_ns, &result);
	if (status != NNHAL_NONE && status != NNHAL_OUTPUT_INSUFFICIENT_SIZE)
		assert_int_equal(result.num_shapes, 0);
	if (status == NNHAL_DEAD_OBJECT)
		assert_int_not_equal(result.message[0], '\0');
	nnhal_execution_result_clear(&result);
	return status;
}

static enum nnhal_status run(void)
{
	return run_until(NNHAL_NO_TIME);
}

static void saw(int executions, int memories, int on_lane)
{
	assert_int_equal(worker.executions, executions);
	assert_int_equal(worker.memories, memories);
	assert_int_equal(worker.on_lane, on_lane);
}

/* ---- memory ---- */

TEST(test_memory_once)
{
	for (int i = 1; i < 5; i++) {
		assert_int_equal(run(), NNHAL_NONE);
		saw(i, 2, 0);
	}
	assert_int_equal(worker.tokens[0], 10);
	assert_int_not_equal(worker.slots[0], worker.slots[1]);
	tokens[1] = -1;
	assert_int_equal(run(), NNHAL_NONE);
	assert_int_equal(run(), NNHAL_NONE);
	saw(6, 4, 0);
	assert_int_equal(worker.tokens[1], -1);
}

/* What a failed execution brought is sent again. */
TEST(test_failed_execution)
{
	worker.status = NNHAL_INVALID_ARGUMENT;
	assert_int_equal(run(), NNHAL_INVALID_ARGUMENT);
	worker.status = NNHAL_NONE;
	assert_int_equal(run(), NNHAL_NONE);
	assert_int_equal(run(), NNHAL_NONE);
	saw(3, 4, 0);
}

/* The vendor library judges memory without a descriptor, which has no slot. */
TEST(test_descriptor_not_open)
{
	const int fd = pools[1].memory.fd;

	pools[1].memory.fd = -1;
	worker.status = NNHAL_INVALID_ARGUMENT;
	assert_int_equal(run(), NNHAL_INVALID_ARGUMENT);
	saw(0, 0, 1);
	assert_int_equal(worker.slots[0], UINT32_MAX);
	/* the one that was sent ahead is counted in the next packet */
	pools[1].memory.fd = fd;
	worker.status = NNHAL_NONE;
	assert_int_equal(run(), NNHAL_NONE);
	saw(1, 3, 1);
	/* the descriptor of known memory is not looked at */
	pools[1].memory.fd = -1;
	assert_int_equal(run(), NNHAL_NONE);
	saw(2, 3, 1);
	pools[1].memory.fd = fd;
}

TEST(test_does_not_fit)
{
	static struct nnhal_request_argument many[2000];

	request.num_pools = MANY;
	assert_int_equal(run(), NNHAL_NONE);
	saw(0, 0, 1);
	request.num_pools = 2;
	request.inputs = many;
	request.num_inputs = 2000;
	assert_int_equal(run(), NNHAL_NONE);
	saw(0, 0, 2);
	request.inputs = &argument;
	request.num_inputs = 1;
	assert_int_equal(run(), NNHAL_NONE);
	saw(1, 2, 2);
}

/* ---- releases ---- */

TEST(test_release)
{
	uint32_t slot;

	assert_int_equal(run(), NNHAL_NONE);
	slot = worker.slots[0];
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_NONE);
	assert_int_equal(worker.releases, 1);
	assert_int_equal(worker.released_token, 10);
	assert_int_equal(worker.released_slot, slot);
	/* a number that has no slot may be known to the vendor library */
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_NONE);
	assert_int_equal(worker.releases, 2);
	assert_int_equal(worker.released_slot, UINT32_MAX);
	assert_int_equal(burst->ops->release_memory_resource(burst, -1), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, -2), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(worker.releases, 2);
	assert_int_equal(run(), NNHAL_NONE);
	saw(2, 3, 0);
}

static void *run_thread(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)run_until(INT64_MAX);
}

/* A release does not wait for the execution that runs, and a second execution is refused. */
TEST(test_meanwhile)
{
	pthread_t thread;
	void *status;

	worker.block = true;
	assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
	assert_true(EVENTUALLY(worker.blocked));
	assert_int_equal(run(), NNHAL_GENERAL_FAILURE);
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_NONE);
	assert_int_equal(burst->ops->release_memory_resource(burst, 4711), NNHAL_NONE);
	assert_int_equal(worker.releases, 0);
	worker.block = false;
	pthread_join(thread, &status);
	assert_int_equal((intptr_t)status, NNHAL_NONE);
	assert_int_equal(worker.releases, 2);
	assert_int_equal(run(), NNHAL_NONE);
	saw(2, 3, 0);
}

/* The burst lives until the execution has ended. */
TEST(test_destroyed_meanwhile)
{
	pthread_t thread;
	void *status;

	worker.block = true;
	assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
	assert_true(EVENTUALLY(worker.blocked));
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_NONE);
	burst->ops->destroy(burst);
	burst = NULL;
	assert_int_equal(c.num_released, 0);
	worker.block = false;
	pthread_join(thread, &status);
	assert_int_equal((intptr_t)status, NNHAL_NONE);
	assert_int_equal(c.num_released, 1);
}

/* ---- what a worker can do wrong ---- */

static void expect_protocol_error(const char *what)
{
	assert_int_equal(run(), NNHAL_DEAD_OBJECT);
	assert_int_equal(c.protocol_errors, 1);
	if (!strstr(c.protocol_error, what))
		fail_msg("no \"%s\" in \"%s\"", what, c.protocol_error);
}

TEST(test_wrong_serial)
{
	worker.serial_error = 1;
	expect_protocol_error("burst reply with an unknown serial");
}

TEST(test_wrong_shapes)
{
	worker.num_shapes = 2;
	expect_protocol_error("impossible");
}

TEST(test_no_answer)
{
	worker.silent = true;
	fake_settings.work_ns = 50000000;
	expect_protocol_error("in time");
}

/* Memory that is never read would let the client wait for ever some day. */
TEST(test_unread_memory)
{
	worker.unread = true;
	assert_int_equal(run(), NNHAL_NONE);
	tokens[0] = 99;
	expect_protocol_error("does not take its memory");
}

TEST(test_death)
{
	pthread_t thread;
	void *status;

	worker.block = true;
	worker.silent = true;
	assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
	assert_true(EVENTUALLY(worker.blocked));
	c.dead = true;
	for (int i = 0; i < 2; i++)
		nnipc_ring_close(c.watched->rings[i]);
	pthread_join(thread, &status);
	assert_int_equal((intptr_t)status, NNHAL_DEAD_OBJECT);
	worker.block = false;
	assert_int_equal(run(), NNHAL_DEAD_OBJECT);
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_DEAD_OBJECT);
	assert_int_equal(c.protocol_errors, 0);
}

TEST(test_refused)
{
	struct nnhal_burst *other;

	burst->ops->destroy(burst);
	burst = NULL;
	stop_worker();
	worker.refuse = true;
	assert_int_equal(pm->ops->configure_burst(pm, &other), NNHAL_GENERAL_FAILURE);
	assert_null(other);
	c.dead = true;
	assert_int_equal(pm->ops->configure_burst(pm, &other), NNHAL_DEAD_OBJECT);
	assert_null(other);
}

TEST(test_inherited)
{
	c.inherited = true;
	assert_int_equal(run(), NNHAL_DEAD_OBJECT);
	assert_int_equal(burst->ops->release_memory_resource(burst, 10), NNHAL_DEAD_OBJECT);
	burst->ops->destroy(burst);
	assert_int_equal(c.num_released, 0);
	saw(0, 0, 0);
	c.inherited = false;
	assert_int_equal(run(), NNHAL_NONE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_memory_once),
		CASE(test_failed_execution),
		CASE(test_descriptor_not_open),
		CASE(test_does_not_fit),
		CASE(test_release),
		CASE(test_meanwhile),
		CASE(test_destroyed_meanwhile),
		CASE(test_wrong_serial),
		CASE(test_wrong_shapes),
		CASE(test_no_answer),
		CASE(test_unread_memory),
		CASE(test_death),
		CASE(test_refused),
		CASE(test_inherited),
	};

	return cmocka_run_group_tests_name("ipc-proxy-burst-proxy", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* A worker and a client that keeps to the protocol: every method, and the end. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "eventually.h"
#include "wire/nnipc_wire.h"
#include "worker_client.h"

static struct client c;

FIXTURE(start)
{
	client_ready(&c);
	return 0;
}

FIXTURE(end)
{
	client_lives(&c);
	return 0;
}

/* ---- the device ---- */

TEST(test_getters)
{
	struct nnhal_capabilities caps;
	struct nnhal_counters counters;
	struct nnhal_device_info info;
	struct nnipc_reader *r = &c.lane.in.reader;
	uint32_t model, data;

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_CAPABILITIES, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	nnipc_get_capabilities(r, &caps);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_true(caps.operand[NNMODEL_TENSOR_FLOAT32].exec_time > 0);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	model = nnipc_get_u32(r);
	data = nnipc_get_u32(r);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_true(model >= 1 && model <= NNHAL_MAX_CACHE_FILES && data <= NNHAL_MAX_CACHE_FILES);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_STATUS, 0), 0);
	assert_int_equal(nnipc_get_u32(r), NNHAL_AVAILABLE);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_SUPPORTED_EXTENSIONS, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	assert_true(nnipc_get_u32(r) >= 1);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_INFO, 0), 0);
	assert_int_equal(nnipc_get_i64(r), 0);
	nnipc_get_info(r, &info);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_int_equal(info.state, NNHAL_STATE_ONLINE);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_COUNTERS, 0), 0);
	assert_int_equal(nnipc_get_i64(r), 0);
	nnipc_get_counters(r, &counters);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_int_equal(counters.executions, 0);
}

TEST(test_supported_operations)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *m = hal_model_two_outputs();
	struct nnipc_reader *r = &c.lane.in.reader;

	nnipc_put_device_get_supported_operations(&c.lane.out,
						  &(struct nnipc_device_get_supported_operations){
							  .with_reasons = true, .model = m });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	nnipc_get_model_error(r, &err);
	assert_int_equal(nnipc_get_u32(r), 2);
	assert_true(nnipc_get_bool(r));
	assert_true(nnipc_get_bool(r));
	assert_null(nnipc_get_text(r, 100));
	assert_null(nnipc_get_text(r, 100));
	assert_int_equal(nnipc_reader_end(r), 0);
	nnmodel_free(m);
	/* no model: the vendor library refuses */
	nnipc_put_device_get_supported_operations(&c.lane.out,
						  &(struct nnipc_device_get_supported_operations){
							  .with_reasons = false, .model = NULL });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_INVALID_ARGUMENT);
}

TEST(test_memory)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	int fd;

	nnipc_put_u64(&c.lane.out, 8192);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_CREATE_MEMORY, 0), 0);
	assert_int_equal(nnipc_get_i64(r), 0);
	fd = nnipc_get_fd(r);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 8192);
	close(fd);
	nnipc_put_u64(&c.lane.out, 0);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_CREATE_MEMORY, 0), 0);
	assert_int_equal(nnipc_get_i64(r), -EINVAL);
	assert_int_equal(nnipc_get_fd(r), -1);
}

/* The callback comes, and the launch has the same status. */
TEST(test_refused)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;

	nnipc_put_device_prepare_model(&c.lane.out,
				       &(struct nnipc_device_prepare_model){
					       .callback = 5, .config = &config, .model = NULL });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	assert_int_equal(nnipc_get_status(&c.lane.in.reader), NNHAL_INVALID_ARGUMENT);
	client_notified(&c, NNIPC_NOTIFY_PREPARED, 5);
	assert_int_equal(nnipc_get_status(&c.note.reader), NNHAL_INVALID_ARGUMENT);
}

/* ---- executions ---- */

static struct hal_call call;
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

static void check_result(struct nnipc_reader *r)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	nnipc_get_result(r, &result);
	assert_int_equal(nnipc_reader_end(r), 0);
	nnhal_execution_result_clear(&result);
	hal_check_add(&call);
}

TEST(test_execute)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	uint64_t model = client_prepare_add(&c);

	hal_call_add(&call, false);
	nnipc_put_prepared_execute_synchronously(
		&c.lane.out,
		&(struct nnipc_prepared_execute_synchronously){ .request = &call.request,
								.config = &config,
								.deadline_ns = NNHAL_NO_TIME });
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, model), 0);
	check_result(r);
	hal_call_fini(&call);

	hal_call_add(&call, false);
	nnipc_put_prepared_execute(
		&c.lane.out, &(struct nnipc_prepared_execute){ .callback = 9,
							       .request = &call.request,
							       .config = &config,
							       .deadline_ns = NNHAL_NO_TIME });
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	client_notified(&c, NNIPC_NOTIFY_EXECUTED, 9);
	check_result(&c.note.reader);
	hal_call_fini(&call);
	client_send(&c, NNIPC_RELEASE, 0, model, NULL);
}

TEST(test_fenced)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	uint64_t model = client_prepare_add(&c), callback;
	struct nnhal_timing launched;
	int fence;

	hal_call_add(&call, false);
	nnipc_put_prepared_execute_fenced(&c.lane.out, &(struct nnipc_prepared_execute_fenced){
							       .request = &call.request,
							       .config = &config,
							       .deadline_ns = NNHAL_NO_TIME,
							       .duration_ns = NNHAL_NO_TIME });
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_FENCED, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	fence = nnipc_get_fd(r);
	callback = nnipc_get_u64(r);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_true(callback > model);
	if (fence >= 0) {
		assert_true(poll(&(struct pollfd){ .fd = fence, .events = POLLIN }, 1, -1) == 1);
		close(fence);
	}
	assert_int_equal(client_call(&c, NNIPC_FENCED_GET_EXECUTION_INFO, callback), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	nnipc_get_timing(r, &launched);
	nnipc_get_timing(r, &launched);
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_int_equal(launched.in_driver_ns, NNHAL_NO_TIME);
	hal_check_add(&call);
	hal_call_fini(&call);
	client_send(&c, NNIPC_RELEASE, 0, callback, NULL);
	assert_true(
		EVENTUALLY(client_call(&c, NNIPC_FENCED_GET_EXECUTION_INFO, callback) == -ESTALE));
}

TEST(test_reusable)
{
	struct nnipc_reader *r = &c.lane.in.reader;
	uint64_t model = client_prepare_add(&c), execution;

	hal_call_add(&call, false);
	nnipc_put_prepared_create_reusable_execution(
		&c.lane.out, &(struct nnipc_prepared_create_reusable_execution){
				     .request = &call.request, .config = &config });
	assert_int_equal(client_call(&c, NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	execution = nnipc_get_u64(r);
	client_send(&c, NNIPC_RELEASE, 0, model, NULL);
	for (int i = 0; i < 3; i++) {
		memset(call.out_map, 0xa5, call.out_size);
		nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
		assert_int_equal(client_call(&c, NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, execution),
				 0);
		check_result(r);
	}
	hal_call_fini(&call);
}

TEST(test_buffer)
{
	const struct nnhal_buffer_role role = { .model_index = 0, .io_index = 0, .probability = 1 };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	struct nnipc_reader *r = &c.lane.in.reader;
	uint64_t model = client_prepare_add(&c), buffer;
	struct nnhal_memory memory;

	nnipc_put_device_allocate(
		&c.lane.out, &(struct nnipc_device_allocate){ .desc = &desc,
							      .models = (const uint64_t[]){ model },
							      .num_models = 1,
							      .inputs = &role,
							      .num_inputs = 1 });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_ALLOCATE, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	buffer = nnipc_get_u64(r);
	assert_true(nnipc_get_u32(r) > 0);
	assert_int_equal(nnipc_reader_end(r), 0);

	hal_call_add(&call, false);
	memory = call.pools[0].memory;
	memory.size = 16;
	nnipc_put_buffer_copy_from(&c.lane.out,
				   &(struct nnipc_buffer_copy_from){ .memory = &memory });
	assert_int_equal(client_call(&c, NNIPC_BUFFER_COPY_FROM, buffer), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	memory = call.pools[1].memory;
	memory.size = 16;
	nnipc_put_buffer_copy_to(&c.lane.out, &(struct nnipc_buffer_copy_to){ .memory = &memory });
	assert_int_equal(client_call(&c, NNIPC_BUFFER_COPY_TO, buffer), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	assert_memory_equal(call.out_map, call.in_map, 16);
	/* nothing but the release is possible after it, and a second one changes nothing */
	assert_int_equal(client_call(&c, NNIPC_BUFFER_DESTROY, buffer), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	nnipc_put_buffer_copy_to(&c.lane.out, &(struct nnipc_buffer_copy_to){ .memory = &memory });
	assert_int_equal(client_call(&c, NNIPC_BUFFER_COPY_TO, buffer), -ESTALE);
	assert_int_equal(client_call(&c, NNIPC_BUFFER_DESTROY, buffer), 0);
	hal_call_fini(&call);
	/* a foreign model */
	nnipc_put_device_allocate(
		&c.lane.out, &(struct nnipc_device_allocate){ .desc = &desc,
							      .models = (const uint64_t[]){ 0 },
							      .num_models = 1,
							      .inputs = &role,
							      .num_inputs = 1 });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_ALLOCATE, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_INVALID_ARGUMENT);
}

/* ---- bursts ---- */

static void put_burst_call(struct nnipc_writer *w, uint64_t serial, uint32_t memories,
			   const uint32_t *slots)
{
	nnipc_put_u32(w, NNIPC_BURST_EXECUTE);
	nnipc_put_u64(w, serial);
	nnipc_put_burst_execute(w,
				&(struct nnipc_burst_execute){ .num_memories = memories,
							       .request = &call.request,
							       .slots = slots,
							       .tokens = (const int64_t[]){ 1, 2 },
							       .num_tokens = 2,
							       .config = &config,
							       .deadline_ns = NNHAL_NO_TIME });
}

TEST(test_burst)
{
	struct nnipc_ring *requests, *results;
	struct nnipc_reader *r = &c.lane.in.reader, in;
	const uint32_t slots[] = { 4, 1023 };
	uint64_t model = client_prepare_add(&c), burst;
	int ends[2], fds[2];
	struct nnipc_writer w = { 0 };
	const uint8_t *packet;
	uint32_t size;

	assert_int_equal(nnipc_socket_pair(ends), 0);
	assert_int_equal(nnipc_ring_create(NNIPC_BURST_RING, &fds[0], &requests), 0);
	assert_int_equal(nnipc_ring_create(NNIPC_BURST_RING, &fds[1], &results), 0);
	nnipc_put_fd_owned(&c.lane.out, ends[1]);
	nnipc_put_fd_owned(&c.lane.out, fds[0]);
	nnipc_put_fd_owned(&c.lane.out, fds[1]);
	assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	burst = nnipc_get_u64(r);

	hal_call_add(&call, false);
	for (uint64_t serial = 1; serial <= 3; serial++) {
		memset(call.out_map, 0xa5, call.out_size);
		for (uint32_t i = 0; i < 2 && serial == 1; i++) {
			const struct nnhal_request_pool *pool = &call.request.pools[i];
			const struct nnipc_header header = { .kind = NNIPC_ONEWAY,
							     .method = NNIPC_BURST_MEMORY };

			nnipc_put_burst_memory(&w,
					       &(struct nnipc_burst_memory){
						       .slot = slots[i], .memory = &pool->memory });
			assert_int_equal(nnipc_frame_send(ends[0], &header, &w), 0);
			nnipc_writer_reset(&w);
		}
		put_burst_call(&w, serial, serial == 1 ? 2 : 0, slots);
		assert_int_equal(w.num_fds, 0);
		assert_int_equal(nnipc_ring_put(requests, w.data, (uint32_t)w.size), 0);
		nnipc_writer_reset(&w);
		assert_int_equal(nnipc_ring_get(results, &packet, &size, -1), 0);
		nnipc_reader_init(&in, packet, size, NULL, 0);
		assert_int_equal(nnipc_get_u32(&in), NNIPC_BURST_EXECUTE);
		assert_int_equal(nnipc_get_u64(&in), serial);
		check_result(&in);
	}
	nnipc_put_u32(&w, NNIPC_BURST_RELEASE_MEMORY);
	nnipc_put_u64(&w, 4);
	nnipc_put_i64(&w, 1);
	nnipc_put_u32(&w, slots[0]);
	assert_int_equal(nnipc_ring_put(requests, w.data, (uint32_t)w.size), 0);
	nnipc_writer_fini(&w);
	assert_int_equal(nnipc_ring_get(results, &packet, &size, -1), 0);
	nnipc_reader_init(&in, packet, size, NULL, 0);
	nnipc_get_u32(&in);
	nnipc_get_u64(&in);
	assert_int_equal(nnipc_get_status(&in), NNHAL_NONE);
	assert_int_equal(nnipc_reader_end(&in), 0);
	/* a memory without a descriptor is the vendor library's to refuse */
	nnipc_put_burst_memory(
		&w, &(struct nnipc_burst_memory){
			    .slot = slots[0],
			    .memory = &(struct nnhal_memory){ .fd = -1, .prot = 1, .size = 24 } });
	assert_int_equal(nnipc_frame_send(ends[0],
					  &(struct nnipc_header){ .kind = NNIPC_ONEWAY,
								  .method = NNIPC_BURST_MEMORY },
					  &w),
			 0);
	nnipc_writer_reset(&w);
	put_burst_call(&w, 5, 1, slots);
	assert_int_equal(nnipc_ring_put(requests, w.data, (uint32_t)w.size), 0);
	nnipc_writer_fini(&w);
	assert_int_equal(nnipc_ring_get(results, &packet, &size, -1), 0);
	nnipc_reader_init(&in, packet, size, NULL, 0);
	nnipc_get_u32(&in);
	assert_int_equal(nnipc_get_u64(&in), 5);
	assert_int_equal(nnipc_get_status(&in), NNHAL_INVALID_ARGUMENT);
	/* too large for the ring: on a lane, with descriptors */
	nnipc_put_burst_execute(
		&c.lane.out, &(struct nnipc_burst_execute){ .num_memories = 0,
							    .request = &call.request,
							    .slots = NULL,
							    .tokens = (const int64_t[]){ -1, -1 },
							    .num_tokens = 2,
							    .config = &config,
							    .deadline_ns = NNHAL_NO_TIME });
	assert_int_equal(client_call(&c, NNIPC_BURST_EXECUTE, burst), 0);
	check_result(r);
	hal_call_fini(&call);
	/* the burst's socket is closed with the burst */
	client_send(&c, NNIPC_RELEASE, 0, burst, NULL);
	assert_true(EVENTUALLY(recv(ends[0], &size, 1, MSG_DONTWAIT) == 0));
	close(ends[0]);
	nnipc_ring_free(requests);
	nnipc_ring_free(results);
}

/* ---- the end ---- */

/* Of a client that has sent nothing, or a part of a message. */
TEST(test_hang_up_early)
{
	struct client other;

	client_start(&other);
	assert_int_equal(client_end(&other), 0);
	client_start(&other);
	client_hello(&other);
	assert_int_equal(client_end(&other), 0);
}

/* In the middle of work that takes longer than a test waits for the end of a worker. */
TEST(test_hang_up_during_work)
{
	struct nnmodel *m = hal_model_long(12000, 1 << 20);
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	const uint32_t size = 4 << 20;
	struct client other;
	char text[256];
	uint64_t model;

	client_ready(&other);
	nnipc_put_device_prepare_model(&other.lane.out,
				       &(struct nnipc_device_prepare_model){
					       .callback = 1, .config = &prepare, .model = m });
	nnmodel_free(m);
	assert_int_equal(client_call(&other, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	client_notified(&other, NNIPC_NOTIFY_PREPARED, 1);
	assert_int_equal(nnipc_get_status(&other.note.reader), NNHAL_NONE);
	nnipc_get_text_into(&other.note.reader, text, sizeof(text));
	model = nnipc_get_u64(&other.note.reader);
	hal_call_init(&call, false, &size, 1, &size, 1);
	for (uint64_t i = 0; i < 3; i++) {
		nnipc_put_prepared_execute(&other.lane.out, &(struct nnipc_prepared_execute){
								    .callback = 10 + i,
								    .request = &call.request,
								    .config = &config,
								    .deadline_ns = NNHAL_NO_TIME });
		assert_int_equal(client_call(&other, NNIPC_PREPARED_EXECUTE, model), 0);
		assert_int_equal(nnipc_get_status(&other.lane.in.reader), NNHAL_NONE);
	}
	hal_call_fini(&call);
	assert_int_equal(client_end(&other), 0);
}

/* No library, another file, no device: the client gets the reason. */
TEST(test_refusals)
{
	char *library = strdup(getenv("NNACCEL_WORKER_LIBRARY")), text[512];
	struct client other;
	struct nnipc_reader *r = &other.control.in.reader;
	struct nnipc_writer w = { 0 };

	setenv("NNACCEL_WORKER_LIBRARY", "/nowhere/libvendor.so", 1);
	client_start(&other);
	setenv("NNACCEL_WORKER_LIBRARY", library, 1);
	free(library);
	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, 4096);
	client_send(&other, NNIPC_HELLO, 0, 0, &w);
	assert_int_equal(nnipc_frame_receive(other.control.sock, &other.control.in, -1), 0);
	assert_int_equal(nnipc_get_u32(r), 0);
	nnipc_get_text_into(r, text, sizeof(text));
	assert_non_null(strstr(text, "cannot load vendor library /nowhere/libvendor.so"));
	client_dies(&other, "/nowhere/libvendor.so");

	client_start(&other);
	client_hello(&other);
	nnipc_put_text(&other.control.out, "accel77");
	assert_int_equal(nnipc_lane_call(&other.control, NNIPC_SESSION_OPEN, 0, -1), 0);
	assert_true(nnipc_get_i64(r) < 0);
	nnipc_get_text_into(r, text, sizeof(text));
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_non_null(strstr(text, "accel77"));
	assert_int_equal(client_end(&other), 0);
}

TEST(test_enumerate)
{
	struct client other;
	struct nnipc_reader *r = &other.control.in.reader;
	bool cpu = false;
	char text[512];
	uint32_t count;

	client_start(&other);
	client_hello(&other);
	assert_int_equal(nnipc_lane_call(&other.control, NNIPC_SESSION_ENUMERATE, 0, -1), 0);
	assert_int_equal(nnipc_get_i64(r), 0);
	nnipc_get_text_into(r, text, sizeof(text));
	count = nnipc_get_u32(r);
	for (uint32_t i = 0; i < count; i++) {
		nnipc_get_text_into(r, text, sizeof(text));
		cpu |= !strcmp(text, "cpu");
	}
	assert_int_equal(nnipc_reader_end(r), 0);
	assert_true(cpu);
	assert_int_equal(client_end(&other), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_getters, start, end),
		cmocka_unit_test_setup_teardown(test_supported_operations, start, end),
		cmocka_unit_test_setup_teardown(test_memory, start, end),
		cmocka_unit_test_setup_teardown(test_refused, start, end),
		cmocka_unit_test_setup_teardown(test_execute, start, end),
		cmocka_unit_test_setup_teardown(test_fenced, start, end),
		cmocka_unit_test_setup_teardown(test_reusable, start, end),
		cmocka_unit_test_setup_teardown(test_buffer, start, end),
		cmocka_unit_test_setup_teardown(test_burst, start, end),
		cmocka_unit_test(test_hang_up_early),
		cmocka_unit_test(test_hang_up_during_work),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_enumerate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* A worker with a vendor library that breaks the rules: the client sees what nnhal.h promises. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "wire/nnipc_wire.h"
#include "worker_client.h"

static struct client c;
static struct nnipc_reader *const r = &c.lane.in.reader;

static void begin(const char *spec)
{
	client_spec = spec;
	client_ready(&c);
}

static void put_prepare(uint64_t callback)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_add();

	nnipc_put_device_prepare_model(
		&c.lane.out, &(struct nnipc_device_prepare_model){
				     .callback = callback, .config = &config, .model = m });
	nnmodel_free(m);
}

/* Prepare; the statuses of call and callback. The number of the model, or 0. */
static uint64_t prepare(enum nnhal_status launch, enum nnhal_status notified, const char *reason)
{
	uint64_t oid;
	char *text;

	put_prepare(5);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	assert_int_equal(nnipc_get_status(r), launch);
	client_notified(&c, NNIPC_NOTIFY_PREPARED, 5);
	assert_int_equal(nnipc_get_status(&c.note.reader), notified);
	text = nnipc_get_text(&c.note.reader, 1000);
	if (reason)
		assert_non_null(strstr(text, reason));
	free(text);
	oid = nnipc_get_u64(&c.note.reader);
	assert_int_equal(nnipc_reader_end(&c.note.reader), 0);
	assert_int_equal(!oid, notified != NNHAL_NONE);
	return oid;
}

static void expect_models(uint64_t count)
{
	struct nnhal_counters counters;

	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_COUNTERS, 0), 0);
	assert_int_equal(nnipc_get_i64(r), 0);
	nnipc_get_counters(r, &counters);
	assert_int_equal(counters.executions, count);
}

/* No notification waits: the one of an empty cache, sent last, is the next. */
static void expect_no_more(void)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE];

	nnipc_put_device_prepare_model_from_cache(
		&c.lane.out,
		&(struct nnipc_device_prepare_model_from_cache){ .callback = 99,
								 .deadline_ns = NNHAL_NO_TIME,
								 .model_cache = NULL,
								 .num_model_cache = 0,
								 .token = token });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_GENERAL_FAILURE);
	client_notified(&c, NNIPC_NOTIFY_PREPARED, 99);
}

TEST(test_preparations)
{
	begin("prepare-silent");
	prepare(NNHAL_RESOURCE_EXHAUSTED_PERSISTENT, NNHAL_RESOURCE_EXHAUSTED_PERSISTENT,
		"without a reason");
	expect_no_more();
	client_lives(&c);

	begin("prepare-null");
	prepare(NNHAL_NONE, NNHAL_GENERAL_FAILURE, "prepared no model");
	client_lives(&c);

	begin("prepare-short");
	prepare(NNHAL_NONE, NNHAL_GENERAL_FAILURE, "incomplete table");
	expect_models(0);
	client_lives(&c);

	begin("prepare-error");
	prepare(NNHAL_NONE, NNHAL_GENERAL_FAILURE, "with a model");
	expect_models(0);
	client_lives(&c);

	begin("prepare-twice");
	prepare(NNHAL_NONE, NNHAL_NONE, NULL);
	expect_models(1);
	expect_no_more();
	client_lives(&c);
	assert_non_null(strstr(c.log.text, "a preparation that had been notified"));
}

static void put_request(void)
{
	const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	const struct nnhal_request request = { .size = sizeof(request) };

	nnipc_put_prepared_create_reusable_execution(
		&c.lane.out, &(struct nnipc_prepared_create_reusable_execution){
				     .request = &request, .config = &config });
}

static void execute(const char *spec, enum nnhal_status launch, enum nnhal_status notified)
{
	uint64_t model;

	begin(spec);
	model = prepare(NNHAL_NONE, NNHAL_NONE, NULL);
	nnipc_put_u64(&c.lane.out, 6);
	put_request();
	nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE, model), 0);
	assert_int_equal(nnipc_get_status(r), launch);
	client_notified(&c, NNIPC_NOTIFY_EXECUTED, 6);
	assert_int_equal(nnipc_get_status(&c.note.reader), notified);
	expect_no_more();
	client_lives(&c);
}

TEST(test_executions)
{
	execute("execute-silent", NNHAL_DEVICE_UNAVAILABLE, NNHAL_DEVICE_UNAVAILABLE);
	execute("execute-null", NNHAL_NONE, NNHAL_GENERAL_FAILURE);
	execute("execute-size", NNHAL_NONE, NNHAL_GENERAL_FAILURE);
	execute("execute-twice", NNHAL_NONE, NNHAL_NONE);
	assert_non_null(strstr(c.log.text, "an execution that had been notified"));
}

/* Success without an object is none. */
TEST(test_no_objects)
{
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	struct nnipc_ring *ring;
	uint64_t model;
	int ends[2], fd;

	begin("");
	model = prepare(NNHAL_NONE, NNHAL_NONE, NULL);
	nnipc_put_device_allocate(&c.lane.out, &(struct nnipc_device_allocate){ .desc = &desc });
	assert_int_equal(client_call(&c, NNIPC_DEVICE_ALLOCATE, 0), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_GENERAL_FAILURE);
	assert_int_equal(nnipc_get_u64(r), 0);
	assert_int_equal(nnipc_get_u32(r), 0);

	put_request();
	assert_int_equal(client_call(&c, NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_GENERAL_FAILURE);

	nnipc_put_prepared_execute_fenced(
		&c.lane.out,
		&(struct nnipc_prepared_execute_fenced){
			.request = &(struct nnhal_request){ .size = sizeof(struct nnhal_request) },
			.config = &(struct nnhal_execution_config)NNHAL_EXECUTION_CONFIG_INIT,
			.deadline_ns = NNHAL_NO_TIME,
			.duration_ns = NNHAL_NO_TIME });
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_FENCED, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_GENERAL_FAILURE);

	assert_int_equal(nnipc_socket_pair(ends), 0);
	nnipc_put_fd_owned(&c.lane.out, ends[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnipc_ring_create(4096, &fd, &ring), 0);
		nnipc_ring_free(ring);
		nnipc_put_fd_owned(&c.lane.out, fd);
	}
	assert_int_equal(client_call(&c, NNIPC_PREPARED_CONFIGURE_BURST, model), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_GENERAL_FAILURE);
	close(ends[0]);

	assert_int_equal(client_call(&c, NNIPC_DEVICE_CREATE_MEMORY, 0), -EBADMSG);
	nnipc_put_u64(&c.lane.out, 4096);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_CREATE_MEMORY, 0), 0);
	assert_int_equal(nnipc_get_i64(r), -EOPNOTSUPP);
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_INFO, 0), 0);
	assert_int_equal(nnipc_get_i64(r), -EOPNOTSUPP);
	client_lives(&c);

	/* a table that ends before the operations beyond IDevice */
	begin("old-device");
	assert_int_equal(client_call(&c, NNIPC_DEVICE_GET_COUNTERS, 0), 0);
	assert_int_equal(nnipc_get_i64(r), -EOPNOTSUPP);
	client_lives(&c);
}

TEST(test_no_device)
{
	static const struct {
		const char *spec, *message;
		int64_t error;
	} refusals[] = {
		{ "open-fails", "Device or resource busy", -EBUSY },
		{ "short-device", "incomplete table", -EINVAL },
		{ "no-device", "opened no device", -EINVAL },
		{ "no-name", "no name or version", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		client_spec = refusals[i].spec;
		client_start(&c);
		client_hello(&c);
		assert_int_equal(client_try_open(&c), refusals[i].error);
		if (!strstr(c.how, refusals[i].message))
			fail_msg("%s", c.how);
		assert_int_equal(client_end(&c), 0);
	}
	client_start(&c);
	client_hello(&c);
	assert_int_equal(nnipc_lane_call(&c.control, NNIPC_SESSION_ENUMERATE, 0, -1), 0);
	assert_int_equal(nnipc_get_i64(&c.control.in.reader), -EIO);
	assert_int_equal(client_end(&c), 0);
}

/* What is no vendor library, or one for another nnhal.h. */
TEST(test_no_library)
{
	static const char *const libraries[][2] = {
		{ "BAD_ABI_LIBRARY", "ABI version" },
		{ "NO_VENDOR_LIBRARY", "does not define nnhal_driver" },
	};
	char *good = strdup(getenv("NNACCEL_WORKER_LIBRARY"));

	for (int i = 0; i < 2; i++) {
		struct nnipc_writer w = { 0 };

		setenv("NNACCEL_WORKER_LIBRARY", getenv(libraries[i][0]), 1);
		client_start(&c);
		nnipc_put_u32(&w, NNIPC_VERSION);
		nnipc_put_u32(&w, NNIPC_VERSION);
		nnipc_put_u32(&w, 4096);
		client_send(&c, NNIPC_HELLO, 0, 0, &w);
		assert_int_equal(nnipc_frame_receive(c.control.sock, &c.control.in, -1), 0);
		assert_int_equal(nnipc_get_u32(&c.control.in.reader), 0);
		client_dies(&c, libraries[i][1]);
	}
	setenv("NNACCEL_WORKER_LIBRARY", good, 1);
	free(good);
}

/* The client sees a hang-up, and the worker's end says how. */
static void dies_of(const char *spec, int status)
{
	uint64_t model;

	begin(spec);
	model = prepare(NNHAL_NONE, NNHAL_NONE, NULL);
	put_request();
	nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, model), -EPIPE);
	assert_int_equal(client_end(&c), status);
}

TEST(test_crashes)
{
	dies_of("exit", 3);
/* a sanitizer makes signals its own */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	dies_of("crash", -SIGSEGV);
	dies_of("abort", -SIGABRT);
#endif
}

/* Numbers that are no statuses travel raw, and the client's codec knows what to do. */
TEST(test_raw_status)
{
	uint64_t model;

	begin("");
	model = prepare(NNHAL_NONE, NNHAL_NONE, NULL);
	put_request();
	nnipc_put_i64(&c.lane.out, NNHAL_NO_TIME);
	assert_int_equal(client_call(&c, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, model), 0);
	assert_int_equal(nnipc_get_u32(r), 77);
	client_lives(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preparations), cmocka_unit_test(test_executions),
		cmocka_unit_test(test_no_objects),   cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_no_library),   cmocka_unit_test(test_crashes),
		cmocka_unit_test(test_raw_status),
	};

	client_driver = "bad-vendor";
	return cmocka_run_group_tests(tests, NULL, NULL);
}

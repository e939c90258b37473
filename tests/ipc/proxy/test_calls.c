// SPDX-License-Identifier: Apache-2.0
/*
 * Prepared models, executions, buffers and fenced callbacks of another process: callbacks come once
 * whatever fails, answers that cannot be are the worker's fault, and nothing is left over.
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
#include "nnutil_fence.h"

#define OID 5

static struct nnipc_connection c;
static struct nnhal_prepared_model *pm;
static int descriptors;

/* What the worker answers to the next calls. */
static struct {
	enum nnhal_status status;
	struct nnhal_timing timing;
	uint32_t num_shapes;
	uint64_t oid;
	int fence; /* stays the test's */
	bool more; /* a byte too many */
	atomic_bool block, blocked;
	uint32_t method;
	uint64_t called_oid;
	atomic_int calls;
} answer;

static const struct nnhal_request_argument argument = { .length = 4 };
static const struct nnhal_request_pool pool = { .is_token = true, .token = 9 };
static const struct nnhal_request request = { .size = sizeof(request),
					      .inputs = &argument,
					      .outputs = &argument,
					      .num_inputs = 1,
					      .num_outputs = 1,
					      .pools = &pool,
					      .num_pools = 1 };
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

static void put_result(struct nnipc_writer *out)
{
	uint32_t dims[1] = { 4 };
	struct nnhal_output_shape shapes[3] = { { 1, dims, true },
						{ 1, dims, true },
						{ 1, dims, true } };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	result.num_shapes = answer.num_shapes;
	result.shapes = answer.num_shapes ? shapes : NULL;
	result.timing = answer.timing;
	nnipc_put_result(out, &result);
}

static int worker(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
		  struct nnipc_writer *out)
{
	(void)cookie;
	in->at = in->end; /* other tests check the arguments */
	answer.method = header->method;
	answer.called_oid = header->oid;
	answer.calls++;
	answer.blocked = true;
	while (answer.block)
		usleep(100);
	nnipc_put_status(out, answer.status);
	switch (header->method) {
	case NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY:
	case NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY:
		put_result(out);
		break;
	case NNIPC_PREPARED_EXECUTE_FENCED:
	case NNIPC_EXECUTION_EXECUTE_FENCED:
		nnipc_put_fd(out, answer.fence);
		nnipc_put_u64(out, answer.oid);
		break;
	case NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION:
		nnipc_put_u64(out, answer.oid);
		break;
	case NNIPC_FENCED_GET_EXECUTION_INFO:
		nnipc_put_timing(out, &answer.timing);
		nnipc_put_timing(out, &answer.timing);
		break;
	default:
		break;
	}
	if (answer.more)
		nnipc_put_u8(out, 0);
	return 0;
}

FIXTURE(fresh)
{
	descriptors = fake_descriptors();
	memset(&answer, 0, sizeof(answer));
	answer.timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	answer.fence = -1;
	fake_init(&c, worker);
	pm = nnipc_prepared_model_proxy(&c, OID);
	return pm ? 0 : -1;
}

FIXTURE(done)
{
	pm->ops->destroy(pm);
	assert_int_equal(c.released[c.num_released - 1], OID);
	fake_fini(&c);
	assert_int_equal(fake_descriptors(), descriptors);
	return 0;
}

/* The worker broke the protocol; goes on with another connection. */
static void one_protocol_error(void)
{
	assert_int_equal(c.protocol_errors, 1);
	c.protocol_errors = 0;
	c.dead = false;
}

/* ---- executeSynchronously ---- */

static enum nnhal_status run(struct nnhal_execution_result *result)
{
	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	return pm->ops->execute_synchronously(pm, &request, &config, NNHAL_NO_TIME, result);
}

TEST(test_synchronous)
{
	struct nnhal_execution_result result;

	answer.num_shapes = 1;
	answer.timing = (struct nnhal_timing){ 3, 4 };
	assert_int_equal(run(&result), NNHAL_NONE);
	assert_int_equal(answer.method, NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY);
	assert_int_equal(answer.called_oid, OID);
	assert_int_equal(result.num_shapes, 1);
	assert_int_equal(result.shapes[0].dims[0], 4);
	assert_int_equal(result.timing.in_driver_ns, 4);
	assert_int_equal(c.limit, NNIPC_LIMIT_WORK);
	nnhal_execution_result_clear(&result);
	assert_int_equal(pm->ops->execute_synchronously(pm, &request, &config, 1234, &result),
			 NNHAL_NONE);
	assert_int_equal(c.limit_deadline_ns, 1234);
	nnhal_execution_result_clear(&result);
	assert_int_equal(c.protocol_errors, 0);
}

/* The client looks at as many shapes as it has outputs. */
TEST(test_impossible_results)
{
	static const struct {
		enum nnhal_status status;
		uint32_t num_shapes;
		struct nnhal_timing timing;
		bool more;
	} bad[] = {
		{ NNHAL_NONE, 2, { -1, -1 }, false },
		{ NNHAL_OUTPUT_INSUFFICIENT_SIZE, 3, { -1, -1 }, false },
		{ NNHAL_GENERAL_FAILURE, 1, { -1, -1 }, false },
		{ NNHAL_NONE, 1, { -2, -1 }, false },
		{ NNHAL_NONE, 1, { -1, INT64_MIN }, false },
		{ NNHAL_NONE, 1, { -1, -1 }, true },
		{ (enum nnhal_status)9, 0, { -1, -1 }, false },
	};
	struct nnhal_execution_result result;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		answer.status = bad[i].status;
		answer.num_shapes = bad[i].num_shapes;
		answer.timing = bad[i].timing;
		answer.more = bad[i].more;
		assert_int_equal(run(&result), NNHAL_DEAD_OBJECT);
		assert_non_null(strstr(result.message, "killed by the test"));
		assert_non_null(strstr(c.protocol_error, "executeSynchronously"));
		assert_int_equal(result.num_shapes, 0);
		assert_null(result.shapes);
		one_protocol_error();
	}
}

TEST(test_failed_calls)
{
	static const struct {
		int error;
		enum nnhal_status status;
	} failures[] = {
		{ -EPIPE, NNHAL_DEAD_OBJECT },
		{ -ENOMEM, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -EMFILE, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -ETOOMANYREFS, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -ETIME, NNHAL_MISSED_DEADLINE_TRANSIENT },
		{ -EBUSY, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
		{ -E2BIG, NNHAL_RESOURCE_EXHAUSTED_PERSISTENT },
		{ -EOPNOTSUPP, NNHAL_GENERAL_FAILURE },
	};
	struct nnhal_execution_result result;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		c.call_error = failures[i].error;
		assert_int_equal(run(&result), failures[i].status);
		assert_int_not_equal(result.message[0], '\0');
		c.call_error = 0;
		c.lane_error = failures[i].error;
		assert_int_equal(run(&result), failures[i].status);
		assert_int_not_equal(result.message[0], '\0');
		c.lane_error = 0;
	}
	assert_int_equal(answer.calls, 0);
}

/* ---- execute ---- */

static struct {
	int calls;
	enum nnhal_status status;
	uint32_t num_shapes;
	char message[256];
} called;

static void executed(void *cookie, enum nnhal_status status,
		     const struct nnhal_execution_result *result)
{
	assert_ptr_equal(cookie, &called);
	called.calls++;
	called.status = status;
	called.num_shapes = result->num_shapes;
	strcpy(called.message, result->message);
}

static enum nnhal_status launch(void)
{
	memset(&called, 0, sizeof(called));
	return pm->ops->execute(pm, &request, &config, NNHAL_NO_TIME, executed, &called);
}

static void was_called(enum nnhal_status status)
{
	assert_int_equal(called.calls, 1);
	assert_int_equal(called.status, status);
	assert_int_equal(c.callback, 0);
}

/* The payload of a notification. */
static struct nnipc_writer *notification(enum nnhal_status status, uint32_t num_shapes)
{
	static struct nnipc_writer w;

	memset(&w, 0, sizeof(w));
	nnipc_put_status(&w, status);
	answer.num_shapes = num_shapes;
	put_result(&w);
	return &w;
}

static int notify_refusal(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
			  struct nnipc_writer *out)
{
	int ret = worker(cookie, header, in, out);

	fake_notify_later(cookie, notification(answer.status, 0));
	return ret;
}

TEST(test_asynchronous)
{
	assert_int_equal(launch(), NNHAL_NONE);
	assert_int_equal(called.calls, 0);
	assert_int_equal(c.callback_method, NNIPC_NOTIFY_EXECUTED);
	/* a launch waits for no work */
	assert_int_equal(c.limit, NNIPC_LIMIT_CALL);
	fake_notify(&c, notification(NNHAL_NONE, 1));
	was_called(NNHAL_NONE);
	assert_int_equal(called.num_shapes, 1);

	/* a refusal, which the worker notifies as well: the callback has returned before the call
	 */
	answer.status = NNHAL_INVALID_ARGUMENT;
	c.worker = notify_refusal;
	assert_int_equal(launch(), NNHAL_INVALID_ARGUMENT);
	was_called(NNHAL_INVALID_ARGUMENT);
	answer.status = NNHAL_NONE;
	c.worker = worker;

	/* the worker dies after the launch */
	assert_int_equal(launch(), NNHAL_NONE);
	c.dead = true;
	fake_notify(&c, NULL);
	was_called(NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(called.message, "killed by the test"));
}

TEST(test_launch_fails)
{
	c.no_callbacks = true;
	assert_int_equal(launch(), NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	was_called(NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	c.no_callbacks = false;
	c.lane_error = -EMFILE;
	assert_int_equal(launch(), NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	was_called(NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	c.lane_error = 0;
	c.call_error = -EPIPE;
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	assert_int_equal(c.removed, 2);
	c.call_error = 0;
	c.dead = true;
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	c.dead = false;
	/* a malformed answer to the launch */
	answer.more = true;
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	one_protocol_error();
}

static int notify_and_die(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
			  struct nnipc_writer *out)
{
	(void)header;
	(void)out;
	in->at = in->end;
	fake_notify_later(cookie, notification(NNHAL_NONE, 1));
	return -EIO; /* the lane hangs up */
}

/* The notification overtakes the answer to the launch, which then never comes: it is not believed.
 */
TEST(test_notified_before_death)
{
	c.worker = notify_and_die;
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	assert_int_equal(called.num_shapes, 0);
}

/* A refusal without a notification: the call does not wait for ever. */
TEST(test_not_notified)
{
	fake_settings.call_ns = 20000000;
	answer.status = NNHAL_GENERAL_FAILURE;
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(c.protocol_error, "without a notification"));
	one_protocol_error();
}

TEST(test_impossible_notification)
{
	assert_int_equal(launch(), NNHAL_NONE);
	fake_notify(&c, notification(NNHAL_NONE, 2));
	was_called(NNHAL_DEAD_OBJECT);
	assert_int_equal(called.num_shapes, 0);
	one_protocol_error();
}

/* ---- objects ---- */

TEST(test_reusable)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;

	answer.oid = 8;
	answer.status = NNHAL_GENERAL_FAILURE;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &request, &config, &e),
			 NNHAL_DEAD_OBJECT);
	assert_null(e);
	one_protocol_error();
	answer.oid = 0;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &request, &config, &e),
			 NNHAL_GENERAL_FAILURE);
	answer.status = NNHAL_NONE;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &request, &config, &e),
			 NNHAL_DEAD_OBJECT);
	one_protocol_error();
	answer.oid = 8;
	assert_int_equal(pm->ops->create_reusable_execution(pm, &request, &config, &e), NNHAL_NONE);
	answer.num_shapes = 1;
	assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result), NNHAL_NONE);
	assert_int_equal(answer.called_oid, 8);
	nnhal_execution_result_clear(&result);
	answer.num_shapes = 2;
	assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result),
			 NNHAL_DEAD_OBJECT);
	one_protocol_error();
	e->ops->destroy(e);
	assert_int_equal(c.released[c.num_released - 1], 8);
}

TEST(test_buffer)
{
	const struct nnhal_memory memory = { .fd = -1, .prot = PROT_READ, .size = 4 };
	struct nnhal_buffer *b = nnipc_buffer_proxy(&c, 6);

	assert_int_equal(b->ops->copy_to(b, &memory), NNHAL_NONE);
	assert_int_equal(answer.method, NNIPC_BUFFER_COPY_TO);
	/* shapes that cannot be read are the vendor library's to refuse, which ends the contents */
	answer.status = NNHAL_INVALID_ARGUMENT;
	assert_int_equal(b->ops->copy_from(b, &memory, 2, NULL), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(b->ops->copy_from(b, &memory, UINT32_MAX, (const uint32_t[]){ 1 }),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(b->ops->copy_from(b, NULL, 0, NULL), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(answer.calls, 4);
	answer.more = true;
	assert_int_equal(b->ops->copy_to(b, &memory), NNHAL_DEAD_OBJECT);
	one_protocol_error();
	/*
	 * its token is invalid when destroy() returns: the worker answers a call, then gets the
	 * release
	 */
	answer.more = false;
	answer.status = NNHAL_NONE;
	b->ops->destroy(b);
	assert_int_equal(answer.method, NNIPC_BUFFER_DESTROY);
	assert_int_equal(answer.called_oid, 6);
	assert_int_equal(c.released[c.num_released - 1], 6);
}

/* ---- fences ---- */

static enum nnhal_status fenced(int *fence, struct nnhal_fenced_callback **cb)
{
	return pm->ops->execute_fenced(pm, &request, NULL, 0, &config, NNHAL_NO_TIME, NNHAL_NO_TIME,
				       fence, cb);
}

TEST(test_fenced)
{
	struct nnhal_timing launched, after;
	struct nnhal_fenced_callback *cb;
	int fence, theirs, signal;
	int64_t ns;

	assert_int_equal(nnutil_fence_create(&theirs, &signal), 0);
	answer.fence = theirs;
	answer.oid = 8;
	assert_int_equal(fenced(&fence, &cb), NNHAL_NONE);
	assert_true(fence >= 0);
	assert_int_equal(nnutil_fence_status(fence, &ns), 0);
	nnutil_fence_signal(signal, 0);
	assert_int_equal(nnutil_fence_status(fence, &ns), 1);
	close(fence);
	close(theirs);

	answer.timing = (struct nnhal_timing){ 5, 6 };
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_NONE);
	assert_int_equal(launched.on_device_ns, 5);
	assert_int_equal(after.in_driver_ns, 6);
	answer.timing.on_device_ns = -7;
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_DEAD_OBJECT);
	assert_int_equal(launched.on_device_ns, NNHAL_NO_TIME);
	one_protocol_error();
	cb->ops->destroy(cb);
	assert_int_equal(c.released[c.num_released - 1], 8);

	/* finished already */
	answer.fence = -1;
	assert_int_equal(fenced(&fence, &cb), NNHAL_NONE);
	assert_int_equal(fence, -1);
	cb->ops->destroy(cb);
}

/* An execution whose objects are all gone keeps its worker until its fence signals, or fails. */
TEST(test_abandoned)
{
	struct nnhal_fenced_callback *cb[3];
	int fence[3], theirs[3], signal[3];

	for (int i = 0; i < 3; i++) {
		assert_int_equal(nnutil_fence_create(&theirs[i], &signal[i]), 0);
		answer.fence = theirs[i];
		answer.oid = (uint64_t)(20 + i);
		assert_int_equal(fenced(&fence[i], &cb[i]), NNHAL_NONE);
		close(fence[i]);
		close(theirs[i]);
	}
	for (int i = 0; i < 3; i++)
		cb[i]->ops->destroy(cb[i]);
	assert_int_equal(c.num_released, 0);
	nnutil_fence_signal(signal[1], 0);
	assert_true(EVENTUALLY(c.num_released == 1));
	assert_int_equal(c.released[0], 21);
	close(signal[2]); /* its maker died */
	assert_true(EVENTUALLY(c.num_released == 2));
	assert_int_equal(c.released[1], 22);
	nnutil_fence_signal(signal[0], -EIO);
	assert_true(EVENTUALLY(c.num_released == 3));
	/* the thread closes its descriptors after that */
	assert_true(EVENTUALLY(c.refs == 2 && fake_descriptors() == descriptors));
}

/* A worker that takes long to end does not keep others alive. */
TEST(test_abandoned_slow_end)
{
	struct nnhal_fenced_callback *cb;
	int fence, theirs, signal[2];
	bool released = true;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnutil_fence_create(&theirs, &signal[i]), 0);
		answer.fence = theirs;
		answer.oid = (uint64_t)(20 + i);
		assert_int_equal(fenced(&fence, &cb), NNHAL_NONE);
		close(fence);
		close(theirs);
		cb->ops->destroy(cb);
	}
	c.slow_end = true;
	for (int i = 0; i < 2; i++) {
		nnutil_fence_signal(signal[i], 0);
		released = released && EVENTUALLY(c.num_released == i + 1);
	}
	c.slow_end = false;
	assert_true(released);
	assert_true(EVENTUALLY(c.refs == 2 && fake_descriptors() == descriptors));
}

TEST(test_impossible_fences)
{
	struct nnhal_fenced_callback *cb;
	int fence, fake = memfd_new(0), theirs, signal;

	answer.fence = fake;
	answer.oid = 8;
	assert_int_equal(fenced(&fence, &cb), NNHAL_DEAD_OBJECT);
	assert_int_equal(fence, -1);
	assert_null(cb);
	one_protocol_error();
	/* none of these may have a fence or an object */
	assert_int_equal(nnutil_fence_create(&theirs, &signal), 0);
	answer.fence = theirs;
	answer.oid = 0;
	answer.status = NNHAL_GENERAL_FAILURE;
	assert_int_equal(fenced(&fence, &cb), NNHAL_DEAD_OBJECT);
	one_protocol_error();
	answer.status = NNHAL_NONE;
	assert_int_equal(fenced(&fence, &cb), NNHAL_DEAD_OBJECT);
	one_protocol_error();
	nnutil_fence_signal(signal, 0);
	close(theirs);
	close(fake);
}

/* ---- life ---- */

static void *run_blocked(void *unused)
{
	struct nnhal_execution_result result;
	enum nnhal_status status = run(&result);

	nnhal_execution_result_clear(&result);
	(void)unused;
	return (void *)(intptr_t)status;
}

/* The release may not overtake a call that runs. */
TEST(test_destroyed_in_a_call)
{
	pthread_t thread;
	void *status;

	answer.block = true;
	assert_int_equal(pthread_create(&thread, NULL, run_blocked, NULL), 0);
	assert_true(EVENTUALLY(answer.blocked));
	pm->ops->destroy(pm);
	assert_int_equal(c.num_released, 0);
	answer.block = false;
	pthread_join(thread, &status);
	assert_int_equal((intptr_t)status, NNHAL_NONE);
	assert_int_equal(c.num_released, 1);
	pm = nnipc_prepared_model_proxy(&c, OID);
}

/* In a child of fork() nothing is touched. */
TEST(test_inherited)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_buffer *b = nnipc_buffer_proxy(&c, 6);
	struct nnhal_execution *e = nnipc_execution_proxy(&c, 7, 1);
	struct nnhal_fenced_callback *cb = nnipc_fenced_callback_proxy(&c, 8, -1), *none;
	struct nnhal_timing launched, after;
	struct nnhal_execution *reusable;
	struct nnhal_burst *burst;
	int fence;

	c.inherited = true;
	assert_int_equal(run(&result), NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(result.message, "fork"));
	assert_int_equal(launch(), NNHAL_DEAD_OBJECT);
	was_called(NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(called.message, "fork"));
	assert_int_equal(fenced(&fence, &none), NNHAL_DEAD_OBJECT);
	assert_int_equal(pm->ops->configure_burst(pm, &burst), NNHAL_DEAD_OBJECT);
	assert_null(burst);
	assert_int_equal(pm->ops->create_reusable_execution(pm, &request, &config, &reusable),
			 NNHAL_DEAD_OBJECT);
	assert_int_equal(b->ops->copy_to(b, NULL), NNHAL_DEAD_OBJECT);
	assert_int_equal(b->ops->copy_from(b, NULL, 0, NULL), NNHAL_DEAD_OBJECT);
	assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result),
			 NNHAL_DEAD_OBJECT);
	assert_int_equal(e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence,
						&none),
			 NNHAL_DEAD_OBJECT);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_DEAD_OBJECT);
	b->ops->destroy(b);
	e->ops->destroy(e);
	cb->ops->destroy(cb);
	pm->ops->destroy(pm);
	assert_int_equal(c.num_released, 0);
	assert_int_equal(answer.calls, 0);
	c.inherited = false;
	b->ops->destroy(b);
	e->ops->destroy(e);
	cb->ops->destroy(cb);
}

/* ---- arguments ---- */

TEST(test_arguments)
{
	static uint32_t dims[NNIPC_MAX_RANK + 1];
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_request_argument arg = { .rank = NNIPC_MAX_RANK + 1, .dims = dims };
	struct nnhal_request r = request;

	r.outputs = &arg;
	assert_int_equal(pm->ops->execute_synchronously(pm, &r, &config, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	assert_non_null(strstr(result.message, "output 0"));
	arg.rank = UINT32_MAX;
	r = request;
	r.inputs = &arg;
	assert_int_equal(pm->ops->execute_synchronously(pm, &r, &config, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	r = request;
	r.num_pools = UINT32_MAX;
	assert_int_equal(pm->ops->execute_synchronously(pm, &r, &config, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(pm->ops->execute_synchronously(pm, NULL, &config, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(pm->ops->execute_synchronously(pm, &request, NULL, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(answer.calls, 0);
	/* a list that is not there is the vendor library's to refuse */
	arg.dims = NULL;
	r = request;
	r.inputs = &arg;
	r.pools = NULL;
	answer.status = NNHAL_INVALID_ARGUMENT;
	assert_int_equal(pm->ops->execute_synchronously(pm, &r, &config, NNHAL_NO_TIME, &result),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(answer.calls, 1);
}

TEST(test_oid)
{
	struct nnhal_prepared_model foreign = { 0 };
	struct nnipc_connection other;

	assert_int_equal(nnipc_prepared_model_oid(pm, &c), OID);
	assert_int_equal(nnipc_prepared_model_oid(pm, &other), 0);
	assert_int_equal(nnipc_prepared_model_oid(NULL, &c), 0);
	assert_int_equal(nnipc_prepared_model_oid(&foreign, &c), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_synchronous),
		CASE(test_impossible_results),
		CASE(test_failed_calls),
		CASE(test_asynchronous),
		CASE(test_launch_fails),
		CASE(test_notified_before_death),
		CASE(test_not_notified),
		CASE(test_impossible_notification),
		CASE(test_reusable),
		CASE(test_buffer),
		CASE(test_fenced),
		CASE(test_abandoned),
		CASE(test_abandoned_slow_end),
		CASE(test_impossible_fences),
		CASE(test_destroyed_in_a_call),
		CASE(test_inherited),
		CASE(test_arguments),
		CASE(test_oid),
	};

	return cmocka_run_group_tests_name("ipc-proxy-calls", tests, NULL, NULL);
}

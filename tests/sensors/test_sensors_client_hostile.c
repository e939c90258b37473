// SPDX-License-Identifier: Apache-2.0
/*
 * A service that lies: each lie ends in a result, not in a crash or a wait, and what is made of the
 * connection afterwards can be destroyed.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "fake_service.h"
#include "nnsensors.h"
#include "test_case.h"

static atomic_uint events, died;

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	(void)cookie;
	(void)event;
	atomic_fetch_add(&events, 1);
}

static void on_service_died(void *cookie)
{
	(void)cookie;
	atomic_fetch_add(&died, 1);
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_service_died = on_service_died,
};

/* ---- what is called: each makes something, uses it, and frees it ---- */

static enum nnsensors_result call_list(struct nnsensors_manager *m)
{
	struct nnsensors_info *infos = NULL;
	uint32_t count = 7;
	enum nnsensors_result result = m->ops->get_sensor_list(m, &infos, &count);

	assert_true(result == NNSENSORS_OK ? infos != NULL : !infos && !count);
	free(infos);
	return result;
}

static enum nnsensors_result call_default(struct nnsensors_manager *m)
{
	struct nnsensors_info info = { .size = sizeof(info) };

	return m->ops->get_default_sensor(m, NNSENSORS_TYPE_ACCELEROMETER, &info);
}

static enum nnsensors_result call_queue(struct nnsensors_manager *m)
{
	struct nnsensors_event_queue *queue = NULL;
	enum nnsensors_result result = m->ops->create_event_queue(m, &callback, NULL, &queue);

	assert_true((result == NNSENSORS_OK) == (queue != NULL));
	if (!queue)
		return result;
	result = queue->ops->enable_sensor(queue, FAKE_ACCELEROMETER, 5000, 0);
	queue->ops->destroy(queue);
	return result;
}

static enum nnsensors_result call_channel(struct nnsensors_manager *m)
{
	struct nnsensors_direct_channel *channel = NULL;
	int fd = memfd_sealed(1040, 0);
	enum nnsensors_result result;
	int32_t token = 7;

	result = m->ops->create_ashmem_direct_channel(m, fd, 1040, 1040, &channel);
	close(fd);
	assert_true((result == NNSENSORS_OK) == (channel != NULL));
	if (!channel)
		return result;
	result = channel->ops->configure(channel, FAKE_ACCELEROMETER, NNSENSORS_RATE_FAST, &token);
	assert_true(result == NNSENSORS_OK ? token > 0 : token == 0);
	channel->ops->destroy(channel);
	return result;
}

/* ---- the lies ---- */

static const struct lie {
	enum fake_lie lie;
	enum nnsensors_result (*call)(struct nnsensors_manager *m);
	enum nnsensors_result result;
	enum nnsensors_result next; /* of a list afterwards */
} lies[] = {
	{ FAKE_HONEST, call_list, NNSENSORS_OK, NNSENSORS_OK },
	{ FAKE_HONEST, call_default, NNSENSORS_OK, NNSENSORS_OK },
	{ FAKE_HONEST, call_queue, NNSENSORS_OK, NNSENSORS_OK },
	{ FAKE_HONEST, call_channel, NNSENSORS_OK, NNSENSORS_OK },
	/* the connection is of no use any more */
	{ FAKE_HANG_UP, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_SILENCE, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_WRONG_SERIAL, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_WRONG_METHOD, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_CALL_FOR_REPLY, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_ONEWAY_FOR_REPLY, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_GARBAGE, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_SHORT_PACKET, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_NO_RESULT, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_NO_RESULT, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_NO_RESULT, call_channel, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_RESULT_99, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_RESULT_99, call_default, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TRAILING_BYTES, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TRAILING_BYTES, call_default, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TRAILING_BYTES, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TRAILING_BYTES, call_channel, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_EXTRA_FD, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_EXTRA_FD, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_SAYS_NO_OBJECT, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	/* the next call gets the second one */
	{ FAKE_REPLY_TWICE, call_list, NNSENSORS_OK, NNSENSORS_NO_INIT },
	/* one call is refused, and the connection is as good as before */
	{ FAKE_SAYS_MALFORMED, call_list, NNSENSORS_UNKNOWN_ERROR, NNSENSORS_OK },
	{ FAKE_SAYS_UNSUPPORTED, call_list, NNSENSORS_INVALID_OPERATION, NNSENSORS_OK },
	{ FAKE_SAYS_NO_ROOM, call_list, NNSENSORS_NO_MEMORY, NNSENSORS_OK },
	{ FAKE_SAYS_NO_ROOM, call_queue, NNSENSORS_NO_MEMORY, NNSENSORS_OK },
	/* lists */
	{ FAKE_COUNT_LIES, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_COUNT_HUGE, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_INFO_CUT, call_list, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	/* values that cannot be */
	{ FAKE_DEFAULT_OF_OTHER_TYPE, call_default, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_OID_0, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_OID_0, call_channel, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TOKEN_0, call_channel, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_TOKEN_NEGATIVE, call_channel, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	/* a queue's descriptors and memory */
	{ FAKE_QUEUE_NO_FDS, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_ONE_FD, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_UNSEALED, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_READ_ONLY, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_SEALED_WRITE, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_FILE, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_PIPE, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_EMPTY, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_TOO_SMALL, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_MAGIC, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_COUNT_0, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_COUNT_LIES, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_COUNT_OVERFLOWS, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	{ FAKE_QUEUE_PIPE_FOR_EVENTFD, call_queue, NNSENSORS_NO_INIT, NNSENSORS_NO_INIT },
	/* the sensor was enabled; destroy() comes back */
	{ FAKE_QUEUE_SILENT_DESTROY, call_queue, NNSENSORS_OK, NNSENSORS_NO_INIT },
};

static void run_lie(size_t i)
{
	const struct lie *row = &lies[i];
	/* a limit that ends no other call, however slow the machine is */
	const char *const limit_ms = row->lie == FAKE_SILENCE		     ? "300"
				     : row->lie == FAKE_QUEUE_SILENT_DESTROY ? "3000"
									     : "600000";
	struct fake_service *s = fake_service_start(row->lie);
	struct nnsensors_manager *m = NULL;
	enum nnsensors_result result, next;

	setenv("NNSENSORS_CALL_MS", limit_ms, 1);
	assert_int_equal(nnsensors_manager_open(NULL, &m, NULL, 0), 0);
	result = row->call(m);
	next = call_list(m);
	if (result != row->result || next != row->next)
		fail_msg("row %zu: %s, then %s", i, nnsensors_result_name(result),
			 nnsensors_result_name(next));
	m->ops->destroy(m);
	fake_service_stop(s);
}

TEST(test_lies)
{
	uint32_t before;

	run_lie(0);
	before = descriptors_open();
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		run_lie(i);
		if (descriptors_open() != before)
			fail_msg("row %zu leaves descriptors", i);
	}
}

/* ---- lies in a queue's memory ---- */

TEST(test_records_spoiled)
{
	struct fake_service *s = fake_service_start(FAKE_HONEST);
	struct nnsensors_event_queue *queue = NULL, *other = NULL;
	struct nnsensors_manager *m = NULL;

	atomic_store(&died, 0);
	assert_int_equal(nnsensors_manager_open(NULL, &m, NULL, 0), 0);
	assert_int_equal(m->ops->create_event_queue(m, &callback, NULL, &queue), NNSENSORS_OK);
	assert_int_equal(m->ops->create_event_queue(m, &callback, NULL, &other), NNSENSORS_OK);
	fake_service_spoil(s);
	/* a service that writes no records is none */
	assert_true(EVENTUALLY(atomic_load(&died) == 2));
	assert_int_equal(call_list(m), NNSENSORS_NO_INIT);
	queue->ops->destroy(queue);
	other->ops->destroy(other);
	m->ops->destroy(m);
	fake_service_stop(s);
}

static atomic_bool storm_over;

static void *storm(void *service)
{
	for (unsigned int i = 0; !atomic_load(&storm_over); i++)
		fake_service_emit(service, i % 2 ? FAKE_ACCELEROMETER : FAKE_LIGHT, 0, true);
	return NULL;
}

/* Events without end: a queue can be destroyed, and another one has its turns. */
TEST(test_storm)
{
	struct fake_service *s = fake_service_start(FAKE_HONEST);
	struct nnsensors_event_queue *queues[2] = { NULL };
	struct nnsensors_manager *m = NULL;
	pthread_t thread;

	atomic_store(&events, 0);
	atomic_store(&storm_over, false);
	assert_int_equal(nnsensors_manager_open(NULL, &m, NULL, 0), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(m->ops->create_event_queue(m, &callback, NULL, &queues[i]),
				 NNSENSORS_OK);
	assert_int_equal(pthread_create(&thread, NULL, storm, s), 0);
	assert_true(EVENTUALLY(atomic_load(&events) > 5000));
	assert_int_equal(call_list(m), NNSENSORS_OK);
	queues[0]->ops->destroy(queues[0]);
	atomic_store(&events, 0);
	assert_true(EVENTUALLY(atomic_load(&events) > 5000));
	queues[1]->ops->destroy(queues[1]);
	atomic_store(&storm_over, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	m->ops->destroy(m);
	fake_service_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_records_spoiled),
		cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests_name("sensors-client-hostile", tests, NULL, NULL);
}

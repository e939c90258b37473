// SPDX-License-Identifier: Apache-2.0
/* The objects of nnsensors.h, on a service of the test's own. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "fake_service.h"
#include "nnsensors.h"
#include "test_case.h"

#define MAX_EVENTS 8192

/* What a queue heard, and what it does in its callback. */
struct listener {
	struct nnsensors_event events[MAX_EVENTS];
	atomic_uint num_events, gone, died;
	atomic_ullong lost;
	atomic_int gone_handle;
	/* in the callback; atomic: what orders them is in memory that is mapped twice */
	struct nnsensors_event_queue *_Atomic destroy_queue;
	struct nnsensors_manager *_Atomic destroy_manager;
	atomic_bool in_callback, hold, destroyed;
	_Atomic enum nnsensors_result enabled;
	struct nnsensors_event_queue *_Atomic enable_queue;
};

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	struct listener *l = cookie;
	const unsigned int n = atomic_load(&l->num_events);
	struct nnsensors_manager *destroy_manager;
	struct nnsensors_event_queue *queue;

	atomic_store(&l->in_callback, true);
	while (atomic_load(&l->hold))
		usleep(1000);
	if (n < MAX_EVENTS)
		l->events[n] = *event;
	queue = atomic_load(&l->enable_queue);
	if (queue)
		l->enabled = queue->ops->enable_sensor(queue, FAKE_LIGHT, 1, 0);
	destroy_manager = atomic_load(&l->destroy_manager);
	if (destroy_manager)
		destroy_manager->ops->destroy(destroy_manager);
	queue = atomic_load(&l->destroy_queue);
	if (queue) {
		queue->ops->destroy(queue);
		atomic_store(&l->destroyed, true);
	}
	atomic_store(&l->in_callback, false);
	atomic_store(&l->num_events, n + 1);
}

static void on_lost(void *cookie, uint64_t events)
{
	struct listener *l = cookie;

	atomic_fetch_add(&l->lost, events);
}

static void on_sensor_gone(void *cookie, int32_t handle)
{
	struct listener *l = cookie;

	atomic_store(&l->gone_handle, handle);
	atomic_fetch_add(&l->gone, 1);
}

static void on_service_died(void *cookie)
{
	struct listener *l = cookie;

	atomic_fetch_add(&l->died, 1);
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_lost = on_lost,
	.on_sensor_gone = on_sensor_gone,
	.on_service_died = on_service_died,
};

/* ---- a service, a manager, and a listener ---- */

static struct fake_service *service;
static struct nnsensors_manager *manager;
static struct listener *listener;

FIXTURE(setup)
{
	char message[256] = "";

	service = fake_service_start(FAKE_HONEST);
	listener = calloc(1, sizeof(*listener));
	if (nnsensors_manager_open(NULL, &manager, message, sizeof(message)))
		fprintf(stderr, "%s\n", message);
	return !manager || !listener;
}

FIXTURE(teardown)
{
	if (manager)
		manager->ops->destroy(manager);
	manager = NULL;
	fake_service_stop(service);
	free(listener);
	return 0;
}

static struct nnsensors_event_queue *make_queue(struct listener *l)
{
	struct nnsensors_event_queue *queue = NULL;

	assert_int_equal(manager->ops->create_event_queue(manager, &callback, l, &queue),
			 NNSENSORS_OK);
	assert_non_null(queue);
	return queue;
}

/* ---- opening ---- */

TEST(test_open_errors)
{
	struct nnsensors_manager *other = (void *)1;
	char message[256] = "", path[200];

	assert_int_equal(nnsensors_manager_open("/nowhere/at/all", &other, message,
						sizeof(message)),
			 -ENOENT);
	assert_null(other);
	assert_non_null(strstr(message, "nnaccel-sensord"));
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(nnsensors_manager_open(path, &other, NULL, 0), -ENOENT);
	assert_int_equal(nnsensors_manager_open("/dev/null", &other, NULL, 0), -ECONNREFUSED);
}

TEST(test_refusals_of_hello)
{
	static const struct {
		enum fake_lie lie;
		int error;
		const char *text;
	} rows[] = {
		{ FAKE_HELLO_HANG_UP, -EPROTO, "hung up" },
		{ FAKE_HELLO_REFUSED, -EUSERS, "too many of you" },
		{ FAKE_HELLO_OTHER_VERSION, -EPROTO, "version 7" },
		{ FAKE_HELLO_GARBAGE, -EPROTO, "not a sensor service" },
		{ FAKE_HELLO_CUT, -EPROTO, "malformed" },
		{ FAKE_HELLO_IS_CALL, -EPROTO, "not a sensor service" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_service *s = fake_service_start(rows[i].lie);
		struct nnsensors_manager *m = (void *)1;
		char message[256] = "";
		int ret =
			nnsensors_manager_open(fake_service_path(s), &m, message, sizeof(message));

		if (ret != rows[i].error || !strstr(message, rows[i].text))
			fail_msg("row %zu: %d \"%s\"", i, ret, message);
		assert_null(m);
		fake_service_stop(s);
	}
}

/* ---- the manager ---- */

TEST(test_list)
{
	struct nnsensors_info *infos = NULL;
	uint32_t count = 0;

	assert_int_equal(manager->ops->get_sensor_list(manager, &infos, &count), NNSENSORS_OK);
	assert_int_equal(count, FAKE_SENSORS);
	assert_int_equal(infos[0].size, sizeof(infos[0]));
	assert_int_equal(infos[0].handle, FAKE_ACCELEROMETER);
	assert_string_equal(infos[0].name, "fake accelerometer");
	assert_string_equal(infos[3].permission, "denied");
	assert_int_equal(infos[0].min_delay_us, 5000);
	free(infos);
	assert_int_equal(manager->ops->get_sensor_list(manager, NULL, &count), NNSENSORS_BAD_VALUE);
}

TEST(test_default_sensor)
{
	struct nnsensors_info info = { .size = sizeof(info) };
	struct nnsensors_info old;

	assert_int_equal(manager->ops->get_default_sensor(manager, NNSENSORS_TYPE_LIGHT, &info),
			 NNSENSORS_OK);
	assert_int_equal(info.handle, FAKE_LIGHT);
	assert_int_equal(manager->ops->get_default_sensor(manager, NNSENSORS_TYPE_POSE_6DOF, &info),
			 NNSENSORS_NOT_EXIST);
	/* a caller that knows less of it */
	memset(&old, 0xaa, sizeof(old));
	old.size = offsetof(struct nnsensors_info, version);
	assert_int_equal(manager->ops->get_default_sensor(manager, NNSENSORS_TYPE_LIGHT, &old),
			 NNSENSORS_OK);
	assert_int_equal(old.size, offsetof(struct nnsensors_info, version));
	assert_int_equal(old.type, NNSENSORS_TYPE_LIGHT);
	assert_int_equal((uint32_t)old.version, 0xaaaaaaaau);
	assert_int_equal(manager->ops->get_default_sensor(manager, NNSENSORS_TYPE_LIGHT, NULL),
			 NNSENSORS_BAD_VALUE);
}

TEST(test_clients)
{
	struct nnsensors_client *clients = NULL;
	uint32_t count = 0;

	assert_int_equal(manager->ops->get_clients(manager, &clients, &count), NNSENSORS_OK);
	assert_int_equal(count, 1);
	assert_int_equal(clients[0].pid, getpid());
	assert_string_equal(clients[0].comm, "tests");
	free(clients);
}

/* ---- channels ---- */

TEST(test_channel)
{
	struct nnsensors_direct_channel *channel = (void *)1;
	int fd = memfd_sealed(1040, 0);
	int32_t token = -1;

	/* refused without a call of the service */
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, 16, 16, &channel),
			 NNSENSORS_BAD_VALUE);
	assert_null(channel);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, 1024, 2048,
								    &channel),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, -1, 1024, 1024,
								    &channel),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(manager->ops->create_gralloc_direct_channel(manager, fd, 103, &channel),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, 1040, 1040,
								    &channel),
			 NNSENSORS_OK);
	close(fd);
	assert_int_equal(channel->ops->configure(channel, FAKE_ACCELEROMETER, NNSENSORS_RATE_FAST,
						 &token),
			 NNSENSORS_OK);
	assert_int_equal(token, 101);
	assert_int_equal(channel->ops->configure(channel, FAKE_ACCELEROMETER,
						 NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(token, 0);
	assert_int_equal(channel->ops->configure(channel, -1, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(channel->ops->configure(channel, 99, NNSENSORS_RATE_NORMAL, NULL),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(channel->ops->configure(channel, FAKE_LIGHT, NNSENSORS_RATE_NORMAL,
						 &token),
			 NNSENSORS_INVALID_OPERATION);
	token = 5;
	assert_int_equal(channel->ops->configure(channel, -1, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(token, 0);
	/* it keeps the connection */
	manager->ops->destroy(manager);
	manager = NULL;
	assert_int_equal(fake_service_channels(service), 1);
	channel->ops->destroy(channel);
	assert_true(EVENTUALLY(!fake_service_connections(service)));
}

/* ---- queues ---- */

TEST(test_queue_arguments)
{
	struct nnsensors_event_queue_callback odd = callback;
	struct nnsensors_event_queue *queue = (void *)1;
	uint32_t period;
	uint64_t latency;

	assert_int_equal(manager->ops->create_event_queue(manager, NULL, NULL, &queue),
			 NNSENSORS_BAD_VALUE);
	assert_null(queue);
	odd.on_event = NULL;
	assert_int_equal(manager->ops->create_event_queue(manager, &odd, NULL, &queue),
			 NNSENSORS_BAD_VALUE);
	odd = callback;
	odd.size = 8;
	assert_int_equal(manager->ops->create_event_queue(manager, &odd, NULL, &queue),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, NULL, NULL),
			 NNSENSORS_BAD_VALUE);

	queue = make_queue(listener);
	assert_int_equal(queue->ops->enable_sensor(queue, FAKE_ACCELEROMETER, -1, 0),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(queue->ops->enable_sensor(queue, FAKE_ACCELEROMETER, 0, -1),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(queue->ops->enable_sensor(queue, 99, 5000, 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(queue->ops->enable_sensor(queue, FAKE_PROXIMITY, 5000, 0),
			 NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(queue->ops->enable_sensor(queue, FAKE_ACCELEROMETER, 5000, 1ll << 40),
			 NNSENSORS_OK);
	fake_service_last_enable(service, &period, &latency);
	assert_int_equal(period, 5000);
	assert_true(latency == 1ull << 40);
	assert_int_equal(queue->ops->disable_sensor(queue, FAKE_LIGHT), NNSENSORS_BAD_VALUE);
	assert_int_equal(queue->ops->disable_sensor(queue, FAKE_ACCELEROMETER), NNSENSORS_OK);
	queue->ops->destroy(queue);
	assert_int_equal(fake_service_queues(service), 0);
}

/* Both rings become one sequence, with the content of each event. */
TEST(test_events_in_order)
{
	struct nnsensors_event_queue *queue = make_queue(listener);
	const unsigned int count = 5000;

	for (unsigned int i = 0; i < count; i++) {
		fake_service_emit(service, i % 7 ? FAKE_ACCELEROMETER : FAKE_LIGHT, (float)i, true);
		/* no more than the rings have room for */
		if (i % 512 == 511)
			assert_true(EVENTUALLY(atomic_load(&listener->num_events) == i + 1));
	}
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == count));
	for (unsigned int i = 0; i < count; i++) {
		const struct nnsensors_event *e = &listener->events[i];

		assert_int_equal(e->u.data[0], i);
		assert_int_equal(e->sensor, i % 7 ? FAKE_ACCELEROMETER : FAKE_LIGHT);
		assert_int_equal(e->version, 104);
		assert_int_equal(e->flags, 0x55);
		assert_int_equal(e->timestamp, 1000);
		assert_int_equal(e->reserved0 | e->reserved1[0] | e->reserved1[1], 0);
	}
	assert_int_equal(atomic_load(&listener->lost), 0);
	queue->ops->destroy(queue);
}

/* Who does not read loses the oldest continuous events only, and hears how many. */
TEST(test_lost)
{
	struct nnsensors_event_queue *queue = make_queue(listener);
	unsigned int lights = 0, got;

	atomic_store(&listener->hold, true);
	fake_service_emit(service, FAKE_ACCELEROMETER, 0, true);
	assert_true(EVENTUALLY(atomic_load(&listener->in_callback)));
	for (unsigned int i = 1; i <= 4000; i++)
		fake_service_emit(service, i % 40 ? FAKE_ACCELEROMETER : FAKE_LIGHT, (float)i,
				  true);
	atomic_store(&listener->hold, false);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) + atomic_load(&listener->lost) ==
			       4001));
	assert_true(atomic_load(&listener->lost) > 1000);
	got = atomic_load(&listener->num_events);
	for (unsigned int i = 0; i < got; i++) {
		lights += listener->events[i].sensor == FAKE_LIGHT;
		assert_true(!i ||
			    listener->events[i].u.data[0] > listener->events[i - 1].u.data[0]);
	}
	assert_int_equal(lights, 100);
	assert_int_equal(listener->events[got - 1].u.data[0], 4000);
	queue->ops->destroy(queue);
}

TEST(test_notices)
{
	struct nnsensors_event_queue *queue = make_queue(listener);

	fake_service_notice(service, 1, FAKE_LIGHT);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
	assert_int_equal(listener->events[0].type, NNSENSORS_TYPE_META_DATA);
	assert_int_equal(listener->events[0].sensor, 0);
	assert_int_equal(listener->events[0].u.meta.sensor, FAKE_LIGHT);
	/* of a newer service */
	fake_service_notice(service, 0x12345, FAKE_LIGHT);
	fake_service_unplug(service, FAKE_GYROSCOPE);
	assert_true(EVENTUALLY(atomic_load(&listener->gone) == 1));
	assert_int_equal(atomic_load(&listener->gone_handle), FAKE_GYROSCOPE);
	assert_int_equal(atomic_load(&listener->num_events), 1);
	queue->ops->destroy(queue);
}

/* An older client's callbacks end after on_event(). */
TEST(test_short_callback)
{
	struct nnsensors_event_queue_callback short_one = callback;
	struct nnsensors_event_queue *queue = NULL;

	short_one.size = offsetof(struct nnsensors_event_queue_callback, on_lost);
	assert_int_equal(manager->ops->create_event_queue(manager, &short_one, listener, &queue),
			 NNSENSORS_OK);
	fake_service_unplug(service, FAKE_GYROSCOPE);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
	fake_service_die(service);
	assert_int_equal(atomic_load(&listener->gone), 0);
	queue->ops->destroy(queue);
	assert_int_equal(atomic_load(&listener->died), 0);
}

/* A batched event is there before its wake-up, and is delivered with it. */
TEST(test_batch)
{
	struct nnsensors_event_queue *queue = make_queue(listener);

	assert_true(EVENTUALLY(fake_service_readers_sleep(service)));
	fake_service_emit(service, FAKE_ACCELEROMETER, 1, false);
	fake_service_emit(service, FAKE_ACCELEROMETER, 2, false);
	assert_true(fake_service_readers_sleep(service));
	assert_int_equal(atomic_load(&listener->num_events), 0);
	fake_service_emit(service, FAKE_ACCELEROMETER, 3, true);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 3));
	queue->ops->destroy(queue);
}

TEST(test_many_queues)
{
	struct nnsensors_event_queue *queues[40];
	struct listener *listeners = calloc(40, sizeof(*listeners));

	assert_non_null(listeners);
	for (int i = 0; i < 40; i++)
		queues[i] = make_queue(&listeners[i]);
	for (int i = 0; i < 300; i++)
		fake_service_emit(service, FAKE_ACCELEROMETER, (float)i, true);
	for (int i = 0; i < 40; i++)
		assert_true(EVENTUALLY(atomic_load(&listeners[i].num_events) == 300));
	for (int i = 0; i < 40; i++)
		queues[i]->ops->destroy(queues[i]);
	assert_int_equal(fake_service_queues(service), 0);
	free(listeners);
}

/* ---- the end of a queue ---- */

TEST(test_destroy_in_callback)
{
	listener->destroy_queue = make_queue(listener);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	fake_service_emit(service, FAKE_LIGHT, 2, true);
	assert_true(EVENTUALLY(!fake_service_queues(service)));
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
	/* the manager goes on */
	listener->destroy_queue = NULL;
	struct nnsensors_event_queue *queue = make_queue(listener);

	fake_service_emit(service, FAKE_LIGHT, 3, true);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 2));
	queue->ops->destroy(queue);
}

/* The last reference to the connection goes on its own thread. */
TEST(test_destroy_all_in_callback)
{
	listener->destroy_queue = make_queue(listener);
	listener->destroy_manager = manager;
	manager = NULL;
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(!fake_service_connections(service)));
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
}

TEST(test_destroy_other_in_callback)
{
	struct listener *other = calloc(1, sizeof(*other));
	struct nnsensors_event_queue *queue;

	assert_non_null(other);
	queue = make_queue(other);
	listener->destroy_queue = queue;
	queue = make_queue(listener);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->destroyed)));
	listener->destroy_queue = NULL;
	queue->ops->destroy(queue);
	assert_true(atomic_load(&other->num_events) <= 1);
	free(other);
}

static void *destroy_it(void *queue)
{
	((struct nnsensors_event_queue *)queue)->ops->destroy(queue);
	return NULL;
}

/* destroy() waits for the callback that runs, and none comes after it. */
TEST(test_destroy_waits)
{
	struct nnsensors_event_queue *queue = make_queue(listener);
	pthread_t thread;

	atomic_store(&listener->hold, true);
	for (int i = 0; i < 100; i++)
		fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->in_callback)));
	assert_int_equal(pthread_create(&thread, NULL, destroy_it, queue), 0);
	assert_int_equal(fake_service_queues(service), 1);
	atomic_store(&listener->hold, false);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(atomic_load(&listener->in_callback));
	assert_true(atomic_load(&listener->num_events) <= 100);
	assert_int_equal(fake_service_queues(service), 0);
}

TEST(test_enable_in_callback)
{
	struct nnsensors_event_queue *queue = make_queue(listener);

	listener->enabled = NNSENSORS_UNKNOWN_ERROR;
	listener->enable_queue = queue;
	fake_service_emit(service, FAKE_ACCELEROMETER, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
	assert_int_equal(listener->enabled, NNSENSORS_OK);
	assert_int_equal(fake_service_enabled(service), 1);
	queue->ops->destroy(queue);
}

/* Queues come and go while events are written. */
static void *come_and_go(void *cookie)
{
	struct listener *l = cookie;

	for (int i = 0; i < 100; i++) {
		struct nnsensors_event_queue *queue = NULL;

		if (manager->ops->create_event_queue(manager, &callback, l, &queue))
			return (void *)1;
		queue->ops->enable_sensor(queue, FAKE_ACCELEROMETER, 1000, 0);
		queue->ops->destroy(queue);
	}
	return NULL;
}

TEST(test_threads)
{
	struct listener *listeners = calloc(4, sizeof(*listeners));
	pthread_t threads[4];
	void *failed;

	assert_non_null(listeners);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &listeners[i]), 0);
	for (int i = 0; i < 2000; i++)
		fake_service_emit(service, i % 3 ? FAKE_ACCELEROMETER : FAKE_LIGHT, 1, true);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(fake_service_queues(service), 0);
	free(listeners);
}

/* ---- the end of the service ---- */

TEST(test_service_dies)
{
	struct nnsensors_event_queue *queue = make_queue(listener), *second = NULL;
	struct nnsensors_info *infos = NULL;
	uint32_t count;

	atomic_store(&listener->hold, true);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->in_callback)));
	/* what was written before is delivered */
	fake_service_emit(service, FAKE_LIGHT, 2, false);
	fake_service_emit(service, FAKE_ACCELEROMETER, 3, false);
	fake_service_die(service);
	assert_true(EVENTUALLY(manager->ops->get_sensor_list(manager, &infos, &count) ==
			       NNSENSORS_NO_INIT));
	atomic_store(&listener->hold, false);
	assert_true(EVENTUALLY(atomic_load(&listener->died) == 1));
	assert_int_equal(atomic_load(&listener->num_events), 3);
	assert_null(infos);
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, listener, &second),
			 NNSENSORS_NO_INIT);
	assert_null(second);
	assert_int_equal(queue->ops->enable_sensor(queue, FAKE_LIGHT, 0, 0), NNSENSORS_NO_INIT);
	assert_int_equal(queue->ops->disable_sensor(queue, FAKE_LIGHT), NNSENSORS_NO_INIT);
	queue->ops->destroy(queue);
	assert_int_equal(atomic_load(&listener->died), 1);
}

/* ---- fork() ---- */

static struct nnsensors_event_queue *parents_queue;
static struct nnsensors_direct_channel *parents_channel;

static int use_in_child(void)
{
	struct nnsensors_manager *own = NULL;
	struct nnsensors_info *infos = NULL;
	struct nnsensors_event_queue *queue;
	uint32_t count;
	int32_t token;

	CHECK(manager->ops->get_sensor_list(manager, &infos, &count) == NNSENSORS_NO_INIT);
	CHECK(manager->ops->create_event_queue(manager, &callback, listener, &queue) ==
	      NNSENSORS_NO_INIT);
	CHECK(parents_queue->ops->enable_sensor(parents_queue, 1, 0, 0) == NNSENSORS_NO_INIT);
	CHECK(parents_channel->ops->configure(parents_channel, 1, 1, &token) == NNSENSORS_NO_INIT);
	parents_queue->ops->destroy(parents_queue);
	parents_channel->ops->destroy(parents_channel);
	manager->ops->destroy(manager);
#ifdef __SANITIZE_THREAD__
	/* TSan lets no child of a process with threads start any */
	return 0;
#endif
	CHECK(!nnsensors_manager_open(NULL, &own, NULL, 0));
	CHECK(own->ops->get_sensor_list(own, &infos, &count) == NNSENSORS_OK);
	CHECK(count == FAKE_SENSORS);
	free(infos);
	CHECK(own->ops->create_event_queue(own, &callback, listener, &queue) == NNSENSORS_OK);
	queue->ops->destroy(queue);
	own->ops->destroy(own);
	return 0;
}

TEST(test_fork)
{
	int fd = memfd_sealed(1040, 0);

	parents_queue = make_queue(listener);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, 1040, 1040,
								    &parents_channel),
			 NNSENSORS_OK);
	close(fd);
	child_run(NULL, use_in_child);
	/* nothing of the parent's went with it */
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_true(EVENTUALLY(atomic_load(&listener->num_events) == 1));
	assert_int_equal(fake_service_channels(service), 1);
	parents_channel->ops->destroy(parents_channel);
	parents_queue->ops->destroy(parents_queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open_errors, setup, teardown),
		cmocka_unit_test(test_refusals_of_hello),
		cmocka_unit_test_setup_teardown(test_list, setup, teardown),
		cmocka_unit_test_setup_teardown(test_default_sensor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clients, setup, teardown),
		cmocka_unit_test_setup_teardown(test_channel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue_arguments, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_notices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_batch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroy_in_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroy_all_in_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroy_other_in_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_destroy_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_enable_in_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_service_dies, setup, teardown),
#ifndef __SANITIZE_ADDRESS__
		/* child.h says why */
		cmocka_unit_test_setup_teardown(test_fork, setup, teardown),
#endif
	};

	return cmocka_run_group_tests_name("sensors-client", tests, NULL, NULL);
}

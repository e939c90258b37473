// SPDX-License-Identifier: Apache-2.0
/*
 * Devices and their threads: calls, descriptors, ticks, batched events, removal in use, and many
 * starts and stops at once.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core_fixture.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "test_case.h"

static struct sensor make_accelerometer(void)
{
	return make_sensor(NNSENSORS_TYPE_ACCELEROMETER, "accelerometer");
}

/* ---- the thread ---- */

static int name_of_thread(struct sensor_device *device, void *argument)
{
	(void)device;
	return prctl(PR_GET_NAME, argument);
}

static int call_again(struct sensor_device *device, void *argument)
{
	return device_call(device, name_of_thread, argument) ? -1 : 77;
}

TEST(test_call)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { 0 };
	struct sensor_device *device = add_device(&fake, "a device of a long name", &make, 1);
	char name[16];

	assert_string_equal(device_name(device), "a device of a long name");
	assert_ptr_equal(device_priv(device), &fake);
	assert_null(device_sensor(device, 1));
	/* also from the thread itself */
	assert_int_equal(device_call(device, call_again, name), 77);
	assert_string_equal(name, "a device of a l");
	remove_device(device);
}

TEST(test_call_after_removal)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { 0 };
	struct sensor_device *device = add_device(&fake, "d", &make, 1);
	char name[16];

	device_remove(device);
	assert_int_equal(fake.destroyed, 1);
	assert_int_equal(device_call(device, name_of_thread, name), -ENODEV);
	/* a second time it is gone already */
	remove_device(device);
	assert_int_equal(fake.destroyed, 1);
}

struct watch {
	int fd;
	uint32_t events;
};

static int watch_on_thread(struct sensor_device *device, void *argument)
{
	const struct watch *watch = argument;

	return device_watch(device, watch->fd, watch->events);
}

static void read_eventfd(struct sensor_device *device, int fd)
{
	uint64_t count;

	(void)device;
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
}

TEST(test_watch)
{
	const struct sensor make = make_accelerometer();
	const uint64_t one = 1;
	struct fake fake = { .on_ready = read_eventfd };
	struct sensor_device *device = add_device(&fake, "d", &make, 1);
	struct watch watches[20];

	for (int i = 0; i < 20; i++) {
		watches[i] = (struct watch){ eventfd(0, EFD_CLOEXEC), EPOLLIN };
		assert_true(watches[i].fd >= 0);
		assert_int_equal(device_call(device, watch_on_thread, &watches[i]), 0);
	}
	for (int i = 0; i < 20; i++) {
		assert_int_equal(write(watches[i].fd, &one, sizeof(one)), sizeof(one));
		assert_true(EVENTUALLY(fake.readies == i + 1));
	}
	/* no longer: the call behind it is a round of the thread later */
	watches[3].events = 0;
	assert_int_equal(device_call(device, watch_on_thread, &watches[3]), 0);
	assert_int_equal(device_call(device, watch_on_thread, &watches[3]), -ENOENT);
	assert_int_equal(write(watches[3].fd, &one, sizeof(one)), sizeof(one));
	assert_int_equal(write(watches[4].fd, &one, sizeof(one)), sizeof(one));
	assert_true(EVENTUALLY(fake.readies == 21));
	watches[5].fd = -1;
	assert_int_equal(device_call(device, watch_on_thread, &watches[5]), -EBADF);
	remove_device(device);
	for (int i = 0; i < 20; i++)
		close(watches[i].fd);
}

static int64_t next_tick, tick_errors;

static void tick_on(struct sensor_device *device, int64_t now)
{
	struct fake *fake = device_priv(device);

	/* never early */
	tick_errors += now < next_tick || nnutil_boottime_ns() < now;
	next_tick += MS;
	if (fake->ticks < 50)
		device_tick_at(device, next_tick);
}

static int start_ticks(struct sensor_device *device, void *argument)
{
	(void)argument;
	next_tick = nnutil_boottime_ns() + MS;
	device_tick_at(device, next_tick);
	return 0;
}

static atomic_bool enough;

static int do_nothing(struct sensor_device *device, void *argument)
{
	(void)device;
	(void)argument;
	return 0;
}

static void *call_on_and_on(void *device)
{
	while (!enough)
		device_call(device, do_nothing, NULL);
	return NULL;
}

/* Constant calls keep neither the device from its samples nor other threads from calls. */
TEST(test_ticks_among_calls)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = tick_on };
	struct sensor_device *device = add_device(&fake, "d", &make, 1);
	pthread_t callers[4];

	enough = false;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&callers[i], NULL, call_on_and_on, device), 0);
	assert_int_equal(device_call(device, start_ticks, NULL), 0);
	assert_true(EVENTUALLY(fake.ticks == 50));
	device_remove(device);
	enough = true;
	for (int i = 0; i < 4; i++)
		pthread_join(callers[i], NULL);
	device_put(device);
}

static int far_and_never(struct sensor_device *device, void *argument)
{
	(void)argument;
	device_tick_at(device, nnutil_boottime_ns() + 3600 * S);
	device_tick_at(device, -1);
	return 0;
}

TEST(test_ticks)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = tick_on };
	struct sensor_device *device = add_device(&fake, "d", &make, 1);

	tick_errors = 0;
	assert_int_equal(device_call(device, start_ticks, NULL), 0);
	assert_true(EVENTUALLY(fake.ticks == 50));
	assert_int_equal(device_call(device, far_and_never, NULL), 0);
	remove_device(device);
	assert_int_equal(tick_errors, 0);
}

/* ---- batched events ---- */

static void tick_and_emit(struct sensor_device *device, int64_t now)
{
	const union nnsensors_payload payload = { .data = { 1 } };
	struct fake *fake = device_priv(device);

	for (unsigned int i = 0; i < device_num_sensors(device); i++)
		sensor_emit(device_sensor(device, i), now, &payload);
	if (fake->demands[0].period_ns)
		device_tick_at(device, now + fake->demands[0].period_ns);
}

static void tick_when_wanted(struct sensor_device *device)
{
	struct fake *fake = device_priv(device);

	device_tick_at(device, fake->demands[0].period_ns
				       ? nnutil_boottime_ns() + fake->demands[0].period_ns
				       : -1);
}

TEST(test_batching)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = tick_and_emit, .on_configure = tick_when_wanted };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription s;
	struct kept_sink kept;
	unsigned int events, wakes;

	kept_sink_init(&kept);
	subscribe(&s, sensor, &kept, MS);
	assert_true(EVENTUALLY(kept_count(&kept) >= 5));
	assert_int_equal(kept_wakes(&kept), 0);
	/* many events to a wake-up */
	assert_int_equal(subscription_start(&s, MS, 20 * MS), 0);
	assert_int_equal(fake.demands[0].latency_ns, 20 * MS);
	assert_true(EVENTUALLY(kept_wakes(&kept) >= 3));
	events = kept_count(&kept);
	wakes = kept_wakes(&kept);
	assert_true(events > 2 * wakes);
	/* what waits does not wait for ever: neither when the latency ends, nor the subscription */
	assert_int_equal(subscription_start(&s, MS, 3600 * S), 0);
	wakes = kept_wakes(&kept);
	events = kept_count(&kept);
	assert_true(EVENTUALLY(kept_count(&kept) > events));
	assert_int_equal(subscription_start(&s, MS, 0), 0);
	assert_true(kept_wakes(&kept) > wakes);
	assert_int_equal(subscription_start(&s, MS, 3600 * S), 0);
	wakes = kept_wakes(&kept);
	events = kept_count(&kept);
	assert_true(EVENTUALLY(kept_count(&kept) > events));
	subscription_stop(&s);
	assert_true(kept_wakes(&kept) > wakes);
	subscription_fini(&s);
	kept_sink_fini(&kept);
	remove_device(sensor->device);
}

TEST(test_latency_of_the_most_impatient)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { 0 };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription subs[2];
	struct kept_sink kept;

	kept_sink_init(&kept);
	for (int i = 0; i < 2; i++)
		subscribe(&subs[i], sensor, &kept, 10 * MS);
	assert_int_equal(subscription_start(&subs[0], 10 * MS, 5 * S), 0);
	assert_int_equal(fake.demands[0].latency_ns, 0);
	assert_int_equal(subscription_start(&subs[1], 10 * MS, 3 * S), 0);
	assert_int_equal(fake.demands[0].latency_ns, 3 * S);
	subscription_fini(&subs[1]);
	assert_int_equal(fake.demands[0].latency_ns, 5 * S);
	subscription_fini(&subs[0]);
	kept_sink_fini(&kept);
	remove_device(sensor->device);
}

/* ---- removal ---- */

TEST(test_removal_in_use)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = tick_and_emit, .on_configure = tick_when_wanted };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription subs[3];
	struct kept_sink kept;
	unsigned int events;

	kept_sink_init(&kept);
	for (int i = 0; i < 3; i++)
		subscribe(&subs[i], sensor, &kept, MS);
	assert_true(EVENTUALLY(kept_count(&kept) > 10));
	remove_device(sensor->device);
	events = kept_count(&kept);
	assert_int_equal(kept_gone(&kept), 3);
	assert_int_equal(fake.destroyed, 1);
	/* the hardware was switched off */
	assert_int_equal(fake.demands[0].period_ns, 0);
	for (int i = 0; i < 3; i++) {
		assert_false(subs[i].started);
		assert_int_equal(subscription_start(&subs[i], MS, 0), -ENODEV);
		subscription_stop(&subs[i]);
		subscription_fini(&subs[i]);
	}
	assert_int_equal(kept_count(&kept), events);
	kept_sink_fini(&kept);
}

static void lose_at_tenth(struct sensor_device *device, int64_t now)
{
	struct fake *fake = device_priv(device);

	if (fake->ticks == 10)
		device_lost(device);
	else
		tick_and_emit(device, now);
}

static atomic_int changes;

static void count_change(void *cookie)
{
	assert_ptr_equal(cookie, &changes);
	changes++;
}

TEST(test_lost)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = lose_at_tenth, .on_configure = tick_when_wanted };
	struct sensor *sensor;
	struct subscription s;
	struct kept_sink kept;
	int configured;

	changes = 0;
	sensor_list_on_change(count_change, &changes);
	sensor = add_sensor(&fake, &make);
	assert_int_equal(changes, 1);
	kept_sink_init(&kept);
	subscribe(&s, sensor, &kept, MS);
	configured = fake.configured;
	assert_true(EVENTUALLY(kept_gone(&kept) == 1));
	assert_true(EVENTUALLY(changes == 2));
	assert_null(sensor_list_get(sensor->info.handle));
	/* hardware that is gone gets no requests */
	assert_int_equal(fake.configured, configured);
	assert_int_equal(subscription_start(&s, MS, 0), -ENODEV);
	subscription_fini(&s);
	remove_device(sensor->device);
	assert_int_equal(changes, 2);
	assert_int_equal(fake.destroyed, 1);
	sensor_list_on_change(NULL, NULL);
	kept_sink_fini(&kept);
}

static void lose(struct sensor_device *device)
{
	device_lost(device);
}

/* The hardware goes in the call that switches it on. */
TEST(test_lost_in_start)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_configure = lose };
	struct sensor *sensor = add_sensor(&fake, &make);
	struct subscription s;
	struct kept_sink kept;

	kept_sink_init(&kept);
	device_get(sensor->device);
	subscription_init(&s, sensor, &kept.sink, 1);
	assert_int_equal(subscription_start(&s, MS, 0), -ENODEV);
	assert_false(s.started);
	subscription_fini(&s);
	remove_device(sensor->device);
	kept_sink_fini(&kept);
}

/* What a fused sensor's backend does: a device goes in the notice of another's going. */
static struct sensor_device *second_device;

static void remove_second(void *cookie)
{
	struct sensor_device *device = second_device;

	(void)cookie;
	second_device = NULL;
	if (device)
		remove_device(device);
}

TEST(test_removal_in_notice)
{
	const struct sensor first = make_accelerometer(),
			    second = make_sensor(NNSENSORS_TYPE_GRAVITY, "gravity");
	struct fake fakes[2] = { { .on_tick = lose_at_tenth, .on_configure = tick_when_wanted } };
	struct sensor *sensor = add_sensor(&fakes[0], &first);
	struct subscription s;
	struct kept_sink kept;

	second_device = add_device(&fakes[1], "second", &second, 1);
	sensor_list_on_change(remove_second, NULL);
	kept_sink_init(&kept);
	subscribe(&s, sensor, &kept, MS);
	assert_true(EVENTUALLY(fakes[1].destroyed == 1));
	subscription_fini(&s);
	remove_device(sensor->device);
	sensor_list_on_change(NULL, NULL);
	kept_sink_fini(&kept);
}

TEST(test_clear)
{
	struct fake fakes[10] = { 0 };
	struct nnsensors_info *infos;
	struct sensor make = make_accelerometer();
	uint32_t count;

	for (int i = 0; i < 10; i++) {
		make.info.name[0] = (char)('0' + i);
		device_put(add_device(&fakes[i], "d", &make, 1));
	}
	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	assert_int_equal(count, 10);
	free(infos);
	sensor_list_clear();
	for (int i = 0; i < 10; i++)
		assert_int_equal(fakes[i].destroyed, 1);
	assert_int_equal(sensor_list_infos(&infos, &count), 0);
	assert_int_equal(count, 0);
}

/* ---- at once ---- */

#define CLIENTS 8
#define ROUNDS 125 /* 1000 starts and stops in all */

struct client {
	pthread_t thread;
	struct sensor *sensor;
	unsigned int number;
	atomic_int errors;
	atomic_int gone; /* starts that came too late */
};

static int start_and_stop(struct client *client, struct subscription *s, struct kept_sink *kept,
			  unsigned int round)
{
	int ret = subscription_start(s, (1 + (client->number + round) % 7) * MS,
				     round % 3 == 2 ? 5 * MS : 0);
	unsigned int events;

	if (!ret && round % 2)
		ret = subscription_start(s, MS, 0);
	if (ret == -ENODEV)
		client->gone++;
	else if (ret)
		client->errors++;
	subscription_stop(s);
	events = kept_count(kept);
	sched_yield();
	/* after the stop nothing comes */
	client->errors += kept_count(kept) != events;
	for (unsigned int i = 1; i < kept->count && i < KEPT; i++)
		client->errors += kept->records[i].timestamp <= kept->records[i - 1].timestamp;
	kept_clear(kept);
	return ret;
}

static void *run_client(void *argument)
{
	struct client *client = argument;
	struct subscription s;
	struct kept_sink kept;

	kept_sink_init(&kept);
	device_get(client->sensor->device);
	subscription_init(&s, client->sensor, &kept.sink, 1);
	for (unsigned int i = 0; i < ROUNDS; i++)
		start_and_stop(client, &s, &kept, i);
	subscription_fini(&s);
	kept_sink_fini(&kept);
	return NULL;
}

static void start_clients(struct client *clients, struct sensor *sensor)
{
	for (unsigned int i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .sensor = sensor, .number = i };
		assert_int_equal(pthread_create(&clients[i].thread, NULL, run_client, &clients[i]),
				 0);
	}
}

static int join_clients(struct client *clients)
{
	int gone = 0;

	for (unsigned int i = 0; i < CLIENTS; i++) {
		pthread_join(clients[i].thread, NULL);
		assert_int_equal(clients[i].errors, 0);
		gone += clients[i].gone;
	}
	return gone;
}

TEST(test_many_starts_and_stops)
{
	const struct sensor make = make_accelerometer();
	struct fake fake = { .on_tick = tick_and_emit, .on_configure = tick_when_wanted };
	struct client clients[CLIENTS];
	struct sensor *sensor = add_sensor(&fake, &make);

	start_clients(clients, sensor);
	assert_int_equal(join_clients(clients), 0);
	assert_int_equal(fake.demands[0].period_ns, 0);
	assert_null(sensor->subscriptions);
	remove_device(sensor->device);
}

TEST(test_removal_among_starts)
{
	const struct sensor make = make_accelerometer();

	for (int i = 0; i < 10; i++) {
		struct fake fake = { .on_tick = tick_and_emit, .on_configure = tick_when_wanted };
		struct client clients[CLIENTS];
		struct sensor *sensor = add_sensor(&fake, &make);

		start_clients(clients, sensor);
		assert_true(EVENTUALLY(fake.configured > 2 * i));
		/* the clients have references */
		if (i % 2)
			device_remove(sensor->device);
		else
			sensor_list_clear();
		join_clients(clients);
		device_put(sensor->device);
		assert_int_equal(fake.destroyed, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_call_after_removal),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_ticks_among_calls),
		cmocka_unit_test(test_batching),
		cmocka_unit_test(test_latency_of_the_most_impatient),
		cmocka_unit_test(test_removal_in_use),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_in_start),
		cmocka_unit_test(test_removal_in_notice),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_many_starts_and_stops),
		cmocka_unit_test(test_removal_among_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

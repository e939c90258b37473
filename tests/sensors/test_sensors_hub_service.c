// SPDX-License-Identifier: Apache-2.0
/*
 * nnaccel-sensord on IIO devices of the kernel: a hub of HID sensors that is unplugged and plugged
 * while clients use it. Runs in the VM (tests/vm/guest.d/57-sensors.sh), which sets
 * NNSENSORS_TEST_UHID.
 */

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "nnsensors.h"
#include "nnsensors_records.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "test_case.h"
#include "uhid_hub.h"

static struct sensord service;
static struct nnsensors_manager *manager;

FIXTURE(begin)
{
	char message[256];

	/* first the service: its sensors come while it runs */
	sensord_start(&service, NULL, NULL);
	if (nnsensors_manager_open(service.socket, &manager, message, sizeof(message)))
		fail_msg("%s", message);
	uhid_hub_start();
	return 0;
}

FIXTURE(end)
{
	manager->ops->destroy(manager);
	sensord_stop(&service);
	uhid_hub_stop();
	return 0;
}

static bool get(int32_t type, struct nnsensors_info *info)
{
	*info = (struct nnsensors_info){ .size = sizeof(*info) };
	return manager->ops->get_default_sensor(manager, type, info) == NNSENSORS_OK;
}

static bool none_left(void)
{
	struct nnsensors_info *infos;
	uint32_t count;

	assert_int_equal(manager->ops->get_sensor_list(manager, &infos, &count), NNSENSORS_OK);
	free(infos);
	return !count;
}

struct seen {
	atomic_uint events;
	atomic_int gone; /* handle */
	_Atomic float z;
	_Atomic int64_t timestamp;
};

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	struct seen *seen = cookie;

	seen->z = event->u.vec3.z;
	seen->timestamp = event->timestamp;
	seen->events++;
}

static void on_sensor_gone(void *cookie, int32_t handle)
{
	struct seen *seen = cookie;

	seen->gone = handle;
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_sensor_gone = on_sensor_gone,
};

/* Events of the accelerometer as it lies there, with the time now. */
static void check_events(struct seen *seen)
{
	const int64_t now = nnutil_boottime_ns();
	const unsigned int before = seen->events;

	assert_true(EVENTUALLY(seen->events >= before + 20 && seen->timestamp > now));
	assert_true(fabsf(seen->z - 9.80665f) < 0.01f);
}

TEST(test_unplug)
{
	const size_t size = 300 * sizeof(struct nnsensors_record);
	struct nnsensors_direct_channel *channel;
	struct nnsensors_event_queue *queue;
	struct nnsensors_info info, again;
	struct nnsensors_record record;
	struct nnsensors_reader reader;
	struct seen seen = { 0 };
	int fd = test_memfd(size);
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t lost;
	int32_t token;

	assert_true(EVENTUALLY(get(NNSENSORS_TYPE_ACCELEROMETER, &info)));
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, &seen, &queue),
			 NNSENSORS_OK);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, size, size,
								    &channel),
			 NNSENSORS_OK);
	assert_int_equal(queue->ops->enable_sensor(queue, info.handle, 20000, 0), NNSENSORS_OK);
	assert_int_equal(channel->ops->configure(channel, info.handle, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_OK);
	check_events(&seen);
	nnsensors_reader_init(&reader, memory, size);
	assert_int_equal(nnsensors_reader_take(&reader, &record, &lost), 1);
	assert_int_equal(record.token, token);
	assert_true(fabsf(record.u.vec3.z - 9.80665f) < 0.01f);

	uhid_hub_command("unplug", "ok unplug");
	assert_true(EVENTUALLY(seen.gone == info.handle));
	assert_true(EVENTUALLY(none_left()));
	assert_int_equal(queue->ops->enable_sensor(queue, info.handle, 20000, 0),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(channel->ops->configure(channel, info.handle, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_NOT_EXIST);

	/* the same queue and channel take the sensor that comes */
	uhid_hub_command("plug", "ok plug");
	uhid_hub_says("plugged");
	assert_true(EVENTUALLY(get(NNSENSORS_TYPE_ACCELEROMETER, &again)));
	assert_int_not_equal(again.handle, info.handle);
	assert_int_equal(queue->ops->enable_sensor(queue, again.handle, 20000, 0), NNSENSORS_OK);
	check_events(&seen);
	assert_int_equal(channel->ops->configure(channel, again.handle, NNSENSORS_RATE_NORMAL,
						 &token),
			 NNSENSORS_OK);
	channel->ops->destroy(channel);
	queue->ops->destroy(queue);
	munmap(memory, size);
	close(fd);
}

/* The service is killed while sensors run: the next one finds them and sets them up anew. */
TEST(test_killed)
{
	struct nnsensors_event_queue *queue;
	struct nnsensors_info info;
	struct seen seen = { 0 };
	char message[256];

	assert_true(EVENTUALLY(get(NNSENSORS_TYPE_ACCELEROMETER, &info)));
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, &seen, &queue),
			 NNSENSORS_OK);
	assert_int_equal(queue->ops->enable_sensor(queue, info.handle, 20000, 0), NNSENSORS_OK);
	check_events(&seen);
	queue->ops->destroy(queue);
	manager->ops->destroy(manager);
	sensord_kill(&service);
	sensord_start(&service, NULL, NULL);
	if (nnsensors_manager_open(service.socket, &manager, message, sizeof(message)))
		fail_msg("%s", message);
	assert_true(get(NNSENSORS_TYPE_ACCELEROMETER, &info));
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, &seen, &queue),
			 NNSENSORS_OK);
	assert_int_equal(queue->ops->enable_sensor(queue, info.handle, 20000, 0), NNSENSORS_OK);
	check_events(&seen);
	queue->ops->destroy(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unplug),
		cmocka_unit_test(test_killed),
	};

	if (!getenv("NNSENSORS_TEST_UHID")) {
		printf("NNSENSORS_TEST_UHID is not set: this runs in the VM\n");
		return UHID_SKIPPED;
	}
	return cmocka_run_group_tests(tests, begin, end);
}

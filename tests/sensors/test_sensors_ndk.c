// SPDX-License-Identifier: Apache-2.0
/* ASensorManager, ASensorEventQueue and ASensor, on a service of the test's own. */

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "android/hardware_buffer.h"
#include "android/sensor.h"
#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "fake_service.h"
#include "test_case.h"

#define IDENT 3

static struct fake_service *service;
static ASensorManager *manager;
static ALooper *looper;
static ASensorList list;

FIXTURE(setup)
{
	service = fake_service_start(FAKE_HONEST);
	looper = ALooper_prepare(ALOOPER_PREPARE_ALLOW_NON_CALLBACKS);
	/* that of the case before is gone with its service */
	manager = ASensorManager_getInstance();
	return !looper || !manager || ASensorManager_getSensorList(manager, &list) != FAKE_SENSORS;
}

FIXTURE(teardown)
{
	fake_service_stop(service);
	/* as an application that finds out */
	return !EVENTUALLY(ASensorManager_getSensorList(manager, NULL) == -ENODEV);
}

/* ---- NULL ---- */

TEST(test_null)
{
	ASensorEvent event;

	assert_int_equal(ASensorManager_getSensorList(NULL, &list), -EINVAL);
	assert_int_equal(ASensorManager_getDynamicSensorList(NULL, &list), -EINVAL);
	assert_null(ASensorManager_getDefaultSensor(NULL, ASENSOR_TYPE_LIGHT));
	assert_null(ASensorManager_getDefaultSensorEx(NULL, ASENSOR_TYPE_LIGHT, false));
	assert_null(ASensorManager_createEventQueue(NULL, looper, IDENT, NULL, NULL));
	assert_null(ASensorManager_createEventQueue(manager, NULL, IDENT, NULL, NULL));
	assert_int_equal(ASensorManager_destroyEventQueue(manager, NULL), -EINVAL);
	assert_int_equal(ASensorManager_destroyEventQueue(NULL, NULL), -EINVAL);
	assert_int_equal(ASensorManager_createSharedMemoryDirectChannel(NULL, 0, 104), -EINVAL);
	assert_int_equal(ASensorManager_createHardwareBufferDirectChannel(NULL, NULL, 104),
			 -EINVAL);
	assert_int_equal(ASensorManager_createHardwareBufferDirectChannel(manager, NULL, 104),
			 -EINVAL);
	assert_int_equal(ASensorManager_configureDirectReport(NULL, NULL, 1, 0), -EINVAL);
	ASensorManager_destroyDirectChannel(NULL, 1);
	assert_int_equal(ASensorEventQueue_registerSensor(NULL, list[0], 1, 1), -EINVAL);
	assert_int_equal(ASensorEventQueue_enableSensor(NULL, list[0]), -EINVAL);
	assert_int_equal(ASensorEventQueue_disableSensor(NULL, list[0]), -EINVAL);
	assert_int_equal(ASensorEventQueue_setEventRate(NULL, list[0], 1), -EINVAL);
	assert_int_equal(ASensorEventQueue_hasEvents(NULL), -EINVAL);
	assert_int_equal(ASensorEventQueue_getEvents(NULL, &event, 1), -EINVAL);
	assert_int_equal(ASensorEventQueue_requestAdditionalInfoEvents(NULL, true), -EINVAL);
	assert_null(ASensor_getName(NULL));
	assert_null(ASensor_getVendor(NULL));
	assert_null(ASensor_getStringType(NULL));
	assert_int_equal(ASensor_getType(NULL), -1);
	assert_true(isnan(ASensor_getResolution(NULL)));
	assert_true(isnan(ASensor_getMaxRange(NULL)));
	assert_int_equal(ASensor_getMinDelay(NULL), INT32_MIN);
	assert_int_equal(ASensor_getFifoMaxEventCount(NULL), -1);
	assert_int_equal(ASensor_getFifoReservedEventCount(NULL), -1);
	assert_int_equal(ASensor_getHandle(NULL), -1);
	assert_int_equal(ASensor_getReportingMode(NULL), AREPORTING_MODE_INVALID);
	assert_false(ASensor_isWakeUpSensor(NULL));
	assert_false(ASensor_isDirectChannelTypeSupported(NULL, 1));
	assert_int_equal(ASensor_getHighestDirectReportRateLevel(NULL), 0);
}

/* ---- sensors and lists ---- */

TEST(test_sensor)
{
	ASensor const *a = list[0], *proximity = list[3];

	assert_string_equal(ASensor_getName(a), "fake accelerometer");
	assert_string_equal(ASensor_getVendor(a), "tests");
	assert_string_equal(ASensor_getStringType(a), "android.sensor.accelerometer");
	assert_int_equal(ASensor_getType(a), ASENSOR_TYPE_ACCELEROMETER);
	assert_true(ASensor_getResolution(a) == 0.01f && ASensor_getMaxRange(a) == 39.2f);
	assert_int_equal(ASensor_getMinDelay(a), 5000);
	assert_int_equal(ASensor_getFifoMaxEventCount(a), 100);
	assert_int_equal(ASensor_getFifoReservedEventCount(a), 10);
	assert_int_equal(ASensor_getHandle(a), FAKE_ACCELEROMETER);
	assert_int_equal(ASensor_getReportingMode(a), AREPORTING_MODE_CONTINUOUS);
	assert_int_equal(ASensor_getHighestDirectReportRateLevel(a), ASENSOR_DIRECT_RATE_FAST);
	assert_true(
		ASensor_isDirectChannelTypeSupported(a, ASENSOR_DIRECT_CHANNEL_TYPE_SHARED_MEMORY));
	assert_false(ASensor_isDirectChannelTypeSupported(
		a, ASENSOR_DIRECT_CHANNEL_TYPE_HARDWARE_BUFFER));
	assert_false(ASensor_isDirectChannelTypeSupported(a, 3));
	assert_false(ASensor_isWakeUpSensor(a));
	assert_true(ASensor_isWakeUpSensor(proximity));
	assert_int_equal(ASensor_getReportingMode(proximity), AREPORTING_MODE_ON_CHANGE);
}

TEST(test_lists)
{
	ASensorList again = NULL, dynamic = NULL, more;
	ASensor const *gyroscope = list[2];

	assert_ptr_equal(ASensorManager_getInstanceForPackage("org.example"), manager);
	assert_int_equal(ASensorManager_getSensorList(manager, &again), FAKE_SENSORS);
	assert_ptr_equal(again, list);
	assert_int_equal(ASensorManager_getDynamicSensorList(manager, &dynamic), 1);
	assert_ptr_equal(dynamic[0], gyroscope);
	assert_ptr_equal(ASensorManager_getDefaultSensor(manager, ASENSOR_TYPE_LIGHT), list[1]);
	assert_null(ASensorManager_getDefaultSensor(manager, ASENSOR_TYPE_POSE_6DOF));
	assert_ptr_equal(ASensorManager_getDefaultSensorEx(manager, ASENSOR_TYPE_PROXIMITY, true),
			 list[3]);
	assert_null(ASensorManager_getDefaultSensorEx(manager, ASENSOR_TYPE_PROXIMITY, false));
	/* a sensor goes; what was given out stays */
	fake_service_unplug(service, FAKE_GYROSCOPE);
	assert_int_equal(ASensorManager_getSensorList(manager, &more), FAKE_SENSORS - 1);
	assert_ptr_not_equal(more, list);
	assert_ptr_equal(more[0], list[0]);
	assert_ptr_equal(list[2], gyroscope);
	assert_string_equal(ASensor_getName(gyroscope), "fake gyroscope");
	assert_int_equal(ASensorManager_getDynamicSensorList(manager, &dynamic), 0);
	assert_null(dynamic);
}

/* ---- queues ---- */

TEST(test_queue_by_ident)
{
	ASensorEventQueue *queue =
		ASensorManager_createEventQueue(manager, looper, IDENT, NULL, &queue);
	ASensorEvent events[8];
	uint32_t period;
	uint64_t latency;
	void *data;

	assert_non_null(queue);
	assert_int_equal(ASensorEventQueue_enableSensor(queue, list[0]), 0);
	fake_service_last_enable(service, &period, &latency);
	assert_int_equal(period, 200000);
	assert_int_equal(latency, 0);
	assert_int_equal(ASensorEventQueue_setEventRate(queue, list[0], 7000), 0);
	fake_service_last_enable(service, &period, &latency);
	assert_int_equal(period, 7000);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[0], 9000, 123456), 0);
	fake_service_last_enable(service, &period, &latency);
	assert_int_equal(period, 9000);
	assert_int_equal(latency, 123456);
	/* results are not hidden */
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[3], 9000, 0), -EPERM);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[0], -1, 0), -EINVAL);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[0], 0, -1), -EINVAL);
	assert_int_equal(ASensorEventQueue_disableSensor(queue, list[1]), -EINVAL);

	assert_int_equal(ASensorEventQueue_hasEvents(queue), 0);
	assert_int_equal(ASensorEventQueue_getEvents(queue, events, 8), 0);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	for (int i = 0; i < 5; i++)
		fake_service_emit(service, FAKE_ACCELEROMETER, (float)i, true);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, &data), IDENT);
	assert_ptr_equal(data, &queue);
	assert_int_equal(ASensorEventQueue_hasEvents(queue), 1);
	assert_int_equal(ASensorEventQueue_getEvents(queue, events, 1), 1);
	assert_int_equal(events[0].acceleration.x, 0);
	assert_int_equal(events[0].acceleration.z, 3);
	assert_int_equal(events[0].sensor, FAKE_ACCELEROMETER);
	assert_int_equal(events[0].type, ASENSOR_TYPE_ACCELEROMETER);
	assert_int_equal(events[0].version, 104);
	assert_int_equal(events[0].timestamp, 1000);
	for (int i = 1; i < 5; i++) {
		assert_true(EVENTUALLY(ASensorEventQueue_hasEvents(queue) == 1));
		assert_int_equal(ASensorEventQueue_getEvents(queue, events, 1), 1);
		assert_int_equal(events[0].acceleration.x, i);
	}
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(ASensorEventQueue_disableSensor(queue, list[0]), 0);
	assert_int_equal(ASensorManager_destroyEventQueue(manager, queue), 0);
	assert_int_equal(fake_service_queues(service), 0);
}

TEST(test_queue_refused)
{
	/* neither ident nor callback */
	assert_null(ASensorManager_createEventQueue(manager, looper, -1, NULL, NULL));
	assert_int_equal(fake_service_queues(service), 0);
}

static struct {
	ASensorEventQueue *queue;
	unsigned int calls, events;
	bool destroy;
} called;

static int on_ready(int fd, int events, void *data)
{
	ASensorEvent event;

	(void)fd;
	assert_int_equal(events, ALOOPER_EVENT_INPUT);
	assert_ptr_equal(data, &called);
	called.calls++;
	while (ASensorEventQueue_getEvents(called.queue, &event, 1) > 0)
		called.events++;
	if (called.destroy)
		ASensorManager_destroyEventQueue(manager, called.queue);
	return 1;
}

TEST(test_queue_by_callback)
{
	memset(&called, 0, sizeof(called));
	called.queue = ASensorManager_createEventQueue(manager, looper, 0, on_ready, &called);
	assert_non_null(called.queue);
	for (int i = 0; i < 10; i++)
		fake_service_emit(service, FAKE_LIGHT, 1, true);
	while (called.events < 10)
		assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	/* events that stay in the queue are signalled again and again; here there are none left */
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	called.destroy = true;
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	assert_int_equal(fake_service_queues(service), 0);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
}

/* A queue that is not read loses the oldest events of continuous sensors, and no others. */
TEST(test_fifo_full)
{
	ASensorEventQueue *queue =
		ASensorManager_createEventQueue(manager, looper, IDENT, NULL, NULL);
	unsigned int lights = 0, others = 0;
	static ASensorEvent events[4096];
	ssize_t count;

	assert_non_null(queue);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[0], 1000, 0), 0);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[1], 1000, 0), 0);
	for (unsigned int i = 1; i <= 6000; i++) {
		fake_service_emit(service, i % 60 ? FAKE_ACCELEROMETER : FAKE_LIGHT, (float)i,
				  true);
		/* the rings below are not what is full */
		if (i % 1000 == 0)
			assert_true(EVENTUALLY(fake_service_readers_sleep(service)));
	}
	count = ASensorEventQueue_getEvents(queue, events, 4096);
	assert_true(count > 0);
	for (ssize_t i = 0; i < count; i++) {
		lights += events[i].sensor == FAKE_LIGHT;
		others += events[i].sensor == FAKE_ACCELEROMETER;
		assert_true(!i || events[i].data[0] > events[i - 1].data[0]);
	}
	assert_int_equal(lights, 100);
	assert_int_equal(others, 2048);
	assert_int_equal(events[count - 1].data[0], 6000);
	assert_int_equal(ASensorEventQueue_hasEvents(queue), 0);
	assert_int_equal(ASensorManager_destroyEventQueue(manager, queue), 0);
}

TEST(test_additional_info)
{
	ASensorEventQueue *queue =
		ASensorManager_createEventQueue(manager, looper, IDENT, NULL, NULL);
	ASensorEvent events[4];

	assert_non_null(queue);
	fake_service_additional(service);
	fake_service_emit(service, FAKE_ACCELEROMETER, 1, true);
	assert_true(EVENTUALLY(ASensorEventQueue_hasEvents(queue) == 1));
	assert_int_equal(ASensorEventQueue_getEvents(queue, events, 4), 1);
	assert_int_equal(events[0].type, ASENSOR_TYPE_ACCELEROMETER);
	assert_int_equal(ASensorEventQueue_requestAdditionalInfoEvents(queue, true), 0);
	fake_service_additional(service);
	assert_true(EVENTUALLY(ASensorEventQueue_hasEvents(queue) == 1));
	assert_int_equal(ASensorEventQueue_getEvents(queue, events, 4), 1);
	assert_int_equal(events[0].type, ASENSOR_TYPE_ADDITIONAL_INFO);
	assert_int_equal(ASensorManager_destroyEventQueue(manager, queue), 0);
}

/* ---- direct channels ---- */

TEST(test_direct_channel)
{
	int fd = memfd_sealed(1040, 0), id, second;

	assert_int_equal(ASensorManager_createSharedMemoryDirectChannel(manager, fd, 103), -EINVAL);
	assert_int_equal(ASensorManager_createSharedMemoryDirectChannel(manager, fd, 1041),
			 -EINVAL);
	assert_int_equal(ASensorManager_createSharedMemoryDirectChannel(manager, -1, 1040),
			 -EINVAL);
	id = ASensorManager_createSharedMemoryDirectChannel(manager, fd, 1040);
	second = ASensorManager_createSharedMemoryDirectChannel(manager, fd, 1040);
	assert_true(id > 0 && second > 0 && id != second);
	close(fd);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[0], id,
							      ASENSOR_DIRECT_RATE_FAST),
			 101);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[0], id,
							      ASENSOR_DIRECT_RATE_STOP),
			 0);
	assert_int_equal(ASensorManager_configureDirectReport(manager, NULL, id,
							      ASENSOR_DIRECT_RATE_STOP),
			 0);
	assert_int_equal(ASensorManager_configureDirectReport(manager, NULL, id,
							      ASENSOR_DIRECT_RATE_NORMAL),
			 -EINVAL);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[1], id,
							      ASENSOR_DIRECT_RATE_NORMAL),
			 -ENOSYS);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[0], id,
							      ASENSOR_DIRECT_RATE_VERY_FAST),
			 -EINVAL);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[0], 999, 1), -EINVAL);
	assert_int_equal(fake_service_channels(service), 2);
	ASensorManager_destroyDirectChannel(manager, id);
	assert_int_equal(fake_service_channels(service), 1);
	ASensorManager_destroyDirectChannel(manager, id);
	assert_int_equal(ASensorManager_configureDirectReport(manager, list[0], id, 1), -EINVAL);
	ASensorManager_destroyDirectChannel(manager, second);
	assert_int_equal(fake_service_channels(service), 0);
}

TEST(test_hardware_buffer)
{
	AHardwareBuffer_Desc desc = {
		.width = 1040,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			 AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA,
	};
	AHardwareBuffer *buffer = NULL;
	int id;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	assert_int_equal(ASensorManager_createHardwareBufferDirectChannel(manager, buffer, 103),
			 -EINVAL);
	assert_int_equal(ASensorManager_createHardwareBufferDirectChannel(manager, buffer, 1041),
			 -EINVAL);
	id = ASensorManager_createHardwareBufferDirectChannel(manager, buffer, 1040);
	assert_true(id > 0);
	assert_int_equal(fake_service_channels(service), 1);
	ASensorManager_destroyDirectChannel(manager, id);
	AHardwareBuffer_release(buffer);
	/* an address that is no buffer */
	assert_int_equal(ASensorManager_createHardwareBufferDirectChannel(
				 manager, (AHardwareBuffer *)&desc, 1040),
			 -EINVAL);
}

/* ---- the end of the service ---- */

TEST(test_service_dies)
{
	ASensorEventQueue *queue =
		ASensorManager_createEventQueue(manager, looper, IDENT, NULL, NULL);
	struct fake_service *first = service;
	ASensorManager *before = manager;
	ASensorEvent events[4];

	assert_non_null(queue);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	fake_service_die(service);
	assert_true(EVENTUALLY(ASensorManager_getSensorList(manager, NULL) == -ENODEV));
	/* the looper says so, behind the last event, and only once */
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), IDENT);
	assert_true(EVENTUALLY(ASensorEventQueue_getEvents(queue, events, 4) == 1));
	assert_true(EVENTUALLY(ASensorEventQueue_getEvents(queue, events, 4) == -ENODEV));
	assert_int_equal(ASensorEventQueue_hasEvents(queue), -ENODEV);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(ASensorEventQueue_registerSensor(queue, list[0], 1, 1), -ENODEV);
	assert_null(ASensorManager_getInstance());

	service = fake_service_start(FAKE_HONEST);
	manager = ASensorManager_getInstance();
	assert_non_null(manager);
	assert_ptr_not_equal(manager, before);
	assert_int_equal(ASensorManager_getSensorList(manager, NULL), FAKE_SENSORS);
	/* what came of the old one */
	assert_string_equal(ASensor_getName(list[0]), "fake accelerometer");
	assert_int_equal(ASensorManager_getSensorList(before, NULL), -ENODEV);
	assert_null(ASensorManager_createEventQueue(before, looper, IDENT, NULL, NULL));
	assert_int_equal(ASensorManager_destroyEventQueue(before, queue), 0);
	fake_service_stop(first);
}

/* ---- fork() ---- */

static ASensorEventQueue *parents_queue;

static int in_child(void)
{
	ASensorEvent event;
	ASensorManager *own;

	CHECK(ASensorManager_getSensorList(manager, &list) == -ENODEV);
	CHECK(ASensorEventQueue_hasEvents(parents_queue) == -ENODEV);
	CHECK(ASensorEventQueue_getEvents(parents_queue, &event, 1) == -ENODEV);
	CHECK(ASensorEventQueue_enableSensor(parents_queue, list[0]) == -ENODEV);
	CHECK(ASensorEventQueue_disableSensor(parents_queue, list[0]) == -ENODEV);
	CHECK(ASensorManager_configureDirectReport(manager, list[0], 1, 1) == -ENODEV);
	CHECK(!ASensorManager_destroyEventQueue(manager, parents_queue));
#ifdef __SANITIZE_THREAD__
	/* TSan lets no child of a process with threads start any */
	return 0;
#endif
	own = ASensorManager_getInstance();
	CHECK(own && own != manager);
	CHECK(ASensorManager_getSensorList(own, &list) == FAKE_SENSORS);
	return 0;
}

TEST(test_fork)
{
	ASensorEvent event;

	parents_queue = ASensorManager_createEventQueue(manager, looper, IDENT, NULL, NULL);
	assert_non_null(parents_queue);
	child_run(NULL, in_child);
	fake_service_emit(service, FAKE_LIGHT, 1, true);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), IDENT);
	assert_int_equal(ASensorEventQueue_getEvents(parents_queue, &event, 1), 1);
	assert_int_equal(ASensorManager_destroyEventQueue(manager, parents_queue), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_null, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sensor, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue_by_ident, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_queue_by_callback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fifo_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_additional_info, setup, teardown),
		cmocka_unit_test_setup_teardown(test_direct_channel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hardware_buffer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_service_dies, setup, teardown),
#ifndef __SANITIZE_ADDRESS__
		/* child.h says why */
		cmocka_unit_test_setup_teardown(test_fork, setup, teardown),
#endif
	};

	return cmocka_run_group_tests_name("sensors-ndk", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sensor service in the test's process, which answers with the truth or with one of its lies. Its
 * sensors have handles 1 (accelerometer, direct reports), 2 (light), 3 (a gyroscope that can be
 * unplugged) and 4 (proximity, with a permission that no client has).
 */
#ifndef TESTS_SENSORS_FAKE_SERVICE_H
#define TESTS_SENSORS_FAKE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

enum fake_sensor { FAKE_ACCELEROMETER = 1, FAKE_LIGHT, FAKE_GYROSCOPE, FAKE_PROXIMITY };
#define FAKE_SENSORS 4

enum fake_lie {
	FAKE_HONEST,
	/* to HELLO */
	FAKE_HELLO_HANG_UP,
	FAKE_HELLO_REFUSED,
	FAKE_HELLO_OTHER_VERSION,
	FAKE_HELLO_GARBAGE,
	FAKE_HELLO_CUT,
	FAKE_HELLO_IS_CALL,
	/* to the first call */
	FAKE_HANG_UP,
	FAKE_SILENCE,
	FAKE_WRONG_SERIAL,
	FAKE_WRONG_METHOD,
	FAKE_CALL_FOR_REPLY,
	FAKE_ONEWAY_FOR_REPLY,
	FAKE_GARBAGE,
	FAKE_SHORT_PACKET,
	FAKE_NO_RESULT,
	FAKE_RESULT_99,
	FAKE_SAYS_MALFORMED,
	FAKE_SAYS_UNSUPPORTED,
	FAKE_SAYS_NO_OBJECT,
	FAKE_SAYS_NO_ROOM,
	FAKE_TRAILING_BYTES,
	FAKE_EXTRA_FD,
	FAKE_REPLY_TWICE,
	/* to a list */
	FAKE_COUNT_LIES,
	FAKE_COUNT_HUGE,
	FAKE_INFO_CUT,
	/* to others, by what they return */
	FAKE_DEFAULT_OF_OTHER_TYPE,
	FAKE_OID_0,
	FAKE_TOKEN_0,
	FAKE_TOKEN_NEGATIVE,
	/* to createEventQueue */
	FAKE_QUEUE_NO_FDS,
	FAKE_QUEUE_ONE_FD,
	FAKE_QUEUE_UNSEALED,
	FAKE_QUEUE_READ_ONLY,
	FAKE_QUEUE_SEALED_WRITE,
	FAKE_QUEUE_FILE,
	FAKE_QUEUE_PIPE,
	FAKE_QUEUE_EMPTY,
	FAKE_QUEUE_TOO_SMALL,
	FAKE_QUEUE_MAGIC,
	FAKE_QUEUE_COUNT_0,
	FAKE_QUEUE_COUNT_LIES,
	FAKE_QUEUE_COUNT_OVERFLOWS,
	FAKE_QUEUE_PIPE_FOR_EVENTFD,
	FAKE_QUEUE_SILENT_DESTROY,
};

struct fake_service;

/** Listens at NNSENSORS_SOCKET, which it sets. */
struct fake_service *fake_service_start(enum fake_lie lie);
/** Where it listens. */
const char *fake_service_path(const struct fake_service *s);
/** All connections hang up, and no client can connect. */
void fake_service_die(struct fake_service *s);
void fake_service_stop(struct fake_service *s);

/** Connections, queues and channels that are there now; sensors that queues have enabled. */
unsigned int fake_service_connections(struct fake_service *s);
unsigned int fake_service_queues(struct fake_service *s);
unsigned int fake_service_channels(struct fake_service *s);
unsigned int fake_service_enabled(struct fake_service *s);
/** Of the last enable: period and latency. */
void fake_service_last_enable(struct fake_service *s, uint32_t *period_us, uint64_t *latency_us);

/**
 * Write an event of @sensor to all queues, data[0] is @value. @wake: as the contract says; false: a
 * service that forgets to.
 */
void fake_service_emit(struct fake_service *s, enum fake_sensor sensor, float value, bool wake);
/** The sensor is unplugged: all queues get a notice, and it is in no list any more. */
void fake_service_unplug(struct fake_service *s, enum fake_sensor sensor);
/** A META_DATA event with @what. */
void fake_service_notice(struct fake_service *s, int32_t what, int32_t handle);
/** An event of type ADDITIONAL_INFO of the accelerometer. */
void fake_service_additional(struct fake_service *s);
/** Records whose size is not 104 in all queues. */
void fake_service_spoil(struct fake_service *s);
/** Whether the reader of each queue says that it sleeps. */
bool fake_service_readers_sleep(struct fake_service *s);

#endif

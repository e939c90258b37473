/* SPDX-License-Identifier: Apache-2.0 */
/* The objects behind <android/sensor.h>. */
#ifndef NNACCEL_SENSOR_NDK_H
#define NNACCEL_SENSOR_NDK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"
#include "nnutil_log.h"

/* The objects behind <android/sensor.h>, and what its files share. */

#pragma GCC visibility push(default)
#include "android/sensor.h"
#pragma GCC visibility pop

_Static_assert(sizeof(ASensorEvent) == sizeof(struct nnsensors_event), "one layout");

/** A sensor that was listed once; it lives as long as its manager, for ever. */
struct ASensor {
	struct nnsensors_info info;
	struct ASensor *next;
};

/** A list that the application has; it stays, because the NDK has no call that returns it. */
struct sensor_ndk_list {
	struct sensor_ndk_list *older;
	int count;
	ASensorRef sensors[];
};

struct sensor_ndk_channel {
	struct sensor_ndk_channel *next;
	int id;
	struct nnsensors_direct_channel *channel;
};

struct ASensorManager {
	/* constant */
	unsigned int process;
	struct nnsensors_manager *manager;
	struct ASensorManager *older; /* of a service that died, or of the parent */

	pthread_mutex_t lock; /* protects all below; not held in a call to the service */
	struct ASensor *sensors;
	struct sensor_ndk_list *all, *dynamic; /* newest first */
	struct sensor_ndk_channel *channels;
	int last_channel;
};

/** Log why a call is refused; its result. */
#define sensor_ndk_refuse(result, ...) (nnutil_log_refusal(__func__, __VA_ARGS__), (result))

/** A result as the NDK has it: 0, a negative errno, INT32_MIN. */
int sensor_ndk_result(enum nnsensors_result result);

/*
 * ndk_event_queue.c: events that wait for their reader, at most as many as there is room for. One
 * that does not fit pushes out the oldest of its kind: those of continuous sensors do not push out
 * others. One thread at a time.
 */

struct event_fifo_entry {
	struct nnsensors_event event;
	uint64_t number;
};

struct event_fifo {
	struct {
		struct event_fifo_entry *entries;
		uint32_t room, first, count;
	} part[2]; /* continuous, kept */
	uint64_t number; /* of the last event */
};

static inline bool event_fifo_is_empty(const struct event_fifo *fifo)
{
	return !fifo->part[0].count && !fifo->part[1].count;
}

#endif

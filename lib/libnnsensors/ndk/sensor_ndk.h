/* SPDX-License-Identifier: Apache-2.0 */
/* The objects behind <android/sensor.h>, and what its files share. Private to the room. */
#ifndef NNSENSORS_SENSOR_NDK_H
#define NNSENSORS_SENSOR_NDK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnsensors.h"
#include "nnutil_log.h"

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

#endif

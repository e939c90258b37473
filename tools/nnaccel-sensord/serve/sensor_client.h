/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of the service: who it is, and the objects that it has. The thread of its connection is
 * the only one that changes them; it does so under the client's lock, which others take to count
 * (GET_CLIENTS). Lock order: registry > client > what the core has.
 */
#ifndef SENSORD_SENSOR_CLIENT_H
#define SENSORD_SENSOR_CLIENT_H

#include <pthread.h>

#include "core/sinks.h"
#include "messages/sensor_messages.h"
#include "serve/client_budget.h"
#include "serve/enabled_sensors.h"
#include "serve/sensord_config.h"
#include "wire/nnipc_wire.h"

enum object_kind { OBJECT_QUEUE, OBJECT_CHANNEL };

/** struct client_object - an event queue or a direct channel of a client */
struct client_object {
	uint64_t oid;
	enum object_kind kind;
	uint64_t bytes; /* as charged */
	struct enabled_sensors sensors;
	union {
		struct queue_sink *queue;
		struct channel_sink *channel;
	};
	enum channel_memory memory; /* of a channel */
	int32_t last_token; /* of a channel: the last one that it gave away */
	struct client_object *next;
};

struct sensor_client {
	const struct sensord_config *config;
	struct nnipc_budget *budget;
	struct nnipc_peer peer;
	struct person person;
	char comm[16];
	struct waker *waker; /* of its user; NULL: it has had no queue */
	uint64_t last_oid;
	pthread_mutex_t lock; /* protects what follows */
	struct client_object *objects;
	uint64_t past_delivered, past_lost; /* of objects that are gone */
	struct sensor_client *next; /* the registry's */
};

/** A client without objects; the socket stays the caller's. 0 or -errno. */
int sensor_client_init(struct sensor_client *client, const struct sensord_config *config,
		       struct nnipc_budget *budget, const struct nnipc_peer *peer);
/** Release all objects. */
void sensor_client_clear(struct sensor_client *client);
/** It has no objects, and is in no list. */
void sensor_client_fini(struct sensor_client *client);

/* ---- for the servants ---- */

/**
 * A new object, without its sink, that costs @bytes; @oid is set, and it is found from now on.
 * NULL: a limit of the client or of its user is reached, or there is no memory.
 */
struct client_object *client_object_add(struct sensor_client *client, enum object_kind kind,
					uint64_t bytes);
/** NULL: there is no such object of this kind. */
struct client_object *client_object_find(struct sensor_client *client, uint64_t oid,
					 enum object_kind kind);
/** Stop its sensors, destroy its sink if it has one. */
void client_object_destroy(struct sensor_client *client, struct client_object *object);
/**
 * client_object_enable() - start a sensor, or go on with another period and latency
 * @entry: the object's of this sensor, enabled_sensors_find(); NULL: it is enabled now
 * @token: of a new entry
 *
 * Takes over the caller's reference to the sensor's device. NO_MEMORY: as many are enabled as the
 * client may have, its user has no events left, or there is no memory; what subscription_start()
 * returns.
 */
enum nnsensors_result client_object_enable(struct sensor_client *client,
					   struct client_object *object,
					   struct enabled_sensor *entry, struct sensor *sensor,
					   int32_t token, int64_t period_ns, int64_t latency_ns);
/** How many objects it has. Its own thread, or under its lock. */
uint32_t sensor_client_objects(const struct sensor_client *client);
/** A queue with the waker of the client's user: queue_sink_create(). */
int sensor_client_make_queue(struct sensor_client *client, struct queue_sink **queue,
			     int *memory_fd, int *event_fd);
/** What GET_CLIENTS says of a client. */
void sensor_client_describe(struct sensor_client *client, struct nnsensors_client *description);

#endif

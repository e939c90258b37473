/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a connection: waits for the wake-ups of its queues and for the end of the service,
 * merges the two rings of a queue, and calls back. Private to the room.
 */
#ifndef NNSENSORS_EVENT_DISPATCH_H
#define NNSENSORS_EVENT_DISPATCH_H

#include "client/queue_memory.h"
#include "client/sensor_connection.h"

/** The dispatcher's state of a queue. Under @lock of the connection, except where noted. */
struct sensor_queue {
	struct nnsensors_event_queue_callback callback; /* constant; members that are not there:
							   NULL */
	void *cookie; /* constant */
	int event_fd; /* constant */
	struct sensor_queue_rings rings; /* the dispatcher's */

	struct sensor_queue *prev, *next;
	bool ready; /* there may be events */
	bool died_reported; /* on_service_died() has begun */
	unsigned int turn; /* it was looked at last */
	atomic_bool over; /* no callback may start any more */
	bool deferred; /* ended in its own callback: the dispatcher frees it */
	void (*free)(struct sensor_queue *queue); /* constant */
};

/** Start the thread. 0 or -errno. */
int sensor_dispatch_start(struct sensor_connection *c);

/** From now on its events are delivered. 0 or -errno. */
int sensor_dispatch_add(struct sensor_connection *c, struct sensor_queue *queue);
/**
 * No callback of the queue runs or comes any more, except that this one may be called in a callback
 * of the queue. Follow with sensor_dispatch_free().
 */
void sensor_dispatch_remove(struct sensor_connection *c, struct sensor_queue *queue);
/** Free it, or have the dispatcher do it after the callback. */
void sensor_dispatch_free(struct sensor_queue *queue);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* nnsensors.h in the client: proxies, and the thread that delivers events. */
#ifndef NNSENSORS_CLIENT_H
#define NNSENSORS_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"
#include "nnsensors_records.h"
#include "wire/nnipc_wire.h"

/*
 * sensor_connection.c: a connection to the sensor service, which a manager, its queues and its
 * channels share. Calls go one at a time; a thread of the connection (event_dispatch.c) notices its
 * end and delivers events.
 *
 * The service is not trusted: an answer that cannot be ends the connection, and everything on it
 * answers NNSENSORS_NO_INIT from then on.
 *
 * Locks: @call is held for as long as a call runs, and nothing is taken under it but @lock. Neither
 * is held in a callback.
 */

struct sensor_queue;

struct sensor_connection {
	/* constant once it is open */
	unsigned int process;
	int64_t call_ns;
	int epoll, wake;
	pthread_t dispatcher;

	atomic_uint refs; /* the dispatcher holds none: the last reference stops it */
	atomic_bool dead;
	atomic_bool stop;
	pthread_mutex_t call;
	struct nnipc_lane lane; /* under @call */

	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t idle; /* @running changed */
	struct sensor_queue *queues;
	struct sensor_queue *running; /* whose callback the dispatcher is in */
	bool orphan; /* the last reference went in a callback: the dispatcher frees it */
};

/** HELLO and a dispatcher. 0 or what nnsensors_manager_open() returns, with @message. */
int sensor_connection_open(const char *path, struct sensor_connection **connection, char *message,
			   size_t size);
void sensor_connection_get(struct sensor_connection *c);
/** Any thread, the dispatcher as well. */
void sensor_connection_put(struct sensor_connection *c);
/** There is no dispatcher, or it is its last act, for @orphan is set. */
void sensor_connection_free(struct sensor_connection *c);

/** Whether it belongs to the parent of this process: nothing of it may be touched. */
bool sensor_connection_inherited(const struct sensor_connection *c);
/** Whether calls are of no use any more: it ended, or is a parent's. */
bool sensor_connection_is_dead(const struct sensor_connection *c);
/**
 * End the connection: waiting calls return, queues are notified. @why goes to the log; NULL: the
 * service hung up.
 */
void sensor_connection_end(struct sensor_connection *c, const char *why);

/**
 * A call: begin() gives the writer of its arguments, run() the reader of its results, and end() is
 * due when begin() gave something.
 *
 * begin() gives NULL if the connection is dead. run() returns the result that the answer begins
 * with, or what stands for a call that did not work; *@results is NULL then. A caller that reads
 * @results ends with sensor_call_check().
 */
struct nnipc_writer *sensor_call_begin(struct sensor_connection *c);
enum nnsensors_result sensor_call_run(struct sensor_connection *c, uint32_t method, uint64_t oid,
				      struct nnipc_reader **results);
/** @result if all results were read, and there is nothing more; else the connection ends. */
enum nnsensors_result sensor_call_check(struct sensor_connection *c, enum nnsensors_result result,
					struct nnipc_reader *results);
/** The connection ends: the results are well-formed, but cannot be. */
enum nnsensors_result sensor_call_refuse(struct sensor_connection *c, const char *why);
void sensor_call_end(struct sensor_connection *c);
/** run(), check() and end() of a call that has no results but the result. */
enum nnsensors_result sensor_call_finish(struct sensor_connection *c, uint32_t method,
					 uint64_t oid);
/** The whole call that gives the object @oid back. The answer changes nothing. */
void sensor_call_destroy(struct sensor_connection *c, uint32_t method, uint64_t oid);

/*
 * queue_memory.c: the reading side of a queue's memory: two rings become one sequence of events.
 * The memory is the service's as well and trusted for nothing. One thread at a time.
 */

struct sensor_queue_memory;

/** One of the two rings, and the record of it that is due next. */
struct sensor_queue_ring {
	struct nnsensors_reader reader;
	struct nnsensors_record head;
	bool has; /* @head is set */
};

struct sensor_queue_rings {
	struct sensor_queue_memory *memory;
	size_t size;
	struct sensor_queue_ring ring[2]; /* continuous, kept */
	uint64_t lost; /* not reported yet */
};

/**
 * Map the memory behind @fd, which stays the caller's: kept from children of fork(). 0; -EPROTO: it
 * is no memory of a queue, or could become smaller; -ENOMEM.
 */
int sensor_queue_rings_map(struct sensor_queue_rings *rings, int fd);
void sensor_queue_rings_unmap(struct sensor_queue_rings *rings);

/**
 * Take the next record, of both rings the one with the lower number. @rings->lost grows by those
 * that are gone. 1; 0: there is none; -EPROTO: this is no ring.
 */
int sensor_queue_rings_take(struct sensor_queue_rings *rings, struct nnsensors_record *record);

/** The reader looks at the rings: the writer need not wake it. */
void sensor_queue_rings_awake(struct sensor_queue_rings *rings);
/** The reader goes to sleep, after a last look: wake it. */
void sensor_queue_rings_asleep(struct sensor_queue_rings *rings);

/** Most records that are in the rings at a time. */
uint32_t sensor_queue_rings_room(const struct sensor_queue_rings *rings);

/*
 * event_dispatch.c: the thread of a connection: waits for the wake-ups of its queues and for the
 * end of the service, merges the two rings of a queue, and calls back.
 */

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

/* The objects of nnsensors.h in the client: how a manager makes the others. */

enum nnsensors_result
sensor_event_queue_create(struct sensor_connection *c,
			  const struct nnsensors_event_queue_callback *callback, void *cookie,
			  struct nnsensors_event_queue **queue);

enum nnsensors_result sensor_ashmem_channel_create(struct sensor_connection *c, int fd,
						   uint64_t mem_size, uint64_t size,
						   struct nnsensors_direct_channel **channel);
enum nnsensors_result sensor_gralloc_channel_create(struct sensor_connection *c, int fd,
						    uint64_t size,
						    struct nnsensors_direct_channel **channel);

#endif

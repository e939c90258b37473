/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the sensor service, which a manager, its queues and its channels share. Calls go
 * one at a time; a thread of the connection (event_dispatch.h) notices its end and delivers events.
 *
 * The service is not trusted: an answer that cannot be ends the connection, and everything on it
 * answers NNSENSORS_NO_INIT from then on.
 *
 * Locks: @call is held for as long as a call runs, and nothing is taken under it but @lock. Neither
 * is held in a callback.
 */
#ifndef NNSENSORS_SENSOR_CONNECTION_H
#define NNSENSORS_SENSOR_CONNECTION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"
#include "wire/nnipc_wire.h"

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

#endif

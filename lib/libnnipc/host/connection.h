/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One worker and the sockets to it: a generation. A connection dies once and for all; objects of a
 * dead generation answer DEAD_OBJECT, and a device gets a new one from its supervisor.
 *
 * Death, in this order (isolation.rst has the table): the generation is marked dead; lanes hang up,
 * so that every waiting call returns; every callback that is registered is called with -EPIPE, on
 * the executor; rings are closed; the worker is reaped, and its end is logged with the calls that
 * were in flight.
 *
 * References: the device and each object of it hold one. The last one shuts the worker down and
 * waits for its end.
 *
 * fork(): a child closes the sockets and never touches the rest (nnutil_process.h).
 */
#ifndef NNIPC_CONNECTION_H
#define NNIPC_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "host/target.h"
#include "messages/hal_codec.h"
#include "wire/lane.h"
#include "wire/ring.h"

struct nnipc_connection;

/**
 * typedef nnipc_died - the generation ended before it was shut down
 * @cookie: of nnipc_connection_open()
 * @next: for the exit reason: when another one may start
 * @size: of @next
 *
 * Called once, before any call returns -EPIPE, in the thread that noticed and under the lock of the
 * connection: it takes a note, and calls nothing.
 */
typedef void (*nnipc_died)(void *cookie, char *next, size_t size);

/**
 * nnipc_connection_open() - start a worker or connect to the service, and open the device
 * @target: what
 * @died: NULL: no call. After open has succeeded only
 * @cookie: for @died; lives as long as the process
 * @connection: set to the connection, with one reference
 * @message: on an error, what is wrong and what to do
 * @size: of @message
 *
 * Return: 0, or -errno: of the vendor library's open(); -ENOENT, -EACCES: no program or socket;
 * -EPROTO: it does not speak this protocol; -ETIME: it did not answer in 5 s; -EPIPE: it ended;
 * -ECONNREFUSED: the service, or the worker, refuses, or the service has made no worker.
 */
int nnipc_connection_open(const struct nnipc_target *target, nnipc_died died, void *cookie,
			  struct nnipc_connection **connection, char *message, size_t size);
/** The specifications that the vendor library enumerates. A connection of its own. */
int nnipc_connection_enumerate(const struct nnipc_target *target,
			       int (*found)(void *cookie, const char *spec), void *cookie,
			       char *message, size_t size);

void nnipc_connection_get(struct nnipc_connection *c);
void nnipc_connection_put(struct nnipc_connection *c);

bool nnipc_connection_is_dead(const struct nnipc_connection *c);
/** The connection belongs to the parent of this process. Nothing else may be done with it. */
bool nnipc_connection_inherited(const struct nnipc_connection *c);
/**
 * Why the worker ended, for messages; "" while it runs. "worker 1234 of cpu: signal 9 (Killed)
 * during IPreparedModel::execute x2; restart: the next call". Waits a moment for the reaper.
 */
void nnipc_connection_exit_reason(struct nnipc_connection *c, char *text, size_t size);
const struct nnipc_description *nnipc_connection_description(const struct nnipc_connection *c);

struct nnipc_worker_facts {
	enum nnipc_how how;
	int32_t pid; /* in our pid namespace; 0: not known */
	char layers[128], missing[128]; /* of the sandbox */
};
void nnipc_connection_facts(const struct nnipc_connection *c, struct nnipc_worker_facts *facts);

/* ---- calls ---- */

/**
 * nnipc_connection_lane() - a lane of one's own, until it is given back
 * @c: connection
 * @deadline_ns: of the call (CLOCK_BOOTTIME); negative: none
 * @error: set to why there is none
 *
 * Where all lanes are in use this waits for one: until the deadline, and without one as long as a
 * call that waits for no work may take. The call that would end the others may be the one that
 * waits.
 *
 * Return: the lane, its @out empty. NULL: -EPIPE: the generation is dead; -ETIME: the deadline has
 * passed; -EBUSY: the time is over; -EMFILE, -ENOMEM.
 */
struct nnipc_lane *nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
					 int *error);

/** How long a call may take: enum nnipc_limit of nnipc_call(). */
enum nnipc_limit {
	NNIPC_LIMIT_CALL, /* settings' call_ns: waits for no work */
	NNIPC_LIMIT_WORK /* settings' work_ns, or what the deadline leaves, and some more */
};
/** From now on; negative: no limit. @deadline_ns as for nnipc_call(). */
int64_t nnipc_limit_ns(enum nnipc_limit limit, int64_t deadline_ns);

/**
 * nnipc_call() - nnipc_lane_call() with the connection's rules
 * @deadline_ns: CLOCK_BOOTTIME; NNHAL_NO_TIME: none. With NNIPC_LIMIT_WORK only
 *
 * A worker that exceeds the limit, or answers with something else, is killed: the generation dies.
 *
 * Return: as nnipc_lane_call(); -EPIPE when the generation died, for any reason.
 */
int nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method, uint64_t oid,
	       enum nnipc_limit limit, int64_t deadline_ns);
/** Give a lane back; resets @out and the reply. Also after errors. */
void nnipc_connection_give(struct nnipc_connection *c, struct nnipc_lane *lane);
/** The worker broke the protocol: log @what, kill it. Returns -EPIPE. */
int nnipc_connection_protocol_error(struct nnipc_connection *c, const char *what);

/** One-way: the reference to an object goes back. Never blocks on the vendor library. */
void nnipc_connection_release(struct nnipc_connection *c, uint64_t oid);

/* ---- callbacks ---- */

/**
 * typedef nnipc_notified - a callback's message, on the executor, exactly once
 * @cookie: of nnipc_callback_add()
 * @error: 0; -EPIPE: the generation died, and @in is NULL
 * @method: the notification's
 * @in: its payload; read it to its end
 *
 * Return: 0, or an error: the payload is malformed: a protocol error of the worker.
 */
typedef int (*nnipc_notified)(void *cookie, int error, uint32_t method, struct nnipc_reader *in);

/**
 * nnipc_callback_add() - register before the call is sent
 * @c: connection
 * @method: the notification that is expected
 * @fn: called exactly once, unless nnipc_callback_remove() returns true
 * @cookie: for @fn
 *
 * The callback holds a reference to the connection until it has been called.
 *
 * Return: the number; 0: the generation is dead, or no memory. @fn is not called then.
 */
uint64_t nnipc_callback_add(struct nnipc_connection *c, uint32_t method, nnipc_notified fn,
			    void *cookie);
/** Forget it. False: @fn has been called, or will be. */
bool nnipc_callback_remove(struct nnipc_connection *c, uint64_t callback);

/* ---- rings ---- */

/** Have rings closed when the generation dies. @node is the caller's until it is removed. */
struct nnipc_watched_rings {
	struct nnipc_ring *rings[2];
	struct nnipc_watched_rings *prev, *next;
};
/** -EPIPE: dead already. */
int nnipc_connection_watch(struct nnipc_connection *c, struct nnipc_watched_rings *node);
void nnipc_connection_unwatch(struct nnipc_connection *c, struct nnipc_watched_rings *node);

#endif

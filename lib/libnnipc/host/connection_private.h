/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a connection. Private to lib/libnnipc/host.
 *
 * Threads: the one that opens the connection starts the I/O thread, which starts the worker (the
 * kernel kills a worker with the thread that made it), waits for its messages, notices its end, and
 * reaps it. It never runs code of the client and holds no reference: the last reference stops it.
 *
 * The control socket: the opener's until it has the reply to OPEN; then the I/O thread reads it and
 * the holder of @send writes.
 *
 * Locks: @lock is taken last, but for that of the supervisor, which is taken in died(). @send is
 * taken before nothing. Neither is held in a callback.
 */
#ifndef NNIPC_CONNECTION_PRIVATE_H
#define NNIPC_CONNECTION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "host/nnipc_host.h"

/** A lane, and what the connection knows of it. */
struct nnipc_slot {
	struct nnipc_lane lane; /* first; @lane.next: of the idle ones */
	struct nnipc_slot *prev, *next; /* of all */
	atomic_uint method; /* of the call that runs; 0: none */
	bool retire; /* its user's: the lane cannot be used again */
};

/** How far a connection is; it only grows. */
enum nnipc_stage {
	NNIPC_STAGE_STARTING, /* the I/O thread starts the worker */
	NNIPC_STAGE_OPENING, /* the opener calls on the control socket */
	NNIPC_STAGE_SERVING, /* the I/O thread reads it */
	NNIPC_STAGE_OVER, /* dead, or the last reference is gone */
	NNIPC_STAGE_REAPED /* the worker is reaped, the exit reason is written */
};

struct nnipc_connection {
	/* constant once it is open */
	unsigned int process;
	struct nnipc_target target;
	nnipc_died died;
	void *cookie;
	int control, wake;
	pthread_t io;
	struct nnipc_description description;
	struct nnipc_worker_facts facts;
	bool greeted; /* the worker has sent HELLO; the opener's */
	struct nnipc_child started; /* as it was started; its descriptors are @worker's */

	atomic_uint refs;
	atomic_bool dead;
	pthread_mutex_t send; /* whole messages on the control socket */

	/* the I/O thread's */
	struct nnipc_worker_process worker; /* child.pid 0: the service's, or it ended */
	struct nnipc_frame frame;
	struct nnipc_pending *backlog; /* no thread could be made for them yet */

	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t changed; /* stage, lanes that are given back; CLOCK_MONOTONIC */
	enum nnipc_stage stage;
	int start_error;
	char start_message[256];
	bool ended; /* by itself or for a fault, not by the last reference */
	bool crashed; /* the same, while it served */
	bool kill; /* do not wait for its end */
	char why[160]; /* it was ended by us; "": it ended */
	char flight[160]; /* calls in flight at its end: " during ..." */
	char next[96]; /* when the next one may start */
	char exit_reason[640];
	struct nnipc_slot *slots; /* all */
	struct nnipc_lane *idle;
	uint32_t num_slots;
	struct nnipc_pending_callbacks callbacks;
	struct nnipc_watched_rings *rings;
};

/* ---- connection_ref.c ---- */

/** Without a thread yet: nnipc_connection_discard() it until there is one. 0 or -errno. */
int nnipc_connection_new(const struct nnipc_target *target, nnipc_died died, void *cookie,
			 struct nnipc_connection **connection);
void nnipc_connection_discard(struct nnipc_connection *c);
/** The device that it is for, in messages. */
const char *nnipc_connection_name(const struct nnipc_connection *c);

/* ---- connection_end.c ---- */

/**
 * The generation is over: calls and callbacks of it find that out, the I/O thread does the rest.
 * @why: what it did wrong, and it is killed; NULL: it ended. Any thread, any number of times.
 */
void nnipc_connection_end(struct nnipc_connection *c, const char *why);
/** The last reference: as nnipc_connection_end(), but it is no death. */
void nnipc_connection_stop(struct nnipc_connection *c);
/** Write one message without a reply. -EPIPE: dead; others: nothing was sent. */
int nnipc_connection_tell(struct nnipc_connection *c, const struct nnipc_header *header,
			  const struct nnipc_writer *w);

/* ---- connection_callbacks.c ---- */

/** A notification is in @c->frame. I/O thread. */
void nnipc_connection_notified(struct nnipc_connection *c);
/** The generation is dead: each callback that is registered is called. I/O thread. */
void nnipc_connection_abandon(struct nnipc_connection *c);
/** Try those again for which there was no thread. I/O thread. Returns whether some are left. */
bool nnipc_connection_catch_up(struct nnipc_connection *c);

/* ---- connection_lanes.c ---- */

/** The generation is dead: free the idle lanes; the users of the others free them. */
void nnipc_connection_free_idle(struct nnipc_connection *c);

/* ---- connection_thread.c ---- */

/** Make the thread and wait until the worker is started. 0 or -errno with @message. */
int nnipc_connection_start(struct nnipc_connection *c, char *message, size_t size);
/** From now on the thread reads the control socket. -EPIPE: it is over already. */
int nnipc_connection_serve(struct nnipc_connection *c);

#endif

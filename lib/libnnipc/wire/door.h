/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of a service: one thread accepts clients and waits for their HELLOs, so that a silent
 * client delays no other. Each client that is let in has a thread. Knows no device.
 */
#ifndef NNIPC_DOOR_H
#define NNIPC_DOOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/budget.h"
#include "wire/service_listen.h"
#include "wire/user_log.h"

/** How long a client may be silent before its HELLO. */
#define NNIPC_PATIENCE_NS 5000000000ll
/**
 * Most clients that have not sent HELLO: of all users, and of one. One more client of a user takes
 * the place of its oldest one; the first client of a user that of the oldest of the user with most.
 */
#define NNIPC_DOOR_SILENT 256u
#define NNIPC_DOOR_SILENT_USER (NNIPC_DOOR_SILENT / 8)

/** struct nnipc_door_guard - what the service says about its door */
struct nnipc_door_guard {
	uint32_t max, max_per_user; /* clients that are served at a time: limits of a budget */
	const char *things; /* what a user has reached its limit of: "open devices" */
	/**
	 * @serve: serve a client, in a thread of its own. Its HELLO can be received. The socket is
	 * closed by the door afterwards; unless this has closed it, set it to -1, and the service
	 * does not call nnipc_door_close()
	 */
	void (*serve)(void *cookie, struct nnipc_peer *peer);
	void *cookie;
	/** @log: for lines about clients */
	struct nnipc_user_log *log;
};

struct nnipc_door_guest;

/** A door. Zeros, nnipc_door_init(). */
struct nnipc_door {
	const struct nnipc_door_guard *guard;
	struct nnipc_budget budget; /* places of silent clients, and of those that are served */
	pthread_mutex_t lock; /* protects guests and count */
	pthread_cond_t left; /* a guest has left */
	struct nnipc_door_guest *guests;
	uint32_t count;
};

void nnipc_door_init(struct nnipc_door *door, const struct nnipc_door_guard *guard);
/** Let clients of @listener (non-blocking) in, until @end is readable. One thread. */
void nnipc_door_run(struct nnipc_door *door, int listener, int end);
/**
 * Shut the connections of all clients and wait until they have left, at most @timeout_ns. Whether
 * all have.
 */
bool nnipc_door_close(struct nnipc_door *door, int64_t timeout_ns);

/**
 * Refuse a client that has sent HELLO: answer version 0 and the reason. Never waits. The socket
 * is closed.
 */
void nnipc_peer_refuse(struct nnipc_peer *peer, const char *why);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* nnaccel-hald: listens, counts clients, starts workers. */
#ifndef NNACCEL_HALD_H
#define NNACCEL_HALD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/nnipc_launch.h"
#include "sandbox/sandbox.h"
#include "wire/nnipc_wire.h"

/* hald_log.c: lines on standard error: our own, and those of workers. */

/** A line "nnaccel-hald: ...", in one write. Any thread. */
void hald_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** For lines that a user causes. */
extern struct nnipc_user_log hald_user_log;

/** A line of a worker, with its pid and its user: print() of its log pipe. */
void hald_log_worker(const struct nnipc_log_pipe *log, const char *line);

/* main.c: the command line of nnaccel-hald, and where its parts are. */

struct hald_options {
	const char *listen; /* path of the socket; NULL: systemd's */
	char worker[PATH_MAX]; /* nnaccel-worker */
	char library[PATH_MAX]; /* the vendor library */
	char profiles[PATH_MAX]; /* folder of the sandbox's; "": none */
	uint32_t max_per_user, max;
	uint32_t user_memory; /* of a user, percent of the service's; 0: no limit */
	enum nnipc_sandbox_mode sandbox;
	mode_t mode; /* of the socket */
	gid_t group; /* of the socket; (gid_t)-1: as it is */
};

/*
 * hald_memory.c: memory of users: workers of each run in a cgroup of their own, below the one that
 * the service has (Delegate=memory of its unit). Any thread.
 */

/**
 * hald_memory_init() - give each user at most @percent of the memory that the service may use
 * @percent: 0: users have no limit, and no cgroup is touched
 *
 * Once, before the first client. Moves this process into the cgroup "service" below its own. Where
 * that is not possible, a line in the log has the reason, and users have no limit.
 */
void hald_memory_init(uint32_t percent);

/** Bytes of a user; 0: no limit. */
uint64_t hald_memory_limit(void);

/**
 * The user gets one more worker. Its cgroup.procs, for struct nnipc_worker_launch, close() it; 0:
 * no limit; -errno: the cgroup cannot be made. hald_memory_leave() follows unless this failed.
 */
int hald_memory_join(uid_t user);
/** A worker of the user has ended. */
void hald_memory_leave(uid_t user);

/** Whether the kernel has ended a worker of the user for its memory since the last call. */
bool hald_memory_exhausted(uid_t user);

/* hald_client.c: one client: the answer to it, and its worker. */

/** nnipc_peer_refuse(), with a line in the log. */
void hald_client_refuse(struct nnipc_peer *client, const char *why);

/**
 * hald_client_serve() - start a worker for a client, and wait for its end
 * @client: has sent HELLO, which the worker takes. The socket is closed
 * @options: constant
 *
 * Lines of the worker's log go to standard error. The worker ends when the client hangs up; it is
 * killed if it takes too long.
 */
void hald_client_serve(struct nnipc_peer *client, const struct hald_options *options);

#endif

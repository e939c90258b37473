/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of a worker that speaks the wire, for tests: a real nnaccel-worker (NNACCEL_WORKER) with
 * the vendor library of NNACCEL_WORKER_LIBRARY. Failures end the test by cmocka.
 */
#ifndef WORKER_CLIENT_H
#define WORKER_CLIENT_H

#include <stdbool.h>

#include "lines.h"
#include "messages/nnipc_messages.h"
#include "sandbox/sandbox.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

/** What is opened, and the name of the vendor's driver that HELLO must have. */
extern const char *client_spec, *client_driver;

struct client {
	struct nnipc_child child;
	struct lines log; /* what the worker writes; all of it after client_end() */
	struct nnipc_lane control, lane;
	struct nnipc_frame note; /* the last notification */
	char how[256];
};

/** Start a worker; no message is sent yet. */
void client_start(struct client *c);
void client_hello(struct client *c);
/** HELLO, OPEN of client_spec, one lane. */
void client_open(struct client *c);
/** client_start(), client_open() */
void client_ready(struct client *c);
/** A new lane. */
int client_lane(struct client *c);
/** Send to the control socket. */
void client_send(struct client *c, uint8_t kind, uint32_t method, uint64_t oid,
		 struct nnipc_writer *w);
/** Call on c->lane; the arguments are in c->lane.out. */
int client_call(struct client *c, uint32_t method, uint64_t oid);
/** The next notification, in c->note.reader. */
void client_notified(struct client *c, uint32_t method, uint64_t callback);
/** Hang up, and wait. The exit status, or minus the signal; fails if the worker hangs. */
int client_end(struct client *c);
/** The worker must end by itself: exit status 1, after a line with @line. */
void client_dies(struct client *c, const char *line);
/** The worker must be alive, answer, and end in order. */
void client_lives(struct client *c);

/** OPEN; its errno, with the message in c->how; 0: it is open. */
int64_t client_try_open(struct client *c);
/** Prepare the model of hal_model_add(); its number. */
uint64_t client_prepare_add(struct client *c);

/* What clients that want to harm a worker need. */

/** The same numbers from the same seed. */
void harm_seed(unsigned int seed);
uint32_t harm_random(void);
/** Bytes as a packet. A worker that has hung up already is fine. */
void harm_send(int sock, const void *data, size_t size);
struct nnipc_header harm_header(uint8_t kind, uint32_t method);
/** Drop messages that the worker has sent by itself. */
void harm_drain(const struct client *c);
/** Descriptors of the worker; 0: it is gone. */
int harm_count_fds(const struct client *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection of one lane at a time to a worker in a thread of the test, which answers as the test
 * says. What the proxies do to the connection is counted.
 */
#ifndef FAKE_CONNECTION_H
#define FAKE_CONNECTION_H

#include <stdbool.h>

#include <stdatomic.h>

#include "host/nnipc_host.h"
#include "test_case.h"

#define FAKE_MAX 16

struct nnipc_connection {
	atomic_int refs;
	atomic_bool dead;
	bool inherited;
	atomic_bool slow_end; /* dropping a reference does not return */
	int lane_error; /* of the next lanes */
	int call_error; /* of the next calls; the worker does not see them */
	int64_t limit_deadline_ns; /* of the last call */
	enum nnipc_limit limit;

	/* the worker: runs each call */
	nnipc_handler worker;

	atomic_int protocol_errors;
	char protocol_error[128];
	atomic_int num_released;
	uint64_t released[FAKE_MAX];

	/* the callback that is registered */
	bool no_callbacks;
	uint64_t callback;
	uint32_t callback_method;
	nnipc_notified notified;
	void *cookie;
	int removed;
	atomic_int notifying; /* callbacks that run */

	struct nnipc_watched_rings *watched;
};

/** No limits after fake_init(). */
extern struct nnipc_settings fake_settings;

/** With one reference. */
void fake_init(struct nnipc_connection *c, nnipc_handler worker);
/** All references but that of fake_init() are gone, and nothing is registered. */
void fake_fini(struct nnipc_connection *c);
/** Call the callback, in another thread, with the payload in @w, which is freed; NULL: death. */
void fake_notify_later(struct nnipc_connection *c, struct nnipc_writer *w);
/** The same, and wait for its end. */
void fake_notify(struct nnipc_connection *c, struct nnipc_writer *w);
/** Number of open descriptors. */
int fake_descriptors(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One client: who it is, what it is told, and its worker. */
#ifndef HALD_CLIENT_H
#define HALD_CLIENT_H

#include "hald_options.h"

/** How long a client may be silent before its HELLO. */
#define HALD_PATIENCE_NS 5000000000ll

struct hald_client {
	int sock; /* connected */
	uid_t user;
	pid_t pid;
};

/** Who is at the other end. 0 or -errno. */
int hald_client_identify(struct hald_client *client, int sock);

/**
 * The client has said HELLO: take it and answer that it is not served, and why. Never waits. The
 * socket is closed.
 */
void hald_client_refuse(struct hald_client *client, const char *why);

/**
 * hald_client_serve() - start a worker for a client, and wait for its end
 * @client: has said HELLO, which the worker takes. The socket is closed
 * @options: constant
 *
 * Lines of the worker's log go to standard error. The worker ends when the client hangs up; it is
 * killed if it takes too long.
 */
void hald_client_serve(struct hald_client *client, const struct hald_options *options);

#endif

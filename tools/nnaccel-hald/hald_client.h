/* SPDX-License-Identifier: Apache-2.0 */
/* One client: the answer to it, and its worker. */
#ifndef HALD_CLIENT_H
#define HALD_CLIENT_H

#include "hald_options.h"
#include "wire/nnipc_wire.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* A client's connection, from HELLO to its end. */
#ifndef SENSORD_CLIENT_CONNECTION_H
#define SENSORD_CLIENT_CONNECTION_H

#include "serve/client_budget.h"
#include "serve/sensord_config.h"
#include "wire/nnipc_wire.h"

/**
 * client_connection_serve() - answer a client until it hangs up; then all that it had is gone
 * @config: constant
 * @budget: of all clients
 * @log: for lines about clients
 * @peer: its HELLO can be received; the socket stays the caller's
 */
void client_connection_serve(const struct sensord_config *config, struct nnipc_budget *budget,
			     struct nnipc_user_log *log, const struct nnipc_peer *peer);

#endif

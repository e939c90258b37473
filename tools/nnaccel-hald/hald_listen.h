/* SPDX-License-Identifier: Apache-2.0 */
/* The service: its socket, and all clients in one process. */
#ifndef HALD_LISTEN_H
#define HALD_LISTEN_H

#include "hald_options.h"

/** Until SIGTERM or SIGINT. The exit status. */
int hald_listen(const struct hald_options *options);

#endif

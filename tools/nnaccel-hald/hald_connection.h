/* SPDX-License-Identifier: Apache-2.0 */
/* The service by systemd: a process for each client (Accept=yes). */
#ifndef HALD_CONNECTION_H
#define HALD_CONNECTION_H

#include "hald_options.h"

/** Serve the client whose socket was inherited. The exit status. */
int hald_connection(const struct hald_options *options);

#endif

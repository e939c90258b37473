/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to nnaccel-hald. Private to lib/libnnipc/host. */
#ifndef NNIPC_SERVICE_SOCKET_H
#define NNIPC_SERVICE_SOCKET_H

#include <stddef.h>

/** A connected socket that passes credentials; the caller's. Or -errno with @message. */
int nnipc_service_connect(const char *path, char *message, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that a client calls sockets. */
#ifndef NNIPC_SOCKET_CHECK_H
#define NNIPC_SOCKET_CHECK_H

#include <stdbool.h>

/** A Unix socket of kind SOCK_SEQPACKET: its peer's end is seen. Any descriptor. */
bool nnipc_is_packet_socket(int fd);

#endif

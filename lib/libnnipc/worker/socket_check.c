// SPDX-License-Identifier: Apache-2.0
/* Descriptors that a client calls sockets. */
#include "worker/socket_check.h"

#include <sys/socket.h>

static bool has(int fd, int option, int expected)
{
	int value = -1;
	socklen_t size = sizeof(value);

	return !getsockopt(fd, SOL_SOCKET, option, &value, &size) && value == expected;
}

bool nnipc_is_packet_socket(int fd)
{
	return has(fd, SO_DOMAIN, AF_UNIX) && has(fd, SO_TYPE, SOCK_SEQPACKET) &&
	       has(fd, SO_ACCEPTCONN, 0);
}

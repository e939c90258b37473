// SPDX-License-Identifier: Apache-2.0
/* Descriptors that a client calls sockets. */
#include "worker/nnipc_worker.h"

#include "nnutil_file.h"

bool nnipc_is_packet_socket(int fd)
{
	return nnutil_socket_is(fd, SO_DOMAIN, AF_UNIX) &&
	       nnutil_socket_is(fd, SO_TYPE, SOCK_SEQPACKET) &&
	       nnutil_socket_is(fd, SO_ACCEPTCONN, 0);
}

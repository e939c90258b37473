/* SPDX-License-Identifier: Apache-2.0 */
/* What a descriptor of another process is, if it is a socket. */
#ifndef NNUTIL_SOCKET_H
#define NNUTIL_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

/** Whether @fd is a socket whose @option of SOL_SOCKET, a number, is @value: SO_TYPE... */
static inline bool nnutil_socket_is(int fd, int option, int value)
{
	int is = -1;
	socklen_t size = sizeof(is);

	return !getsockopt(fd, SOL_SOCKET, option, &is, &size) && is == value;
}

#endif

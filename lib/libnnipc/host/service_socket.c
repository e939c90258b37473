// SPDX-License-Identifier: Apache-2.0
/* Connections to nnaccel-hald. */
#include "host/service_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "nnutil_process.h"
#include "nnutil_refuse.h"

/* A service whose queue is full answers nobody. */
#define CONNECT_SECONDS 5

static const char *advice(int error)
{
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return ": is nnaccel-hald running?";
	case -EACCES:
		return ": the group of the socket may use it";
	case -EAGAIN:
		return ": it is busy, try again later";
	default:
		return "";
	}
}

int nnipc_service_connect(const char *path, char *message, size_t size)
{
	const struct timeval limit = { .tv_sec = CONNECT_SECONDS };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int on = 1;
	int sock, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return nnutil_refuse(message, size, -EINVAL,
				     "the path of the socket is too long: at most %zu bytes",
				     sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return nnutil_refuse(message, size, -errno, "no socket for the service: %s",
				     strerror(errno));
	nnutil_fd_keep(sock);
	/* credentials: the process at the other end says HELLO, and the kernel who it is */
	if (setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    connect(sock, (const struct sockaddr *)&address, sizeof(address))) {
		error = -errno;
		nnutil_fd_close(sock);
		return nnutil_refuse(message, size, error, "cannot reach the service at %s: %s%s",
				     path, strerror(-error), advice(error));
	}
	return sock;
}

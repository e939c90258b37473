// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "nnutil_text.h"
#include "nnutil_process.h"
#include "nnutil_log.h"

/* A service whose queue is full, or that is stopped, sends no answer. */
#define CONNECT_SECONDS 5

/* What to do about it, in @text; "": no advice. */
static const char *advice(const struct nnipc_service *service, int error, char *text, size_t size)
{
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		snprintf(text, size, ": is %s running?", service->program);
		return text;
	case -EACCES:
		return ": the group of the socket may use it";
	case -EAGAIN:
		return ": it is busy, try again later";
	default:
		return "";
	}
}

static int connect_to(int sock, const struct sockaddr_un *address, bool credentials)
{
	const struct timeval limit = { .tv_sec = CONNECT_SECONDS };
	const int on = 1;

	if ((credentials && setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on))) ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    connect(sock, (const struct sockaddr *)address, sizeof(*address)))
		return -errno;
	return 0;
}

/* NNACCEL_SERVICE_USER, a name or a number. */
static bool is_trusted(uid_t user)
{
	const char *text = secure_getenv("NNACCEL_SERVICE_USER");
	struct passwd entry, *found = NULL;
	char names[4096];
	uint64_t number;

	if (!text || !*text)
		return false;
	if (!nnutil_parse_u64(text, 10, 0, UINT32_MAX - 1, &number))
		return user == (uid_t)number;
	return !getpwnam_r(text, &entry, names, sizeof(names), &found) && found &&
	       user == found->pw_uid;
}

/*
 * Models and writable memory go to who listens. A socket in a folder that others may write, as
 * /tmp, can be theirs.
 */
static int check_listener(int sock, const char *path, char *message, size_t size)
{
	struct ucred listener;
	socklen_t length = sizeof(listener);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &listener, &length))
		return nnutil_refuse(message, size, -errno, "cannot see who listens at %s: %s",
				     path, strerror(errno));
	if (!listener.uid || listener.uid == geteuid() || is_trusted(listener.uid))
		return 0;
	return nnutil_refuse(
		message, size, -EPERM,
		"the service at %s belongs to user %u, neither root nor this user: if the "
		"service is right set NNACCEL_SERVICE_USER=%u",
		path, listener.uid, listener.uid);
}

int nnipc_service_connect(const struct nnipc_service *service, const char *path, char *message,
			  size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char text[64];
	int sock, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return nnutil_refuse(message, size, service->too_long,
				     "the path of the socket is too long: at most %zu bytes",
				     sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return nnutil_refuse(message, size, -errno, "no socket for the service: %s",
				     strerror(errno));
	nnutil_fd_keep(sock);
	error = connect_to(sock, &address, service->credentials);
	if (!error) {
		error = check_listener(sock, path, message, size);
		if (!error)
			return sock;
		nnutil_fd_close(sock);
		return error;
	}
	nnutil_fd_close(sock);
	if (error == -EPROTOTYPE)
		error = service->wrong_type;
	return nnutil_refuse(message, size, error, "cannot reach %s at %s: %s%s", service->name,
			     path, strerror(-error), advice(service, error, text, sizeof(text)));
}

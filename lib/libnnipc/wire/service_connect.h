/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a service: its socket. */
#ifndef NNIPC_SERVICE_CONNECT_H
#define NNIPC_SERVICE_CONNECT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct nnipc_service - a kind of service, as its clients know it
 * @name: in messages: "the service"
 * @program: what offers it
 * @credentials: the socket passes them: the kernel says who says HELLO
 * @too_long: the error when a path is too long for a socket
 * @wrong_type: the error when the socket is of another type, or the file is none
 */
struct nnipc_service {
	const char *name, *program;
	bool credentials;
	int too_long, wrong_type;
};

/**
 * A connected socket, kept from children of fork(); the caller's. Or -errno with @message: -EPERM
 * if the listener is neither root nor this user nor that of NNACCEL_SERVICE_USER. Waits
 * for a service whose queue is full, and on sending later, for at most 5 s.
 */
int nnipc_service_connect(const struct nnipc_service *service, const char *path, char *message,
			  size_t size);

#endif

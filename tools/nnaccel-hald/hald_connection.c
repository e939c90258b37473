// SPDX-License-Identifier: Apache-2.0
/*
 * Clients of one user are counted by slot files: each process holds the lock of one. A process that
 * ends, however it does, gives its slot back.
 */
#include "hald_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "hald_client.h"
#include "hald_log.h"
#include "nnutil_clock.h"
#include "wire/door.h"

/* The lock's descriptor, which is kept until the process ends; -EUSERS: all are taken. */
static int take_slot(const struct hald_options *o, uid_t user)
{
	char path[PATH_MAX];
	int fd;

	for (uint32_t i = 0; i < o->max_per_user; i++) {
		const int n = snprintf(path, sizeof(path), "%s/user-%u.%u", o->slots, user, i);

		if (n < 0 || (size_t)n >= sizeof(path))
			return -ENAMETOOLONG;
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return fd;
		close(fd);
	}
	return -EUSERS;
}

static bool says_hello(const struct nnipc_peer *client)
{
	struct pollfd poll_fd = { .fd = client->sock, .events = POLLIN };
	const struct timespec patience = nnutil_timespec(NNIPC_PATIENCE_NS);

	return ppoll(&poll_fd, 1, &patience, NULL) == 1 && poll_fd.revents & POLLIN;
}

int hald_connection(const struct hald_options *options)
{
	struct nnipc_peer client;
	char why[160];
	int sock = nnipc_socket_passed();
	int slot = 0;

	if (sock < 0 || nnipc_peer_identify(&client, sock)) {
		hald_log("--connection is for systemd, which passes a client's socket");
		return EXIT_FAILURE;
	}
	if (!says_hello(&client)) {
		hald_log("client %d of user %u said nothing", (int)client.pid, client.user);
		return EXIT_SUCCESS;
	}
	if (options->slots)
		slot = take_slot(options, client.user);
	if (slot == -EUSERS) {
		snprintf(why, sizeof(why), "user %u has reached the limit of %u open devices",
			 client.user, options->max_per_user);
		hald_client_refuse(&client, why);
		return EXIT_SUCCESS;
	}
	if (slot < 0) {
		snprintf(why, sizeof(why), "the service cannot count its clients in %s: %s",
			 options->slots, strerror(-slot));
		hald_client_refuse(&client, why);
		return EXIT_FAILURE;
	}
	hald_client_serve(&client, options);
	return EXIT_SUCCESS;
}

// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nnutil_node.h"

#define CONTROL "/run/udev/control"

/* Fallback for users without permission to connect: read /proc/net/unix. */
static bool listens(void)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512];
	bool found = false;

	/* without the list: EACCES of connect() shows that the socket exists */
	if (!f)
		return true;
	while (!found && fgets(line, sizeof(line), f)) {
		const char *path = strrchr(line, ' ');

		found = path && !strcmp(path, " " CONTROL "\n");
	}
	fclose(f);
	return found;
}

bool nnutil_udevd_runs(void)
{
	static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = CONTROL };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return !access(CONTROL, F_OK);
	error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	close(fd);
	if (error == EACCES)
		return listens();
	return error != ECONNREFUSED && error != ENOENT;
}

// SPDX-License-Identifier: Apache-2.0
/* What every part of the slot needs. */
#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "slot/slot.h"

void slot_raise_event(struct slot *slot)
{
	eventfd_write(slot->irq[NNACCEL_IRQ_EVENT], 1);
}

int slot_listen(const char *dir, const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", dir, name);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(addr.sun_path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 4)) {
		n = -errno;
		close(fd);
		return n;
	}
	return fd;
}

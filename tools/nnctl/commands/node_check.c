// SPDX-License-Identifier: Apache-2.0
#include "commands/nnctl_commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_node.h"

static void explain_mode(const char *path)
{
	struct group *g;
	struct stat st;

	if (stat(path, &st)) {
		say(BAD, "%s: %s", path, strerror(errno));
		return;
	}
	g = getgrgid(st.st_gid);
	say(BAD, "%s: no permission (mode %o, group %s)", path, st.st_mode & 0777,
	    g ? g->gr_name : "?");
	if (st.st_mode & 0060)
		advise("add your user to the group: usermod -aG %s $USER, then log in again",
		       g ? g->gr_name : "render");
	else
		advise("install the udev rule (make install), then run udevadm trigger -s accel -s drm");
}

/* The mode does not tell: a policy for devices, as containers have, refuses what it allows. */
static void check_node(void *cookie, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	(void)cookie;
	if (fd >= 0) {
		close(fd);
		say(GOOD, "%s can be opened", path);
	} else if (errno == EACCES) {
		explain_mode(path);
	} else if (errno == EPERM) {
		say(BAD, "%s: the policy for devices of this container or unit forbids it", path);
		advise("pass the node as a device, not as a volume: --device %s of docker and podman, "
		       "DeviceAllow=%s of a unit",
		       path, path);
	} else {
		say(BAD, "%s: %s", path, strerror(errno));
	}
}

void node_check(unsigned int bound)
{
	if (!nnutil_nodes_each(check_node, NULL) && bound) {
		say(BAD,
		    "the driver is bound but there is no node /dev/accel/accelN or /dev/dri/renderDN");
		advise("check that devtmpfs is mounted on /dev and that udev runs");
	}
}

bool node_check_any(void)
{
	return nnutil_nodes_each(NULL, NULL) > 0;
}

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

#include "nnutil_accel.h"

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
		advise("install the udev rule (make install), then run udevadm trigger -s accel");
}

/* The mode does not tell: a policy for devices, as containers have, refuses what it allows. */
static void check_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

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

/* Their names, for the caller to free(). 0: there are none. */
static int find_nodes(struct dirent ***nodes)
{
	int count = scandir(NNUTIL_ACCEL_FOLDER, nodes, nnutil_accel_entry, versionsort);

	if (count < 0)
		*nodes = NULL;
	return count > 0 ? count : 0;
}

void node_check(unsigned int bound)
{
	struct dirent **nodes;
	const int count = find_nodes(&nodes);
	char path[sizeof(NNUTIL_ACCEL_FOLDER) + sizeof(nodes[0]->d_name)];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), NNUTIL_ACCEL_FOLDER "%s", nodes[i]->d_name);
		check_node(path);
		free(nodes[i]);
	}
	free(nodes);
	if (bound && !count) {
		say(BAD, "the driver is bound but there is no node " NNUTIL_ACCEL_FOLDER "accelN");
		advise("check that devtmpfs is mounted on /dev and that udev runs");
	}
}

bool node_check_any(void)
{
	struct dirent **nodes;
	const int count = find_nodes(&nodes);

	for (int i = 0; i < count; i++)
		free(nodes[i]);
	free(nodes);
	return count > 0;
}

// SPDX-License-Identifier: Apache-2.0
/* What udev knows of device nodes. */
#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nnutil_log.h"
#include "nnutil_node.h"

#include "registry/nnr_registry.h"

static struct udev *udev;
static struct udev_monitor *monitor;

void nnr_device_monitor_stop(void)
{
	udev_monitor_unref(monitor);
	udev_unref(udev);
	monitor = NULL;
	udev = NULL;
}

void nnr_device_monitor_start(void)
{
	bool failed = false;

	udev = udev_new();
	/* udev reports a node when its permissions are set; without udevd, listen to the kernel */
	monitor =
		udev ? udev_monitor_new_from_netlink(udev, nnutil_udevd_runs() ? "udev" : "kernel")
		     : NULL;
	for (size_t i = 0; monitor && i < NNUTIL_NODE_KINDS && !failed; i++)
		failed = udev_monitor_filter_add_match_subsystem_devtype(
				 monitor, nnutil_node_kinds[i].subsystem, NULL) < 0;
	if (!monitor || failed || udev_monitor_enable_receiving(monitor) < 0) {
		nnutil_log(NNUTIL_LOG_INFO, "cannot listen to udev: new devices are not noticed");
		nnr_device_monitor_stop();
	}
}

bool nnr_device_monitor_runs(void)
{
	return monitor;
}

bool nnr_device_monitor_news(void)
{
	struct udev_device *event;
	bool any = false;

	if (!monitor)
		return false;
	for (;;) {
		errno = 0;
		event = udev_monitor_receive_device(monitor);
		if (event) {
			udev_device_unref(event);
			any = true;
		} else if (errno == ENOBUFS) {
			any = true; /* some were dropped */
		} else {
			return any;
		}
	}
}

/* ---- places ---- */

char *nnr_device_find_place(struct nnhal_device *hal)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct udev_device *node, *parent;
	struct udev *context;
	char *place = NULL;
	struct stat st;

	if (nnhal_device_get_info(hal, &info) || !info.node[0] || stat(info.node, &st) ||
	    !S_ISCHR(st.st_mode))
		return NULL;
	context = udev_new();
	node = context ? udev_device_new_from_devnum(context, 'c', st.st_rdev) : NULL;
	if (node) {
		parent = udev_device_get_parent(node); /* the node's */
		place = strdup(udev_device_get_syspath(parent ? parent : node));
	}
	udev_device_unref(node);
	udev_unref(context);
	return place;
}

// SPDX-License-Identifier: Apache-2.0
/* Accel nodes of the nnaccel driver: those that udev knows, and those that sysfs does not show. */
#include "driver/nnhal_driver.h"

#include <dirent.h>
#include <errno.h>
#include <libudev.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_accel.h"
#include "transport/transport.h"

#define CLASS_PREFIX "/sys/class/accel/"

/* ---- by udev ---- */

static int known_cards_each(int (*found)(void *cookie, const char *spec), void *cookie)
{
	struct udev_enumerate *enumerate;
	struct udev_list_entry *entry;
	struct udev *udev;
	int ret = 0;

	udev = udev_new();
	if (!udev)
		return -ENOMEM;
	enumerate = udev_enumerate_new(udev);
	if (!enumerate) {
		udev_unref(udev);
		return -ENOMEM;
	}
	udev_enumerate_add_match_subsystem(enumerate, "accel");
	udev_enumerate_add_match_sysname(enumerate, NNUTIL_ACCEL "[0-9]*");
	udev_enumerate_scan_devices(enumerate);
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(enumerate))
	{
		struct udev_device *node, *parent;
		const char *driver;

		node = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
		if (!node)
			continue;
		parent = udev_device_get_parent(node);
		driver = parent ? udev_device_get_driver(parent) : NULL;
		if (driver && !strcmp(driver, "nnaccel"))
			ret = found(cookie, udev_device_get_sysname(node));
		udev_device_unref(node);
		if (ret)
			break;
	}
	udev_enumerate_unref(enumerate);
	udev_unref(udev);
	return ret;
}

/* ---- by opening ---- */

/* sysfs shows every node, or none: where it shows this one, udev has decided. */
static bool is_hidden(const char *name)
{
	char path[sizeof(CLASS_PREFIX) + NNUTIL_ACCEL_NAME];

	snprintf(path, sizeof(path), CLASS_PREFIX "%.*s", NNUTIL_ACCEL_NAME, name);
	return access(path, F_OK) != 0;
}

static bool is_ours(const char *name)
{
	char path[sizeof(NNUTIL_ACCEL_FOLDER) + NNUTIL_ACCEL_NAME], message[256];
	struct nnhal_transport *t;
	int ret;

	snprintf(path, sizeof(path), NNUTIL_ACCEL_FOLDER "%.*s", NNUTIL_ACCEL_NAME, name);
	ret = nnhal_transport_kernel_open(path, &t, message, sizeof(message));
	if (!ret)
		t->ops->destroy(t);
	/* of another driver, or gone */
	return ret != -ENODEV && ret != -ENOENT && ret != -ENXIO;
}

static int hidden_cards_each(int (*found)(void *cookie, const char *spec), void *cookie)
{
	int count, i, ret = 0;
	struct dirent **nodes;

	errno = 0;
	count = scandir(NNUTIL_ACCEL_FOLDER, &nodes, nnutil_accel_entry, versionsort);
	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (i = 0; i < count; i++) {
		if (!ret && is_hidden(nodes[i]->d_name) && is_ours(nodes[i]->d_name))
			ret = found(cookie, nodes[i]->d_name);
		free(nodes[i]);
	}
	free(nodes);
	return ret;
}

int nnhal_cards_each(int (*found)(void *cookie, const char *spec), void *cookie)
{
	int ret = known_cards_each(found, cookie);

	return ret ? ret : hidden_cards_each(found, cookie);
}

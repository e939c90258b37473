/* SPDX-License-Identifier: Apache-2.0 */
/* Device nodes of the driver, and udev. */
#ifndef NNUTIL_NODE_H
#define NNUTIL_NODE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

/* nnutil_node.c */

/*
 * DRM's core makes an accel node for each device: /dev/accel/accelN. A kernel that is built without
 * CONFIG_DRM_ACCEL, as Debian's for arm64, makes a render node: /dev/dri/renderDN, which graphics
 * drivers make as well.
 */

/** Of the minor numbers of render nodes. */
#define NNUTIL_NODE_FIRST_RENDER 128u

/** What the nodes of one kind have in common. */
struct nnutil_node_kind {
	const char *prefix; /* of names: "accel" */
	const char *folder; /* "/dev/accel/" */
	const char *class; /* "/sys/class/accel/" */
	const char *subsystem; /* udev's: "accel" */
	/** A filter of scandir(): whether the entry is a name of this kind. */
	int (*entry)(const struct dirent *entry);
};

#define NNUTIL_NODE_KINDS 2

/** Accel nodes first. */
extern const struct nnutil_node_kind nnutil_node_kinds[NNUTIL_NODE_KINDS];

/** Room for a name and its zero: a minor number has at most ten digits. */
#define NNUTIL_NODE_NAME 24

/** Room for a path and its zero, also below /sys/class. */
#define NNUTIL_NODE_PATH 64

/** The kind of a node called @name ("accel0", "renderD128"); NULL: no node is called that. */
const struct nnutil_node_kind *nnutil_node_kind(const char *name);

/** The path of the node called @name, "/dev/accel/accel0". False: no node is called that. */
bool nnutil_node_path(const char *name, char path[NNUTIL_NODE_PATH]);

/** The name of the node with minor number @minor, which the driver's trace events have. */
void nnutil_node_of_minor(uint32_t minor, char name[NNUTIL_NODE_NAME]);

/** Whether the device whose folder in sysfs is @folder has this driver. */
bool nnutil_has_driver(const char *folder, const char *driver);

/**
 * nnutil_nodes_each() - find the nodes that may be the driver's
 * @found: called with the path of each; NULL: they are counted only
 *
 * All accel nodes, in order, and the render nodes that sysfs shows to be of our driver: others are
 * graphics cards', which opening would wake up.
 *
 * Return: how many there are.
 */
unsigned int nnutil_nodes_each(void (*found)(void *cookie, const char *path), void *cookie);

/* nnutil_udev.c */

/**
 * Whether udevd runs, and tells listeners of the source "udev" about devices; if not, only the
 * kernel's own events come. Its socket's file alone does not say so: it stays when udevd ends.
 */
bool nnutil_udevd_runs(void);

#endif

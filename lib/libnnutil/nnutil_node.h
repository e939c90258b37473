/* SPDX-License-Identifier: Apache-2.0 */
/* Accel nodes, and udev. */
#ifndef NNUTIL_ACCEL_H
#define NNUTIL_ACCEL_H

#include <dirent.h>
#include <stdbool.h>
#include <string.h>

/* Names of accel nodes: the kernel's DRM core makes "accel" and a minor number. */

#define NNUTIL_ACCEL "accel"

/** Where their nodes are. */
#define NNUTIL_ACCEL_FOLDER "/dev/accel/"

/** Room for a name and its zero: a minor number has at most ten digits. */
#define NNUTIL_ACCEL_NAME 16

/** A filter of scandir(): whether the entry is called accelN. */
static inline int nnutil_accel_entry(const struct dirent *entry)
{
	const char *digits = entry->d_name + strlen(NNUTIL_ACCEL);

	return !strncmp(entry->d_name, NNUTIL_ACCEL, strlen(NNUTIL_ACCEL)) && *digits &&
	       !digits[strspn(digits, "0123456789")] && strlen(entry->d_name) < NNUTIL_ACCEL_NAME;
}

/* nnutil_udev.c */

/**
 * Whether udevd runs, and tells listeners of the source "udev" about devices; if not, only the
 * kernel's own events come. Its socket's file alone does not say so: it stays when udevd ends.
 */
bool nnutil_udevd_runs(void);

#endif

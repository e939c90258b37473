/* SPDX-License-Identifier: GPL-2.0-only */
/* What userspace reads of a device: sysfs, hwmon, debugfs, core dumps, uevents. */
#ifndef NNACCEL_REPORT_H
#define NNACCEL_REPORT_H

#include <linux/types.h>

struct attribute_group;
struct nnaccel_device;

/* nnaccel_coredump.c: core dumps, in the format of <nnaccel/nnaccel_coredump.h>. */

int nnaccel_coredump_init(struct nnaccel_device *ndev);
void nnaccel_coredump_take_locked(struct nnaccel_device *ndev, u32 reason);
void nnaccel_coredump_flush(struct nnaccel_device *ndev);

/* nnaccel_uevent.c: uevents: notify an administrator's programs of a card that failed. */

/**
 * enum nnaccel_uevent - bits of struct nnaccel_device.uevents
 */
enum nnaccel_uevent {
	/** @NNACCEL_UEVENT_RECOVERED: the card failed, and was reset or replaced */
	NNACCEL_UEVENT_RECOVERED,
	/** @NNACCEL_UEVENT_WEDGED: the card cannot be used until an administrator repairs it */
	NNACCEL_UEVENT_WEDGED,
	/* private: */
	NNACCEL_NUM_UEVENTS,
};

void nnaccel_uevent_init(struct nnaccel_device *ndev);
void nnaccel_uevent_post(struct nnaccel_device *ndev, enum nnaccel_uevent event);
void nnaccel_uevent_start(struct nnaccel_device *ndev);
void nnaccel_uevent_stop(struct nnaccel_device *ndev);

/* nnaccel_debugfs.c */

void nnaccel_debugfs_init(struct nnaccel_device *ndev);

/* nnaccel_hwmon.c */

void nnaccel_hwmon_register(struct nnaccel_device *ndev);
void nnaccel_hwmon_unregister(struct nnaccel_device *ndev);

/* nnaccel_sysfs.c */

/* For struct device_driver.dev_groups of every backend. */
extern const struct attribute_group *nnaccel_groups[];

#endif

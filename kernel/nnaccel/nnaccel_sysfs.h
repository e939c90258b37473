/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_SYSFS_H_
#define _NNACCEL_SYSFS_H_

struct attribute_group;

/* For struct device_driver.dev_groups of every backend. */
extern const struct attribute_group *nnaccel_groups[];

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_HWMON_H_
#define _NNACCEL_HWMON_H_

struct nnaccel_device;

void nnaccel_hwmon_register(struct nnaccel_device *ndev);
void nnaccel_hwmon_unregister(struct nnaccel_device *ndev);

#endif

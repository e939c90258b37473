/* SPDX-License-Identifier: GPL-2.0-only */
/* Power: the card sleeps while it has no jobs, and while the system does. */
#ifndef _NNACCEL_PM_H_
#define _NNACCEL_PM_H_

#include <linux/pm.h>
#include <linux/types.h>

struct nnaccel_device;

extern const struct dev_pm_ops nnaccel_pm_ops;

void nnaccel_pm_enable(struct nnaccel_device *ndev);
void nnaccel_pm_disable(struct nnaccel_device *ndev);

void nnaccel_pm_get(struct nnaccel_device *ndev);
void nnaccel_pm_get_online(struct nnaccel_device *ndev);
void nnaccel_pm_get_awake(struct nnaccel_device *ndev);
void nnaccel_pm_put(struct nnaccel_device *ndev);

void nnaccel_pm_reset_prepare(struct nnaccel_device *ndev);
void nnaccel_pm_reset_done(struct nnaccel_device *ndev);
void nnaccel_pm_bus_works(struct nnaccel_device *ndev);

#endif

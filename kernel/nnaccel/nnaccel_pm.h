/* SPDX-License-Identifier: GPL-2.0-only */
/* Power: the card sleeps while it has no jobs, and while the system does. */
#ifndef _NNACCEL_PM_H_
#define _NNACCEL_PM_H_

#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include "nnaccel_device.h"

extern const struct dev_pm_ops nnaccel_pm_ops;

void nnaccel_pm_attach(struct nnaccel_device *ndev);
void nnaccel_pm_detach(struct nnaccel_device *ndev);
void nnaccel_pm_enable(struct nnaccel_device *ndev);
void nnaccel_pm_disable(struct nnaccel_device *ndev);

/**
 * nnaccel_pm_get() - keep the card awake, and wake it; sleeps
 * @ndev: device
 *
 * Does not wait for the card: until it is up, jobs wait as for a card that is away. Waits for a
 * suspend that is under way, for up to reset_ms. Never in the fence path: waking needs the PM
 * core's locks and, on other buses, memory.
 */
static inline void nnaccel_pm_get(struct nnaccel_device *ndev)
{
	/*
	 * Its error does not matter: our callback never fails, and a device that the bus cannot
	 * power looks like an absent card, for which there is a policy.
	 */
	pm_runtime_get_sync(ndev->drm.dev);
}

/**
 * nnaccel_pm_get_awake() - another reference for a caller that has one; any context
 * @ndev: device
 */
static inline void nnaccel_pm_get_awake(struct nnaccel_device *ndev)
{
	pm_runtime_get_noresume(ndev->drm.dev);
}

/**
 * nnaccel_pm_put() - let the card sleep, autosuspend_delay_ms from now; any context
 * @ndev: device
 */
static inline void nnaccel_pm_put(struct nnaccel_device *ndev)
{
	pm_runtime_mark_last_busy(ndev->drm.dev);
	pm_runtime_put_autosuspend(ndev->drm.dev);
}

int nnaccel_pm_get_online(struct nnaccel_device *ndev);

void nnaccel_pm_reset_prepare(struct nnaccel_device *ndev);
void nnaccel_pm_reset_done(struct nnaccel_device *ndev);
void nnaccel_pm_bus_works(struct nnaccel_device *ndev);

#endif

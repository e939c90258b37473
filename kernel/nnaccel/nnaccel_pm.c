// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power management. A sleeping card is one that was reset and not given our rings again: it has no
 * address of host memory. So sleep is the orderly case of a lost card, and waking is a bring-up;
 * both are done by the recovery worker (nnaccel_reset.c).
 *
 * The policy is the table "Power" in Documentation/failure-and-recovery.rst.
 */

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/pm.h>
#include <linux/export.h>
#include <linux/pm_runtime.h>

#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_reset.h"

/* A card that wakes has forgotten its programs, so it should not sleep between two inputs. */
#define NNACCEL_AUTOSUSPEND_MS	2000

/**
 * nnaccel_pm_get_online() - nnaccel_pm_get(), and wait for a card that wakes, for at most boot_ms
 * @ndev: device
 *
 * Return: 0, also if the card is not up; -ERESTARTSYS without the reference: a signal.
 */
int nnaccel_pm_get_online(struct nnaccel_device *ndev)
{
	long left;

	nnaccel_pm_get(ndev);
	left = wait_event_interruptible_timeout(ndev->state_wq,
						READ_ONCE(ndev->state) != NNACCEL_STATE_WAKING ||
						READ_ONCE(ndev->gone),
						msecs_to_jiffies(nnaccel_boot_ms));
	if (left >= 0)
		return 0;
	nnaccel_pm_put(ndev);
	return left;
}

/* Give the card no more jobs. Return: whether it has some. */
static bool nnaccel_pm_shut(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue;
	bool busy = false;

	mutex_lock(&ndev->topo_lock);
	if (ndev->state != NNACCEL_STATE_ONLINE)
		goto out;
	list_for_each_entry(queue, &ndev->queues, link) {
		nnaccel_queue_shut_locked(queue);
		spin_lock_irq(&queue->lock);
		if (nnaccel_queue_oldest_on_card_locked(queue))
			busy = true;
		spin_unlock_irq(&queue->lock);
	}
out:
	mutex_unlock(&ndev->topo_lock);
	return busy;
}

/*
 * Give the card no more jobs, and wait until it has none, for at most suspend_ms. The caller puts
 * it to sleep next.
 *
 * Jobs that are not in the ring yet wait until the card wakes, as do those in the ring that it has
 * not begun. The rare caller polls, so that the interrupt handler need not wake it.
 */
static void nnaccel_pm_drain(struct nnaccel_device *ndev)
{
	u64 end = ktime_get_ns() + nnaccel_suspend_ms * (u64)NSEC_PER_MSEC;

	while (nnaccel_pm_shut(ndev) && !READ_ONCE(ndev->gone) && ktime_get_ns() < end)
		usleep_range(2000, 5000);
}

/**
 * nnaccel_pm_reset_prepare() - the bus is about to reset the device, which may have jobs
 * @ndev: device
 */
void nnaccel_pm_reset_prepare(struct nnaccel_device *ndev)
{
	nnaccel_pm_get(ndev);
	nnaccel_pm_drain(ndev);
	/* The reset cannot be refused: if the card does not stop, leave it alone at least. */
	if (!nnaccel_recovery_sleep(ndev, false))
		nnaccel_recovery_block(ndev);
}

/**
 * nnaccel_pm_reset_done() - the bus has reset the device
 * @ndev: device
 */
void nnaccel_pm_reset_done(struct nnaccel_device *ndev)
{
	nnaccel_recovery_unblock(ndev);
	nnaccel_recovery_wake(ndev);
	nnaccel_pm_put(ndev);
}

/**
 * nnaccel_pm_bus_works() - the bus has no error any more
 * @ndev: device
 */
void nnaccel_pm_bus_works(struct nnaccel_device *ndev)
{
	/* It may have been suspended before the error: the PM core has to know that it is used. */
	nnaccel_pm_get(ndev);
	nnaccel_recovery_unblock(ndev);
	nnaccel_pm_put(ndev);
}

/*
 * The device sleeps: registers are not used. The system may be suspended while it is off already,
 * and wakes it, which the PM core does once more with its next user.
 */
static void nnaccel_pm_power_off(struct nnaccel_device *ndev)
{
	if (!ndev->powered)
		return;
	ndev->powered = false;
	if (!ndev->hw->power_off)
		return;
	ndev->hw->power_off(ndev);
	mutex_lock(&ndev->topo_lock);
	ndev->stopped = ndev->hw->start;
	mutex_unlock(&ndev->topo_lock);
}

/*
 * Registers of a device without power must not be used, for an access may stop the processor: that
 * is a bus in error, with its limits. The PM core gets no error: it would not try again.
 */
static void nnaccel_pm_wake(struct nnaccel_device *ndev)
{
	int ret = 0;

	if (!ndev->powered && ndev->hw->power_on)
		ret = ndev->hw->power_on(ndev);
	if (ret) {
		drm_err(&ndev->drm, "the device cannot be powered on (%d): unbind it from its driver, and bind it again\n",
			ret);
		nnaccel_recovery_block(ndev);
		return;
	}
	ndev->powered = true;
	nnaccel_recovery_wake(ndev);
}

static int nnaccel_pm_runtime_suspend(struct device *dev)
{
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	/* Once the card is ONLINE again, nnaccel_state_set_locked() lets it sleep. */
	if (!nnaccel_recovery_sleep(ndev, true))
		return -EBUSY;
	nnaccel_pm_power_off(ndev);
	return 0;
}

static int nnaccel_pm_runtime_resume(struct device *dev)
{
	nnaccel_pm_wake(dev_get_drvdata(dev));
	return 0;
}

/*
 * Whether the device sleeps, and its next user wakes it. A bus that switches power itself wakes it
 * with the system; a power domain goes off again, as the device counts as suspended.
 */
static bool nnaccel_pm_is_off(struct nnaccel_device *ndev)
{
	return ndev->hw->power_off && pm_runtime_status_suspended(ndev->drm.dev);
}

/*
 * Suspend, hibernation and the image's kernel. Tasks are frozen, so no SUBMIT is under way. A card
 * that does not stop prevents it: it would write into memory that is being saved, or is another
 * kernel's when the system is back.
 */
static int nnaccel_pm_suspend(struct device *dev)
{
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	if (nnaccel_pm_is_off(ndev))
		return 0;
	nnaccel_pm_drain(ndev);
	if (nnaccel_recovery_sleep(ndev, false)) {
		nnaccel_pm_power_off(ndev);
		return 0;
	}
	drm_err(&ndev->drm, "the card does not stop: the system cannot be suspended; unbind it from its driver, or reset it\n");
	return -EBUSY;
}

static int nnaccel_pm_resume(struct device *dev)
{
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	if (!nnaccel_pm_is_off(ndev))
		nnaccel_pm_wake(ndev);
	return 0;
}

const struct dev_pm_ops nnaccel_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(nnaccel_pm_suspend, nnaccel_pm_resume)
	RUNTIME_PM_OPS(nnaccel_pm_runtime_suspend, nnaccel_pm_runtime_resume, NULL)
};
EXPORT_SYMBOL_GPL(nnaccel_pm_ops);

/**
 * nnaccel_pm_attach() - the device has power, and is kept awake for probe
 * @ndev: device on a bus that leaves this to its drivers; PCI does it itself
 *
 * As on PCI the device does not sleep by itself until an administrator writes "auto" to
 * power/control, unless the backend has power to switch.
 */
void nnaccel_pm_attach(struct nnaccel_device *ndev)
{
	struct device *dev = ndev->drm.dev;

	pm_runtime_get_noresume(dev);
	pm_runtime_set_active(dev);
	pm_runtime_enable(dev);
	if (!ndev->hw->power_on)
		pm_runtime_forbid(dev);
}
EXPORT_SYMBOL_GPL(nnaccel_pm_attach);

/**
 * nnaccel_pm_detach() - undo nnaccel_pm_attach(), on removal or after a probe that failed
 * @ndev: device
 */
void nnaccel_pm_detach(struct nnaccel_device *ndev)
{
	struct device *dev = ndev->drm.dev;

	pm_runtime_disable(dev);
	pm_runtime_put_noidle(dev);
}
EXPORT_SYMBOL_GPL(nnaccel_pm_detach);

/**
 * nnaccel_pm_enable() - let the card sleep from now on; the bus has kept it awake for probe
 * @ndev: device
 */
void nnaccel_pm_enable(struct nnaccel_device *ndev)
{
	struct device *dev = ndev->drm.dev;

	pm_runtime_set_autosuspend_delay(dev, NNACCEL_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	nnaccel_pm_put(ndev);
}
EXPORT_SYMBOL_GPL(nnaccel_pm_enable);

/**
 * nnaccel_pm_disable() - give the reference back to the bus, which has woken the card for removal
 * @ndev: device
 */
void nnaccel_pm_disable(struct nnaccel_device *ndev)
{
	pm_runtime_get_sync(ndev->drm.dev);
	pm_runtime_dont_use_autosuspend(ndev->drm.dev);
}
EXPORT_SYMBOL_GPL(nnaccel_pm_disable);

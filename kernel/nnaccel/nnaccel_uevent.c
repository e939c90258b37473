// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uevents of the node, in the format of "Device Wedging" in the kernel's
 * Documentation/gpu/drm-uapi.rst. Not by drm_dev_wedged_event(), where the kernel has it: it uses
 * the device of the primary node, and accel devices have none (Documentation/found-upstream.rst).
 * Devices with a render node have one.
 */

#include <linux/device.h>
#include <linux/kobject.h>

#include <drm/drm_file.h>

#include "nnaccel_device.h"
#include "nnaccel_report.h"

/* Uevents are allocated, so they are not sent from recovery, which is in the fence path. */
static void nnaccel_uevent_work(struct work_struct *work)
{
	struct nnaccel_device *ndev = container_of(work, struct nnaccel_device, uevent_work);
	const char * const methods[NNACCEL_NUM_UEVENTS] = {
		[NNACCEL_UEVENT_RECOVERED] = "none",
		[NNACCEL_UEVENT_WEDGED] = ndev->hw->wedge_methods,
	};
	struct device *node = (ndev->drm.accel ?: ndev->drm.primary)->kdev;
	char text[32], *env[] = { text, NULL };
	u32 i;

	for (i = 0; i < NNACCEL_NUM_UEVENTS; i++) {
		if (!test_and_clear_bit(i, &ndev->uevents))
			continue;
		snprintf(text, sizeof(text), "WEDGED=%s", methods[i]);
		kobject_uevent_env(&node->kobj, KOBJ_CHANGE, env);
	}
}

/**
 * nnaccel_uevent_init() - set up; events are kept until nnaccel_uevent_start()
 * @ndev: device
 */
void nnaccel_uevent_init(struct nnaccel_device *ndev)
{
	INIT_WORK(&ndev->uevent_work, nnaccel_uevent_work);
	disable_work(&ndev->uevent_work);
}

/**
 * nnaccel_uevent_post() - send an event; any context
 * @ndev: device
 * @event: the event; sent once if it is posted again before it was sent
 */
void nnaccel_uevent_post(struct nnaccel_device *ndev, enum nnaccel_uevent event)
{
	set_bit(event, &ndev->uevents);
	queue_work(nnaccel_free_wq, &ndev->uevent_work);
}

/**
 * nnaccel_uevent_start() - the node is there
 * @ndev: device
 */
void nnaccel_uevent_start(struct nnaccel_device *ndev)
{
	enable_work(&ndev->uevent_work);
	queue_work(nnaccel_free_wq, &ndev->uevent_work);
}

/**
 * nnaccel_uevent_stop() - the node is about to go, for which there is an event of its own
 * @ndev: device
 */
void nnaccel_uevent_stop(struct nnaccel_device *ndev)
{
	disable_work_sync(&ndev->uevent_work);
}

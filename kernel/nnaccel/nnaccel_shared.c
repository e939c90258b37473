// SPDX-License-Identifier: GPL-2.0-only

#include <linux/module.h>
#include <linux/wait.h>

#include "nnaccel_shared.h"

uint nnaccel_no_progress_ms = 10000;
module_param_named(no_progress_ms, nnaccel_no_progress_ms, uint, 0644);
MODULE_PARM_DESC(no_progress_ms, "abort a job that holds an engine and makes no progress for this time (default 10000)");

uint nnaccel_abort_ms = 2000;
module_param_named(abort_ms, nnaccel_abort_ms, uint, 0644);
MODULE_PARM_DESC(abort_ms, "reset the card if a running job does not answer an abort (default 2000)");

uint nnaccel_admin_ms = 5000;
module_param_named(admin_ms, nnaccel_admin_ms, uint, 0644);
MODULE_PARM_DESC(admin_ms, "reset the card if it does not answer a command (default 5000)");

uint nnaccel_heartbeat_ms = 5000;
module_param_named(heartbeat_ms, nnaccel_heartbeat_ms, uint, 0644);
MODULE_PARM_DESC(heartbeat_ms, "reset the card if its heartbeat stands still (default 5000)");

uint nnaccel_reset_ms = 5000;
module_param_named(reset_ms, nnaccel_reset_ms, uint, 0644);
MODULE_PARM_DESC(reset_ms, "time that the reset line has to answer (default 5000)");
EXPORT_SYMBOL_GPL(nnaccel_reset_ms);

uint nnaccel_fence_max_ms = 300000;
module_param_named(fence_max_ms, nnaccel_fence_max_ms, uint, 0644);
MODULE_PARM_DESC(fence_max_ms, "signal every fence at the latest this time after its submission (default 300000)");

uint nnaccel_link_ms = 10000;
module_param_named(link_ms, nnaccel_link_ms, uint, 0644);
MODULE_PARM_DESC(link_ms, "time that jobs wait while no card takes jobs (default 10000)");

uint nnaccel_suspend_ms = 2000;
module_param_named(suspend_ms, nnaccel_suspend_ms, uint, 0644);
MODULE_PARM_DESC(suspend_ms, "time that running jobs have to end when the system is suspended or the device is reset (default 2000)");

/* Below link_ms: jobs that wait may still run on the next card. */
uint nnaccel_start_ms = 8000;
module_param_named(start_ms, nnaccel_start_ms, uint, 0644);
MODULE_PARM_DESC(start_ms, "reset a card whose firmware has not started after this time (default 8000)");

uint nnaccel_boot_ms = 3000;
module_param_named(boot_ms, nnaccel_boot_ms, uint, 0444);
MODULE_PARM_DESC(boot_ms, "time that probe waits for the firmware (default 3000)");

struct workqueue_struct *nnaccel_free_wq;
struct workqueue_struct *nnaccel_unmap_wq;

/* Devices whose memory is not freed yet; module exit waits on the queue until there are none. */
static atomic_t nnaccel_live_devices = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(nnaccel_live_wq);

/**
 * nnaccel_shared_init() - set up what all devices share
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_shared_init(void)
{
	nnaccel_free_wq = alloc_workqueue("nnaccel-free", WQ_UNBOUND, 0);
	if (!nnaccel_free_wq)
		return -ENOMEM;
	/* One work item per address space; it may wait for long. */
	nnaccel_unmap_wq = alloc_workqueue("nnaccel-unmap", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!nnaccel_unmap_wq) {
		destroy_workqueue(nnaccel_free_wq);
		return -ENOMEM;
	}
	return 0;
}

/**
 * nnaccel_shared_fini() - wait until the memory of all devices is freed
 *
 * All files are closed, since they hold the module: only work items are left. A device whose reset
 * line did not answer is never freed; none of its code runs, its memory is leaked.
 */
void nnaccel_shared_fini(void)
{
	if (!wait_event_timeout(nnaccel_live_wq, !atomic_read(&nnaccel_live_devices), 10 * HZ))
		pr_err("nnaccel: memory that a card may still write stays allocated\n");
	destroy_workqueue(nnaccel_unmap_wq);
	destroy_workqueue(nnaccel_free_wq);
}

/**
 * nnaccel_shared_get() - count a device, until its memory is freed
 */
void nnaccel_shared_get(void)
{
	atomic_inc(&nnaccel_live_devices);
}

/**
 * nnaccel_shared_put() - the memory of a device is freed
 */
void nnaccel_shared_put(void)
{
	if (atomic_dec_and_test(&nnaccel_live_devices))
		wake_up_all(&nnaccel_live_wq);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What all devices share: the module's parameters, workqueues, and the number of devices. */
#ifndef _NNACCEL_SHARED_H_
#define _NNACCEL_SHARED_H_

#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue.h>

extern uint nnaccel_no_progress_ms;
extern uint nnaccel_abort_ms;
extern uint nnaccel_admin_ms;
extern uint nnaccel_heartbeat_ms;
extern uint nnaccel_reset_ms;
extern uint nnaccel_start_ms;
extern uint nnaccel_boot_ms;
extern uint nnaccel_fence_max_ms;
extern uint nnaccel_link_ms;
extern uint nnaccel_suspend_ms;

static inline u64 nnaccel_abort_ns(void)
{
	return nnaccel_abort_ms * (u64)NSEC_PER_MSEC;
}

/*
 * Workqueues for release of jobs and queues, and for unmapping, which may wait for a job: never in
 * the fence path. They are shared by all devices, because their work may drop the last reference to
 * a device.
 */
extern struct workqueue_struct *nnaccel_free_wq;
extern struct workqueue_struct *nnaccel_unmap_wq;

int nnaccel_shared_init(void);
void nnaccel_shared_fini(void);
void nnaccel_shared_get(void);
void nnaccel_shared_put(void);

#endif

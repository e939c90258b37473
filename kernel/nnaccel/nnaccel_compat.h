/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels, found by test compilations (nnaccel_probe.sh): distributions
 * backport, so the version of a kernel does not tell its interfaces.
 */
#ifndef _NNACCEL_COMPAT_H_
#define _NNACCEL_COMPAT_H_

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mount.h>

#include <drm/drm_gem.h>
#include <drm/gpu_scheduler.h>

#include "nnaccel_config.h"

/* A scheduler with one run queue, no timeout of its own. */
static inline int nnaccel_sched_init(struct drm_gpu_scheduler *sched,
				     const struct drm_sched_backend_ops *ops,
				     struct workqueue_struct *submit_wq, u32 credits,
				     const char *name, struct device *dev)
{
#ifdef NNACCEL_HAVE_SCHED_INIT_ARGS
	struct drm_sched_init_args args = {
		.ops = ops,
		.submit_wq = submit_wq,
#ifdef NNACCEL_HAVE_SCHED_NUM_RQS
		.num_rqs = 1,
#endif
		.credit_limit = credits,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = name,
		.dev = dev,
	};

	return drm_sched_init(sched, &args);
#else
	return drm_sched_init(sched, ops, submit_wq, 1, credits, 0, MAX_SCHEDULE_TIMEOUT, NULL,
			      NULL, name, dev);
#endif
}

static inline int nnaccel_sched_job_init(struct drm_sched_job *job,
					 struct drm_sched_entity *entity, u32 credits, void *owner,
					 u64 client_id)
{
#ifdef NNACCEL_HAVE_SCHED_JOB_CLIENT
	return drm_sched_job_init(job, entity, credits, owner, client_id);
#else
	return drm_sched_job_init(job, entity, credits, owner);
#endif
}

static inline void nnaccel_hrtimer_setup(struct hrtimer *timer,
					 enum hrtimer_restart (*function)(struct hrtimer *),
					 clockid_t clock, enum hrtimer_mode mode)
{
#ifdef NNACCEL_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* A private tmpfs mount, for kern_unmount(). */
static inline struct vfsmount *nnaccel_mount_tmpfs(char *options)
{
#ifdef NNACCEL_HAVE_VFS_KERN_MOUNT
	/* tmpfs is built in: there is no module reference to drop. */
	struct file_system_type *type = get_fs_type("tmpfs");

	return type ? vfs_kern_mount(type, SB_KERNMOUNT, type->name, options) : ERR_PTR(-ENODEV);
#else
	return ERR_PTR(-EOPNOTSUPP);
#endif
}

static inline bool nnaccel_gem_is_imported(struct drm_gem_object *obj)
{
#ifdef NNACCEL_HAVE_GEM_IS_IMPORTED
	return drm_gem_is_imported(obj);
#else
	return obj->import_attach;
#endif
}

#endif

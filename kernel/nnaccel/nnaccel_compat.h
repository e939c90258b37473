/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels lack. The driver is written for the newest kernel's interfaces; each section
 * here makes one of them out of what an older kernel has, by the same name. Test compilations
 * (nnaccel_probe.sh) find out which: distributions backport, so the version of a kernel does not
 * tell its interfaces. All differences between kernels are in this file, and
 * scripts/kernel-series.sh leaves of it what one kernel tree needs: for the newest one nothing.
 */
#ifndef _NNACCEL_COMPAT_H_
#define _NNACCEL_COMPAT_H_

#include <linux/hrtimer.h>
#include <linux/list_lru.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/gpu_scheduler.h>

#include "nnaccel_config.h"

#ifndef NNACCEL_HAVE_ACCEL_NODES
/* The kernel was built without CONFIG_DRM_ACCEL: clients open a render node. */
#define DRIVER_COMPUTE_ACCEL	DRIVER_RENDER
#define accel_open		drm_open
#endif

#ifndef NNACCEL_HAVE_SCHED_INIT_ARGS
/* The arguments of drm_sched_init() that this driver sets. */
struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *submit_wq;
	u32 num_rqs;
	u32 credit_limit;
	long timeout;
	const char *name;
	struct device *dev;
};

static inline int nnaccel_sched_init(struct drm_gpu_scheduler *sched,
				     const struct drm_sched_init_args *args)
{
	return drm_sched_init(sched, args->ops, args->submit_wq, args->num_rqs, args->credit_limit,
			      0, args->timeout, NULL, NULL, args->name, args->dev);
}

#define drm_sched_init nnaccel_sched_init
#endif

#ifndef NNACCEL_HAVE_SCHED_JOB_CLIENT
static inline int nnaccel_sched_job_init(struct drm_sched_job *job,
					 struct drm_sched_entity *entity, u32 credits, void *owner,
					 u64 client_id)
{
	return drm_sched_job_init(job, entity, credits, owner);
}

#define drm_sched_job_init nnaccel_sched_job_init
#endif

#ifndef NNACCEL_HAVE_HRTIMER_SETUP
/* As in newer kernels. */
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#ifndef NNACCEL_HAVE_LRU_WALK_UNLOCKED
/* The callback of a walk over a list_lru gets its lock, too. */
struct nnaccel_lru_walk {
	enum lru_status (*isolate)(struct list_head *item, struct list_lru_one *list, void *arg);
	void *arg;
};

static inline enum lru_status nnaccel_lru_isolate(struct list_head *item,
						  struct list_lru_one *list, spinlock_t *lock,
						  void *arg)
{
	struct nnaccel_lru_walk *walk = arg;

	return walk->isolate(item, list, walk->arg);
}

#define list_lru_walk_one(lru, nid, memcg, isolate, arg, nr_to_walk)				\
	list_lru_walk_one(lru, nid, memcg, nnaccel_lru_isolate,					\
			  (&(struct nnaccel_lru_walk){ isolate, arg }), nr_to_walk)
#endif

#ifndef NNACCEL_HAVE_SHMEM_PAGES_REFCOUNT
/* The users of a shmem object's pages are counted by an integer, which a refcount_t begins with. */
#define refcount_read(count)	READ_ONCE(*(unsigned int *)(count))
#endif

#ifndef NNACCEL_HAVE_GEM_IS_IMPORTED
static inline bool drm_gem_is_imported(const struct drm_gem_object *obj)
{
	return obj->import_attach;
}
#endif

#ifndef NNACCEL_HAVE_ALLOC_OBJS
#define kzalloc_obj(var, gfp)		kzalloc(sizeof(var), gfp)
#define kzalloc_objs(var, count, gfp)	kcalloc(count, sizeof(var), gfp)
#define kvzalloc_objs(var, count, gfp)	kvcalloc(count, sizeof(var), gfp)
#define kvmalloc_objs(var, count, gfp)	kvmalloc_array(count, sizeof(var), gfp)
#endif

#ifndef NNACCEL_HAVE_SHMEM_VMA_FLAGS
/* The flags are an integer, for that function at least. This driver has one. */
#undef mk_vma_flags
#define mk_vma_flags(flags)	(flags)
#define VMA_NORESERVE_BIT	VM_NORESERVE
#endif

#endif

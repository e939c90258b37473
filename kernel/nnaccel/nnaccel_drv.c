// SPDX-License-Identifier: GPL-2.0-only
/* DRM glue: files, queries, the ioctl table, the module. */

#include <linux/capability.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_gem.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_submit.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

static void nnaccel_query_device(struct nnaccel_device *ndev, struct drm_nnaccel_device_info *info)
{
	info->driver_contract_version = NNACCEL_CONTRACT_VERSION;
	info->generation = READ_ONCE(ndev->generation);
	info->state = nnaccel_state_public(ndev);
	mutex_lock(&ndev->fw_lock);
	info->contract_version = ndev->fw.contract_version;
	info->fw_version = ndev->fw.fw_version;
	info->opset_version = ndev->fw.opset_version;
	info->caps = ndev->fw.caps;
	info->arena_size = ndev->fw.arena_size;
	info->program_quota = ndev->fw.program_quota;
	memcpy(info->name, ndev->fw.name, sizeof(info->name));
	mutex_unlock(&ndev->fw_lock);
}

static void nnaccel_query_limits(struct nnaccel_device *ndev, struct drm_nnaccel_limits *limits)
{
	*limits = (struct drm_nnaccel_limits) {
		.va_start = NNACCEL_VA_START,
		.va_end = NNACCEL_VA_END,
		.max_bo_size = NNACCEL_LIMIT_BO_SIZE,
		.max_bytes = nnaccel_limit_bytes(),
		.max_bos = NNACCEL_LIMIT_BOS,
		.max_queues = NNACCEL_LIMIT_QUEUES,
		.max_jobs = NNACCEL_LIMIT_JOBS,
		.max_args = nnaccel_fw_max_args(ndev),
		.max_job_bos = NNACCEL_LIMIT_JOB_BOS,
		.max_syncs = NNACCEL_LIMIT_SYNCS,
		.max_queued_jobs = NNACCEL_LIMIT_QUEUED,
		.status_entries = NNACCEL_STATUS_ENTRIES,
		.no_progress_ns = nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC,
		.abort_ns = nnaccel_abort_ms * (u64)NSEC_PER_MSEC,
		.max_loop_ns = NNACCEL_LOOP_NS_MAX,
		.resv_ns = NNACCEL_RESV_NS,
		.fence_max_ns = nnaccel_fence_max_ms * (u64)NSEC_PER_MSEC,
		.link_ns = nnaccel_link_ms * (u64)NSEC_PER_MSEC,
		.max_job_bytes = NNACCEL_LIMIT_JOB_BYTES,
		.user_max_bytes = nnaccel_limit_user_bytes(),
		.user_max_job_bytes = NNACCEL_LIMIT_USER_JOB_BYTES,
		.user_max_queues = NNACCEL_LIMIT_USER_QUEUES,
	};
}

static void nnaccel_query_counters(struct nnaccel_device *ndev,
				   struct drm_nnaccel_counters *counters)
{
	struct nnaccel_fw_counters fw;

	nnaccel_fw_get_counters(ndev, &fw);
	counters->jobs_submitted = atomic64_read(&ndev->counters.jobs_submitted);
	counters->jobs_completed = atomic64_read(&ndev->counters.jobs_completed);
	counters->jobs_failed = atomic64_read(&ndev->counters.jobs_failed);
	counters->interrupts = atomic64_read(&ndev->counters.interrupts);
	counters->doorbells = atomic64_read(&ndev->counters.doorbells);
	counters->aborts = atomic64_read(&ndev->counters.aborts);
	counters->resets = atomic64_read(&ndev->counters.resets);
	counters->links_lost = atomic64_read(&ndev->counters.links_lost);
	counters->bytes_direct = fw.bytes_direct;
	counters->bytes_bounced = fw.bytes_bounced;
	counters->bytes_loaded = fw.bytes_loaded;
	counters->bytes_synced = atomic64_read(&ndev->counters.bytes_synced);
}

static u32 nnaccel_query_priorities(void)
{
	u32 mask = BIT(DRM_NNACCEL_PRIORITY_LOW) | BIT(DRM_NNACCEL_PRIORITY_MEDIUM) |
		   BIT(DRM_NNACCEL_PRIORITY_HIGH);

	/* A question is nothing to audit. */
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE))
		mask |= BIT(DRM_NNACCEL_PRIORITY_REALTIME);
	return mask;
}

static int nnaccel_query_copy(struct drm_nnaccel_dev_query *args, const void *data, u32 size)
{
	if (args->pointer) {
		if (!args->size)
			return -EINVAL;
		size = min(size, args->size);
		if (copy_to_user(u64_to_user_ptr(args->pointer), data, size))
			return -EFAULT;
	}
	args->size = size;
	return 0;
}

/* Copy first: recovery takes fw_lock, so no page fault may happen under it. */
static int nnaccel_query_opset(struct nnaccel_device *ndev, struct drm_nnaccel_dev_query *args)
{
	void *copy;
	u32 size;
	int ret;

	copy = kvmalloc(NNACCEL_OPSET_MAX_SIZE, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;

	mutex_lock(&ndev->fw_lock);
	size = ndev->opset_size;
	memcpy(copy, ndev->opset, size);
	mutex_unlock(&ndev->fw_lock);

	ret = size ? nnaccel_query_copy(args, copy, size) : -ENODATA;
	kvfree(copy);
	return ret;
}

/*
 * One query at a time: clients that poll the clock occupy at most one entry of the admin ring,
 * which recovery needs too.
 */
static int nnaccel_query_clock(struct nnaccel_device *ndev, struct drm_nnaccel_dev_query *args)
{
	struct drm_nnaccel_clock clock = {};
	int ret, cookie;

	if (!args->pointer || !args->size)
		return nnaccel_query_copy(args, &clock, sizeof(clock));

	ret = mutex_lock_interruptible(&ndev->clock_lock);
	if (ret)
		return ret;
	if (!nnaccel_device_enter(ndev, &cookie)) {
		mutex_unlock(&ndev->clock_lock);
		return -ENODEV;
	}
	ret = nnaccel_pm_get_online(ndev);
	if (ret)
		goto out;
	clock.generation = READ_ONCE(ndev->generation);
	clock.before_ns = ktime_get_ns();
	ret = nnaccel_admin_ping(ndev, &clock.device_ns);
	clock.after_ns = ktime_get_ns();
	/* The firmware has been restarted since: the answer is of another clock. */
	if (!ret && clock.generation != READ_ONCE(ndev->generation))
		ret = -ENOLINK;
	if (!ret)
		trace_nnaccel_clock(ndev, &clock);
	nnaccel_pm_put(ndev);
out:
	nnaccel_device_exit(ndev, cookie);
	mutex_unlock(&ndev->clock_lock);

	return ret ? ret : nnaccel_query_copy(args, &clock, sizeof(clock));
}

static int nnaccel_ioctl_dev_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_dev_query *args = data;
	struct drm_nnaccel_priorities priorities = {};
	struct drm_nnaccel_counters counters = {};
	struct drm_nnaccel_device_info info = {};
	struct drm_nnaccel_limits limits;
	struct drm_nnaccel_usage usage;

	switch (args->type) {
	case DRM_NNACCEL_QUERY_DEVICE:
		nnaccel_query_device(ndev, &info);
		return nnaccel_query_copy(args, &info, sizeof(info));
	case DRM_NNACCEL_QUERY_LIMITS:
		nnaccel_query_limits(ndev, &limits);
		return nnaccel_query_copy(args, &limits, sizeof(limits));
	case DRM_NNACCEL_QUERY_PRIORITIES:
		priorities.allowed_mask = nnaccel_query_priorities();
		return nnaccel_query_copy(args, &priorities, sizeof(priorities));
	case DRM_NNACCEL_QUERY_OPSET:
		return nnaccel_query_opset(ndev, args);
	case DRM_NNACCEL_QUERY_COUNTERS:
		/* They show what other clients do, and when. */
		if (!perfmon_capable())
			return -EACCES;
		nnaccel_query_counters(ndev, &counters);
		return nnaccel_query_copy(args, &counters, sizeof(counters));
	case DRM_NNACCEL_QUERY_CLOCK:
		return nnaccel_query_clock(ndev, args);
	case DRM_NNACCEL_QUERY_USAGE:
		nnaccel_client_usage(nfile->client, &usage);
		return nnaccel_query_copy(args, &usage, sizeof(usage));
	default:
		return -EINVAL;
	}
}

static int nnaccel_ioctl_program_hint(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_program_hint *args = data;
	struct nnaccel_admin_cmd cmd = {};
	struct nnaccel_mapping *mapping;
	struct drm_gem_object *obj;
	int ret = 0, cookie;

	if (args->flags & ~DRM_NNACCEL_PROGRAM_FLAGS || !args->size)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->offset > obj->size || args->size > obj->size - args->offset) {
		drm_gem_object_put(obj);
		return -EINVAL;
	}
	mapping = nnaccel_bo_use_mapping(to_nnaccel_bo(obj), nfile->vm);
	drm_gem_object_put(obj);
	if (IS_ERR(mapping))
		return PTR_ERR(mapping);

	if (!nnaccel_device_enter(nfile->ndev, &cookie)) {
		ret = -ENODEV;
		goto out;
	}
	/*
	 * A hint is not waited for, and the BO may be freed at any time: the firmware serves the
	 * hint before the TLB_INVALIDATE that precedes freeing the pages.
	 */
	if (READ_ONCE(nfile->vm->on_card)) {
		cmd.op = cpu_to_le32(args->flags & DRM_NNACCEL_PROGRAM_UNLOAD ?
				     NNACCEL_ADMIN_PROGRAM_UNLOAD : NNACCEL_ADMIN_PROGRAM_LOAD);
		cmd.context = cpu_to_le32(nfile->vm->ctx);
		cmd.addr = cpu_to_le64(mapping->node.start + args->offset);
		cmd.size = cpu_to_le64(args->size);
		cmd.value = cpu_to_le64(args->generation);
		nnaccel_bo_sync_for_device(mapping->bo);
		nnaccel_admin_post(nfile->ndev, &cmd);
	}
	nnaccel_device_exit(nfile->ndev, cookie);
out:
	nnaccel_mapping_put(mapping);
	return ret;
}

static int nnaccel_open(struct drm_device *drm, struct drm_file *file)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);
	struct nnaccel_file *nfile;
	int ret = -ENOMEM, cookie;

	/* Page tables are mapped for DMA; no mapping may be made once the device is unbound. */
	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODEV;

	nfile = kzalloc_obj(*nfile, GFP_KERNEL_ACCOUNT);
	if (!nfile)
		goto err_exit;
	nfile->ndev = ndev;
	nfile->drm = file;
	nfile->client = nnaccel_client_create(nfile->ndev, file->client_id);
	if (!nfile->client)
		goto err_free;
	nfile->vm = nnaccel_vm_create(nfile->ndev, nfile->client, nnaccel_watch_blame_unmap);
	if (IS_ERR(nfile->vm)) {
		ret = PTR_ERR(nfile->vm);
		goto err_client;
	}
	xa_init_flags(&nfile->queues, XA_FLAGS_ALLOC1);
	file->driver_priv = nfile;
	nnaccel_device_exit(ndev, cookie);
	return 0;

err_client:
	nnaccel_client_put(nfile->client);
err_free:
	kfree(nfile);
err_exit:
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

/* The handles are closed already; jobs keep the mappings that they use. */
static void nnaccel_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;

	nnaccel_queues_close(nfile);
	nnaccel_vm_close(nfile->vm);
	nnaccel_client_put(nfile->client);
	kfree(nfile);
}

static void nnaccel_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	u32 engines = READ_ONCE(nfile->ndev->engine.count);

	drm_printf(p, "drm-engine-nn:\t%lld ns\n", atomic64_read(&nfile->vm->busy_ns));
	if (engines > 1)
		drm_printf(p, "drm-engine-capacity-nn:\t%u\n", engines);
	drm_show_memory_stats(p, file);
	nnaccel_client_show(nfile->client, p);
}

static int nnaccel_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;

	/*
	 * No section: the caller has mmap_lock, and only memory is mapped, which stays valid if the
	 * device goes meanwhile.
	 */
	if (READ_ONCE(to_nnaccel_device(file->minor->dev)->gone))
		return -ENODEV;
	if ((u64)vma->vm_pgoff << PAGE_SHIFT >= NNACCEL_STATUS_OFFSET)
		return nnaccel_queue_mmap(file->driver_priv, vma);
	return drm_gem_mmap(filp, vma);
}

/*
 * DRM's core treats files of accel nodes, which have no master, as files of primary nodes: these
 * two ioctls dereference drm_file.master, which is NULL (Documentation/found-upstream.rst).
 */
static bool nnaccel_ioctl_needs_master(unsigned int cmd)
{
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return false;
	return _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_GET_UNIQUE) ||
	       _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_GET_MAGIC);
}

/*
 * Count what a limit refused, once for each ioctl: a charge that fails inside of it may succeed
 * when it is tried again.
 */
static long nnaccel_ioctl_count(struct file *filp, unsigned int cmd, long ret)
{
	struct drm_file *file = filp->private_data;
	struct nnaccel_file *nfile = file->driver_priv;
	bool submit = _IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_NNACCEL_SUBMIT;

	if (ret == -ENOSPC || ret == -EDQUOT || (submit && ret == -EBUSY))
		atomic64_inc(&nfile->client->stats.refused);
	return ret;
}

static long nnaccel_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	if (nnaccel_ioctl_needs_master(cmd))
		return -EOPNOTSUPP;
	return nnaccel_ioctl_count(filp, cmd, drm_ioctl(filp, cmd, arg));
}

#ifdef CONFIG_COMPAT
static long nnaccel_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	if (nnaccel_ioctl_needs_master(cmd))
		return -EOPNOTSUPP;
	return nnaccel_ioctl_count(filp, cmd, drm_compat_ioctl(filp, cmd, arg));
}
#else
#define nnaccel_compat_ioctl	NULL
#endif

static const struct file_operations nnaccel_fops = {
	.owner = THIS_MODULE,
	.open = accel_open,
	.release = drm_release,
	.unlocked_ioctl = nnaccel_ioctl,
	.compat_ioctl = nnaccel_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = nnaccel_mmap,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

static const struct drm_ioctl_desc nnaccel_ioctls[] = {
	DRM_IOCTL_DEF_DRV(NNACCEL_DEV_QUERY, nnaccel_ioctl_dev_query, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_CREATE, nnaccel_ioctl_bo_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_MMAP_OFFSET, nnaccel_ioctl_bo_mmap_offset, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_INFO, nnaccel_ioctl_bo_info, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_WAIT, nnaccel_ioctl_bo_wait, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_QUEUE_CREATE, nnaccel_ioctl_queue_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_QUEUE_DESTROY, nnaccel_ioctl_queue_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_QUEUE_STATE, nnaccel_ioctl_queue_state, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_SUBMIT, nnaccel_ioctl_submit, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_PROGRAM_HINT, nnaccel_ioctl_program_hint, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_LABEL, nnaccel_ioctl_bo_label, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_USERPTR, nnaccel_ioctl_bo_userptr, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NNACCEL_BO_MADVISE, nnaccel_ioctl_bo_madvise, DRM_RENDER_ALLOW),
};

/*
 * Version history of the interface:
 * - 1.0: first version
 * - 1.1: DRM_NNACCEL_QUERY_CLOCK
 * - 1.2: DRM_NNACCEL_QUERY_USAGE, limits per user and on fences, DRM_NNACCEL_QUEUE_REFUSED
 * - 1.3: DRM_NNACCEL_BO_LABEL, DRM_NNACCEL_BO_USERPTR, DRM_NNACCEL_BO_MADVISE,
 *   verdict and progress in QUEUE_STATE
 */
const struct drm_driver nnaccel_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = nnaccel_open,
	.postclose = nnaccel_postclose,
	.show_fdinfo = nnaccel_show_fdinfo,
	.ioctls = nnaccel_ioctls,
	.num_ioctls = ARRAY_SIZE(nnaccel_ioctls),
	.fops = &nnaccel_fops,
	.gem_create_object = nnaccel_gem_create_object,
	.gem_prime_import = nnaccel_gem_prime_import,
	.gem_prime_import_sg_table = drm_gem_shmem_prime_import_sg_table,
	.name = "nnaccel",
	.desc = "nnaccel neural network accelerator",
	.major = 1,
	.minor = 3,
};

// SPDX-License-Identifier: GPL-2.0-only

#include <linux/cleanup.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>
#include <drm/drm_utils.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_gem.h"
#include "nnaccel_mmu.h"

/**
 * DOC: Buffer objects
 *
 * A BO is made by BO_CREATE (shmem), BO_USERPTR (pinned memory of a process) or import of a
 * dma-buf. Its first handle pins it and maps it for DMA, and each file with a handle has it in its
 * address space, at an address that stays until the last handle of that file is closed. So SUBMIT
 * allocates nothing for it, and the fence path neither pins nor maps.
 *
 * The creator is charged for it, or the first importer, until it is freed: whatever other files
 * have handles to it. Handles are charged to the file that has them.
 *
 * Where DMA needs copies (``swiotlb``, a device that is not coherent) a whole BO is copied before a
 * job that uses it, and after one that writes it (``nnaccel_bo.sync_bytes``).
 *
 * Exports, mmap(2) and jobs need the state WILLNEED of the contents (``enum nnaccel_bo_advice``);
 * the other states refuse them with -ESTALE.
 */

/* A private tmpfs mount whose files get huge pages if available; NULL: not mounted. */
static struct vfsmount *nnaccel_gemfs;

/* Mount it; without it BOs have small pages. */
static void nnaccel_gemfs_init(void)
{
	/* The option parser modifies the string. */
	char options[] = "huge=within_size";
	struct file_system_type *type;
	struct vfsmount *mnt;

	/* tmpfs is built in: there is no module reference to drop. */
	type = get_fs_type("tmpfs");
	if (!type)
		return;
	mnt = vfs_kern_mount(type, SB_KERNMOUNT, type->name, options);
	nnaccel_gemfs = IS_ERR(mnt) ? NULL : mnt;
}

/* struct nnaccel_bo, charged to the memory cgroup of the client. */
static struct kmem_cache *nnaccel_bo_cache;

/**
 * nnaccel_gem_init() - create what the BOs of all devices share
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_gem_init(void)
{
	nnaccel_bo_cache = KMEM_CACHE(nnaccel_bo, SLAB_ACCOUNT);
	if (!nnaccel_bo_cache)
		return -ENOMEM;
	nnaccel_gemfs_init();
	return 0;
}

/**
 * nnaccel_gem_fini() - undo nnaccel_gem_init(); there is no BO any more
 */
void nnaccel_gem_fini(void)
{
	if (nnaccel_gemfs)
		kern_unmount(nnaccel_gemfs);
	kmem_cache_destroy(nnaccel_bo_cache);
}

/*
 * Back a new object that is large enough by huge pages: contiguous pages become blocks in the
 * device's page tables, and the emulated card maps them instead of copying.
 */
static void nnaccel_bo_use_huge(struct drm_gem_object *obj)
{
	struct file *filp;

	if (!nnaccel_gemfs || obj->size < NNACCEL_BLOCK_SIZE)
		return;
	filp = shmem_file_setup_with_mnt(nnaccel_gemfs, "nnaccel", obj->size,
					 mk_vma_flags(VMA_NORESERVE_BIT));
	if (IS_ERR(filp))
		return;
	mapping_set_gfp_mask(filp->f_mapping, mapping_gfp_mask(obj->filp->f_mapping));
	fput(obj->filp);
	obj->filp = filp;
}

/*
 * The creator of a BO is charged for it, or the first importer. The caller holds bo->lock, or the
 * BO is not published yet.
 */
static int nnaccel_bo_charge(struct nnaccel_bo *bo, struct nnaccel_client *client, u64 bytes)
{
	const struct nnaccel_charge charge = { .bytes = bytes, .bos = 1 };
	int ret;

	if (bo->client)
		return 0;
	ret = nnaccel_client_charge(client, &charge);
	if (ret)
		return ret;
	bo->charge = charge;
	bo->client = nnaccel_client_get(client);
	nnaccel_bo_list(bo);
	return 0;
}

static struct nnaccel_mapping *nnaccel_bo_map_locked(struct nnaccel_bo *bo,
						     struct nnaccel_file *nfile)
{
	struct nnaccel_mapping *mapping;
	int ret;

	lockdep_assert_held(&bo->lock);
	mapping = nnaccel_bo_find_mapping_locked(bo, nfile->vm);
	if (mapping)
		return mapping;
	/* It is not pinned: a file that has no handle to it yet cannot get one. */
	if (bo->advice != NNACCEL_BO_WILLNEED)
		return ERR_PTR(-ESTALE);

	ret = nnaccel_bo_charge(bo, nfile->client, bo->base.base.size);
	if (ret)
		return ERR_PTR(ret);
	ret = nnaccel_bo_pin_locked(bo);
	if (ret)
		return ERR_PTR(ret);
	mapping = nnaccel_mapping_create(nfile->vm, bo);
	if (!IS_ERR(mapping))
		list_add(&mapping->link, &bo->mappings);
	return mapping;
}

static const struct nnaccel_charge nnaccel_handle_charge = { .handles = 1 };

/* Called for every new handle, including handles from PRIME imports. */
static int nnaccel_bo_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct nnaccel_device *ndev = to_nnaccel_device(obj->dev);
	struct nnaccel_file *nfile = file->driver_priv;
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);
	struct nnaccel_mapping *mapping;
	int ret, cookie;

	ret = nnaccel_client_charge(nfile->client, &nnaccel_handle_charge);
	if (ret)
		return ret;
	/* No DMA mapping may be made once the device is unbound. */
	if (!nnaccel_device_enter(ndev, &cookie)) {
		ret = -ENODEV;
		goto err_uncharge;
	}

	mutex_lock(&bo->lock);
	mapping = nnaccel_bo_map_locked(bo, nfile);
	if (IS_ERR(mapping))
		ret = PTR_ERR(mapping);
	else
		mapping->handles++;
	mutex_unlock(&bo->lock);

	nnaccel_device_exit(ndev, cookie);
	if (ret)
		goto err_uncharge;
	return 0;

err_uncharge:
	nnaccel_client_uncharge(nfile->client, &nnaccel_handle_charge);
	return ret;
}

/* Called for every handle that is closed, also by closing its file. */
static void nnaccel_bo_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);
	struct nnaccel_mapping *mapping;

	mutex_lock(&bo->lock);
	mapping = nnaccel_bo_find_mapping_locked(bo, nfile->vm);
	if (drm_WARN_ON(obj->dev, !mapping) || --mapping->handles)
		mapping = NULL;
	else
		list_del_init(&mapping->link);
	mutex_unlock(&bo->lock);

	nnaccel_client_uncharge(nfile->client, &nnaccel_handle_charge);
	if (mapping)
		nnaccel_mapping_put(mapping);
}

static void nnaccel_bo_free(struct drm_gem_object *obj)
{
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);
	struct nnaccel_client *client = bo->client;
	struct nnaccel_charge charge;
	struct dma_buf *detached;

	nnaccel_bo_unlist(bo);
	/* From here on the shrinker does not know it, and its charge is final. */
	nnaccel_shrinker_forget(bo);
	charge = bo->charge;
	drm_WARN_ON(obj->dev, !list_empty(&bo->mappings));
	nnaccel_bo_free_pages(bo);
	nnaccel_userptr_free(bo->userptr);
	mutex_destroy(&bo->lock);
	detached = bo->detached;
	drm_gem_shmem_free(&bo->base);
	if (detached)
		dma_buf_put(detached);

	if (!client)
		return;
	nnaccel_client_uncharge(client, &charge);
	nnaccel_client_put(client);
}

static enum drm_gem_object_status nnaccel_bo_status(struct drm_gem_object *obj)
{
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);

	/* Until they are purged the pages are somewhere, and may be needed again. */
	if (READ_ONCE(bo->advice) == NNACCEL_BO_DONTNEED)
		return DRM_GEM_OBJECT_RESIDENT | DRM_GEM_OBJECT_PURGEABLE;
	return READ_ONCE(bo->sgt) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

/* Another device, or process, must not use the memory of a process longer than that wants. */
static struct dma_buf *nnaccel_bo_export(struct drm_gem_object *obj, int flags)
{
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);

	if (bo->userptr)
		return ERR_PTR(-EOPNOTSUPP);
	scoped_guard(spinlock, &bo->export_lock) {
		if (bo->advice != NNACCEL_BO_WILLNEED)
			return ERR_PTR(-ESTALE);
		bo->exported = true;
	}
	return drm_gem_prime_export(obj, flags);
}

/* The exporter maps it, which may be nnaccel_bo_mmap() with a BO of another card. */
static int nnaccel_bo_mmap_import(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nnaccel_device *ndev = to_nnaccel_device(obj->dev);
	int ret, cookie;

	/* Removal detaches imports after the last section. */
	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODEV;
	ret = drm_gem_shmem_object_mmap(obj, vma);
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

static int nnaccel_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct nnaccel_bo *bo = to_nnaccel_bo(obj);
	int ret;

	if (bo->imported)
		return nnaccel_bo_mmap_import(obj, vma);

	/* The caller has mmap_lock. */
	ret = mutex_lock_killable(&bo->lock);
	if (ret)
		return ret;
	ret = -ESTALE;
	if (bo->advice == NNACCEL_BO_WILLNEED)
		ret = drm_gem_shmem_object_mmap(obj, vma);
	mutex_unlock(&bo->lock);
	return ret;
}

static const struct drm_gem_object_funcs nnaccel_gem_funcs = {
	.free = nnaccel_bo_free,
	.open = nnaccel_bo_open,
	.close = nnaccel_bo_close,
	.status = nnaccel_bo_status,
	.export = nnaccel_bo_export,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = nnaccel_bo_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

struct drm_gem_object *nnaccel_gem_create_object(struct drm_device *drm, size_t size)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);
	struct nnaccel_bo *bo;

	/* With the list of its memory cgroup, which nnaccel_shrinker_add() needs. */
	bo = kmem_cache_alloc_lru(nnaccel_bo_cache, &ndev->shrink.lru, GFP_KERNEL | __GFP_ZERO);
	if (!bo)
		return ERR_PTR(-ENOMEM);

	bo->base.base.funcs = &nnaccel_gem_funcs;
	mutex_init(&bo->lock);
	spin_lock_init(&bo->export_lock);
	INIT_LIST_HEAD(&bo->mappings);
	INIT_LIST_HEAD(&bo->device_link);
	INIT_LIST_HEAD(&bo->all_link);
	INIT_LIST_HEAD(&bo->shrink_link);
	return &bo->base.base;
}

/**
 * nnaccel_gem_prime_import() - import a dma-buf
 * @drm: device
 * @dma_buf: the dma-buf
 *
 * Maps it for DMA and enters it into the list of what is mapped, in one section: removal finds all
 * that was mapped. The section may wait for the exporter.
 *
 * Return: the object with a reference, or an ERR_PTR.
 */
struct drm_gem_object *nnaccel_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);
	struct drm_gem_object *obj;
	struct nnaccel_bo *bo;
	int ret = 0, cookie;

	if (!nnaccel_device_enter(ndev, &cookie))
		return ERR_PTR(-ENODEV);
	obj = drm_gem_prime_import(drm, dma_buf);
	/* Otherwise it is one of our own, which is in the list as long as it may be used. */
	if (!IS_ERR(obj) && drm_gem_is_imported(obj)) {
		bo = to_nnaccel_bo(obj);
		bo->imported = true;
		ret = nnaccel_bo_pin(bo);
	}
	if (ret) {
		drm_gem_object_put(obj);
		obj = ERR_PTR(ret);
	}
	nnaccel_device_exit(ndev, cookie);
	return obj;
}

/**
 * nnaccel_bo_charge_new() - charge a client for a BO before its memory is allocated
 * @bo: buffer object that is not published yet
 * @nfile: file of the client
 *
 * Return: 0 or -ENOSPC.
 */
static int nnaccel_bo_charge_new(struct nnaccel_bo *bo, struct nnaccel_file *nfile)
{
	u64 size = bo->base.base.size;
	int ret = nnaccel_bo_charge(bo, nfile->client, size);

	/* Memory that was just freed may still be known to the card. */
	if (ret && nnaccel_vm_wait_unmapped(nfile->vm))
		ret = nnaccel_bo_charge(bo, nfile->client, size);
	return ret;
}

/**
 * nnaccel_bo_publish() - create the first handle of a BO
 * @bo: buffer object
 * @file: file of the handle
 * @handle: receives it
 * @device_addr: receives the device address in that file
 *
 * Return: 0 or a negative errno.
 */
static int nnaccel_bo_publish(struct nnaccel_bo *bo, struct drm_file *file, u32 *handle,
			      u64 *device_addr)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct nnaccel_mapping *mapping;
	int ret;

	ret = drm_gem_handle_create(file, &bo->base.base, handle);
	if (ret)
		return ret;
	/* NULL if another thread has guessed the handle and closed it. */
	mapping = nnaccel_bo_get_mapping(bo, nfile->vm);
	*device_addr = mapping ? mapping->node.start : 0;
	if (mapping)
		nnaccel_mapping_put(mapping);
	return 0;
}

int nnaccel_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_bo_create *args = data;
	struct drm_gem_shmem_object *shmem;
	struct nnaccel_bo *bo;
	int ret;

	if (!args->size || args->flags & ~DRM_NNACCEL_BO_FLAGS || args->pad)
		return -EINVAL;
	if (args->size > NNACCEL_LIMIT_BO_SIZE)
		return -EFBIG;

	shmem = drm_gem_shmem_create(drm, PAGE_ALIGN(args->size));
	if (IS_ERR(shmem))
		return PTR_ERR(shmem);

	bo = to_nnaccel_bo(&shmem->base);
	bo->flags = args->flags;
	ret = nnaccel_bo_charge_new(bo, nfile);
	if (ret)
		goto out;
	nnaccel_bo_use_huge(&shmem->base);
	ret = nnaccel_bo_publish(bo, file, &args->handle, &args->device_addr);
	if (!ret)
		args->size = shmem->base.size;
out:
	/* From here on the handle holds the object. */
	drm_gem_object_put(&shmem->base);
	return ret;
}

static int nnaccel_bo_userptr_check(const struct drm_nnaccel_bo_userptr *args)
{
	if (args->flags & ~DRM_NNACCEL_BO_FLAGS || args->pad || !args->size ||
	    !PAGE_ALIGNED(args->addr) || !PAGE_ALIGNED(args->size))
		return -EINVAL;
	if (args->size > NNACCEL_LIMIT_BO_SIZE)
		return -EFBIG;
	return access_ok(u64_to_user_ptr(args->addr), args->size) ? 0 : -EFAULT;
}

int nnaccel_ioctl_bo_userptr(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_bo_userptr *args = data;
	struct nnaccel_file *nfile = file->driver_priv;
	struct nnaccel_userptr *userptr;
	struct drm_gem_object *obj;
	struct nnaccel_bo *bo;
	int ret;

	ret = nnaccel_bo_userptr_check(args);
	if (ret)
		return ret;

	obj = nnaccel_gem_create_object(drm, args->size);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	drm_gem_private_object_init(drm, obj, args->size);
	bo = to_nnaccel_bo(obj);
	bo->flags = args->flags;
	ret = nnaccel_bo_charge_new(bo, nfile);
	if (ret)
		goto out;

	/* No section: userspace may delay the page faults. nnaccel_bo_open() enters. */
	userptr = nnaccel_userptr_create(args->addr, args->size,
					 !(args->flags & DRM_NNACCEL_BO_DEVICE_READONLY));
	if (IS_ERR(userptr)) {
		ret = PTR_ERR(userptr);
		if (ret == -EDQUOT)
			drm_dbg(drm, "%s: %llu bytes of user memory exceed RLIMIT_MEMLOCK\n",
				current->comm, args->size);
		goto out;
	}
	bo->userptr = userptr;
	ret = nnaccel_bo_publish(bo, file, &args->handle, &args->device_addr);
out:
	/* From here on the handle holds the object. */
	drm_gem_object_put(obj);
	return ret;
}

int nnaccel_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_bo_mmap_offset *args = data;
	struct drm_gem_object *obj;
	int ret = 0;

	if (args->pad)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	if (to_nnaccel_bo(obj)->userptr)
		ret = -EOPNOTSUPP;
	else
		args->offset = drm_vma_node_offset_addr(&obj->vma_node);
	drm_gem_object_put(obj);
	return ret;
}

int nnaccel_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nnaccel_file *nfile = file->driver_priv;
	struct drm_nnaccel_bo_info *args = data;
	struct nnaccel_mapping *mapping;
	struct drm_gem_object *obj;

	if (args->pad)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	mapping = nnaccel_bo_get_mapping(to_nnaccel_bo(obj), nfile->vm);
	if (mapping) {
		args->flags = to_nnaccel_bo(obj)->flags;
		if (to_nnaccel_bo(obj)->imported)
			args->flags |= DRM_NNACCEL_BO_IMPORTED;
		if (to_nnaccel_bo(obj)->userptr)
			args->flags |= DRM_NNACCEL_BO_IS_USERPTR;
		args->flags |= nnaccel_bo_advice_flags(to_nnaccel_bo(obj));
		args->size = obj->size;
		args->device_addr = mapping->node.start;
		nnaccel_mapping_put(mapping);
	}
	drm_gem_object_put(obj);
	return mapping ? 0 : -ENOENT;
}

/*
 * Wait for @fence until @deadline_ns of CLOCK_MONOTONIC. The count of jiffies can lag behind that
 * clock, so that a wait in jiffies ends early: the clock decides. Return: as
 * dma_fence_wait_timeout().
 */
static long nnaccel_fence_wait_until(struct dma_fence *fence, s64 deadline_ns)
{
	long ret;

	do {
		ret = dma_fence_wait_timeout(fence, true, drm_timeout_abs_to_jiffies(deadline_ns));
	} while (!ret && (s64)ktime_get_ns() < deadline_ns);
	return ret;
}

/*
 * Wait for the jobs that the CPU must not overlap when it reads or, with @write, writes. Jobs
 * outside implicit sync do not tell whether they write. A deadline that has passed only looks.
 * Return: above 0: idle; 0: not idle in time; -ERESTARTSYS.
 */
static long nnaccel_bo_wait(struct drm_gem_object *obj, bool write, s64 deadline_ns)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	long ret = 1;

	dma_resv_iter_begin(&cursor, obj->resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		if (!write && dma_resv_iter_usage(&cursor) == DMA_RESV_USAGE_READ)
			continue;
		ret = dma_fence_is_signaled(fence);
		if (!ret && (s64)ktime_get_ns() < deadline_ns)
			ret = nnaccel_fence_wait_until(fence, deadline_ns);
		if (ret <= 0)
			break;
	}
	dma_resv_iter_end(&cursor);
	return ret;
}

int nnaccel_ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_bo_wait *args = data;
	struct drm_gem_object *obj;
	bool wait;
	long ret;

	if (args->flags & ~DRM_NNACCEL_BO_WAIT_FLAGS)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	wait = args->timeout_ns > (s64)ktime_get_ns();
	ret = nnaccel_bo_wait(obj, args->flags & DRM_NNACCEL_BO_WAIT_WRITE, args->timeout_ns);
	if (ret > 0)
		ret = 0;
	else if (!ret)
		ret = wait ? -ETIMEDOUT : -EBUSY;
	drm_gem_object_put(obj);
	return ret;
}

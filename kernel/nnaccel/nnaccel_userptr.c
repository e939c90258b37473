// SPDX-License-Identifier: GPL-2.0-only
/*
 * BOs that consist of memory of a process.
 *
 * The pages are pinned for as long as the BO lives (FOLL_LONGTERM): the card has no page faults
 * that the host could serve, so nothing may move them, and no MMU notifier has to wait for a job.
 * Pinned pages cannot be reclaimed, so they are locked memory of the user: it counts against
 * RLIMIT_MEMLOCK in user_struct.locked_vm, together with what io_uring, BPF, perf and the like lock
 * for the user. A sum per process would be no limit, because each fork starts at 0.
 * mm_struct.pinned_vm shows it as VmPin of the process; the struct is held for that, not the
 * address space.
 *
 * A page may be in several BOs, of one client or of several: each has a DMA mapping of its own. To
 * refuse it would tell a client what another has registered, and let it block that. So no mapping
 * owns a page: the CPU's caches, or a bounce buffer, are synchronized for a BO when it is mapped
 * and by each job that lists it, never by the DMA API on its own. Two such BOs see each other's
 * data from job to job ("Memory of the process" in Documentation/uapi.rst).
 */

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_gem.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_mmu.h"
#include "nnaccel_gem.h"

/**
 * struct nnaccel_userptr - pinned pages of a process
 */
struct nnaccel_userptr {
	/** @pages: pages, the first @num_pinned are pinned */
	struct page **pages;
	/** @num_pages: entries of @pages */
	unsigned long num_pages;
	/** @num_pinned: pages that are pinned */
	unsigned long num_pinned;
	/** @write: pinned for writing */
	bool write;
	/** @charged: @user and @mm are charged for @num_pages */
	bool charged;
	/** @user: charged in its locked_vm, with a reference; NULL: CAP_IPC_LOCK, no limit */
	struct user_struct *user;
	/** @mm: charged in its pinned_vm; mmgrab() */
	struct mm_struct *mm;
};

/* Charge the current user and process. Return: 0, or -EDQUOT beyond RLIMIT_MEMLOCK. */
static int nnaccel_userptr_charge(struct nnaccel_userptr *userptr)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	long locked, wanted;

	if (!capable(CAP_IPC_LOCK)) {
		locked = atomic_long_read(&user->locked_vm);
		do {
			wanted = locked + userptr->num_pages;
			if (wanted > limit)
				return -EDQUOT;
		} while (!atomic_long_try_cmpxchg(&user->locked_vm, &locked, wanted));
		userptr->user = get_uid(user);
	}
	mmgrab(current->mm);
	userptr->mm = current->mm;
	atomic64_add(userptr->num_pages, &userptr->mm->pinned_vm);
	userptr->charged = true;
	return 0;
}

static void nnaccel_userptr_uncharge(struct nnaccel_userptr *userptr)
{
	if (!userptr->charged)
		return;
	if (userptr->user) {
		atomic_long_sub(userptr->num_pages, &userptr->user->locked_vm);
		free_uid(userptr->user);
	}
	atomic64_sub(userptr->num_pages, &userptr->mm->pinned_vm);
	mmdrop(userptr->mm);
}

/**
 * nnaccel_userptr_free() - unpin the pages and give back the charges; process context
 * @userptr: the memory; the device cannot reach it any more. NULL is allowed
 */
void nnaccel_userptr_free(struct nnaccel_userptr *userptr)
{
	if (!userptr)
		return;
	if (userptr->num_pinned)
		unpin_user_pages_dirty_lock(userptr->pages, userptr->num_pinned, userptr->write);
	nnaccel_userptr_uncharge(userptr);
	kvfree(userptr->pages);
	kfree(userptr);
}

static int nnaccel_userptr_pin(struct nnaccel_userptr *userptr, unsigned long addr)
{
	unsigned int flags = FOLL_LONGTERM | (userptr->write ? FOLL_WRITE : 0);
	unsigned long done;
	int ret;

	while (userptr->num_pinned < userptr->num_pages) {
		done = userptr->num_pinned;
		ret = pin_user_pages_fast(addr + (done << PAGE_SHIFT),
					  min(userptr->num_pages - done, 16384ul), flags,
					  userptr->pages + done);
		if (ret < 0)
			return ret == -ERESTARTSYS ? -EINTR : ret;
		if (!ret)
			return -EFAULT;
		userptr->num_pinned += ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * nnaccel_userptr_create() - pin memory of the current process
 * @addr: user address, aligned to pages
 * @size: bytes, whole pages
 * @write: for writing
 *
 * Return: the pinned memory or an ERR_PTR.
 */
struct nnaccel_userptr *nnaccel_userptr_create(u64 addr, u64 size, bool write)
{
	struct nnaccel_userptr *userptr;
	int ret;

	userptr = kzalloc_obj(*userptr, GFP_KERNEL_ACCOUNT);
	if (!userptr)
		return ERR_PTR(-ENOMEM);
	userptr->num_pages = size >> PAGE_SHIFT;
	userptr->write = write;
	/* Before anything is pinned, so that two threads cannot both pass. */
	ret = nnaccel_userptr_charge(userptr);
	if (ret)
		goto err_free;

	ret = -ENOMEM;
	userptr->pages = kvcalloc(userptr->num_pages, sizeof(*userptr->pages), GFP_KERNEL_ACCOUNT);
	if (!userptr->pages)
		goto err_free;
	ret = nnaccel_userptr_pin(userptr, addr);
	if (ret)
		goto err_free;
	return userptr;

err_free:
	nnaccel_userptr_free(userptr);
	return ERR_PTR(ret);
}

/**
 * nnaccel_userptr_table() - the pages as a table
 * @bo: buffer object that consists of memory of a process
 *
 * Return: the table, which the caller frees, or an ERR_PTR.
 */
struct sg_table *nnaccel_userptr_table(struct nnaccel_bo *bo)
{
	struct nnaccel_userptr *userptr = bo->userptr;
	struct device *dev = bo->base.base.dev->dev;
	struct sg_table *sgt;
	size_t segment;
	int ret;

	/* A copy of swiotlb is smaller than a huge page. */
	segment = ALIGN_DOWN(min_t(size_t, dma_get_max_seg_size(dev), dma_max_mapping_size(dev)),
			     PAGE_SIZE);
	sgt = kzalloc_obj(*sgt, GFP_KERNEL_ACCOUNT);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages_segment(sgt, userptr->pages, userptr->num_pages, 0,
						bo->base.base.size, segment, GFP_KERNEL);
	if (!ret)
		return sgt;
	kfree(sgt);
	return ERR_PTR(ret);
}

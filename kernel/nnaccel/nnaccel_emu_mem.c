// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the host as the emulated device reaches it: windows at offsets of its node, which the
 * card's process maps.
 */

#include <linux/cleanup.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_emu_dev.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pt.h"

/**
 * DOC: Memory of the emulated device
 *
 * The card is a process, and memory of the host is mapped into it by page frame: it can neither pin
 * nor copy-on-write such a page, and a page table entry is all that it has of it. The fault handler
 * makes an entry for a window that exists at that moment, under ``nnaccel_emu.lock``. Removal of a
 * window takes that lock for writing, so that no handler still uses it, and then zaps the entries.
 * So memory that was freed, unmapped, or taken from a stopped card is out of reach, whether the
 * card cooperates or not, and also while a signal has stopped it.
 *
 * Zapping waits for locks that are held over allocations, so nothing in the fence path does it.
 * Rings that recovery frees are zapped and freed by a work. ``stop`` sets ``nnaccel_emu.revoked``,
 * has a work zap everything, and waits for it for a limited time. Without an end in that time the
 * device counts as not stopped, and its memory is kept.
 *
 * The fault handler takes no dma_resv: jobs of the card end fences that holders of it wait for.
 */

/* Page table entries that a fault makes, if the window has as many pages. */
#define NNACCEL_EMU_AROUND	512u

/* Each piece of shared memory has offsets of its own. */
#define NNACCEL_EMU_SHARED_SHIFT	24
#define NNACCEL_EMU_SHARED_LIMIT	XA_LIMIT(1, 0xffff)
#define NNACCEL_EMU_SPACE_LIMIT		XA_LIMIT(1, (1 << 22) - 1)

/* Removal, and memory that is freed. */
struct workqueue_struct *nnaccel_emu_wq;
/* The fence path waits for it. */
static struct workqueue_struct *nnaccel_emu_revoke_wq;

static_assert(NNACCEL_REGS_SIZE <= 1 << NNACCEL_EMU_SHARED_SHIFT);
static_assert(0x10000ull << NNACCEL_EMU_SHARED_SHIFT <= NNACCEL_EMU_SPACE);
static_assert(NNACCEL_VA_END <= NNACCEL_EMU_SPACE);

/**
 * struct nnaccel_emu_window - memory at an offset of the node
 */
struct nnaccel_emu_window {
	/** @first: offset, in pages */
	unsigned long first;
	/** @pages: number of pages */
	unsigned long pages;
	/** @write: the card may write it */
	bool write;
	/** @pfn: the pages, which stay until they are out of reach */
	unsigned long pfn[] __counted_by(pages);
};

/**
 * struct nnaccel_emu_shared - memory that host and device share
 */
struct nnaccel_emu_shared {
	/** @mem: the memory */
	void *mem;
	/** @window: as the card sees it */
	struct nnaccel_emu_window *window;
	/** @id: in nnaccel_emu.ids; its offset */
	u32 id;
	/** @link: in nnaccel_emu.freed */
	struct llist_node link;
};

static struct nnaccel_emu *to_nnaccel_emu(struct nnaccel_device *ndev)
{
	return ndev->hw_priv;
}

static struct nnaccel_emu_window *nnaccel_emu_window_alloc(u64 addr, unsigned long pages,
							   bool write)
{
	struct nnaccel_emu_window *window;

	window = kvmalloc(struct_size(window, pfn, pages), GFP_KERNEL_ACCOUNT);
	if (!window)
		return NULL;
	window->first = addr >> PAGE_SHIFT;
	window->pages = pages;
	window->write = write;
	return window;
}

static int nnaccel_emu_window_add(struct nnaccel_emu *emu, struct nnaccel_emu_window *window)
{
	guard(rwsem_write)(&emu->lock);
	return mtree_insert_range(&emu->windows, window->first, window->first + window->pages - 1,
				  window, GFP_KERNEL);
}

/* On return no fault handler uses the window, which the caller frees. NULL: there is none. */
static struct nnaccel_emu_window *nnaccel_emu_window_remove(struct nnaccel_emu *emu, u64 addr)
{
	guard(rwsem_write)(&emu->lock);
	return mtree_erase(&emu->windows, addr >> PAGE_SHIFT);
}

/* Take offsets from the card. @size 0: all that follow. */
static void nnaccel_emu_zap(struct nnaccel_emu *emu, u64 addr, u64 size)
{
	guard(rwsem_write)(&emu->lock);
	if (emu->mapping)
		unmap_mapping_range(emu->mapping, addr, size, 1);
}

/* Memory that host and device share. */

static void *nnaccel_emu_alloc(struct nnaccel_device *ndev, size_t size, u64 *addr)
{
	struct nnaccel_emu *emu = to_nnaccel_emu(ndev);
	unsigned long pages = DIV_ROUND_UP(size, PAGE_SIZE);
	struct nnaccel_emu_shared *shared;

	if (size > 1 << NNACCEL_EMU_SHARED_SHIFT)
		return NULL;
	shared = kzalloc_obj(*shared, GFP_KERNEL_ACCOUNT);
	if (!shared)
		return NULL;
	shared->mem = __vmalloc(pages << PAGE_SHIFT, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!shared->mem)
		goto err_free;
	if (xa_alloc(&emu->ids, &shared->id, shared, NNACCEL_EMU_SHARED_LIMIT, GFP_KERNEL))
		goto err_mem;
	*addr = (u64)shared->id << NNACCEL_EMU_SHARED_SHIFT;
	shared->window = nnaccel_emu_window_alloc(*addr, pages, true);
	if (!shared->window)
		goto err_id;
	for (unsigned long i = 0; i < pages; i++)
		shared->window->pfn[i] = vmalloc_to_pfn(shared->mem + (i << PAGE_SHIFT));
	if (nnaccel_emu_window_add(emu, shared->window))
		goto err_window;
	return shared->mem;

err_window:
	kvfree(shared->window);
err_id:
	xa_erase(&emu->ids, shared->id);
err_mem:
	vfree(shared->mem);
err_free:
	kfree(shared);
	return NULL;
}

static void nnaccel_emu_free_work(struct work_struct *work)
{
	struct nnaccel_emu *emu = container_of(work, struct nnaccel_emu, free_work);
	struct nnaccel_emu_shared *shared, *next;

	llist_for_each_entry_safe(shared, next, llist_del_all(&emu->freed), link) {
		u64 addr = (u64)shared->id << NNACCEL_EMU_SHARED_SHIFT;

		nnaccel_emu_window_remove(emu, addr);
		nnaccel_emu_zap(emu, addr, (u64)shared->window->pages << PAGE_SHIFT);
		xa_erase(&emu->ids, shared->id);
		kvfree(shared->window);
		vfree(shared->mem);
		kfree(shared);
	}
}

/* Recovery frees rings, in the fence path: a work zaps them first. */
static void nnaccel_emu_free(struct nnaccel_device *ndev, size_t size, void *mem, u64 addr)
{
	struct nnaccel_emu *emu = to_nnaccel_emu(ndev);
	struct nnaccel_emu_shared *shared = xa_load(&emu->ids, addr >> NNACCEL_EMU_SHARED_SHIFT);

	if (llist_add(&shared->link, &emu->freed))
		queue_work(nnaccel_emu_wq, &emu->free_work);
}

/* An import is memory of another driver, whose pages are not to be looked at. */
static int nnaccel_emu_map_bo(struct nnaccel_bo *bo, struct sg_table *sgt)
{
	return bo->imported ? -EOPNOTSUPP : 0;
}

const struct nnaccel_mem_ops nnaccel_emu_mem_ops = {
	.alloc = nnaccel_emu_alloc,
	.free = nnaccel_emu_free,
	.map = nnaccel_emu_map_bo,
};

/* Address spaces. nnaccel_vm.priv is the number, which stands in the offsets. */

static u64 nnaccel_emu_root(struct nnaccel_vm *vm)
{
	return (uintptr_t)vm->priv * NNACCEL_EMU_SPACE;
}

static int nnaccel_emu_create(struct nnaccel_vm *vm)
{
	struct nnaccel_emu *emu = to_nnaccel_emu(vm->ndev);
	u32 id;
	int ret;

	ret = xa_alloc_cyclic(&emu->spaces, &id, vm, NNACCEL_EMU_SPACE_LIMIT, &emu->next_space,
			      GFP_KERNEL);
	if (ret < 0)
		return ret == -EBUSY ? -ENOSPC : ret;
	vm->priv = (void *)(uintptr_t)id;
	return 0;
}

static struct nnaccel_charge nnaccel_emu_charge(unsigned long pages)
{
	return (struct nnaccel_charge) {
		.bytes = struct_size_t(struct nnaccel_emu_window, pfn, pages),
	};
}

static void nnaccel_emu_window_free(struct nnaccel_vm *vm, struct nnaccel_emu_window *window)
{
	struct nnaccel_charge charge;

	if (!window)
		return;
	charge = nnaccel_emu_charge(window->pages);
	kvfree(window);
	nnaccel_client_uncharge(vm->client, &charge);
}

static int nnaccel_emu_map(struct nnaccel_mapping *mapping)
{
	unsigned long pages = mapping->node.size >> PAGE_SHIFT, n = 0;
	const struct nnaccel_charge charge = nnaccel_emu_charge(pages);
	struct nnaccel_vm *vm = mapping->vm;
	struct nnaccel_bo *bo = mapping->bo;
	struct nnaccel_emu_window *window;
	struct sg_page_iter page;
	int ret;

	lockdep_assert_held(&vm->lock);

	ret = nnaccel_client_charge(vm->client, &charge);
	if (ret)
		return ret;
	window = nnaccel_emu_window_alloc(nnaccel_emu_root(vm) + mapping->node.start, pages,
					  !(bo->flags & DRM_NNACCEL_BO_DEVICE_READONLY));
	ret = -ENOMEM;
	if (!window)
		goto err_charge;
	for_each_sgtable_page(bo->sgt, &page, 0)
		if (n < pages)
			window->pfn[n++] = page_to_pfn(sg_page_iter_page(&page));
	ret = n == pages ? nnaccel_emu_window_add(to_nnaccel_emu(vm->ndev), window) : -EINVAL;
	if (ret)
		goto err_window;
	return 0;

err_window:
	kvfree(window);
err_charge:
	nnaccel_client_uncharge(vm->client, &charge);
	return ret;
}

static void nnaccel_emu_unmap(struct nnaccel_mapping *mapping)
{
	struct nnaccel_vm *vm = mapping->vm;

	lockdep_assert_held(&vm->lock);
	nnaccel_emu_window_free(vm, nnaccel_emu_window_remove(to_nnaccel_emu(vm->ndev),
							      nnaccel_emu_root(vm) +
							      mapping->node.start));
}

/* The card stops to use the addresses, then they are taken from it: it sees no SIGBUS. */
static int nnaccel_emu_invalidate(struct nnaccel_vm *vm, u64 va, u64 size)
{
	int ret = nnaccel_pt_invalidate(vm, va, size);

	if (!ret)
		nnaccel_emu_zap(to_nnaccel_emu(vm->ndev), nnaccel_emu_root(vm) + va, size);
	return ret;
}

static void nnaccel_emu_destroy(struct nnaccel_vm *vm)
{
	unsigned long first = nnaccel_emu_root(vm) >> PAGE_SHIFT, at = first;
	unsigned long last = first + (NNACCEL_EMU_SPACE >> PAGE_SHIFT) - 1;
	struct nnaccel_emu *emu = to_nnaccel_emu(vm->ndev);
	struct nnaccel_emu_window *window;

	scoped_guard(rwsem_write, &emu->lock)
		while ((window = mt_find(&emu->windows, &at, last))) {
			mtree_erase(&emu->windows, window->first);
			nnaccel_emu_window_free(vm, window);
		}
	nnaccel_emu_zap(emu, nnaccel_emu_root(vm), NNACCEL_EMU_SPACE);
	xa_erase(&emu->spaces, (uintptr_t)vm->priv);
}

const struct nnaccel_vm_ops nnaccel_emu_vm_ops = {
	.create = nnaccel_emu_create,
	.destroy = nnaccel_emu_destroy,
	.root = nnaccel_emu_root,
	.map = nnaccel_emu_map,
	.unmap = nnaccel_emu_unmap,
	.invalidate = nnaccel_emu_invalidate,
};

/* The card's side. */

static vm_fault_t nnaccel_emu_insert(struct vm_fault *vmf, const struct nnaccel_emu_window *window)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long from = round_down(vmf->pgoff, NNACCEL_EMU_AROUND);
	unsigned long to = from + NNACCEL_EMU_AROUND;
	vm_fault_t ret;

	from = max3(from, window->first, vma->vm_pgoff);
	to = min3(to, window->first + window->pages, vma->vm_pgoff + vma_pages(vma));
	ret = vmf_insert_pfn(vma, vmf->address & PAGE_MASK,
			     window->pfn[vmf->pgoff - window->first]);
	/* The others would only be faults of their own. */
	for (unsigned long at = from; at < to && ret == VM_FAULT_NOPAGE; at++)
		if (vmf_insert_pfn(vma, vma->vm_start + ((at - vma->vm_pgoff) << PAGE_SHIFT),
				   window->pfn[at - window->first]) != VM_FAULT_NOPAGE)
			break;
	return ret;
}

static vm_fault_t nnaccel_emu_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct nnaccel_emu *emu = vma->vm_private_data;
	struct nnaccel_emu_window *window;

	guard(rwsem_read)(&emu->lock);
	if (READ_ONCE(emu->revoked) || emu->card != vma->vm_mm)
		return VM_FAULT_SIGBUS;
	window = mtree_load(&emu->windows, vmf->pgoff);
	if (!window || (vma->vm_flags & VM_WRITE && !window->write))
		return VM_FAULT_SIGBUS;
	return nnaccel_emu_insert(vmf, window);
}

static const struct vm_operations_struct nnaccel_emu_vma_ops = {
	.fault = nnaccel_emu_fault,
};

/**
 * nnaccel_emu_mem_map() - mmap() of the node beyond the registers
 * @emu: device
 * @vma: mapping; only the process that is the card gets one
 *
 * Return: 0, -EINVAL or -EACCES.
 */
int nnaccel_emu_mem_map(struct nnaccel_emu *emu, struct vm_area_struct *vma)
{
	guard(rwsem_read)(&emu->lock);
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (emu->card != vma->vm_mm || vma->vm_flags & VM_EXEC)
		return -EACCES;
	vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | (vma->vm_flags & VM_WRITE ? 0 : VM_MAYWRITE));
	vma->vm_private_data = emu;
	vma->vm_ops = &nnaccel_emu_vma_ops;
	return 0;
}

/**
 * nnaccel_emu_mem_check() - whether the card can reach a range
 * @emu: device
 * @range: the range; receives the first address that it cannot reach
 *
 * Return: 0, -EINVAL or -EFAULT.
 */
int nnaccel_emu_mem_check(struct nnaccel_emu *emu, struct nnaccel_emu_range *range)
{
	struct nnaccel_emu_window *window;
	u64 at = range->addr, end;

	if (!range->size || check_add_overflow(at, range->size, &end) || end > S64_MAX ||
	    range->write > 1 || range->reserved)
		return -EINVAL;
	guard(rwsem_read)(&emu->lock);
	while (at < end) {
		window = mtree_load(&emu->windows, at >> PAGE_SHIFT);
		if (!window || (range->write && !window->write)) {
			range->fault = at;
			return -EFAULT;
		}
		at = (u64)(window->first + window->pages) << PAGE_SHIFT;
	}
	return 0;
}

/**
 * nnaccel_emu_card_start() - another process becomes the card; an earlier one has no access
 * @emu: device
 */
void nnaccel_emu_card_start(struct nnaccel_emu *emu)
{
	guard(rwsem_write)(&emu->lock);
	emu->card = NULL;
	emu->claimable = true;
	if (emu->mapping)
		unmap_mapping_range(emu->mapping, NNACCEL_REGS_SIZE, 0, 1);
	scoped_guard(spinlock, &emu->start_lock)
		emu->stopped = false;
}

/**
 * nnaccel_emu_card_claim() - the calling process is the card from now on
 * @emu: device
 *
 * Return: 0, or -EACCES: no start was before it.
 */
int nnaccel_emu_card_claim(struct nnaccel_emu *emu)
{
	guard(rwsem_write)(&emu->lock);
	if (!emu->claimable)
		return -EACCES;
	emu->claimable = false;
	/* Compared only: the card's mappings keep it. */
	emu->card = current->mm;
	WRITE_ONCE(emu->revoked, false);
	return 0;
}

static void nnaccel_emu_revoke_work(struct work_struct *work)
{
	struct nnaccel_emu *emu = container_of(work, struct nnaccel_emu, revoke_work);
	int revokes = atomic_read(&emu->revokes);

	scoped_guard(rwsem_write, &emu->lock) {
		/* Otherwise another card has started meanwhile, and faults its memory in again. */
		if (READ_ONCE(emu->revoked))
			emu->card = NULL;
		if (emu->mapping)
			unmap_mapping_range(emu->mapping, NNACCEL_REGS_SIZE, 0, 1);
	}
	/* Pairs with nnaccel_emu_is_revoked(): the memory is out of reach before it says so. */
	smp_store_release(&emu->revoked_to, revokes);
	wake_up_all(&emu->revoke_wq);
}

/**
 * nnaccel_emu_revoke() - take all memory from the card whose slot does not answer
 * @emu: device
 * @revoke: receives a number for nnaccel_emu_is_revoked(), for which the caller waits with
 *	nnaccel_emu.revoke_wq
 *
 * Process context, also in the fence path.
 *
 * Return: false if the slot has answered meanwhile.
 */
bool nnaccel_emu_revoke(struct nnaccel_emu *emu, int *revoke)
{
	bool answered;

	spin_lock(&emu->start_lock);
	/* A slot that starts another card has stored this before. */
	answered = READ_ONCE(emu->open) && READ_ONCE(emu->regs->reset_ack) ==
		   READ_ONCE(emu->regs->reset_req);
	if (!answered) {
		emu->stopped = true;
		WRITE_ONCE(emu->revoked, true);
	}
	spin_unlock(&emu->start_lock);
	if (answered)
		return false;
	*revoke = atomic_inc_return(&emu->revokes);
	queue_work(nnaccel_emu_revoke_wq, &emu->revoke_work);
	return true;
}

/**
 * nnaccel_emu_is_revoked() - whether a revocation is carried out
 * @emu: device
 * @revoke: number of nnaccel_emu_revoke()
 *
 * Return: whether the card has no access to memory since then, unless another one has started.
 */
bool nnaccel_emu_is_revoked(struct nnaccel_emu *emu, int revoke)
{
	/* Pairs with nnaccel_emu_revoke_work(). */
	return smp_load_acquire(&emu->revoked_to) - revoke >= 0;
}

/**
 * nnaccel_emu_slot_silent() - the slot has not answered that the card was stopped
 * @emu: device whose memory is revoked
 *
 * No card is there, but the slot does not say so: the host says it in its place. A slot that goes
 * on finds the request to stop, starts a card, and then stores the link again.
 *
 * Return: false if it has started a card meanwhile.
 */
bool nnaccel_emu_slot_silent(struct nnaccel_emu *emu)
{
	bool stopped;

	spin_lock(&emu->start_lock);
	stopped = emu->stopped;
	if (stopped)
		WRITE_ONCE(emu->regs->link, cpu_to_le32(NNACCEL_LINK_ABSENT));
	spin_unlock(&emu->start_lock);
	return stopped;
}

/**
 * nnaccel_emu_mem_init() - no memory, no card
 * @emu: device
 * @mapping: of the open node
 */
void nnaccel_emu_mem_init(struct nnaccel_emu *emu, struct address_space *mapping)
{
	init_rwsem(&emu->lock);
	spin_lock_init(&emu->start_lock);
	emu->mapping = mapping;
	mt_init(&emu->windows);
	xa_init_flags(&emu->ids, XA_FLAGS_ALLOC);
	xa_init_flags(&emu->spaces, XA_FLAGS_ALLOC);
	init_llist_head(&emu->freed);
	INIT_WORK(&emu->free_work, nnaccel_emu_free_work);
	INIT_WORK(&emu->revoke_work, nnaccel_emu_revoke_work);
	init_waitqueue_head(&emu->revoke_wq);
}

/**
 * nnaccel_emu_mem_close() - the node is closed, and with it all mappings
 * @emu: device
 */
void nnaccel_emu_mem_close(struct nnaccel_emu *emu)
{
	guard(rwsem_write)(&emu->lock);
	emu->mapping = NULL;
	emu->card = NULL;
	emu->claimable = false;
}

/**
 * nnaccel_emu_mem_fini() - the device is removed: its memory is freed
 * @emu: device
 */
void nnaccel_emu_mem_fini(struct nnaccel_emu *emu)
{
	flush_work(&emu->free_work);
	cancel_work_sync(&emu->revoke_work);
	mtree_destroy(&emu->windows);
	xa_destroy(&emu->ids);
	xa_destroy(&emu->spaces);
}

/**
 * nnaccel_emu_wqs_init() - make the workqueues of all emulated devices
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_emu_wqs_init(void)
{
	nnaccel_emu_wq = alloc_workqueue("nnaccel-emu", WQ_UNBOUND, 0);
	if (!nnaccel_emu_wq)
		return -ENOMEM;
	nnaccel_emu_revoke_wq = alloc_workqueue("nnaccel-emu-revoke",
						WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (nnaccel_emu_revoke_wq)
		return 0;
	destroy_workqueue(nnaccel_emu_wq);
	return -ENOMEM;
}

/**
 * nnaccel_emu_wqs_fini() - end them; no device is left
 */
void nnaccel_emu_wqs_fini(void)
{
	destroy_workqueue(nnaccel_emu_revoke_wq);
	destroy_workqueue(nnaccel_emu_wq);
}

// SPDX-License-Identifier: GPL-2.0-only

#include <linux/cleanup.h>
#include <linux/list_sort.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_mmu.h"

/**
 * DOC: Memory that the card may write
 *
 * All memory that the card may write has an owner that lives until the card has let go: a mapping
 * (pages, addresses), a queue (ring), an address space (page tables). An acknowledged
 * TLB_INVALIDATE, QUEUE_DESTROY or CTX_CLOSE releases it, or the proof that the card is dead
 * (``link`` ABSENT, a new generation, ``reset_ack``). A command that fails leaves the object in
 * place; recovery, which then always runs, retries. While an older job of that address space runs,
 * an unanswered TLB_INVALIDATE is that job's fault: after ``admin_ms`` the job is blamed, not the
 * card. Only adjacent mappings share a command, so that no range covers a buffer in use.
 *
 * A buffer enters the list of what is mapped (``dma.bos``) in the section in which it is mapped,
 * also an import (``nnaccel_gem_prime_import()``), and leaves it when it is unmapped. So removal,
 * which waits for the sections and then until the list is empty, misses none, and nothing is
 * unmapped after it.
 *
 * When the driver is unbound and the card is dead, nothing stays mapped for DMA, even if files,
 * mappings or dma-bufs are open: rings, page tables and buffers are unmapped; pages and CPU
 * mappings stay valid. An import is detached from its dma-buf, because many exporters of kernel
 * 6.12 keep the mapping of an attachment until it ends; the dma-buf itself lives until the buffer
 * is freed. If the card does not die, everything stays mapped, and the driver logs it.
 */

static void nnaccel_mapping_free(struct nnaccel_mapping *mapping)
{
	struct nnaccel_vm *vm = mapping->vm;

	mutex_lock(&vm->lock);
	drm_mm_remove_node(&mapping->node);
	mutex_unlock(&vm->lock);

	drm_gem_object_put(&mapping->bo->base.base);
	kfree(mapping);
	if (atomic_dec_and_test(&vm->unmapping))
		wake_up_all(&vm->ndev->state_wq);
	nnaccel_vm_put(vm);
}

static int nnaccel_mapping_cmp(void *unused, const struct list_head *a, const struct list_head *b)
{
	u64 x = list_entry(a, struct nnaccel_mapping, unmap_link)->node.start;
	u64 y = list_entry(b, struct nnaccel_mapping, unmap_link)->node.start;

	return x < y ? -1 : x > y;
}

/* The mapping of nnaccel_mapping_revoke(), which has left all lists. */
static void nnaccel_mapping_end_revoke(struct nnaccel_mapping *mapping, int error)
{
	nnaccel_revoked_t revoked = mapping->revoked;

	mapping->revoked = NULL;
	revoked(mapping, error);
	nnaccel_mapping_put(mapping);
}

/*
 * Mappings that the card has not let go: those to be revoked are restored; unused ones wait for
 * recovery, which is under way and kicks this work when it is done.
 */
static void nnaccel_vm_unmap_failed(struct nnaccel_vm *vm, struct list_head *list, int error)
{
	struct nnaccel_mapping *mapping, *next;

	list_for_each_entry_safe(mapping, next, list, unmap_link) {
		if (!mapping->revoked)
			continue;
		list_del_init(&mapping->unmap_link);
		nnaccel_mapping_end_revoke(mapping, error);
	}
	scoped_guard(spinlock, &vm->unmap_lock)
		list_splice(list, &vm->unmap);
}

/*
 * Invalidate mappings that are adjacent, never addresses between mappings, which may be in use for
 * long; @created: as nnaccel_vm. Return: 0; otherwise the card may still write there, and @list has
 * them again.
 */
static int nnaccel_vm_unmap_run(struct nnaccel_vm *vm, struct list_head *list, bool created)
{
	struct nnaccel_mapping *mapping, *next;
	LIST_HEAD(run);
	u64 lo, hi;
	int ret;

	mapping = list_first_entry(list, struct nnaccel_mapping, unmap_link);
	lo = mapping->node.start;
	hi = lo;
	list_for_each_entry_safe(mapping, next, list, unmap_link) {
		if (mapping->node.start != hi)
			break;
		hi += mapping->node.size;
		list_move_tail(&mapping->unmap_link, &run);
	}

	ret = created ? vm->ndev->vm_ops->invalidate(vm, lo, hi - lo) : 0;
	if (ret) {
		list_splice(&run, list);
		return ret;
	}
	list_for_each_entry_safe(mapping, next, &run, unmap_link) {
		list_del_init(&mapping->unmap_link);
		if (mapping->revoked)
			nnaccel_mapping_end_revoke(mapping, 0);
		else
			nnaccel_mapping_free(mapping);
	}
	return 0;
}

static void nnaccel_vm_unmap_work(struct work_struct *work)
{
	struct nnaccel_vm *vm = container_of(work, struct nnaccel_vm, unmap_work);
	struct nnaccel_mapping *mapping;
	LIST_HEAD(list);
	bool created;
	int ret = 0;

	scoped_guard(spinlock, &vm->unmap_lock)
		list_splice_init(&vm->unmap, &list);

	scoped_guard(mutex, &vm->lock) {
		/* Otherwise the device reaches nothing any more. */
		created = vm->created;
		if (created)
			list_for_each_entry(mapping, &list, unmap_link)
				vm->ndev->vm_ops->unmap(mapping);
	}

	list_sort(NULL, &list, nnaccel_mapping_cmp);
	while (!list_empty(&list) && !ret)
		ret = nnaccel_vm_unmap_run(vm, &list, created);
	if (ret)
		nnaccel_vm_unmap_failed(vm, &list, ret);

	/* Drop the reference of the pending work. */
	nnaccel_vm_put(vm);
}

/**
 * nnaccel_vm_kick() - try to free the mappings that are no longer used
 * @vm: address space
 */
void nnaccel_vm_kick(struct nnaccel_vm *vm)
{
	nnaccel_vm_get(vm);
	if (!queue_work(nnaccel_unmap_wq, &vm->unmap_work))
		nnaccel_vm_put(vm);
}

/**
 * nnaccel_vm_wait_unmapped() - wait until unused mappings are freed
 * @vm: address space
 *
 * Usually this takes one answer of the card. Mappings that jobs still use are not waited for.
 * Killable.
 *
 * Return: whether anything was waited for, so that a retry may succeed.
 */
bool nnaccel_vm_wait_unmapped(struct nnaccel_vm *vm)
{
	if (!atomic_read(&vm->unmapping))
		return false;
	wait_event_killable_timeout(vm->ndev->state_wq, !atomic_read(&vm->unmapping), HZ / 2);
	return true;
}

static const struct nnaccel_charge nnaccel_context_charge = { .contexts = 1 };

/* The device cannot reach the address space any more. */
static void nnaccel_vm_destroy(struct nnaccel_vm *vm)
{
	if (vm->created)
		vm->ndev->vm_ops->destroy(vm);
	vm->created = false;
}

/*
 * Last references are dropped in the fence path too, under topo_lock: a work takes the locks that
 * are held over allocations.
 */
static void nnaccel_vm_release_work(struct work_struct *work)
{
	struct nnaccel_vm *vm = container_of(work, struct nnaccel_vm, release_work);
	struct nnaccel_device *ndev = vm->ndev;

	scoped_guard(mutex, &ndev->dma.lock) {
		list_del(&vm->device_link);
		nnaccel_vm_destroy(vm);
	}
	if (vm->ctx != NNACCEL_CTX_NONE) {
		xa_erase(&ndev->ctx_ids, vm->ctx);
		nnaccel_client_uncharge(vm->client, &nnaccel_context_charge);
	}
	drm_mm_takedown(&vm->mm);
	mutex_destroy(&vm->lock);
	nnaccel_client_put(vm->client);
	kfree(vm);
	drm_dev_put(&ndev->drm);
}

/**
 * nnaccel_vm_create() - create an empty address space
 * @ndev: device
 * @client: account to charge its page tables to
 * @blame: called, with no lock held, if the card does not acknowledge an invalidation
 *
 * Return: the address space or an ERR_PTR.
 */
struct nnaccel_vm *nnaccel_vm_create(struct nnaccel_device *ndev, struct nnaccel_client *client,
				     nnaccel_vm_blame_t blame)
{
	struct nnaccel_vm *vm;
	int ret;

	vm = kzalloc_obj(*vm, GFP_KERNEL_ACCOUNT);
	if (!vm)
		return ERR_PTR(-ENOMEM);

	vm->ndev = ndev;
	vm->client = client;
	vm->blame = blame;
	ret = ndev->vm_ops->create(vm);
	if (ret) {
		kfree(vm);
		return ERR_PTR(ret);
	}
	vm->created = true;
	nnaccel_client_get(client);

	kref_init(&vm->ref);
	mutex_init(&vm->lock);
	spin_lock_init(&vm->unmap_lock);
	INIT_LIST_HEAD(&vm->unmap);
	INIT_LIST_HEAD(&vm->link);
	INIT_WORK(&vm->unmap_work, nnaccel_vm_unmap_work);
	INIT_WORK(&vm->release_work, nnaccel_vm_release_work);
	drm_mm_init(&vm->mm, NNACCEL_VA_START, NNACCEL_VA_END - NNACCEL_VA_START);
	vm->ctx = NNACCEL_CTX_NONE;
	drm_dev_get(&ndev->drm);
	scoped_guard(mutex, &ndev->dma.lock)
		list_add(&vm->device_link, &ndev->dma.vms);
	return vm;
}

static void nnaccel_vm_release(struct kref *ref)
{
	struct nnaccel_vm *vm = container_of(ref, struct nnaccel_vm, ref);

	queue_work(nnaccel_free_wq, &vm->release_work);
}

void nnaccel_vm_put(struct nnaccel_vm *vm)
{
	kref_put(&vm->ref, nnaccel_vm_release);
}

/**
 * nnaccel_vms_destroy() - empty all address spaces: the card is dead and the driver is unbound
 * @ndev: device
 */
void nnaccel_vms_destroy(struct nnaccel_device *ndev)
{
	struct nnaccel_vm *vm;

	guard(mutex)(&ndev->dma.lock);
	list_for_each_entry(vm, &ndev->dma.vms, device_link) {
		guard(mutex)(&vm->lock);
		nnaccel_vm_destroy(vm);
	}
}

/**
 * nnaccel_vm_assign_ctx() - give an address space a context id, if it has none
 * @vm: address space
 *
 * Return: 0, -ENOSPC if the device has no context left, or -ENOMEM.
 */
int nnaccel_vm_assign_ctx(struct nnaccel_vm *vm)
{
	int ret;
	u32 id;

	guard(mutex)(&vm->lock);
	if (vm->ctx != NNACCEL_CTX_NONE)
		return 0;
	ret = nnaccel_client_charge(vm->client, &nnaccel_context_charge);
	if (ret)
		return ret;
	ret = xa_alloc(&vm->ndev->ctx_ids, &id, vm, XA_LIMIT(0, NNACCEL_MAX_CONTEXTS - 1),
		       GFP_KERNEL);
	if (!ret) {
		vm->ctx = id;
		return 0;
	}
	nnaccel_client_uncharge(vm->client, &nnaccel_context_charge);
	return ret == -EBUSY ? -ENOSPC : ret;
}

/**
 * nnaccel_vm_open_locked() - make an address space known to the card
 * @vm: address space with a context id, in nnaccel_device.vms
 *
 * Return: 0 or the error of the command; after -ENOLINK and -ETIMEDOUT recovery opens it again.
 */
int nnaccel_vm_open_locked(struct nnaccel_vm *vm)
{
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_CTX_OPEN),
		.context = cpu_to_le32(vm->ctx),
	};
	int ret;

	lockdep_assert_held(&vm->ndev->topo_lock);

	if (vm->on_card)
		return 0;

	WRITE_ONCE(vm->opening, true);
	/* Pairs with nnaccel_pt_invalidate(): set opening before on_card, ... */
	smp_store_release(&vm->on_card, true);
	/* ... and on_card before the card reads any entry. */
	smp_mb();
	nnaccel_write64(vm->ndev, ctx[vm->ctx].pt_root, vm->ndev->vm_ops->root(vm));
	/* Registers and rings may have separate paths: it arrives before the command. */
	nnaccel_read64(vm->ndev, ctx[vm->ctx].pt_root);
	ret = nnaccel_admin_exec(vm->ndev, &cmd, NULL);
	if (ret && ret != -ENOLINK && ret != -ETIMEDOUT)
		WRITE_ONCE(vm->on_card, false);
	/* Pairs with nnaccel_pt_invalidate(): on_card is false before opening is. */
	smp_store_release(&vm->opening, false);
	return ret;
}

/**
 * nnaccel_vm_attach_locked() - enter an address space with a context id into nnaccel_device.vms
 * @vm: address space
 *
 * Return: 0, or the error of nnaccel_vm_open_locked() if there is a card.
 */
int nnaccel_vm_attach_locked(struct nnaccel_vm *vm)
{
	lockdep_assert_held(&vm->ndev->topo_lock);

	if (list_empty(&vm->link)) {
		nnaccel_vm_get(vm);
		list_add_tail(&vm->link, &vm->ndev->vms);
	}
	return vm->ndev->state == NNACCEL_STATE_ONLINE ? nnaccel_vm_open_locked(vm) : 0;
}

/**
 * nnaccel_vm_forget_locked() - the card no longer knows the address space
 * @vm: address space in nnaccel_device.vms; if closed it is removed and may be freed on return
 */
void nnaccel_vm_forget_locked(struct nnaccel_vm *vm)
{
	lockdep_assert_held(&vm->ndev->topo_lock);

	WRITE_ONCE(vm->on_card, false);
	nnaccel_vm_kick(vm);
	if (vm->closed && !list_empty(&vm->link)) {
		list_del_init(&vm->link);
		nnaccel_vm_put(vm);
	}
}

/**
 * nnaccel_vm_close() - the file is gone and its queues are destroyed
 * @vm: address space; the file's reference is dropped
 */
void nnaccel_vm_close(struct nnaccel_vm *vm)
{
	struct nnaccel_device *ndev = vm->ndev;
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_CTX_CLOSE),
		.context = cpu_to_le32(vm->ctx),
	};
	int ret = 0;

	mutex_lock(&ndev->topo_lock);
	WRITE_ONCE(vm->closed, true);
	if (vm->on_card)
		ret = nnaccel_admin_exec(ndev, &cmd, NULL);
	/* On failure the card may use it: the device keeps it until recovery is over. */
	if (!ret)
		nnaccel_vm_forget_locked(vm);
	else if (ret != -ENOLINK && ret != -ETIMEDOUT)
		nnaccel_protocol_error(ndev, "CTX_CLOSE refused");
	mutex_unlock(&ndev->topo_lock);

	nnaccel_vm_put(vm);
}

/* Let the device reach a mapping whose BO is pinned. On error it may reach a part. */
static int nnaccel_mapping_map_locked(struct nnaccel_mapping *mapping)
{
	struct nnaccel_vm *vm = mapping->vm;

	lockdep_assert_held(&vm->lock);
	return vm->created ? vm->ndev->vm_ops->map(mapping) : -ENODEV;
}

/**
 * nnaccel_mapping_create() - map a BO whose pages are pinned and mapped for DMA
 * @vm: address space
 * @bo: buffer object
 *
 * Return: the mapping or an ERR_PTR: -ENOSPC, -ENOMEM, -ENODEV, -EINVAL if its memory has no pages.
 */
struct nnaccel_mapping *nnaccel_mapping_create(struct nnaccel_vm *vm, struct nnaccel_bo *bo)
{
	struct nnaccel_mapping *mapping;
	u64 size = bo->base.base.size;
	int ret;

	mapping = kzalloc_obj(*mapping, GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&vm->lock);
	ret = drm_mm_insert_node_generic(&vm->mm, &mapping->node, size,
					 size >= NNACCEL_BLOCK_SIZE ? NNACCEL_BLOCK_SIZE :
								      NNACCEL_PAGE_SIZE,
					 0, DRM_MM_INSERT_LOW);
	if (ret) {
		mutex_unlock(&vm->lock);
		kfree(mapping);
		return ERR_PTR(ret);
	}

	kref_init(&mapping->ref);
	mapping->vm = nnaccel_vm_get(vm);
	mapping->bo = bo;
	drm_gem_object_get(&bo->base.base);
	ret = nnaccel_mapping_map_locked(mapping);
	mutex_unlock(&vm->lock);

	/* Entries that were set are removed like those of any mapping. */
	if (ret) {
		nnaccel_mapping_put(mapping);
		return ERR_PTR(ret);
	}
	return mapping;
}

/* Hand a mapping to the worker of its address space. */
static void nnaccel_mapping_unmap(struct nnaccel_mapping *mapping)
{
	struct nnaccel_vm *vm = mapping->vm;

	spin_lock(&vm->unmap_lock);
	list_add_tail(&mapping->unmap_link, &vm->unmap);
	spin_unlock(&vm->unmap_lock);
	nnaccel_vm_kick(vm);
}

/**
 * nnaccel_mapping_revoke() - take the memory of a mapping from the device; the addresses stay
 * @mapping: mapping that no job uses and that is not being revoked; a reference is kept meanwhile
 * @revoked: called when that is done, or was given up because the card does not answer
 *
 * Does not wait: the card answers when a job that uses the memory without listing it has ended.
 */
void nnaccel_mapping_revoke(struct nnaccel_mapping *mapping, nnaccel_revoked_t revoked)
{
	kref_get(&mapping->ref);
	mapping->revoked = revoked;
	nnaccel_mapping_unmap(mapping);
}

/**
 * nnaccel_mapping_restore() - undo nnaccel_mapping_revoke()
 * @mapping: mapping whose revocation has ended, with success or not; its BO is locked and pinned
 *
 * Return: 0 or a negative errno: -ENOSPC, -ENOMEM, -ENODEV; some entries may be set then.
 */
int nnaccel_mapping_restore(struct nnaccel_mapping *mapping)
{
	guard(mutex)(&mapping->vm->lock);
	return nnaccel_mapping_map_locked(mapping);
}

static void nnaccel_mapping_release(struct kref *ref)
{
	struct nnaccel_mapping *mapping = container_of(ref, struct nnaccel_mapping, ref);

	atomic_inc(&mapping->vm->unmapping);
	nnaccel_mapping_unmap(mapping);
}

/**
 * nnaccel_mapping_put() - drop a reference; process context
 * @mapping: the mapping
 */
void nnaccel_mapping_put(struct nnaccel_mapping *mapping)
{
	kref_put(&mapping->ref, nnaccel_mapping_release);
}

/**
 * nnaccel_mapping_put_unless_last() - drop a reference that is not the last; any context
 * @mapping: the mapping
 *
 * Return: whether it was dropped. If not the caller still has it.
 */
bool nnaccel_mapping_put_unless_last(struct nnaccel_mapping *mapping)
{
	return refcount_dec_not_one(&mapping->ref.refcount);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables that the device walks (nnaccel_mmu.h), and the addresses that it has cached of them:
 * the address spaces of a device with a memory management unit of this contract.
 */

#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pt.h"

/**
 * struct nnaccel_pt - one page table
 */
struct nnaccel_pt {
	/** @entries: read by the device, written by the host, which never reads them back */
	__le64 *entries;
	/** @addr: address of @entries for the device */
	u64 addr;
	/** @child: levels above 0: tables of the next level, or NULL */
	struct nnaccel_pt *child[];
};

static size_t nnaccel_pt_bytes(u32 level)
{
	return struct_size_t(struct nnaccel_pt, child, level ? NNACCEL_PT_ENTRIES : 0);
}

static struct nnaccel_charge nnaccel_pt_charge(u32 level)
{
	return (struct nnaccel_charge) {
		/* A page of the kernel, which may be larger than the device's. */
		.bytes = PAGE_ALIGN(NNACCEL_PAGE_SIZE) + nnaccel_pt_bytes(level),
	};
}

/* Return: the table or an ERR_PTR: -ENOSPC, -ENOMEM. */
static struct nnaccel_pt *nnaccel_pt_alloc(struct nnaccel_vm *vm, u32 level)
{
	const struct nnaccel_charge charge = nnaccel_pt_charge(level);
	struct nnaccel_pt *pt;
	int ret;

	ret = nnaccel_client_charge(vm->client, &charge);
	if (ret)
		return ERR_PTR(ret);
	pt = kvzalloc(nnaccel_pt_bytes(level), GFP_KERNEL_ACCOUNT);
	if (!pt)
		goto err_charge;

	/* No dma_pool: it must be destroyed before its device, which address spaces may outlive. */
	pt->entries = nnaccel_mem_alloc(vm->ndev, NNACCEL_PAGE_SIZE, &pt->addr);
	if (!pt->entries)
		goto err_free;
	return pt;

err_free:
	kvfree(pt);
err_charge:
	nnaccel_client_uncharge(vm->client, &charge);
	return ERR_PTR(-ENOMEM);
}

static void nnaccel_pt_free(struct nnaccel_vm *vm, struct nnaccel_pt *pt, u32 level)
{
	const struct nnaccel_charge charge = nnaccel_pt_charge(level);
	u32 i;

	if (!pt)
		return;
	if (level)
		for (i = 0; i < NNACCEL_PT_ENTRIES; i++)
			nnaccel_pt_free(vm, pt->child[i], level - 1);
	nnaccel_mem_free(vm->ndev, NNACCEL_PAGE_SIZE, pt->entries, pt->addr);
	kvfree(pt);
	nnaccel_client_uncharge(vm->client, &charge);
}

static void nnaccel_pt_set(struct nnaccel_pt *pt, u32 index, u64 value)
{
	WRITE_ONCE(pt->entries[index], cpu_to_le64(value));
}

/* The table below @pt at @index, allocated if needed; or an ERR_PTR. */
static struct nnaccel_pt *nnaccel_pt_walk(struct nnaccel_vm *vm, struct nnaccel_pt *pt, u32 index,
					  u32 level)
{
	struct nnaccel_pt *child = pt->child[index];

	if (!child) {
		child = nnaccel_pt_alloc(vm, level - 1);
		if (IS_ERR(child))
			return child;
		pt->child[index] = child;
		/* Zero the table before the entry that points the device to it. */
		dma_wmb();
		nnaccel_pt_set(pt, index, child->addr | NNACCEL_PTE_VALID);
	}
	return child;
}

/* Map one contiguous range. On error part of it is mapped: the caller unmaps the whole mapping. */
static int nnaccel_pt_map_run(struct nnaccel_vm *vm, u64 va, dma_addr_t dma, u64 size, u64 prot)
{
	lockdep_assert_held(&vm->lock);

	while (size) {
		struct nnaccel_pt *pt1, *pt0;
		u64 step = NNACCEL_PAGE_SIZE;
		u32 i1 = NNACCEL_PT_INDEX(va, 1);

		pt1 = nnaccel_pt_walk(vm, vm->priv, NNACCEL_PT_INDEX(va, 2), 2);
		if (IS_ERR(pt1))
			return PTR_ERR(pt1);

		/*
		 * No block where a table has ever been: the device may have cached the table's
		 * entry.
		 */
		if (size >= NNACCEL_BLOCK_SIZE && IS_ALIGNED(va | dma, NNACCEL_BLOCK_SIZE) &&
		    !pt1->child[i1]) {
			step = NNACCEL_BLOCK_SIZE;
			nnaccel_pt_set(pt1, i1, dma | prot | NNACCEL_PTE_BLOCK);
		} else {
			pt0 = nnaccel_pt_walk(vm, pt1, i1, 1);
			if (IS_ERR(pt0))
				return PTR_ERR(pt0);
			nnaccel_pt_set(pt0, NNACCEL_PT_INDEX(va, 0), dma | prot);
		}
		va += step;
		dma += step;
		size -= step;
	}
	return 0;
}

static void nnaccel_pt_unmap(struct nnaccel_mapping *mapping)
{
	u64 va = mapping->node.start, end = va + mapping->node.size;
	struct nnaccel_vm *vm = mapping->vm;
	struct nnaccel_pt *root = vm->priv;

	lockdep_assert_held(&vm->lock);

	while (va < end) {
		struct nnaccel_pt *pt1 = root->child[NNACCEL_PT_INDEX(va, 2)];
		struct nnaccel_pt *pt0 = pt1 ? pt1->child[NNACCEL_PT_INDEX(va, 1)] : NULL;

		if (pt0) {
			nnaccel_pt_set(pt0, NNACCEL_PT_INDEX(va, 0), 0);
			va += NNACCEL_PAGE_SIZE;
		} else {
			/* The entry is a block of this mapping, or empty. */
			if (pt1)
				nnaccel_pt_set(pt1, NNACCEL_PT_INDEX(va, 1), 0);
			va = round_down(va, NNACCEL_BLOCK_SIZE) + NNACCEL_BLOCK_SIZE;
		}
	}
}

/* Set the entries of a mapping whose BO is pinned. On error some may be set. */
static int nnaccel_pt_map(struct nnaccel_mapping *mapping)
{
	u64 prot = NNACCEL_PTE_VALID, va = mapping->node.start, end = va + mapping->node.size;
	struct nnaccel_vm *vm = mapping->vm;
	struct nnaccel_bo *bo = mapping->bo;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	lockdep_assert_held(&vm->lock);

	if (!(bo->flags & DRM_NNACCEL_BO_DEVICE_READONLY))
		prot |= NNACCEL_PTE_WRITE;
	for_each_sgtable_dma_sg(bo->sgt, sg, i) {
		dma_addr_t dma = sg_dma_address(sg);
		u64 len = min_t(u64, sg_dma_len(sg), end - va);

		if (!IS_ALIGNED(dma | len, NNACCEL_PAGE_SIZE) ||
		    (dma + len - 1) & ~(NNACCEL_PTE_ADDR | (NNACCEL_PAGE_SIZE - 1)))
			return -EINVAL;
		ret = nnaccel_pt_map_run(vm, va, dma, len, prot);
		if (ret)
			return ret;
		va += len;
	}
	/*
	 * Entries are visible before the first job that uses them: SUBMIT finds the mapping under
	 * nnaccel_bo.lock, and the ring's barrier comes after that.
	 */
	return va == end ? 0 : -EINVAL;
}

/**
 * struct nnaccel_pt_unmapped - addresses to invalidate in the card
 */
struct nnaccel_pt_unmapped {
	/** @vm: address space */
	struct nnaccel_vm *vm;
	/** @va: first address */
	u64 va;
	/** @since_ns: CLOCK_MONOTONIC time when their entries were cleared */
	u64 since_ns;
};

static bool nnaccel_pt_blame(void *arg)
{
	struct nnaccel_pt_unmapped *unmap = arg;

	return unmap->vm->blame(unmap->vm, unmap->va, unmap->since_ns);
}

/**
 * nnaccel_pt_invalidate() - make the firmware forget addresses, by a TLB_INVALIDATE
 * @vm: address space
 * @va: first address
 * @size: bytes; nothing is mapped there any more
 *
 * struct nnaccel_vm_ops.invalidate of a device that speaks the admin commands of the contract,
 * whatever it translates with.
 *
 * Return: 0; otherwise it may still use them, and recovery is under way.
 */
int nnaccel_pt_invalidate(struct nnaccel_vm *vm, u64 va, u64 size)
{
	struct nnaccel_pt_unmapped unmap = { .vm = vm, .va = va, .since_ns = ktime_get_ns() };
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_TLB_INVALIDATE),
		.context = cpu_to_le32(vm->ctx),
		.addr = cpu_to_le64(va),
		.size = cpu_to_le64(size),
	};
	bool opening;
	int ret;

	/*
	 * Clear entries before on_card is read. If it is false, either the card does not know this
	 * address space, or a later CTX_OPEN makes it read the cleared entries.
	 */
	dma_mb();
	/* Pairs with nnaccel_vm_open_locked(): on_card before opening. */
	if (!smp_load_acquire(&vm->on_card))
		return 0;

	opening = READ_ONCE(vm->opening);
	ret = nnaccel_admin_exec_patient(vm->ndev, &cmd, nnaccel_pt_blame, &unmap);
	if (!ret || !READ_ONCE(vm->on_card))
		return 0;
	/* It came before CTX_OPEN, which makes the card read the cleared entries. */
	if (opening && ret == -EINVAL)
		return 0;
	/* Refused because of CTX_CLOSE: nnaccel_vm_close() kicks this work when it is done. */
	if (ret != -ENOLINK && ret != -ETIMEDOUT && !READ_ONCE(vm->closed))
		nnaccel_protocol_error(vm->ndev, "TLB_INVALIDATE refused");
	return ret;
}
EXPORT_SYMBOL_GPL(nnaccel_pt_invalidate);

static int nnaccel_pt_create(struct nnaccel_vm *vm)
{
	struct nnaccel_pt *root = nnaccel_pt_alloc(vm, NNACCEL_PT_LEVELS - 1);

	if (IS_ERR(root))
		return PTR_ERR(root);
	vm->priv = root;
	return 0;
}

static void nnaccel_pt_destroy(struct nnaccel_vm *vm)
{
	nnaccel_pt_free(vm, vm->priv, NNACCEL_PT_LEVELS - 1);
	vm->priv = NULL;
}

static u64 nnaccel_pt_root(struct nnaccel_vm *vm)
{
	struct nnaccel_pt *root = vm->priv;

	return root->addr;
}

const struct nnaccel_vm_ops nnaccel_pt_vm_ops = {
	.create = nnaccel_pt_create,
	.destroy = nnaccel_pt_destroy,
	.root = nnaccel_pt_root,
	.map = nnaccel_pt_map,
	.unmap = nnaccel_pt_unmap,
	.invalidate = nnaccel_pt_invalidate,
};

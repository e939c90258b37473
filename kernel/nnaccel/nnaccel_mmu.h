/* SPDX-License-Identifier: GPL-2.0-only */
/* Device address spaces: one per open file. */
#ifndef _NNACCEL_MMU_H_
#define _NNACCEL_MMU_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>

struct nnaccel_bo;
struct nnaccel_client;
struct nnaccel_device;

#define NNACCEL_CTX_NONE	U32_MAX

struct nnaccel_vm;

/**
 * typedef nnaccel_vm_blame_t - end the job for which the card does not acknowledge an invalidation
 * @vm: address space of the job
 * @va: first address
 * @since_ns: CLOCK_MONOTONIC time when the page table entries were cleared
 *
 * Return: whether there is such a job; otherwise the card does not answer.
 */
typedef bool (*nnaccel_vm_blame_t)(struct nnaccel_vm *vm, u64 va, u64 since_ns);

/**
 * struct nnaccel_vm - an address space
 *
 * The open file, every mapping and queue in it, pending work and, while it is in
 * nnaccel_device.vms, the device hold a reference each: page tables stay as long as the card knows
 * them.
 */
struct nnaccel_vm {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @client: charged for the page tables, with a reference */
	struct nnaccel_client *client;
	/** @blame: see the type; does not change */
	nnaccel_vm_blame_t blame;
	/** @busy_ns: time that its jobs held an engine, for fdinfo */
	atomic64_t busy_ns;

	/** @lock: protects @mm, @priv, @created, and allocation of @ctx */
	struct mutex lock;
	/** @mm: device addresses */
	struct drm_mm mm;
	/** @created: there is one in the backend: false once the device is unbound */
	bool created;
	/** @priv: data of struct nnaccel_vm_ops */
	void *priv;
	/** @ctx: context id, %NNACCEL_CTX_NONE before the first queue */
	u32 ctx;

	/** @link: in nnaccel_device.vms; topo_lock protects this, @closed and @refused */
	struct list_head link;
	/**
	 * @on_card: the card may know it: true from before CTX_OPEN until CTX_CLOSE or the death of
	 * the card
	 */
	bool on_card;
	/** @opening: CTX_OPEN is not answered yet */
	bool opening;
	/** @closed: the file was closed */
	bool closed;
	/** @refused: the firmware refused it, and so its queues */
	bool refused;

	/** @device_link: in nnaccel_device.dma.vms */
	struct list_head device_link;

	/** @unmap_lock: protects @unmap */
	spinlock_t unmap_lock;
	/** @unmap: mappings to take from the card: unused ones, and those to be revoked */
	struct list_head unmap;
	/** @unmapping: number of unused mappings that are not freed yet */
	atomic_t unmapping;
	/**
	 * @unmap_work: removes them from page tables and card. All invalidations of the address
	 * space are sent here, one at a time
	 */
	struct work_struct unmap_work;
	/** @release_work: frees it, and its page tables, once @ref is 0 */
	struct work_struct release_work;
};

struct nnaccel_mapping;

/**
 * typedef nnaccel_revoked_t - the end of nnaccel_mapping_revoke(), in a worker that may sleep
 * @mapping: the mapping
 * @error: 0: the card has acknowledged it. Otherwise it may still use the memory, which the callee
 *	maps again, or keeps
 */
typedef void (*nnaccel_revoked_t)(struct nnaccel_mapping *mapping, int error);

/**
 * struct nnaccel_mapping - a BO in an address space
 *
 * The handles in the file together, and every job that uses it, hold a reference each. The last put
 * moves it to nnaccel_vm.unmap; address and pages are freed when the card has invalidated it.
 */
struct nnaccel_mapping {
	/** @ref: reference count */
	struct kref ref;
	/** @vm: address space, with a reference */
	struct nnaccel_vm *vm;
	/** @bo: buffer object, with a reference */
	struct nnaccel_bo *bo;
	/** @node: device addresses */
	struct drm_mm_node node;
	/** @handles: handles in the file; protected by nnaccel_bo.lock */
	u32 handles;
	/** @link: in nnaccel_bo.mappings */
	struct list_head link;
	/** @unmap_link: in nnaccel_vm.unmap */
	struct list_head unmap_link;
	/** @revoked: callback of nnaccel_mapping_revoke(); NULL: it is not being revoked */
	nnaccel_revoked_t revoked;
};

struct nnaccel_vm *nnaccel_vm_create(struct nnaccel_device *ndev, struct nnaccel_client *client,
				     nnaccel_vm_blame_t blame);
void nnaccel_vm_put(struct nnaccel_vm *vm);
static inline struct nnaccel_vm *nnaccel_vm_get(struct nnaccel_vm *vm)
{
	kref_get(&vm->ref);
	return vm;
}

int nnaccel_vm_assign_ctx(struct nnaccel_vm *vm);
int nnaccel_vm_attach_locked(struct nnaccel_vm *vm);
int nnaccel_vm_open_locked(struct nnaccel_vm *vm);
void nnaccel_vm_forget_locked(struct nnaccel_vm *vm);
void nnaccel_vm_close(struct nnaccel_vm *vm);
void nnaccel_vm_kick(struct nnaccel_vm *vm);
bool nnaccel_vm_wait_unmapped(struct nnaccel_vm *vm);
void nnaccel_vms_destroy(struct nnaccel_device *ndev);

struct nnaccel_mapping *nnaccel_mapping_create(struct nnaccel_vm *vm, struct nnaccel_bo *bo);
void nnaccel_mapping_revoke(struct nnaccel_mapping *mapping, nnaccel_revoked_t revoked);
int nnaccel_mapping_restore(struct nnaccel_mapping *mapping);
void nnaccel_mapping_put(struct nnaccel_mapping *mapping);
bool nnaccel_mapping_put_unless_last(struct nnaccel_mapping *mapping);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Device address spaces: one per open file, with page tables that the device walks. */
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
struct nnaccel_pt;

#define NNACCEL_CTX_NONE	U32_MAX

/**
 * struct nnaccel_vm - an address space
 *
 * A reference each is held by the open file, every mapping and every queue in it, pending work,
 * and, while it is in nnaccel_device.vms, by the device: page tables outlive what the card knows of
 * them.
 */
struct nnaccel_vm {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @client: who pays for the page tables, with a reference */
	struct nnaccel_client *client;
	/** @busy_ns: time that jobs in it held an engine, for fdinfo */
	atomic64_t busy_ns;

	/** @lock: protects @mm, @root and below, and allocation of @ctx */
	struct mutex lock;
	/** @mm: device addresses */
	struct drm_mm mm;
	/** @root: level 2 table; NULL once the device is unbound */
	struct nnaccel_pt *root;
	/** @ctx: context id, %NNACCEL_CTX_NONE before the first queue */
	u32 ctx;

	/** @link: in nnaccel_device.vms; protected by topo_lock, as the next two */
	struct list_head link;
	/**
	 * @on_card: the card may know it; true from before CTX_OPEN until CTX_CLOSE or the card's
	 * end
	 */
	bool on_card;
	/** @closed: the file is gone */
	bool closed;
	/** @refused: the firmware does not take it, nor the queues in it */
	bool refused;

	/** @device_link: in nnaccel_device.dma.vms */
	struct list_head device_link;

	/** @unmap_lock: protects @unmap */
	spinlock_t unmap_lock;
	/** @unmap: mappings that nobody uses any more but that the card may still know */
	struct list_head unmap;
	/** @unmapping: mappings that nobody uses any more and that are not freed */
	atomic_t unmapping;
	/** @unmap_work: takes them out of the page tables, off the card, and frees them */
	struct work_struct unmap_work;
};

/**
 * struct nnaccel_mapping - a BO in an address space
 *
 * A reference each is held by the handles in the file together and by every job that uses it. With
 * the last one it goes to nnaccel_vm.unmap: address and pages are free when the card has forgotten
 * it.
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
	/** @link: in nnaccel_bo.mappings, then in nnaccel_vm.unmap */
	struct list_head link;
};

struct nnaccel_vm *nnaccel_vm_create(struct nnaccel_device *ndev, struct nnaccel_client *client);
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
void nnaccel_vms_free_tables(struct nnaccel_device *ndev);

struct nnaccel_mapping *nnaccel_mapping_create(struct nnaccel_vm *vm, struct nnaccel_bo *bo);
void nnaccel_mapping_put(struct nnaccel_mapping *mapping);

#endif

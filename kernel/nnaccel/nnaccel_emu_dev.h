/* SPDX-License-Identifier: GPL-2.0-only */
/* The emulated device: what its node, its bus and its memory share. */
#ifndef _NNACCEL_EMU_DEV_H_
#define _NNACCEL_EMU_DEV_H_

#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/maple_tree.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <nnaccel/nnaccel_emu.h>

#include "nnaccel_hw.h"

struct address_space;
struct eventfd_ctx;
struct mm_struct;
struct nnaccel_emu_node;
struct platform_device;
struct vm_area_struct;

/**
 * struct nnaccel_emu - an open node, and the device that it is
 *
 * The open node holds a reference, until its device is removed after the last close, and each
 * device until its last memory is freed.
 */
struct nnaccel_emu {
	/** @ref: reference count */
	struct kref ref;
	/** @node: that was opened */
	struct nnaccel_emu_node *node;
	/** @regs: register page, which slot and card map too */
	struct nnaccel_regs *regs;
	/** @open: a process has the node */
	bool open;

	/** @plug_lock: protects @pdev and @doorbell until the device is plugged */
	struct mutex plug_lock;
	/** @pdev: device; NULL: not plugged */
	struct platform_device *pdev;
	/** @doorbell: wakes slot or card, by enum nnaccel_doorbell */
	struct eventfd_ctx *doorbell[NNACCEL_NUM_DOORBELLS];

	/** @irqs: enum nnaccel_irq bits that are raised and not handled */
	unsigned long irqs;
	/** @irq_ndev: handles interrupts; NULL: they are kept */
	struct nnaccel_device *irq_ndev;
	/** @irq_srcu: the handlers */
	struct srcu_struct irq_srcu;

	/**
	 * @lock: protects the fields below. Held over allocations, also by the fault handler, so
	 * it is never taken in the fence path
	 */
	struct rw_semaphore lock;
	/** @mapping: of the open node: where the card maps memory; NULL once it is closed */
	struct address_space *mapping;
	/** @windows: struct nnaccel_emu_window by offset of the node, in pages */
	struct maple_tree windows;
	/** @card: address space of the process that is the card; NULL: none */
	struct mm_struct *card;
	/** @claimable: the next process that claims is the card */
	bool claimable;
	/** @revoked: the card has no access to memory; set without @lock */
	bool revoked;

	/** @start_lock: protects @stopped, and the link of a slot that does not answer */
	spinlock_t start_lock;
	/** @stopped: the card was stopped, and none was started since */
	bool stopped;

	/** @ids: struct nnaccel_emu_shared by number; has its own lock */
	struct xarray ids;
	/** @freed: struct nnaccel_emu_shared that nothing of the host uses any more */
	struct llist_head freed;
	/** @free_work: frees them */
	struct work_struct free_work;
	/** @spaces: struct nnaccel_vm by number; has its own lock */
	struct xarray spaces;
	/** @next_space: number to try first: numbers of closed ones come back late */
	u32 next_space;

	/** @revoke_work: takes memory from the card */
	struct work_struct revoke_work;
	/** @revokes: number of requests */
	atomic_t revokes;
	/** @revoked_to: value of @revokes that was carried out */
	int revoked_to;
	/** @revoke_wq: woken by changes of @revoked_to */
	wait_queue_head_t revoke_wq;
	/** @remove_work: removes the device of a node that was closed */
	struct work_struct remove_work;
};

extern struct workqueue_struct *nnaccel_emu_wq;
extern const struct nnaccel_mem_ops nnaccel_emu_mem_ops;
extern const struct nnaccel_vm_ops nnaccel_emu_vm_ops;

int nnaccel_emu_wqs_init(void);
void nnaccel_emu_wqs_fini(void);

void nnaccel_emu_mem_init(struct nnaccel_emu *emu, struct address_space *mapping);
void nnaccel_emu_mem_fini(struct nnaccel_emu *emu);
void nnaccel_emu_mem_close(struct nnaccel_emu *emu);
int nnaccel_emu_mem_map(struct nnaccel_emu *emu, struct vm_area_struct *vma);
int nnaccel_emu_mem_check(struct nnaccel_emu *emu, struct nnaccel_emu_range *range);
void nnaccel_emu_card_start(struct nnaccel_emu *emu);
int nnaccel_emu_card_claim(struct nnaccel_emu *emu);
bool nnaccel_emu_revoke(struct nnaccel_emu *emu, int *revoke);
bool nnaccel_emu_is_revoked(struct nnaccel_emu *emu, int revoke);
bool nnaccel_emu_slot_silent(struct nnaccel_emu *emu);

#endif

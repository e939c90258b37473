/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seam: what differs between devices. Common code knows the device contract, but neither the
 * bus nor how the device reaches memory.
 */
#ifndef _NNACCEL_HW_H_
#define _NNACCEL_HW_H_

#include <linux/types.h>

#include <nnaccel/nnaccel_regs.h>

struct module;
struct nnaccel_bo;
struct nnaccel_device;
struct nnaccel_mapping;
struct nnaccel_vm;
struct sg_table;

/**
 * struct nnaccel_mem_ops - how a device reaches memory of the host
 *
 * Process context. The core is the only caller, and frees nothing that the device may still write.
 */
struct nnaccel_mem_ops {
	/** @init: before any other; 0 or a negative errno. NULL: nothing to do */
	int (*init)(struct nnaccel_device *ndev);
	/**
	 * @alloc: memory of zeros that host and device share, for rings, tables and answers, with
	 * its address as the device sees it; whole pages of the device are aligned to pages. NULL:
	 * there is none
	 */
	void *(*alloc)(struct nnaccel_device *ndev, size_t size, u64 *addr);
	/**
	 * @free: free what @alloc returned, once the device cannot reach it; also in the fence
	 * path, where it may sleep
	 */
	void (*free)(struct nnaccel_device *ndev, size_t size, void *mem, u64 addr);
	/**
	 * @map: give the pinned pages of a BO addresses for the device, in their table, which for
	 * an import has them, and set nnaccel_bo.sync_bytes; 0 or a negative errno. NULL: the
	 * device needs none
	 */
	int (*map)(struct nnaccel_bo *bo, struct sg_table *sgt);
	/** @unmap: undo @map; NULL as @map */
	void (*unmap)(struct nnaccel_bo *bo, struct sg_table *sgt);
	/**
	 * @sync: hand a BO to the device before a job, or back after it, if sync_bytes is not 0.
	 * May copy; neither allocates nor waits
	 */
	void (*sync)(struct nnaccel_bo *bo, struct sg_table *sgt, bool for_device);
};

/**
 * struct nnaccel_vm_ops - the address space of a client, as the device sees it
 *
 * Process context. The others are called between @create and @destroy, but @invalidate, which may
 * be under way while @destroy is called. A device that reaches an address gets the memory that is
 * mapped there, or an error.
 */
struct nnaccel_vm_ops {
	/** @create: make an empty address space; 0, -ENOSPC or -ENOMEM */
	int (*create)(struct nnaccel_vm *vm);
	/** @destroy: free all of it; the device does not reach it any more */
	void (*destroy)(struct nnaccel_vm *vm);
	/** @root: value of struct nnaccel_ctx_reg.pt_root */
	u64 (*root)(struct nnaccel_vm *vm);
	/**
	 * @map: let the device reach a BO, which is pinned, at the addresses of the mapping; 0 or a
	 * negative errno: it may reach a part, and @unmap follows. nnaccel_vm.lock is held
	 */
	int (*map)(struct nnaccel_mapping *mapping);
	/** @unmap: undo @map, but for what the device has cached. nnaccel_vm.lock is held */
	void (*unmap)(struct nnaccel_mapping *mapping);
	/**
	 * @invalidate: make the device forget unmapped addresses [va, va + size); waits, with no
	 * lock. 0: it cannot reach what was mapped there; otherwise it may, and recovery is under
	 * way
	 */
	int (*invalidate)(struct nnaccel_vm *vm, u64 va, u64 size);
};

/**
 * struct nnaccel_hw_ops - what a backend provides
 *
 * A backend finds the device, maps its register page (struct nnaccel_device.regs), checks magic and
 * layout, and calls nnaccel_device_init(). Its interrupt handlers call nnaccel_cq_irq(),
 * nnaccel_cq_thread() and nnaccel_event_irq().
 */
struct nnaccel_hw_ops {
	/** @name: name of the backend, for messages */
	const char *name;
	/**
	 * @owner: module with @mem and @vm, which stays until the last memory of the device is
	 * freed, also after the last close; NULL: the driver's own
	 */
	struct module *owner;
	/** @wedge_methods: how an administrator repairs the device, as in a "WEDGED=" uevent */
	const char *wedge_methods;
	/** @mem: memory of the host */
	const struct nnaccel_mem_ops *mem;
	/** @vm: address spaces */
	const struct nnaccel_vm_ops *vm;
	/**
	 * @doorbell: ring a doorbell; any context. Orders earlier stores to DMA memory before it
	 */
	void (*doorbell)(struct nnaccel_device *ndev, enum nnaccel_doorbell vector);
	/**
	 * @stop: make the device unable to access memory of the host, wherever it is in its work;
	 * waits for at most reset_ms, less once nnaccel_device.gone is set, unless @final.
	 * Process context, in the fence path: does not allocate. Return: whether it is proven that
	 * the device accesses no memory until @start, or until the driver gives it rings
	 */
	bool (*stop)(struct nnaccel_device *ndev, bool final);
	/**
	 * @start: let a device that was never started, or was stopped, run its firmware. Context as
	 * of @stop. 0 or a negative errno. NULL: it starts by itself
	 */
	int (*start)(struct nnaccel_device *ndev);
	/**
	 * @removed: whether the bus finds no device, which cuts it off from memory until it is
	 * reset; process context. NULL: never
	 */
	bool (*removed)(struct nnaccel_device *ndev);
	/**
	 * @power_on: give the device its clocks and supplies, so that registers can be used; 0 or a
	 * negative errno. Process context, outside of the fence path. NULL: the bus does that, or
	 * nothing has to. The backend has powered it on before nnaccel_device_init(), and powers it
	 * off after nnaccel_device_fini()
	 */
	int (*power_on)(struct nnaccel_device *ndev);
	/**
	 * @power_off: undo @power_on; the device sleeps. It may not be stopped, if there was no
	 * firmware to stop. @start follows the next @power_on
	 */
	void (*power_off)(struct nnaccel_device *ndev);
	/** @irq_request: install and enable the interrupt handlers */
	int (*irq_request)(struct nnaccel_device *ndev);
	/** @irq_release: remove the handlers; none is running on return */
	void (*irq_release)(struct nnaccel_device *ndev);
	/**
	 * @irq_enable: deliver interrupts, or keep them and wait for handlers that are running; may
	 * sleep. Handlers are installed with interrupts on
	 */
	void (*irq_enable)(struct nnaccel_device *ndev, bool on);
	/** @irq_sync: wait for handlers of completions that are running; may sleep */
	void (*irq_sync)(struct nnaccel_device *ndev);
};

#endif

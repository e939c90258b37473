/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface to the bus of the device. Common code is independent of the bus. */
#ifndef _NNACCEL_HW_H_
#define _NNACCEL_HW_H_

#include <linux/types.h>

#include <nnaccel/nnaccel_regs.h>

struct nnaccel_device;

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
	 * @doorbell: ring a doorbell; any context. Orders earlier stores to DMA memory before it
	 */
	void (*doorbell)(struct nnaccel_device *ndev, enum nnaccel_doorbell vector);
	/** @pull_reset: request reset number @req; any context. reset_ack acknowledges it */
	void (*pull_reset)(struct nnaccel_device *ndev, u32 req);
	/**
	 * @removed: whether the bus finds no device, which cuts it off from memory until it is
	 * reset; process context
	 */
	bool (*removed)(struct nnaccel_device *ndev);
	/** @irq_request: install and enable the interrupt handlers */
	int (*irq_request)(struct nnaccel_device *ndev);
	/** @irq_release: remove the handlers; none is running on return */
	void (*irq_release)(struct nnaccel_device *ndev);
	/**
	 * @irq_enable: deliver interrupts, or keep them and wait for handlers that are running; may
	 * sleep. Handlers are installed with interrupts on
	 */
	void (*irq_enable)(struct nnaccel_device *ndev, bool on);
	/** @irq_sync: wait for handlers that are running; may sleep */
	void (*irq_sync)(struct nnaccel_device *ndev);
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_PLATFORM_H_
#define _NNACCEL_PLATFORM_H_

struct platform_device;

/**
 * struct nnaccel_platform_data - platform data of devices that the device tree does not have
 *
 * A platform driver must have another name than each other, and rules and tools know the driver by
 * its name: a backend in another module registers none, but a device called "nnaccel_emu" with
 * this data, which is the first member of its own.
 */
struct nnaccel_platform_data {
	/** @probe: as of a platform driver */
	int (*probe)(struct platform_device *pdev);
	/** @remove: as of a platform driver */
	void (*remove)(struct platform_device *pdev);
};

int nnaccel_platform_register(void);
void nnaccel_platform_unregister(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and opening devices; IDevice. */
#ifndef NNHAL_DRIVER_H
#define NNHAL_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "device/nnhal_device.h"

/*
 * proxy_library.c: devices in other processes: libnnipc has them, which is a vendor library itself.
 * It is loaded when the first one is opened.
 */

struct nnhal_device;

/** Whether @spec names a device behind a process: "worker..." or "service..."; NULL does not. */
bool nnhal_proxy_spec(const char *spec);
/** nnhal_enumerate() of "worker..." or "service...". */
int nnhal_proxy_enumerate(const char *target, int (*found)(void *cookie, const char *spec),
			  void *cookie, char *message, size_t size);
/** nnhal_open() of such a device. */
int nnhal_proxy_open(const char *spec, struct nnhal_device **dev, char *message, size_t size);

/* cards.c: finding the accel nodes of the nnaccel driver. */

/**
 * Call @found with "accelN" for each node of our driver, until it returns nonzero. First come the
 * nodes that udev knows, in its order; then those that sysfs does not show, as in a container that
 * hides /sys: each is opened. Of these, one that may not be opened counts as ours, so that opening
 * it gives the reason; one of another driver does not.
 *
 * Return: 0, what @found returned, or -ENOMEM.
 */
int nnhal_cards_each(int (*found)(void *cookie, const char *spec), void *cookie);

/* idevice.c: IDevice over a transport. */

/** A device with all its methods. Takes @t over on success only. */
int nnhal_dev_create(struct nnhal_transport *t, struct nnhal_dev **dev, char *message, size_t size);

#endif

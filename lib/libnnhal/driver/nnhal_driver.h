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

/* idevice.c: IDevice over a transport. */

/** A device with all its methods. Takes @t over on success only. */
int nnhal_dev_create(struct nnhal_transport *t, struct nnhal_dev **dev, char *message, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice over a transport. Private to libnnhal. */
#ifndef NNHAL_IDEVICE_H
#define NNHAL_IDEVICE_H

#include "device/hal_device.h"

/** A device with all its methods. Takes @t over on success only. */
int nnhal_dev_create(struct nnhal_transport *t, struct nnhal_dev **dev, char *message, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice::getCapabilities. Private to libnnhal. */
#ifndef NNHAL_CAPABILITIES_H
#define NNHAL_CAPABILITIES_H

#include "device/hal_device.h"

void nnhal_capabilities(struct nnhal_dev *dev, struct nnhal_capabilities *caps);

#endif

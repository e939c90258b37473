/* SPDX-License-Identifier: Apache-2.0 */
/* What the subscribers of a device want of the hardware. On the device's thread. */
#ifndef SENSORD_DEMAND_H
#define SENSORD_DEMAND_H

#include "core/device_state.h"

/**
 * Have the hardware run as the subscriptions of all sensors want it; nothing if it does. 0; -errno:
 * it refused, and runs as before.
 */
int demand_update(struct sensor_device *device);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Events on their way to the sinks. On the device's thread. */
#ifndef SENSORD_DELIVERY_H
#define SENSORD_DELIVERY_H

#include "core/device_state.h"
#include "core/subscription.h"

/** The value that an on-change sensor has, for a new subscriber; nothing if it is not known. */
void delivery_last(struct subscription *s);
/** Wake the readers whose time has come, and note when the next one's comes. */
void delivery_wake(struct sensor_device *device, int64_t now_ns);
/** Send the changes that were deferred and whose time has come, and note when the next one's comes.
 */
void delivery_deferred(struct sensor_device *device);
/** Wake the client of @s for the events that were held back. */
void delivery_flush(const struct subscription *s);
/** The device is gone: tell all subscribers, and end their subscriptions. */
void delivery_end(struct sensor_device *device);

#endif

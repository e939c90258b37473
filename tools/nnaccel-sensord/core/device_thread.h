/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a device. */
#ifndef SENSORD_DEVICE_THREAD_H
#define SENSORD_DEVICE_THREAD_H

#include "core/device_state.h"

/** Start it; it has a reference to @device. 0 or -errno. */
int device_thread_start(struct sensor_device *device);
/** Have it end, and wait: every subscriber has its notice. Any thread but it. */
void device_thread_end(struct sensor_device *device);
/** Wait until no thread of a device is left. */
void device_threads_wait(void);

#endif

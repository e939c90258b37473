/* SPDX-License-Identifier: Apache-2.0 */
/* All sensors that are there. Handles count up and are not used again while the service runs. */
#ifndef SENSORD_SENSOR_LIST_H
#define SENSORD_SENSOR_LIST_H

#include "core/sensor_device.h"

/** An array of *@count that the caller frees; NULL with *@count 0: none, or no memory (-ENOMEM). */
int sensor_list_infos(struct nnsensors_info **infos, uint32_t *count);
/** The sensor of @handle; the caller has a reference to its device. NULL: there is none. */
struct sensor *sensor_list_get(int32_t handle);
/** The first of @type with its natural wake-up flavour, likewise. */
struct sensor *sensor_list_default(int32_t type);
/**
 * Call @changed (NULL: nothing) after each device_add(), device_remove() and device_lost(), with no
 * lock held: for backends that live on other devices (fusion). The call comes from the thread that
 * added or removed; for device_lost() from the device's own, whose mailbox is closed. Returns when
 * no call of the one before runs any more.
 */
void sensor_list_on_change(void (*changed)(void *cookie), void *cookie);
/** Remove all devices and wait for their threads. */
void sensor_list_clear(void);

/* ---- for device_life.c ---- */

/** Whether only one of them can be in the list. */
bool sensor_same_name(const struct sensor *a, const struct sensor *b);
/** Gives the handles. -EINVAL: a name is taken; @message says which. */
int sensor_list_add(struct sensor_device *device, char *message, size_t size);
/** Whether it was there: the caller takes over the list's reference. */
bool sensor_list_remove(struct sensor_device *device);
/** Any device, with a reference; NULL: there is none. */
struct sensor_device *sensor_list_any(void);
void sensor_list_changed(void);

#endif

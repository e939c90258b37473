/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of devices, and the devices that the configuration leaves out. Devices are appended, and
 * never move or leave. Appending is serialized: in the discovery, then by the lock of hotplug.c.
 */
#ifndef NNR_DEVICE_LIST_H
#define NNR_DEVICE_LIST_H

#include "registry/listed_device.h"

#define NNR_MAX_DEVICES 256u

/** What is in the list now. Any thread. */
uint32_t nnr_device_list_size(void);
/** NULL: @index is not below the size. */
struct nnr_device *nnr_device_list_get(uint32_t index);
/**
 * In a child: discard a discovery that another thread of the parent had begun; it has given out no
 * handle.
 */
void nnr_device_list_forget(void);
/** Append; the name is made unique. False: the list is full (logged), and the caller keeps it. */
bool nnr_device_list_append(struct nnr_device *device);

/** The number of the first pattern in @patterns that matches @name. NNR_NONE: none. */
uint32_t nnr_matching_pattern(const char *patterns, const char *name);
/** Whether the configuration has it in the list. */
bool nnr_device_enabled(const struct nnr_device *device);
/** Free a device that the configuration leaves out, and remember that. */
void nnr_device_leave_out(struct nnr_device *device);
/** Left out before: opening it again would be in vain. */
bool nnr_device_is_left_out(const struct nnhal_driver *driver, const char *spec);

#endif

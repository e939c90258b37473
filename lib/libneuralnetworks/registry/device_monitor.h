/* SPDX-License-Identifier: Apache-2.0 */
/* What udev knows of accel nodes. Calls with state are serialized by their callers. */
#ifndef NNR_DEVICE_MONITOR_H
#define NNR_DEVICE_MONITOR_H

#include <stdbool.h>

#include "nnhal.h"

/**
 * Listen for accel nodes that come and go. Failures are logged. Without it, devices are found at
 * the start, and lost ones by nnr_devices_refresh().
 */
void nnr_device_monitor_start(void);
void nnr_device_monitor_stop(void);
bool nnr_device_monitor_runs(void);
/** Whether a node came or went since the last call. */
bool nnr_device_monitor_news(void);

/**
 * The sysfs path of the device that the node of @hal belongs to (its PCI device), malloc'ed. NULL:
 * no node, or unknown. Names of nodes do not identify a device: a node's number stays in use as
 * long as the node is open, so a card that returns gets another one.
 */
char *nnr_device_find_place(struct nnhal_device *hal);

#endif

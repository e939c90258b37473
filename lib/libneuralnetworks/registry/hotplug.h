/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that come and go. A caller that is about to use devices looks for news of udev, so there
 * is no thread. A new device is appended to the list, behind nnapi-reference. A lost device stays,
 * and its calls answer DEVICE_UNAVAILABLE. When its library finds it again, in the same place and
 * with the same constant properties, it is opened behind its old handle. What was prepared on it
 * stays lost: the application compiles again.
 */
#ifndef NNR_HOTPLUG_H
#define NNR_HOTPLUG_H

#include "base/ndk.h"

/** The number of devices, after nnr_devices_refresh(). */
uint32_t nnr_num_devices(void);
/**
 * Notice new devices and reopen lost ones that are back. Cheap if nothing happened. Compilations
 * and queries for supported operations call it first.
 */
void nnr_devices_refresh(void);
/** The same without waiting for news of udev. */
void nnr_devices_rescan(void);
/** Wait until a lost device is back. Result code: NO_ERROR, UNAVAILABLE_DEVICE. */
int nnr_device_wait(ANeuralNetworksDevice *device);

#endif

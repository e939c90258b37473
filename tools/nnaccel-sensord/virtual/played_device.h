/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device whose sensors say what a recording says, at the pace of its stamps. It begins when the
 * first sensor is switched on, and again behind its end.
 */
#ifndef SENSORD_PLAYED_DEVICE_H
#define SENSORD_PLAYED_DEVICE_H

#include "core/sensor_device.h"
#include "values/recording.h"

/**
 * played_device_add() - a device of a recording's sensors
 * @name: of the device
 * @recording: taken over, also on failure
 * @prefix: before the sensors' names
 * @once: it ends at its end
 * @device: as of device_add(), as the result
 * @message: set to why a sensor is not valid
 */
int played_device_add(const char *name, struct nnsensors_recording *recording, const char *prefix,
		      bool once, struct sensor_device **device, char *message, size_t size);

#endif

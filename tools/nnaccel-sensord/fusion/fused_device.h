/* SPDX-License-Identifier: Apache-2.0 */
/* A device of fused sensors. */
#ifndef SENSORD_FUSED_DEVICE_H
#define SENSORD_FUSED_DEVICE_H

#include "fusion/fused_kinds.h"

/** What outlives the device of a group: steps are counted since boot, whatever comes and goes. */
struct fused_memory {
	uint64_t steps;
};

/**
 * fused_device_add() - a device with the sensors @kinds (KIND_BIT) of @group
 *
 * Takes over the references to the bases' devices, also on failure. @memory is the device's
 * thread's while the device lives. Return: as device_add().
 */
int fused_device_add(enum fused_group group, unsigned int kinds,
		     struct sensor *const bases[NUM_BASES], struct fused_memory *memory,
		     struct sensor_device **device);

#endif

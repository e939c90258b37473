/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of generated sensors. A sample is computed for the moment at which it is due, and has
 * that stamp: a machine that was too busy to look is late with its samples, but loses none, up to
 * virtual_catch_up_ns.
 */
#ifndef SENSORD_VIRTUAL_DEVICE_H
#define SENSORD_VIRTUAL_DEVICE_H

#include "virtual/virtual_config.h"

/** 500 ms; tests set another one before there is a device. */
extern int64_t virtual_catch_up_ns;

/** A device of @n sensors of a file, which are copied. As device_add(). */
int virtual_device_add(const char *name, const struct virtual_sensor *const *sensors,
		       unsigned int n, struct sensor_device **device);

#endif

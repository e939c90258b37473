/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensors from a file: generated (constant, sine, noise, steps) or recorded by "nnctl sensors
 * record". For tests and for people without sensors; the format is in Documentation/sensors.rst.
 */
#ifndef SENSORD_VIRTUAL_SENSORS_H
#define SENSORD_VIRTUAL_SENSORS_H

#include <stddef.h>

/** Add the devices that file @path describes. 0; -EINVAL, -ENOENT...: @message says which line. */
int virtual_sensors_add(const char *path, char *message, size_t size);

#endif

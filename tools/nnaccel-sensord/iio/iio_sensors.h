/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of the kernel's Industrial I/O subsystem, as they come and go. */
#ifndef SENSORD_IIO_SENSORS_H
#define SENSORD_IIO_SENSORS_H

/** Add the devices that are there and watch for others (uevents by libudev, in a thread). 0 or
 * -errno. */
int iio_sensors_start(void);
/** End the watch. Devices stay until sensor_list_clear(). */
void iio_sensors_stop(void);

#endif

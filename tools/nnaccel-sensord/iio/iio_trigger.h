/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a device fill its buffer: a trigger of its own, or a timer of the kernel. */
#ifndef SENSORD_IIO_TRIGGER_H
#define SENSORD_IIO_TRIGGER_H

#include "iio/iio_unit.h"

/**
 * iio_trigger_set() - give the device a trigger
 * @unit: the device; its buffer is not enabled
 * @period_ns: between samples, if it is a timer that makes them
 * @actual_ns: set to the timer's period; as it is, if it is no timer
 *
 * The device's own data-ready trigger; else the one that it has; else an hrtimer trigger made
 * through configfs. A device without triggers fills its buffer by itself.
 *
 * Return: 0; -ENXIO: there is none that it takes.
 */
int iio_trigger_set(const struct iio_unit *unit, int64_t period_ns, int64_t *actual_ns);
/** Remove what iio_trigger_set() has made for the device. */
void iio_trigger_drop(const struct iio_unit *unit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* IIO devices as devices of the service. */
#ifndef SENSORD_IIO_BACKEND_H
#define SENSORD_IIO_BACKEND_H

#include "iio/iio_unit.h"

/**
 * iio_backend_add() - make a device of the service of one of libiio
 * @device: of a context; not needed afterwards
 * @places: stays the caller's, as long as the device lives
 * @added: set to the device, a reference of the caller's; NULL with 0: it has no sensors
 */
int iio_backend_add(const struct iio_device *device, const struct iio_places *places,
		    struct sensor_device **added);

#endif

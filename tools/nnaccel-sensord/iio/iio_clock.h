/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a device's timestamps. IIO's default is the time of day; the service's is
 * CLOCK_BOOTTIME. Where a device does not take that, its clock is compared with it now and then.
 */
#ifndef SENSORD_IIO_CLOCK_H
#define SENSORD_IIO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** struct iio_clock - one thread at a time */
struct iio_clock {
	clockid_t id; /* of the timestamps */
	bool none; /* a clock that cannot be read */
	int64_t offset_ns; /* boottime - clock */
	int64_t measured_ns; /* when, boottime */
};

/** Set the device's clock, before its buffer is enabled. */
void iio_clock_set(struct iio_clock *clock, int dir);
/** A timestamp as CLOCK_BOOTTIME; @now_ns: the time now, in case that it means nothing. */
int64_t iio_clock_boottime(struct iio_clock *clock, int64_t timestamp, int64_t now_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Scans from a device's buffer. All on the device's thread. */
#ifndef SENSORD_IIO_STREAM_H
#define SENSORD_IIO_STREAM_H

#include "iio/iio_clock.h"
#include "iio/iio_unit.h"

#define IIO_STREAM_BYTES 16384u

/** struct iio_plan - what a buffer shall give: @sensors by bit; 0: it is off */
struct iio_plan {
	uint32_t sensors;
	int64_t period_ns;
	uint32_t watermark; /* scans that may wait in it */
};

struct iio_stream {
	struct iio_unit *unit;
	int node; /* of the device; stays the owner's */
	struct iio_plan plan;
	int64_t period_ns; /* that it runs at */
	size_t scan_size, held; /* bytes of a scan; bytes in @buffer of one that is not whole */
	bool stamped;
	struct iio_element stamps[2]; /* where a scan has its time: the first that is not 0 */
	int64_t started_ns, last_stamp; /* the device's, of the scan before */
	struct iio_clock clock;
	_Alignas(8) uint8_t buffer[IIO_STREAM_BYTES];
};

/**
 * Set the device up and enable its buffer. -ENXIO: nothing triggers it; -errno of the driver: the
 * buffer is off.
 */
int iio_stream_start(struct iio_stream *stream, const struct iio_plan *plan);
/** The buffer is off afterwards, unless the device is gone. */
void iio_stream_stop(struct iio_stream *stream);
/**
 * Give every scan that waits to @each, with its time. 0; -ENODEV: the device is gone.
 */
int iio_stream_read(struct iio_stream *stream,
		    void (*each)(void *cookie, const uint8_t *scan, int64_t timestamp_ns),
		    void *cookie);

#endif

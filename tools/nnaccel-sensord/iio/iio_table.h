/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sensors IIO's channels make, and how their values become those of the sensor types: a row
 * is all that a kind is. An IIO value is (raw + offset) * scale, in the unit of the kernel's ABI.
 */
#ifndef SENSORD_IIO_TABLE_H
#define SENSORD_IIO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"

#define IIO_KIND_CHANNELS 3u

/** enum iio_value - how the channels' values become an event */
enum iio_value {
	IIO_VALUE_SCALAR,
	IIO_VALUE_VEC3, /* three channels, turned by the mount matrix */
	IIO_VALUE_UNCAL, /* as VEC3, without the calibration's bias, and the bias */
	IIO_VALUE_QUATERNION, /* one channel that repeats four times: x y z w */
	IIO_VALUE_COUNT, /* a u64 */
	IIO_VALUE_PULSE, /* an event for each time that the count went up */
	IIO_VALUE_NEAR, /* without a unit, larger is nearer: 0 from the threshold on, else the range
			 */
};

/**
 * struct iio_kind - a kind of sensor
 * @type: enum nnsensors_type
 * @driver: name of the only device that the row is for; NULL: any that has no row of its own
 * @channels: their names, NULL behind the last one
 * @value: what becomes of them
 * @factor: from the ABI's unit to the sensor type's
 * @max_range: in the sensor type's unit, if the device does not tell
 * @resolution: likewise
 * @event: of the channel, in events/, that comes when the value changed; NULL: there is none
 * @partly: it does not come for each change: the value is read by a timer as well
 * @unless: not if the device has a channel of this name as well; NULL: whatever it has
 * @still: not if the device measures motion: then it is the chip's own
 */
struct iio_kind {
	int32_t type;
	const char *driver;
	const char *channels[IIO_KIND_CHANNELS];
	enum iio_value value;
	double factor, max_range, resolution;
	const char *event, *unless;
	bool partly, still;
};

/** The i-th row; NULL: there are no more. */
const struct iio_kind *iio_kind_at(size_t i);
/** Whether the row is for a device called @name: not another one's, nor is another one its own. */
bool iio_kind_applies(const struct iio_kind *kind, const char *name);
unsigned int iio_kind_channels(const struct iio_kind *kind);

/** A channel's number: "proximity1" is number 1 of "proximity". -1: it has none. -2: no such one.
 */
int iio_channel_number(const char *channel, const char *of);

/**
 * The payload of a kind.
 * @matrix: mount matrix
 * @values: of the channels, in the sensor type's unit; 4 of a quaternion; of NEAR the raw value
 * @biases: of the channels; UNCAL alone
 * @limit: NEAR: the threshold
 * @max_range: NEAR: the sensor's
 */
void iio_kind_payload(const struct iio_kind *kind, const double matrix[9], const double *values,
		      const double *biases, double limit, float max_range,
		      union nnsensors_payload *payload);

#endif

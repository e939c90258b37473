/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scan: what a buffer gives at once, the enabled elements in the order of their indices. Each is
 * aligned to its own size (storage bits times repeats), and the scan is padded to the largest of
 * these. An element is loaded, byte-swapped, shifted right, cut to its bits and sign-extended.
 */
#ifndef SENSORD_IIO_SCAN_H
#define SENSORD_IIO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Repeats of an element: a quaternion has 4. */
#define IIO_REPEAT_MAX 16u

/**
 * struct iio_element - how an element is encoded, and where it is in the scan
 * @bytes: of one value in storage: 1, 2, 4 or 8
 * @bits: of it that mean something, above @shift others
 * @repeat: values one after the other
 * @offset: in the scan; set by iio_scan_place()
 */
struct iio_element {
	unsigned int bytes, bits, shift, repeat;
	bool is_signed, big_endian;
	size_t offset;
};

struct iio_data_format;

/** From what libiio read. -EINVAL: no encoding that the ABI knows. */
int iio_element_from_format(struct iio_element *element, const struct iio_data_format *format);

/**
 * Where an element that follows begins: @end is the end of the one before, 0 for the first.
 * @largest, first 0, becomes the largest alignment. Return: the end of this element.
 */
size_t iio_scan_place(struct iio_element *element, size_t end, size_t *largest);
/** Bytes of a scan whose last element ends at @end. */
size_t iio_scan_size(size_t end, size_t largest);

/** Value number @repeat of an element in the scan. Unsigned values of 64 bits wrap around. */
int64_t iio_element_integer(const struct iio_element *element, const uint8_t *scan,
			    unsigned int repeat);
/** The same as a number. */
double iio_element_value(const struct iio_element *element, const uint8_t *scan,
			 unsigned int repeat);

#endif

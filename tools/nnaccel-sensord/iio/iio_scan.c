// SPDX-License-Identifier: Apache-2.0
/* Scans: layout, and decoding of their elements. */
#include <endian.h>
#include <errno.h>
#include <iio.h>
#include <string.h>

#include "iio/sensord_iio.h"

int iio_element_from_format(struct iio_element *element, const struct iio_data_format *format)
{
	struct iio_element e = {
		.bytes = format->length / 8,
		.bits = format->bits,
		.shift = format->shift,
		.repeat = format->repeat ? format->repeat : 1,
		.is_signed = format->is_signed,
		.big_endian = format->is_be,
	};

	if (format->length != 8 && format->length != 16 && format->length != 32 &&
	    format->length != 64)
		return -EINVAL;
	if (!e.bits || e.bits > format->length || e.shift > format->length - e.bits)
		return -EINVAL;
	if (e.repeat > IIO_REPEAT_MAX)
		return -EINVAL;
	*element = e;
	return 0;
}

size_t iio_scan_place(struct iio_element *element, size_t end, size_t *largest)
{
	size_t size = (size_t)element->bytes * element->repeat;

	element->offset = (end + size - 1) / size * size;
	if (size > *largest)
		*largest = size;
	return element->offset + size;
}

size_t iio_scan_size(size_t end, size_t largest)
{
	return largest ? (end + largest - 1) / largest * largest : 0;
}

static uint64_t iio_scan_load(const struct iio_element *element, const uint8_t *at)
{
	union {
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} word;

	switch (element->bytes) {
	case 1:
		return *at;
	case 2:
		memcpy(&word.u16, at, 2);
		return element->big_endian ? be16toh(word.u16) : le16toh(word.u16);
	case 4:
		memcpy(&word.u32, at, 4);
		return element->big_endian ? be32toh(word.u32) : le32toh(word.u32);
	default:
		memcpy(&word.u64, at, 8);
		return element->big_endian ? be64toh(word.u64) : le64toh(word.u64);
	}
}

int64_t iio_element_integer(const struct iio_element *element, const uint8_t *scan,
			    unsigned int repeat)
{
	uint64_t word =
		iio_scan_load(element, scan + element->offset + (size_t)repeat * element->bytes);
	unsigned int above = 64 - element->bits;

	word = word >> element->shift << above;
	return element->is_signed ? (int64_t)word >> above : (int64_t)(word >> above);
}

double iio_element_value(const struct iio_element *element, const uint8_t *scan,
			 unsigned int repeat)
{
	int64_t value = iio_element_integer(element, scan, repeat);

	return element->is_signed ? (double)value : (double)(uint64_t)value;
}

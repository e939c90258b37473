// SPDX-License-Identifier: Apache-2.0
/*
 * Scans: every encoding that the ABI has, as libiio reads it (through its XML contexts), against
 * libiio's own conversion and against a decoder that goes bit by bit.
 */

#include <errno.h>
#include <iio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iio/sensord_iio.h"
#include "iio_fixture.h"
#include "test_case.h"

#define CHANNELS_MAX 12u
#define SCAN_MAX (CHANNELS_MAX * 16u * 8u + 128u)

static uint64_t random_state = 1;

static uint32_t number(uint32_t below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % below;
}

struct encoding {
	bool big_endian, is_signed;
	unsigned int bits, storage, repeat, shift;
};

static struct iio_context *context_of(const struct encoding *encodings, unsigned int count)
{
	char xml[8192];
	size_t size;
	struct iio_context *context;

	size = (size_t)snprintf(xml, sizeof(xml), "%s<device id=\"iio:device0\" name=\"test\">",
				iio_xml_begin);
	for (unsigned int i = 0; i < count; i++) {
		const struct encoding *e = &encodings[i];
		char repeat[16] = "";

		if (e->repeat != 1)
			snprintf(repeat, sizeof(repeat), "X%u", e->repeat);
		size += (size_t)snprintf(
			xml + size, sizeof(xml) - size,
			"<channel id=\"voltage%u\" type=\"input\"><scan-element "
			"index=\"%u\" format=\"%s:%c%u/%u%s&gt;&gt;%u\" /></channel>",
			i, i, e->big_endian ? "be" : "le", e->is_signed ? 's' : 'u', e->bits,
			e->storage, repeat, e->shift);
	}
	size += (size_t)snprintf(xml + size, sizeof(xml) - size, "</device></context>");
	assert_true(size < sizeof(xml));
	context = iio_create_xml_context_mem(xml, size);
	assert_non_null(context);
	return context;
}

static const struct iio_channel *channel_of(const struct iio_context *context, unsigned int i)
{
	char id[32];
	const struct iio_channel *channel;

	snprintf(id, sizeof(id), "voltage%u", i);
	channel = iio_device_find_channel(iio_context_get_device(context, 0), id, false);
	assert_non_null(channel);
	return channel;
}

/* Bit by bit, from the least of the value on. */
static int64_t decode(const struct encoding *e, const uint8_t *at)
{
	unsigned int bytes = e->storage / 8;
	uint64_t value = 0;

	for (unsigned int bit = 0; bit < e->bits; bit++) {
		unsigned int place = bit + e->shift;
		unsigned int byte = e->big_endian ? bytes - 1 - place / 8 : place / 8;

		if (at[byte] & 1u << place % 8)
			value |= 1ull << bit;
	}
	if (e->is_signed && value & 1ull << (e->bits - 1))
		for (unsigned int bit = e->bits; bit < 64; bit++)
			value |= 1ull << bit;
	return (int64_t)value;
}

/* libiio's: the value in the machine's order, of the storage's size. */
static int64_t convert(const struct iio_channel *channel, const struct encoding *e,
		       const uint8_t *at, unsigned int repeat)
{
	uint8_t converted[16 * 8] = { 0 };
	uint64_t value = 0;

	iio_channel_convert(channel, converted, at);
	memcpy(&value, converted + repeat * (e->storage / 8), e->storage / 8);
	if (e->is_signed && e->storage < 64 && value >> (e->storage - 1))
		value |= UINT64_MAX << e->storage;
	return (int64_t)value;
}

static struct encoding random_encoding(void)
{
	static const unsigned int repeats[] = { 1, 1, 1, 2, 4, 8 };
	struct encoding e = { .big_endian = number(2),
			      .is_signed = number(2),
			      .storage = 8u << number(4),
			      .repeat = repeats[number(6)] };

	e.bits = 1 + number(e.storage);
	e.shift = number(e.storage - e.bits + 1);
	return e;
}

static void check_scan(const struct encoding *encodings, unsigned int count)
{
	struct iio_context *context = context_of(encodings, count);
	size_t end = 0, largest = 0, expected = 0, alignment = 1, size;
	uint8_t *scan = malloc(SCAN_MAX);

	assert_non_null(scan);
	for (unsigned int i = 0; i < SCAN_MAX; i++)
		scan[i] = (uint8_t)number(256);
	for (unsigned int i = 0; i < count; i++) {
		const struct encoding *e = &encodings[i];
		const struct iio_channel *channel = channel_of(context, i);
		struct iio_element element;
		size_t own = (size_t)e->storage / 8 * e->repeat;

		assert_int_equal(
			iio_element_from_format(&element, iio_channel_get_data_format(channel)), 0);
		end = iio_scan_place(&element, end, &largest);
		while (expected % own)
			expected++;
		assert_int_equal(element.offset, expected);
		for (unsigned int r = 0; r < e->repeat; r++) {
			const uint8_t *at = scan + expected + (size_t)r * (e->storage / 8);
			int64_t value = iio_element_integer(&element, scan, r);

			assert_int_equal(value, decode(e, at));
			assert_int_equal(value, convert(channel, e, scan + expected, r));
			if (!e->is_signed)
				assert_true(iio_element_value(&element, scan, r) ==
					    (double)(uint64_t)value);
			else
				assert_true(iio_element_value(&element, scan, r) == (double)value);
		}
		expected += own;
		alignment = own > alignment ? own : alignment;
	}
	size = iio_scan_size(end, largest);
	while (expected % alignment)
		expected++;
	assert_int_equal(size, expected);
	free(scan);
	iio_context_destroy(context);
}

/* Each encoding alone: order, sign, storage, bits and shift. */
TEST(test_every_encoding)
{
	for (unsigned int storage = 8; storage <= 64; storage *= 2)
		for (unsigned int bits = 1; bits <= storage; bits++)
			for (unsigned int shift = 0; shift <= storage - bits;
			     shift += 1 + storage / 16)
				for (unsigned int kind = 0; kind < 4; kind++) {
					const struct encoding e = { kind & 1, kind & 2, bits,
								    storage,  1,	shift };

					check_scan(&e, 1);
				}
}

TEST(test_random_scans)
{
	struct encoding encodings[CHANNELS_MAX];

	for (unsigned int round = 0; round < 3000; round++) {
		unsigned int count = 1 + number(CHANNELS_MAX);

		for (unsigned int i = 0; i < count; i++)
			encodings[i] = random_encoding();
		check_scan(encodings, count);
	}
}

/* The contract's: u16, u32, u32, u64; and 3 x 16 bits with a time stamp. */
TEST(test_known_layouts)
{
	static const unsigned int sizes[2][4] = { { 2, 4, 4, 8 }, { 2, 2, 2, 8 } };
	static const size_t offsets[2][4] = { { 0, 4, 8, 16 }, { 0, 2, 4, 8 } };
	static const size_t totals[2] = { 24, 16 };

	for (int k = 0; k < 2; k++) {
		size_t end = 0, largest = 0;

		for (int i = 0; i < 4; i++) {
			struct iio_element e = { .bytes = sizes[k][i], .repeat = 1 };

			end = iio_scan_place(&e, end, &largest);
			assert_int_equal(e.offset, offsets[k][i]);
		}
		assert_int_equal(iio_scan_size(end, largest), totals[k]);
	}
	assert_int_equal(iio_scan_size(0, 0), 0);
}

TEST(test_refused)
{
	static const struct iio_data_format formats[] = {
		{ .length = 0, .bits = 8 },
		{ .length = 24, .bits = 8 },
		{ .length = 128, .bits = 8 },
		{ .length = 16, .bits = 0 },
		{ .length = 16, .bits = 17 },
		{ .length = 16, .bits = 12, .shift = 5 },
		{ .length = 16, .bits = 12, .shift = UINT32_MAX },
		{ .length = 16, .bits = UINT32_MAX },
		{ .length = 16, .bits = 16, .repeat = 17 },
		{ .length = UINT32_MAX, .bits = UINT32_MAX },
	};
	struct iio_element e;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		assert_int_equal(iio_element_from_format(&e, &formats[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_encoding),
		cmocka_unit_test(test_random_scans),
		cmocka_unit_test(test_known_layouts),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

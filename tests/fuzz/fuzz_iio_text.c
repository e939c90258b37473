// SPDX-License-Identifier: Apache-2.0
/*
 * Attribute files of IIO devices whose texts are hostile: numbers, lists, ranges, matrices, names,
 * and encodings of scan elements. What is taken is finite and within its limits.
 */
#include <iio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "text_mutations.h"
#include "iio/sensord_iio.h"

#define MAX_SIZE 4096u

static const char *const texts[] = {
	"0.000598550\n",
	"-1024",
	"12.500000 26.000000 52.000000 104.000000 208.000000 416.000000\n",
	"[0.781250 0.781250 3200.000000]\n",
	"[0 1 4095]",
	"0, 1, 0; -1, 0, 0; 0, 0, 1\n",
	"0.707,-0.707,0;0.707,0.707,0;0,0,-1",
	"bmi160 \xc3\xa4\n",
	"accel_linear_x",
	"proximity12",
};

static const char *const words[] = {
	"[",
	"]",
	" ",
	",",
	";",
	"-",
	".",
	"e9",
	"1e15",
	"1e16",
	"nan",
	"inf",
	"0x1",
	"1 ",
	"\n",
	"_x",
	"0, 0, 1;",
	"99999999999999999999",
	"0.0000000000000001",
	NULL,
};

static uint64_t rounds_done, numbers, lists, matrices;

static bool is_number(double value)
{
	return isfinite(value) && fabs(value) <= IIO_TEXT_LIMIT;
}

static void check_numbers(const char *text)
{
	double value, values[IIO_TEXT_NUMBERS];
	char again[64];
	unsigned int count;

	if (!iio_text_number(text, &value)) {
		fuzz_require(is_number(value), "a number outside the limits");
		fuzz_require(iio_text_period(value) >= 0, "a period below 0");
		iio_text_of_number(value, again, sizeof(again));
		fuzz_require(!iio_text_numbers(again, values, IIO_TEXT_NUMBERS, &count) &&
				     count == 1,
			     "what is written cannot be read");
		numbers++;
	}
	if (!iio_text_numbers(text, values, 3, &count))
		fuzz_require(count >= 1 && count <= 3, "more numbers than there is room for");
}

static void check_available(const char *text)
{
	struct iio_available a;

	if (iio_text_available(text, &a))
		return;
	lists++;
	if (a.range) {
		fuzz_require(is_number(a.min) && is_number(a.step) && is_number(a.max),
			     "a limit is none");
		fuzz_require(a.min <= a.max && a.step >= 0, "a range that is none");
		return;
	}
	fuzz_require(a.count >= 1 && a.count <= IIO_TEXT_NUMBERS, "a list without numbers");
	for (unsigned int i = 0; i < a.count; i++)
		fuzz_require(is_number(a.values[i]), "a value outside the limits");
}

static void check_matrix(const char *text)
{
	double m[9], length;

	if (iio_text_matrix(text, m))
		return;
	matrices++;
	for (int row = 0; row < 3; row++) {
		length = m[3 * row] * m[3 * row] + m[3 * row + 1] * m[3 * row + 1] +
			 m[3 * row + 2] * m[3 * row + 2];
		fuzz_require(fabs(length - 1) <= 1e-6, "a row is not of length 1");
	}
}

static void check_names(const char *text)
{
	char name[16];
	const struct iio_kind *kind;

	iio_text_name(text, name, sizeof(name));
	for (size_t i = 0; name[i]; i++)
		fuzz_require(name[i] >= ' ' && name[i] <= '~', "a name that cannot be printed");
	for (size_t i = 0; (kind = iio_kind_at(i)); i++)
		fuzz_require(iio_channel_number(text, kind->channels[0]) <= 9999, "a large number");
}

/* The bytes as an encoding, and a scan of exactly its size. */
static void check_element(const uint8_t *data, size_t size)
{
	struct iio_data_format format = { 0 };
	struct iio_element e;
	size_t end, largest = 0;
	uint8_t *scan;
	int64_t value;

	if (size < 8)
		return;
	format.length = data[0] & 1 ? 8u << (data[0] >> 1) % 4 : data[0];
	format.bits = data[1];
	format.shift = data[2];
	format.repeat = data[3];
	format.is_signed = data[4] & 1;
	format.is_be = data[4] & 2;
	if (iio_element_from_format(&e, &format))
		return;
	end = iio_scan_place(&e, data[5], &largest);
	fuzz_require(e.offset >= data[5] && iio_scan_size(end, largest) >= end,
		     "an element that overlaps");
	scan = malloc(end);
	if (!scan)
		abort();
	for (size_t i = 0; i < end; i++)
		scan[i] = data[i % size];
	for (unsigned int r = 0; r < e.repeat; r++) {
		value = iio_element_integer(&e, scan, r);
		if (e.bits < 64)
			fuzz_require(e.is_signed ? value >= -(1ll << (e.bits - 1)) &&
							   value < 1ll << (e.bits - 1)
						 : value >= 0 && value < 1ll << e.bits,
				     "a value of more bits");
	}
	free(scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > MAX_SIZE)
		return 0;
	text = fuzz_copy_text(data, size);
	check_numbers(text);
	check_available(text);
	check_matrix(text);
	check_names(text);
	check_element(data, size);
	free(text);
	rounds_done++;
	return 0;
}

/* ---- for the driver ---- */

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	return fuzz_mutate_text(data, size, MAX_SIZE, words, random);
}

static size_t seeds(struct fuzz_seed **list)
{
	char name[32];
	size_t count = 0;

	*list = NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(name, sizeof(name), "text%zu", i);
		fuzz_add_seed(list, &count, name, texts[i], strlen(texts[i]));
	}
	return count;
}

static bool reached(uint64_t rounds)
{
	return rounds_done >= rounds && numbers >= rounds / 50 && lists >= rounds / 20 &&
	       matrices >= rounds / 200;
}

static void report(void)
{
	printf("%llu numbers, %llu lists, %llu matrices\n", (unsigned long long)numbers,
	       (unsigned long long)lists, (unsigned long long)matrices);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".txt",
	.seeds = seeds,
	.mutate = mutate,
	.reached = reached,
	.report = report,
};

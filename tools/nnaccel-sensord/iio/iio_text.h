/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What drivers write into attribute files, parsed strictly. A driver is not hostile, but its
 * numbers may come from a device that was plugged in a moment ago: nothing here is believed before
 * it is checked. White space around a text is no part of it; everything else must be as documented.
 */
#ifndef SENSORD_IIO_TEXT_H
#define SENSORD_IIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers in a list that are taken; those behind are left out. */
#define IIO_TEXT_NUMBERS 64u
/** No attribute of a sensor is larger. */
#define IIO_TEXT_LIMIT 1e15

/** A number. 0; -EINVAL: it is none; -ERANGE: larger than IIO_TEXT_LIMIT. */
int iio_text_number(const char *text, double *value);
/** Numbers with white space between them, 1 to @max, all that are there: as many as *@count. */
int iio_text_numbers(const char *text, double *values, unsigned int max, unsigned int *count);

/**
 * struct iio_available - what an attribute can be set to
 * @range: any from @min to @max, in steps of @step; else the list
 */
struct iio_available {
	bool range;
	double min, step, max;
	unsigned int count;
	double values[IIO_TEXT_NUMBERS];
};

/** "[min step max]", or a list. */
int iio_text_available(const char *text, struct iio_available *available);

/**
 * A mount matrix: "a, b, c; d, e, f; g, h, i", row by row. Its rows are lengthened or shortened to
 * 1 if they are within 10 % of it. -EINVAL: no such text, or no rotation or reflection.
 */
int iio_text_matrix(const char *text, double matrix[9]);

/** Printable ASCII of @text, without leading and trailing space; anything else becomes '_'. */
void iio_text_name(const char *text, char *name, size_t size);

/** ns between samples at @hz, rounded to the nearest; 0: not between 1 ns and a day. */
int64_t iio_text_period(double hz);
/** A number as drivers take it: without a fraction if it has none, with 6 digits otherwise. */
void iio_text_of_number(double value, char *text, size_t size);

#endif

// SPDX-License-Identifier: Apache-2.0
/* Texts of attribute files. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nnutil_clock.h"
#include "nnutil_text.h"

#include "iio/sensord_iio.h"

#define TOKEN_MAX 40u
#define DAY_NS (86400 * NNUTIL_NS_PER_S)
/* Drivers write a matrix with few digits: how far a row may be from length 1, and from the next. */
#define MATRIX_SLACK 0.1

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *text)
{
	while (is_space(*text))
		text++;
	return text;
}

/* The number at *@text, which ends at white space, at one of @ends, or at the end. */
static int scan_number(const char **text, const char *ends, double *value)
{
	char token[TOKEN_MAX];
	size_t size = 0;
	double found;
	int ret;

	while ((*text)[size] && !is_space((*text)[size]) && !strchr(ends, (*text)[size]))
		if (++size >= sizeof(token))
			return -EINVAL;
	memcpy(token, *text, size);
	token[size] = '\0';
	ret = nnutil_parse_double(token, -IIO_TEXT_LIMIT, IIO_TEXT_LIMIT, &found);
	if (ret)
		return ret;
	*value = found;
	*text += size;
	return 0;
}

int iio_text_number(const char *text, double *value)
{
	double found;
	int ret;

	text = skip_space(text);
	ret = scan_number(&text, "", &found);
	if (ret)
		return ret;
	if (*skip_space(text))
		return -EINVAL;
	*value = found;
	return 0;
}

int iio_text_numbers(const char *text, double *values, unsigned int max, unsigned int *count)
{
	unsigned int n = 0;
	double value;
	int ret;

	for (text = skip_space(text); *text; text = skip_space(text)) {
		ret = scan_number(&text, "", &value);
		if (ret)
			return ret;
		if (n < max)
			values[n++] = value;
	}
	if (!n)
		return -EINVAL;
	*count = n;
	return 0;
}

static int scan_range(const char *text, struct iio_available *available)
{
	double *const parts[] = { &available->min, &available->step, &available->max };
	int ret;

	for (int i = 0; i < 3; i++) {
		text = skip_space(text);
		ret = scan_number(&text, "]", parts[i]);
		if (ret)
			return ret;
	}
	text = skip_space(text);
	if (*text != ']' || *skip_space(text + 1))
		return -EINVAL;
	if (available->min > available->max || available->step < 0)
		return -EINVAL;
	available->range = true;
	return 0;
}

int iio_text_available(const char *text, struct iio_available *available)
{
	*available = (struct iio_available){ 0 };
	text = skip_space(text);
	if (*text == '[')
		return scan_range(text + 1, available);
	return iio_text_numbers(text, available->values, IIO_TEXT_NUMBERS, &available->count);
}

/* Rows of length 1 that are perpendicular to each other, as far as few digits can say it. */
static bool normalise(double m[9])
{
	double length, dot;

	for (int row = 0; row < 3; row++) {
		double *r = m + 3 * row;

		length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
		if (!(fabs(length - 1) <= MATRIX_SLACK))
			return false;
		for (int i = 0; i < 3; i++)
			r[i] /= length;
	}
	for (int row = 0; row < 3; row++) {
		const double *a = m + 3 * row, *b = m + 3 * ((row + 1) % 3);

		dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
		if (!(fabs(dot) <= MATRIX_SLACK))
			return false;
	}
	return true;
}

int iio_text_matrix(const char *text, double matrix[9])
{
	static const char separators[] = ",,;,,;,,";
	double found[9];
	int ret;

	for (int i = 0; i < 9; i++) {
		text = skip_space(text);
		ret = scan_number(&text, ",;", &found[i]);
		if (ret)
			return ret;
		text = skip_space(text);
		if (*text != separators[i])
			return -EINVAL;
		if (separators[i])
			text++;
	}
	if (!normalise(found))
		return -EINVAL;
	memcpy(matrix, found, sizeof(found));
	return 0;
}

void iio_text_name(const char *text, char *name, size_t size)
{
	size_t length;

	text = skip_space(text);
	length = strlen(text);
	while (length && is_space(text[length - 1]))
		length--;
	if (length >= size)
		length = size - 1;
	for (size_t i = 0; i < length; i++)
		name[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '_';
	name[length] = '\0';
}

int64_t iio_text_period(double hz)
{
	double ns = (double)NNUTIL_NS_PER_S / hz;

	return ns >= 1 && ns <= (double)DAY_NS ? llround(ns) : 0;
}

void iio_text_of_number(double value, char *text, size_t size)
{
	if (value == floor(value))
		snprintf(text, size, "%.0f", value);
	else
		snprintf(text, size, "%.6f", value);
}

// SPDX-License-Identifier: Apache-2.0
/* Numbers in text. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#include "nnutil_text.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool hexadecimal(const char *p)
{
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16;
}

int nnutil_scan_u64(const char **text, int base, uint64_t min, uint64_t max, uint64_t *value)
{
	const char *p = *text;
	uint64_t n = 0;
	bool over = false;
	int d;

	if ((base == 0 || base == 16) && hexadecimal(p)) {
		p += 2;
		base = 16;
	}
	if (base == 0)
		base = 10;
	if (digit(*p) >= base)
		return -EINVAL;
	for (; (d = digit(*p)) < base; p++)
		over |= __builtin_mul_overflow(n, (uint64_t)base, &n) ||
			__builtin_add_overflow(n, (uint64_t)d, &n);
	if (over || n < min || n > max)
		return -ERANGE;
	*text = p;
	*value = n;
	return 0;
}

int nnutil_parse_u64(const char *text, int base, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t n;
	int ret = nnutil_scan_u64(&text, base, 0, UINT64_MAX, &n);

	if (ret == -EINVAL || (!ret && *text))
		return -EINVAL;
	if (ret || n < min || n > max)
		return -ERANGE;
	*value = n;
	return 0;
}

int nnutil_parse_i64(const char *text, int base, int64_t min, int64_t max, int64_t *value)
{
	const bool negative = *text == '-';
	const uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	uint64_t n;
	int64_t v;
	int ret = nnutil_parse_u64(text + negative, base, 0, limit, &n);

	if (ret)
		return ret;
	v = negative ? (int64_t)(0 - n) : (int64_t)n;
	if (v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

static locale_t c_locale;

int nnutil_parse_bool(const char *text, bool *value)
{
	static const char *const words[2][4] = { { "0", "no", "false", "off" },
						 { "1", "yes", "true", "on" } };

	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 4; i++)
			if (!strcasecmp(text, words[truth][i])) {
				*value = truth;
				return 0;
			}
	return -EINVAL;
}

static void make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int nnutil_parse_double(const char *text, double min, double max, double *value)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *first = text + (*text == '-' || *text == '+');
	char *end;
	double v;

	/* strtod() would skip space and take "inf" and "nan" */
	if (digit(*first) > 9 && *first != '.')
		return -EINVAL;
	pthread_once(&once, make_locale);
	v = c_locale ? strtod_l(text, &end, c_locale) : strtod(text, &end);
	if (end == text || *end)
		return -EINVAL;
	if (!isfinite(v) || v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

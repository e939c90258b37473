// SPDX-License-Identifier: Apache-2.0
#include "base/nnctl_base.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t name_distance(const char *a, const char *b)
{
	const size_t na = strlen(a), nb = strlen(b);
	size_t rows[3][NEAREST_MAX] = { 0 };
	size_t *now = rows[0], *before = rows[1], *older = rows[2];

	if (na >= NEAREST_MAX || nb >= NEAREST_MAX)
		return NEAREST_MAX;
	for (size_t j = 0; j <= nb; j++)
		now[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *free_row = older;

		older = before;
		before = now;
		now = free_row;
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]),
				       least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], older[j - 2] + 1);
		}
	}
	return now[nb];
}

size_t name_distance_limit(const char *word)
{
	return strlen(word) < 5 ? 1 : 2;
}

// SPDX-License-Identifier: Apache-2.0
/* Sorting of a program's tables, which may have millions of entries, with ticks in between. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_verify.h"
#include "plan.h"

/** Entries that are sorted, or merged, between two looks at the pace. */
#define RUN 2048u

typedef int compare_fn(const void *a, const void *b);

/** Merge [a, a + n) and [b, b + m), which follow each other, to @to. */
static int merge(const struct nnprog *prog, const char *a, size_t n, const char *b, size_t m,
		 char *to, size_t size, compare_fn *compare)
{
	int ret;

	for (size_t since = 0; n && m; to += size) {
		bool second = compare(b, a) < 0;

		memcpy(to, second ? b : a, size);
		if (second) {
			b += size;
			m--;
		} else {
			a += size;
			n--;
		}
		if (++since == RUN) {
			ret = nnprog_pace(prog, since);
			if (ret)
				return ret;
			since = 0;
		}
	}
	for (const char *rest = n ? a : b; n || m;) {
		size_t count = n ? n : m;

		count = count < 16 * RUN ? count : 16 * RUN;
		memcpy(to, rest, count * size);
		to += count * size;
		rest += count * size;
		if (n)
			n -= count;
		else
			m -= count;
		ret = nnprog_pace(prog, RUN);
		if (ret)
			return ret;
	}
	return 0;
}

int nnprog_sort(const struct nnprog *prog, void *table, size_t count, size_t size,
		compare_fn *compare)
{
	char *from = table, *to, *spare;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i += RUN) {
		qsort(from + i * size, count - i < RUN ? count - i : RUN, size, compare);
		ret = nnprog_pace(prog, 4 * RUN);
	}
	if (count <= RUN || ret)
		return ret;
	spare = malloc(count * size);
	if (!spare)
		return -ENOMEM;
	to = spare;
	for (size_t run = RUN; run < count && !ret; run *= 2) {
		char *swap = from;

		for (size_t i = 0; i < count && !ret; i += 2 * run) {
			size_t n = count - i < run ? count - i : run;
			size_t m = count - i - n < run ? count - i - n : run;

			ret = merge(prog, from + i * size, n, from + (i + n) * size, m,
				    to + i * size, size, compare);
		}
		from = to;
		to = swap;
	}
	for (size_t i = 0; i < count && from != table && !ret; i += 16 * RUN) {
		size_t n = count - i < 16 * RUN ? count - i : 16 * RUN;

		memcpy((char *)table + i * size, from + i * size, n * size);
		ret = nnprog_pace(prog, RUN);
	}
	free(spare);
	return ret;
}

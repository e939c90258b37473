/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdint.h>
#include <stdlib.h>

static inline int bench_compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/** Sorts them. */
static inline int64_t bench_median(int64_t *ns, size_t count)
{
	qsort(ns, count, sizeof(*ns), bench_compare_ns);
	return ns[count / 2];
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting at the pace of a verification. Private to libnnprog. */
#ifndef NNPROG_SORT_H
#define NNPROG_SORT_H

#include "nnprog_verify.h"

/** qsort() at that pace. 0, -ENOMEM, or what nnprog_pace() says. */
int nnprog_sort(const struct nnprog *prog, void *table, size_t count, size_t size,
		int (*compare)(const void *a, const void *b));

#endif

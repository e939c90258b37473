/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of tab separated values with a header line. */
#ifndef NNCTL_TSV_H
#define NNCTL_TSV_H

#include <stddef.h>

struct tsv {
	char *text;
	char **cells; /* row by row; row 0 is the header */
	size_t columns, rows; /* rows without the header */
};

/** 0; -1 after a complaint. A missing file is an empty table when @optional. */
int tsv_read(struct tsv *t, const char *path, int optional);
void tsv_free(struct tsv *t);
/**
 * Cell of row @row (0: first after the header) in the column called @name; "" when there is none.
 */
const char *tsv_get(const struct tsv *t, size_t row, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Files as a whole: bytes, and tables of tab-separated values. */
#ifndef NNCTL_FILE_H
#define NNCTL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Read a whole file of at most @max bytes, with a NUL behind it. malloc'ed; NULL after a
 * complaint. */
void *read_file(const char *path, size_t max, size_t *size);

/** A table with a header line. */
struct tsv {
	char *text;
	char **cells; /* row by row; row 0 is the header */
	size_t columns, rows; /* rows without the header */
};

/** 0, or -1 after a complaint. With @optional, a missing file is an empty table. */
int tsv_read(struct tsv *t, const char *path, bool optional);
void tsv_free(struct tsv *t);
/** Cell of row @row (0: first after the header) in column @name; "" when there is no such cell. */
const char *tsv_get(const struct tsv *t, size_t row, const char *name);
/** The same as a number; 0 when the cell is not one. */
int64_t tsv_get_i64(const struct tsv *t, size_t row, const char *name);
double tsv_get_double(const struct tsv *t, size_t row, const char *name);

#endif

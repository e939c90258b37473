/* SPDX-License-Identifier: Apache-2.0 */
/* The text files of several processes as one trace. */
#ifndef NNCTL_MERGE_H
#define NNCTL_MERGE_H

#include <stddef.h>

/**
 * Write the marks of all files in @dir, each written by libnntrace, to @out in order of time.
 * *@marks: their number. *@broken: the number of malformed lines, which are left out. 0 or -errno.
 */
int trace_merge(const char *dir, int out, size_t *marks, size_t *broken);

#endif

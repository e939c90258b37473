/* SPDX-License-Identifier: Apache-2.0 */
/* The text files of several processes as one trace. */
#ifndef NNCTL_MERGE_H
#define NNCTL_MERGE_H

#include <stddef.h>

/**
 * All files of folder @dir, each written by libnntrace, into @out by time. *@marks is their number,
 * *@broken that of lines that were left out for they are none. 0 or -errno.
 */
int trace_merge(const char *dir, int out, size_t *marks, size_t *broken);

#endif

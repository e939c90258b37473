/* SPDX-License-Identifier: Apache-2.0 */
/* trace.dat, the file of trace-cmd. */
#ifndef NNTP_DAT_H
#define NNTP_DAT_H

#include <stdio.h>

/**
 * Write the events of the trace.dat at @path as text to @out. 0, or a negative errno with the
 * reason in @message.
 */
int dat_to_text(const char *path, FILE *out, char *message, size_t size);

#endif

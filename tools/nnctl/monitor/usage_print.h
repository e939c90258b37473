/* SPDX-License-Identifier: Apache-2.0 */
/* A reading as a view on a terminal, as CSV and as JSON. Unknown values are "-", empty, null. */
#ifndef NNCTL_USAGE_PRINT_H
#define NNCTL_USAGE_PRINT_H

#include "base/screen.h"
#include "monitor/usage.h"

/** The names of columns are for terminals only. */
void usage_draw(struct screen *screen, const struct usage *usage);
/** The first line. */
void usage_print_csv_header(void);
/** A line for each card, then for each client. @time: seconds since 1970. */
void usage_print_csv(const struct usage *usage, double time);
void usage_print_json(const struct usage *usage, double time);

#endif

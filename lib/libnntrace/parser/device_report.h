/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of a trace as text and as JSON. */
#ifndef NNTRACE_DEVICE_REPORT_H
#define NNTRACE_DEVICE_REPORT_H

#include <stdio.h>

#include "device_jobs.h"

/*
 * The table of a report: sums and medians of all jobs, the clocks with their bounds and, with
 * @each, a line for each job. As JSON: one object { "clocks": [...], "jobs": [...], "resets": n },
 * unknown times are null.
 */
void nntrace_device_print(const struct nntrace_device *d, FILE *out, int each);
void nntrace_device_print_json(const struct nntrace_device *d, FILE *out);

#endif

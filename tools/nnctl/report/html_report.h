/* SPDX-License-Identifier: Apache-2.0 */
/* A benchmark as a page: one file of HTML with drawings in SVG, without scripts or links. */
#ifndef NNCTL_HTML_REPORT_H
#define NNCTL_HTML_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/nnctl_roofline.h"

struct html_report {
	const char *model, *device;
	const char *isa; /* that the operations use; "": not known */
	const double *ms; /* of each run, least first */
	size_t runs;
	double median_ms, p95_ms, p99_ms, prepare_ms;
	/* shares of a run in ms; known: the device reported its times */
	bool known;
	double device_ms, driver_ms, host_ms;
	const struct profile *profile; /* without operations: no table of them */
	const struct peak *peak;
};

/** Write the page to @path. 0, or -1 after a complaint. */
int html_report_write(const struct html_report *report, const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNCTL_MONITOR_METRICS_H
#define NNCTL_MONITOR_METRICS_H

#include "monitor/usage.h"

/**
 * Print a reading in the text format of Prometheus, version 0.0.4: counters and gauges, no rates,
 * which are the server's to compute. Unknown values are left out.
 */
void metrics_print(const struct usage *usage);

#endif

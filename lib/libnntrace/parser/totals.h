/* SPDX-License-Identifier: Apache-2.0 */
/* From the sums of a run to its tables. */
#ifndef NNTP_TOTALS_H
#define NNTP_TOTALS_H

#include "nntrace_parse.h"

/* Of all threads, overrides included, ns. */
struct run_sums {
	struct nntp_cell cells[NNTP_LOOPS][NNTP_TABLE_LAYERS][NNTP_TABLE_PHASES];
	uint64_t executions[NNTP_LOOPS];
};

/** Set the tables, executions and has_loops of @run. @run->strict is set before. */
void totals_of(const struct run_sums *sums, struct nntp_run *run);

/**
 * The table that --per-execution divides by executions_shown: the benchmark's where there are
 * loops.
 */
const struct nntp_table *per_execution_table(const struct nntp_run *run);

#endif

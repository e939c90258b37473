/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of "nnctl trace"; argv[0] is the part's name. Exit code, or USAGE_ERROR. */
#ifndef NNCTL_TRACE_H
#define NNCTL_TRACE_H

int trace_record(int argc, char **argv);
int trace_clock_sync(int argc, char **argv);
int trace_report(int argc, char **argv);
int trace_export(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of nnctl trace: recording, clocks, reports, export. */
#ifndef NNCTL_TRACE_H
#define NNCTL_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* The parts of "nnctl trace"; argv[0] is the part's name. Exit code, or USAGE_ERROR. */

int trace_record(int argc, char **argv);
int trace_clock_sync(int argc, char **argv);
int trace_report(int argc, char **argv);
int trace_export(int argc, char **argv);

/* clock_sync.c: the clocks of cards against the host's. */

/**
 * Read the clock of every card several times: the driver's tracepoint puts the readings into the
 * trace.
 */
void trace_clocks_read(void);

/* ftrace.c: ftrace, through libtracefs. */

/** An ftrace instance of this process: a buffer, events and a marker file of its own. */
struct trace_ftrace;

/**
 * Set up an instance with @buffer_kb per processor, the driver's events and @events ("SYSTEM:EVENT"
 * or "SYSTEM"). It does not trace yet. NULL: tracefs cannot be used, with the reason in @why.
 */
struct trace_ftrace *trace_ftrace_open(int64_t buffer_kb, char *const *events, size_t num_events,
				       char *why, size_t why_size);
/** Path of the instance's marker file, for NNTRACE. */
const char *trace_ftrace_marker(const struct trace_ftrace *t);
int trace_ftrace_start(struct trace_ftrace *t);
void trace_ftrace_stop(struct trace_ftrace *t);
/**
 * Write the trace to @fd as text. *@lost: the number of events for which the buffer had no room.
 * 0 or -errno.
 */
int trace_ftrace_save(struct trace_ftrace *t, int fd, unsigned long long *lost);
/** Remove the instance. @t may be NULL. */
void trace_ftrace_close(struct trace_ftrace *t);

/* merge.c: the text files of several processes as one trace. */

/**
 * Write the marks of all files in @dir, each written by libnntrace, to @out in order of time.
 * *@marks: their number. *@broken: the number of malformed lines, which are left out. 0 or -errno.
 */
int trace_merge(const char *dir, int out, size_t *marks, size_t *broken);

#endif

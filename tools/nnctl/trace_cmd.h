/* SPDX-License-Identifier: Apache-2.0 */
/* Taking traces: "nnctl trace record" and "nnctl trace clock-sync". */
#ifndef NNCTL_TRACE_CMD_H
#define NNCTL_TRACE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** argv[0] is "record" or "clock-sync". */
int trace_record(int argc, char **argv);
int trace_clock_sync(int argc, char **argv);

/** Reading them: "nnctl trace report" and "nnctl trace export". */
int trace_report(int argc, char **argv);
int trace_export(int argc, char **argv);

/* ---- trace_clock.c ---- */

/**
 * Read the clock of every card some times, so that the driver's tracepoint has readings in the
 * trace.
 */
void trace_clocks_read(void);

/* ---- trace_ftrace.c ---- */

/** An instance of ftrace of our own: its buffer, events and marker file are nobody else's. */
struct trace_ftrace;

/**
 * Set up an instance with @buffer_kb per processor, the driver's events and @events ("SYSTEM:EVENT"
 * or "SYSTEM"), not tracing yet. NULL with the reason in @why: there is no tracefs here for us.
 */
struct trace_ftrace *trace_ftrace_open(int64_t buffer_kb, char *const *events, size_t num_events,
				       char *why, size_t why_size);
/** The instance's marker file, as NNTRACE wants it. */
const char *trace_ftrace_marker(const struct trace_ftrace *t);
int trace_ftrace_start(struct trace_ftrace *t);
void trace_ftrace_stop(struct trace_ftrace *t);
/**
 * Write what was traced to @fd as text. *@lost: events that the buffer had no room for. 0 or
 * -errno.
 */
int trace_ftrace_save(struct trace_ftrace *t, int fd, unsigned long long *lost);
/** Removes the instance. NULL is nothing. */
void trace_ftrace_close(struct trace_ftrace *t);

/* ---- trace_merge.c ---- */

/**
 * All files of folder @dir, each written by libnntrace, into @out by time. *@marks is their number,
 * *@broken that of lines that were left out for they are none. 0 or -errno.
 */
int trace_merge(const char *dir, int out, size_t *marks, size_t *broken);

#endif

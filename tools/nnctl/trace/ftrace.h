/* SPDX-License-Identifier: Apache-2.0 */
/* ftrace, through libtracefs. */
#ifndef NNCTL_FTRACE_H
#define NNCTL_FTRACE_H

#include <stddef.h>
#include <stdint.h>

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

#endif

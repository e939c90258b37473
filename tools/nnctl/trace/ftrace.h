/* SPDX-License-Identifier: Apache-2.0 */
/* ftrace, through libtracefs. */
#ifndef NNCTL_FTRACE_H
#define NNCTL_FTRACE_H

#include <stddef.h>
#include <stdint.h>

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

#endif

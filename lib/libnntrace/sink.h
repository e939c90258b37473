/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks of marks: target.c opens them, nntrace.c writes to them. */
#ifndef NNTRACE_SINK_H
#define NNTRACE_SINK_H

enum nntrace_sink {
	NNTRACE_SINK_NONE,
	NNTRACE_SINK_MARKER, /* trace_marker: the kernel adds thread and time */
	NNTRACE_SINK_FILE, /* text: each line has thread and time */
	NNTRACE_SINKS,
};

/*
 * Open @target. *@fd is a close-on-exec descriptor, owned by the caller, or -1 for "off". 0 or
 * -errno.
 */
int nntrace_target_open(const char *target, enum nntrace_sink *sink, int *fd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where marks go: what target.c opens and nntrace.c writes to. */
#ifndef NNTRACE_SINK_H
#define NNTRACE_SINK_H

enum nntrace_sink {
	NNTRACE_SINK_NONE,
	NNTRACE_SINK_MARKER, /* trace_marker: the kernel adds thread and time */
	NNTRACE_SINK_FILE, /* text: each line has all of it */
	NNTRACE_SINKS,
};

/*
 * Open what @target says. 0 and *@sink with a close-on-exec descriptor of the caller's in *@fd
 * (none and -1 for "off"), or a negative errno.
 */
int nntrace_target_open(const char *target, enum nntrace_sink *sink, int *fd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker prints, as log lines of this process. Hostile: lines are cut, made printable, and
 * limited in number. One thread at a time.
 */
#ifndef NNIPC_LOG_PIPE_H
#define NNIPC_LOG_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nnipc_log_pipe {
	/* Prints a line of the worker, or how many are left out. */
	void (*print)(const struct nnipc_log_pipe *log, const char *line);
	/* the opener's, for print() */
	int32_t pid;
	uid_t user;
	int fd; /* the reading end, non-blocking, to be polled; -1: none */
	char last[240]; /* the last complete line; "": none */
	/* private */
	char line[240]; /* the line that is not complete */
	size_t length;
	/* lines may be printed: they come back with the time */
	int64_t counted_ns;
	unsigned int left, dropped;
};

/** Makes the pipe; *@end becomes the worker's end, blocking. Both close-on-exec. 0 or -errno. */
int nnipc_log_pipe_open(struct nnipc_log_pipe *log,
			void (*print)(const struct nnipc_log_pipe *log, const char *line),
			int *end);
/** Read what is there, a bounded amount. False: there is nothing more, for ever. */
bool nnipc_log_pipe_read(struct nnipc_log_pipe *log);
/** Nothing more comes: read the rest, print what is left, close. */
void nnipc_log_pipe_close(struct nnipc_log_pipe *log);

#endif
